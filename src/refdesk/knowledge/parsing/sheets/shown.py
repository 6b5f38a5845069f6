"""Numbers as a spreadsheet shows them: format codes of ECMA-376 (part 1, 18.8.31), in the English form.

What is not shown is not invented: without a code a number keeps up to 15 significant digits, as in Excel.
Colours, padding and alignment marks are dropped; of the sections, the one for the sign is taken.
"""

import operator
import re
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from functools import lru_cache

BUILT_IN = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    14: "yyyy-mm-dd",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm",
    37: "#,##0;(#,##0)",
    38: "#,##0;(#,##0)",
    39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
    48: "##0.0E+0",
    49: "@",
    # Dates of Chinese, Japanese and Korean systems; their exact form depends on the system.
    **dict.fromkeys((27, 30, 36, 50, 52, 57), "yyyy-mm-dd"),
    **dict.fromkeys((28, 29, 31, 51, 53, 54, 58), 'yyyy"年"m"月"d"日"'),
    **dict.fromkeys((32, 33, 34, 35, 55, 56), "h:mm:ss"),
}
_TOKEN = re.compile(
    r'"[^"]*"|\\.|_.|\*.|\[(?:h+|m+|s+)\]|\[[^\]]*\]|AM/PM|A/P|上午/下午|General|G/通用格式'
    r"|y+|m+|d+|h+|s+|\.0+|E[+-]|[0#?]|.",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"\[(<=|>=|<>|<|>|=)(-?\d+(?:\.\d+)?)\]")
