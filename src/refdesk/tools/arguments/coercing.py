"""A value as its schema wants it, no meaning lost: `"3"` as 3, `"是"` as true, `SHIPPED` as `shipped`.

What cannot be had without guessing stays as it is, for the validator to refuse.
"""

import json
import math
from collections.abc import Mapping
from typing import Any, cast

import regex

from refdesk.tools.arguments.schemas import choices_of, properties_of, resolved, types_of, variants_of

_TRUE = frozenset(("true", "yes", "y", "on", "1", "是", "对", "真", "需要", "要"))
_FALSE = frozenset(("false", "no", "n", "off", "0", "否", "不", "假", "不需要", "不要"))
_INTEGER = regex.compile(r"[+-]?\d{1,30}")
_THOUSANDS = regex.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_NUMBER = regex.compile(r"[+-]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})([eE][+-]?\d{1,3})?")
_MOST_DEPTH = 24


def coerced(value: Any, part: Mapping[str, Any], root: Mapping[str, Any], depth: int = 0) -> Any:
    """The value, or the same meaning in the type that the schema names."""
    part = resolved(part, root)
    if depth > _MOST_DEPTH:
        return value
    choices = choices_of(part)
    if choices:
        return _chosen(value, choices)
    types = types_of(part)
    if not types:
        for variant in variants_of(part):
            taken = resolved(variant, root)
            attempt = coerced(value, taken, root, depth + 1)
            if _is(attempt, types_of(taken)):
                return attempt
        return value
    if not _is(value, types) or isinstance(value, float):
        for kind in types:
            attempt = _as(value, kind)
            if _is(attempt, (kind,)):
                value = attempt
                break
    if isinstance(value, dict):
        known = properties_of(part) if part is not root else properties_of(root)
        return {
            name: coerced(one, resolved(known[name], root), root, depth + 1) if name in known else one
            for name, one in cast("dict[str, Any]", value).items()
        }
    if isinstance(value, list) and isinstance(part.get("items"), Mapping):
        return [coerced(one, part["items"], root, depth + 1) for one in cast("list[Any]", value)]
    return cast("Any", value)


def is_number(value: Any) -> bool:
    """Whether it is a number that JSON has: neither a truth value nor NaN or infinite."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is(value: Any, types: tuple[str, ...]) -> bool:
    if isinstance(value, bool):
        return "boolean" in types
    if isinstance(value, int):
        return "integer" in types or "number" in types
    if isinstance(value, float):
        return "number" in types and math.isfinite(value)
    if isinstance(value, str):
        return "string" in types
    if value is None:
        return "null" in types
    return ("array" if isinstance(value, list) else "object") in types


def _as(value: Any, kind: str) -> Any:
    if kind in ("integer", "number"):
        return _number(value, whole=kind == "integer")
    if kind == "boolean":
        return _truth(value)
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return getattr(value, "written", None) or (str(value) if math.isfinite(value) else value)
    if kind in ("array", "object") and isinstance(value, str):
        return _parsed(value, kind)
    if kind == "array" and value is not None and not isinstance(value, str | dict):
        return [value]
    return cast("Any", value)


def _number(value: Any, *, whole: bool) -> Any:
    if isinstance(value, str):
        text = value.strip()
        if _THOUSANDS.fullmatch(text):
            text = text.replace(",", "")
        if _INTEGER.fullmatch(text):
            return int(text)
        if not _NUMBER.fullmatch(text):
            return value
        number = float(text)
    elif isinstance(value, float):
        number = float(value)
    else:
        return value
    if not math.isfinite(number):
        return value
    if whole:
        return int(number) if number.is_integer() and abs(number) < 2**53 else value
    return number


def _truth(value: Any) -> Any:
    if isinstance(value, str):
        word = value.strip().casefold()
        return True if word in _TRUE else False if word in _FALSE else value
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    return value


def _parsed(text: str, kind: str) -> Any:
    wanted = list if kind == "array" else dict
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, wanted):
        return cast("Any", found)
    if kind == "object" or text.strip()[:1] in ("{", "["):
        return text
    parts = [part.strip() for part in regex.split(r"[,，、;；\n]", text)]
    return [part for part in parts if part]


def _chosen(value: Any, choices: tuple[Any, ...]) -> Any:
    if any(value == choice and type(value) is type(choice) for choice in choices):
        return value
    word = _word(value)
    alike = [choice for choice in choices if word and _word(choice) == word]
    return alike[0] if len(alike) == 1 else value


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).casefold()
    if isinstance(value, str | int | float):
        return regex.sub(r"[\s_-]+", "", str(value)).casefold()
    return ""
