"""Arguments found without a model, by what a schema says of its parameters.

Patterns, lists, formats, examples, dates, numbers and labels: what is found stands in the text, word for word
but for its form. The question is looked at first, then earlier ones, the latest first.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import regex

from refdesk.tools.arguments.dates import find_date
from refdesk.tools.arguments.schemas import choices_of, properties_of, required_of, types_of
from refdesk.tools.arguments.wordings import example_pattern, examples_of, labels_of, words_of_choices

_TIMEOUT_S = 0.1
_IDENTIFIER = regex.compile(
    r"(?:^|[_\-.\s])(?:id|ids|no|nr|num|number|code|sku|serial|email|phone|mobile|tracking)$"
    r"|[a-z](?:Id|ID|No|Number|Code|Sku)$|编号|单号|号码|订单号|手机|邮箱|代码",
)
_CODE = r"(?<![\w-])[A-Za-z]{0,6}[-_#]?\d{4,24}(?:-\d{1,12})*(?![\w-])"
_FREE = regex.compile(
    r"^(?:query|question|q|text|keywords?|search|message|content|prompt|问题|关键词)$", regex.I
)
_NUMBER = r"(?<![\w.-])[-+]?\d{1,15}(?:\.\d{1,10})?(?![\w.]|-\d)"
_FORMATS = {
    "email": r"[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+",
    "uuid": r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b",
    "uri": r"https?://[^\s<>\"'，。）)]+",
    "url": r"https?://[^\s<>\"'，。）)]+",
    "ipv4": r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])",
    "phone": r"(?<!\d)\+?\d[\d -]{6,16}\d(?!\d)",
}


def find_values(schema: Mapping[str, Any], said: Sequence[str], today: datetime) -> dict[str, Any]:
    """Values by parameter name. `said` are a person's words, the question last."""
    found: dict[str, Any] = {}
    required = required_of(schema)
    parts = properties_of(schema)
    for name, part in parts.items():
        for text in reversed(said):
            value = _find(name, part, text, today, name in required)
            if value is not None:
                found[name] = value
                break
    taken = {str(value) for value in found.values()}
    for name, part in parts.items():
        if name in found or name not in required or choices_of(part):
            continue
        value = _only_candidate(name, part, said[-1] if said else "", taken)
        if value is not None:
            found[name] = value
            taken.add(str(value))
    return found


def is_identifier(name: str, part: Mapping[str, Any]) -> bool:
    """Whether a value must be copied from what was said: it cannot be meant in other words."""
    if choices_of(part) or part.get("format") in ("date", "date-time"):
        return False
    if "string" not in types_of(part) and "integer" not in types_of(part):
        return False
    return bool(_IDENTIFIER.search(name)) or "pattern" in part or part.get("format") in _FORMATS


def stands_in(value: str, texts: Sequence[str]) -> bool:
    """Whether letters and digits of a value stand in one of the texts, whatever is between them."""
    wanted = _squashed(value)
    return bool(wanted) and any(wanted in _squashed(text) for text in texts)


def _squashed(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def _find(name: str, part: Mapping[str, Any], text: str, today: datetime, is_required: bool) -> Any:
    if choices_of(part):
        return _choice(part, text)
    types = types_of(part)
    form = part.get("format")
    if form in ("date", "date-time"):
        day = find_date(text, today)
        return None if day is None else day.isoformat() if form == "date" else f"{day.isoformat()}T00:00:00Z"
    if "string" in types or not types:
        for pattern in _patterns(part):
            if (hit := _search(pattern, text)) is not None:
                return next((one for one in (hit, hit.upper(), hit.lower()) if _fits(one, part)), hit)
        if (hit := _labelled(name, part, text, r"[^\s,，。;；！？!?]{1,80}")) is not None:
            return hit
        if is_required and _FREE.match(name) and text.strip():
            return text.strip()
        return None
    if "integer" in types or "number" in types:
        return _labelled(name, part, text, _NUMBER, apart=4)
    return None


def _patterns(part: Mapping[str, Any]) -> list[str]:
    patterns: list[str] = []
    own = part.get("pattern")
    if isinstance(own, str) and len(own) <= 500:
        bare = own.removeprefix("^").removesuffix("$")
        if not _matches_anything(bare):
            patterns.append(rf"(?<![A-Za-z0-9])(?:{bare})(?![A-Za-z0-9])")
    form = part.get("format")
    if isinstance(form, str) and form in _FORMATS:
        patterns.append(_FORMATS[form])
    if not patterns:
        patterns.extend(made for one in examples_of(part) if (made := example_pattern(one)))
    return patterns


def _matches_anything(pattern: str) -> bool:
    """Whether plain words match, so that the pattern tells nothing of where a value stands."""
    return any(_search(pattern, word) is not None for word in ("example", "示例文本", "the"))


def _search(pattern: str, text: str) -> str | None:
    try:
        for flags in (0, regex.IGNORECASE):
            if (hit := regex.search(pattern, text, flags, timeout=_TIMEOUT_S)) is not None and hit[0].strip():
                return hit[0].strip()
    except (regex.error, TimeoutError, ValueError):
        return None
    return None


def _fits(value: str, part: Mapping[str, Any]) -> bool:
    """Whether a value is as the schema's own pattern wants it: people type letters in the other case."""
    own = part.get("pattern")
    return not isinstance(own, str) or regex.search(own, value, timeout=_TIMEOUT_S) is not None


def _labelled(name: str, part: Mapping[str, Any], text: str, value: str, *, apart: int = 0) -> str | None:
    """What stands behind the parameter's label: `城市：北京`, `top 5`."""
    for label in labels_of(name, part):
        word = regex.escape(label)
        edge = r"(?<![A-Za-z0-9_])" if label[0].isascii() else ""
        between = r"\s*(?:[:：=]|是|为)\s*"
        if apart:
            between = rf"(?:{between}|\s*[^\d\s,，。;；]{{0,{apart}}}\s*)"
        hit = regex.search(rf"{edge}{word}{between}({value})", text, regex.IGNORECASE, timeout=_TIMEOUT_S)
        if hit is not None:
            return hit[1].strip()
    return None


def _choice(part: Mapping[str, Any], text: str) -> Any:
    """The listed value that is named, if one alone is; the longest word decides between nested ones."""
    folded = text.casefold()
    best: list[tuple[int, Any]] = []
    for value, words in words_of_choices(part):
        lengths = [len(word) for word in words if _has_word(folded, word.casefold())]
        if lengths:
            best.append((max(lengths), value))
    if not best:
        return None
    longest = max(length for length, _ in best)
    values = [value for length, value in best if length == longest]
    return values[0] if len(values) == 1 else None


def _has_word(text: str, word: str) -> bool:
    if not word:
        return False
    if not word.isascii():
        return word in text
    return regex.search(rf"(?<![a-z0-9_]){regex.escape(word)}(?![a-z0-9_])", text) is not None


def _only_candidate(name: str, part: Mapping[str, Any], text: str, taken: set[str]) -> str | None:
    """The one code or number in the question, where there is only one that it could be."""
    types = types_of(part)
    if "string" in types and not _patterns(part) and is_identifier(name, part):
        pattern = _CODE
    elif ("integer" in types or "number" in types) and not is_identifier(name, part):
        pattern = _NUMBER
    elif "integer" in types:
        pattern = r"(?<![\w-])\d{3,15}(?![\w-])"
    else:
        return None
    hits = {hit.strip() for hit in regex.findall(pattern, text)} - taken
    return hits.pop() if len(hits) == 1 else None