_COMPARED = {
    "<=": operator.le,
    ">=": operator.ge,
    "<>": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_EPOCH = datetime(1899, 12, 30)
_EPOCH_1904 = datetime(1904, 1, 1)
_MAX_SERIAL = 2_958_466


def shown_number(value: float, code: str, *, since_1904: bool = False) -> str:
    """A number under a format code, as a reader sees it."""
    sections = _sections(code)
    section = sections[0]
    negative = value < 0
    if _CONDITION.search(code):
        section = next((s for s in sections if _holds(s, value)), section)
    elif len(sections) > 1 and negative:
        section, value = sections[1], -value
    elif len(sections) > 2 and value == 0:
        section = sections[2]
    tokens = _tokens(section)
    if not tokens or _is_general(tokens):
        return general(value)
    if _is_date(tokens):
        return _shown_date(value, tokens, since_1904)
    return _shown_decimal(value, section, tokens) or general(value)


def general(value: float) -> str:
    """A number without a format: 15 significant digits, no trailing zeros."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    text = f"{value:.15g}"
    return text.replace("e", "E") if "e" in text else text


def shown_value(value: object) -> str:
    """A typed value of a reader that knows no format codes; dates as ISO, midnight left out."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return general(value)
    if isinstance(value, datetime):
        if value.microsecond:
            value = (value + timedelta(microseconds=500_000)).replace(microsecond=0)
        whole = value.time() == time(0)
        return value.date().isoformat() if whole else value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return _elapsed(value.total_seconds())
    return "" if value is None else str(value).strip()


def _holds(section: str, value: float) -> bool:
    """Whether a section is for a value by its own condition; one without is for all that are left."""
    given = _CONDITION.search(section)
    return given is None or _COMPARED[given[1]](value, float(given[2]))


@lru_cache(maxsize=2048)
def _sections(code: str) -> tuple[str, ...]:
    parts = re.findall(r'(?:"[^"]*"|\\.|[^;"\\]|["\\])+|(?<=;)(?=;|$)', code)
    return tuple(parts) or ("General",)


@lru_cache(maxsize=2048)
def _tokens(section: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(_CURRENCY.sub(lambda m: f'"{m[1]}"', section)))


def _is_general(tokens: tuple[str, ...]) -> bool:
    return any(token.lower() in ("general", "g/通用格式", "@") for token in tokens)


def _is_date(tokens: tuple[str, ...]) -> bool:
    return any(
        token[0].lower() in "ymdhs" or re.match(r"\[[hms]+\]", token, re.IGNORECASE) for token in tokens
    )


def is_date_code(code: str) -> bool:
    """Whether numbers under a format code are dates or times."""
    return _is_date(_tokens(_sections(code)[0]))


def _elapsed(seconds: float) -> str:
    whole = round(seconds)
    return (
        f"{'-' if whole < 0 else ''}{abs(whole) // 3600}:{abs(whole) % 3600 // 60:02d}:{abs(whole) % 60:02d}"
    )


def _literal(token: str) -> str:
    if token[0] == '"':
        return token[1:-1] if len(token) > 1 else ""
    if token[0] == "\\":
        return token[1:]
    if token[0] in "_*[":
        return " " if token[0] == "_" else ""
    return token


def _shown_date(value: float, tokens: tuple[str, ...], since_1904: bool) -> str:
    if not 0 <= value < _MAX_SERIAL:
        return general(value)
    # Excel counts a 29 February 1900 that never was: serials before it lie one day later.
    days = value + 1 if not since_1904 and 1 <= value < 60 else value
    tenths = any(token.startswith(".0") for token in tokens)
    exact = timedelta(seconds=round(days * 86_400, 3 if tenths else 0))
    moment = (_EPOCH_1904 if since_1904 else _EPOCH) + exact
    noon = any(token.upper() in ("AM/PM", "A/P", "上午/下午") for token in tokens)
    lower = [token.lower() for token in tokens]
    out: list[str] = []
    for i, token in enumerate(lower):
        first = token[0]
        if token in ("am/pm", "a/p", "上午/下午"):
            names = ("上午", "下午") if first == "上" else ("AM", "PM")
            out.append(names[moment.hour >= 12])
        elif re.match(r"\[[hms]+\]", token):
            unit = {"h": 3600, "m": 60, "s": 1}[token[1]]
            out.append(str(round(value * 86_400) // unit))
        elif first in "ymdhs":
            minutes = first == "m" and _means_minutes(lower, i)
            out.append(_date_part(moment, token, minutes=minutes, noon=noon))
        elif token.startswith(".0"):
            out.append(f".{moment.microsecond // 1000:03d}"[: len(token)])
        else:
            out.append(_literal(tokens[i]))
    return "".join(out).strip()


def _means_minutes(tokens: list[str], at: int) -> bool:
    before = next((t for t in reversed(tokens[:at]) if t.strip("[]")[:1] in tuple("ymdhs")), "")
    after = next((t for t in tokens[at + 1 :] if t.strip("[]")[:1] in tuple("ymdhs")), "")
    return len(tokens[at]) < 3 and (before.strip("[]")[:1] == "h" or after.strip("[]")[:1] == "s")


def _date_part(moment: datetime, token: str, *, minutes: bool, noon: bool) -> str:
    first, width = token[0], len(token)
    if first == "y":
        return f"{moment.year:04d}" if width > 2 else f"{moment.year % 100:02d}"
    if first == "m" and not minutes:
        name = _MONTHS[moment.month - 1]
        return (f"{moment.month:0{width}d}", name[:3], name, name[0])[max(0, min(width, 5) - 2)]
    if first == "d":
        name = _DAYS[moment.weekday()]
        return (f"{moment.day:0{width}d}", name[:3], name)[max(0, min(width, 4) - 2)]
    number = {"m": moment.minute, "h": moment.hour, "s": moment.second}[first]
    if first == "h" and noon:
        number = number % 12 or 12
    return f"{number:0{min(width, 2)}d}"


def _shown_decimal(value: float, section: str, tokens: tuple[str, ...]) -> str:
    places = [i for i, token in enumerate(tokens) if token in "0#?"]
    places += [i for i, token in enumerate(tokens) if re.fullmatch(r"\.0+", token)]
    if not places:
        return "".join(_literal(token) for token in tokens).strip()
    first, last = min(places), max(places)
    pattern = "".join(
        token for token in tokens[first : last + 1] if not token.startswith(('"', "\\", "_", "*"))
    )
    inside = tokens[first : last + 1]
    if not re.search(r"[.,eE/]", pattern) and any(token not in "0#?" for token in inside):
        text = _placed(value, inside)
    elif "/" in pattern:
        text = _fraction(value, pattern)
    else:
        text = _decimal(value, tokens, pattern, first, last)
    before = "".join(_literal(token) for token in tokens[:first]).lstrip()
    after = "".join(_literal(t) for t in tokens[last + 1 :] if t != ",").rstrip()
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    return f"{sign}{before}{text}{after}".strip()


def _placed(value: float, tokens: tuple[str, ...]) -> str:
    """Digits with marks between them, as in telephone numbers: filled from the right."""
    digits = str(int(_half_up(abs(value), 0)))
    out: list[str] = []
    places = sum(1 for token in tokens if token in "0#?")
    for token in reversed(tokens):
        if token not in "0#?":
            out.append(_literal(token)[::-1])
            continue
        places -= 1
        taken = digits if places == 0 else digits[-1:]
        digits = digits[: len(digits) - len(taken)]
        out.append(taken[::-1] or ("0" if token == "0" else ""))
    return ("-" if value < 0 else "") + "".join(out)[::-1]


def _decimal(value: float, tokens: tuple[str, ...], pattern: str, first: int, last: int) -> str:
    percents = tokens.count("%")
    value *= 100**percents
    tail = len("".join(tokens[last + 1 :])) - len("".join(tokens[last + 1 :]).lstrip(","))
    value /= 1000**tail
    mantissa = re.split(r"E[+-]", pattern, flags=re.IGNORECASE)[0]
    whole, _, decimals = mantissa.partition(".")
    most = len(re.findall(r"[0#?]", decimals))
    least = len(re.findall("0", decimals))
    if mantissa != pattern:
        number, _, power = f"{value:.{most}E}".partition("E")
        return f"{number}E{power[0]}{power[1:].lstrip('0').zfill(2)}"
    text = f"{_half_up(value, most):{',' if ',' in whole else ''}.{most}f}"
    while most > least and text.endswith("0"):
        text, most = text[:-1], most - 1
    text = text.removesuffix(".")
    width = whole.count("0")
    if width > 1 and "," not in whole:
        sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
        integer, dot, rest = digits.partition(".")
        text = sign + integer.zfill(width) + dot + rest
    return "0" + text.removeprefix("-0") if re.fullmatch(r"-0(?:\.0*)?", text) else text


def _half_up(value: float, places: int) -> float:
    """Excel rounds halves away from zero on the decimal digits shown: 0.125 gives 0.13, 2.5 gives 3."""
    if abs(value) >= 1e15 or places > 14:
        return value
    scaled = float(f"{abs(value) * 10**places:.15g}")
    rounded = int(scaled + 0.5) / 10**places
    return -rounded if value < 0 else rounded


def _fraction(value: float, pattern: str) -> str:
    digits = len(pattern.rpartition("/")[2].strip())
    whole = int(abs(value))
    part = Fraction(abs(value) - whole).limit_denominator(10 ** max(1, min(digits, 3)) - 1)
    if part == 1:
        whole, part = whole + 1, Fraction(0)
    sign = "-" if value < 0 else ""
    if not part:
        return f"{sign}{whole}"
    return f"{sign}{f'{whole} ' if whole else ''}{part.numerator}/{part.denominator}"
