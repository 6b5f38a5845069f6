"""Numbers of lists and headings in words and letters, which Office computes and stores nowhere."""

_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_DIGITS = "零一二三四五六七八九"


def ordinal(value: int, form: str) -> str:
    """A number in a form of Office (`decimal`, `lowerRoman`, `chineseCounting` …); else decimal."""
    if form in ("lowerLetter", "upperLetter") and value > 0:
        # Word repeats the letter after z: aa, bb, not aa, ab.
        letters = chr(97 + (value - 1) % 26) * ((value - 1) // 26 + 1)
        return letters.upper() if form == "upperLetter" else letters
    if form in ("lowerRoman", "upperRoman") and 0 < value < 4000:
        return _roman(value).upper() if form == "upperRoman" else _roman(value)
    if form.startswith(("chinese", "japaneseCounting", "ideographDigital", "taiwaneseCounting")):
        return _chinese(value)
    if form == "decimalZero":
        return f"{value:02d}"
    if form == "decimalEnclosedCircle" and 0 < value <= 20:
        return chr(0x2460 + value - 1)
    return str(value)


def _roman(value: int) -> str:
    out = ""
    for size, mark in _ROMAN:
        out += mark * (value // size)
        value %= size
    return out


def _chinese(value: int) -> str:
    """Counting numbers up to 99 as in headings (十一, 二十); digit by digit above."""
    if value < 0 or value > 99:
        return "".join(_DIGITS[int(d)] for d in str(abs(value)))
    if value < 10:
        return _DIGITS[value]
    tens, ones = divmod(value, 10)
    return ("" if tens == 1 else _DIGITS[tens]) + "十" + ("" if ones == 0 else _DIGITS[ones])
