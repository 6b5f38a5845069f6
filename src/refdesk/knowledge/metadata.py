"""Metadata with known meanings: what they are called, what they may hold, and what a file says of itself.

The keys are those that questions are routed and filtered by; any other key may hold what the page can
edit: text, a number, yes or no, a list of texts. Dates are
kept as ISO 8601 text, so that they compare as they stand.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

import orjson

from refdesk.kit.border_types import clean_json
from refdesk.knowledge.errors import MetaInvalid
from refdesk.knowledge.parsing.dates import DATE_NAMES, iso_date

MAX_BYTES = 64 * 1024
_MAX_TEXT = 2_000

_ALIASES = {
    "title": ("title", "标题"),
    "author": ("author", "authors", "creator", "作者"),
    "language": ("language", "lang", "语言"),
    "doc_type": ("doc_type", "doctype", "document type", "文档类型", "文件类型"),
    "department": ("department", "departments", "部门", "发布部门"),
    **DATE_NAMES,
}


def _day(value: Any) -> str | None:
    found = iso_date(value)
    return None if found is None else found[:10]


def _text(value: Any) -> str | None:
    if isinstance(value, list):
        value = ", ".join(_strings(cast(list[Any], value)))
    if not isinstance(value, str) or not value.strip():
        return None
    return " ".join(value.split())[:_MAX_TEXT]


def _texts(value: Any) -> list[str] | None:
    if isinstance(value, str):
        value = re.split(r"[,;，；、]", value)
    return _strings(cast(list[Any], value))[:100] or None if isinstance(value, list) else None


def _strings(values: list[Any]) -> list[str]:
    return [" ".join(part.split())[:_MAX_TEXT] for part in values if isinstance(part, str) and part.strip()]


_READERS: dict[str, Callable[[Any], Any]] = {
    "title": _text,
    "author": _text,
    "language": _text,
    "doc_type": _text,
    "effective_date": _day,
    "published_at": iso_date,
    "department": _texts,
    "created": iso_date,
    "modified": iso_date,
}
_KNOWN_BY = {alias: key for key, aliases in _ALIASES.items() for alias in aliases}


def found_metadata(parsed: Mapping[str, Any]) -> dict[str, Any]:
    """What a file says of itself, under the known names where it is about a known thing.

    A value that cannot be read as what its name promises stays under the name the file has for it.
    """
    found: dict[str, Any] = {}
    for name, value in clean_json(dict(parsed)).items():
        key = _KNOWN_BY.get(str(name).strip().lower())
        read = None if key is None else _READERS[key](value)
        if key is None or read is None:
            found.setdefault(name, value)
        else:
            found.setdefault(key, read)
    if len(orjson.dumps(found)) > MAX_BYTES:
        found = {key: found[key] for key in _READERS if key in found}
    return found


def checked_metadata(meta: Mapping[str, Any]) -> dict[str, Any]:
    """What a person says, known keys in their form. Null hides what the file says. Raises `MetaInvalid`."""
    checked: dict[str, Any] = {}
    for key, value in meta.items():
        reader = _READERS.get(key)
        if reader is None and not _is_plain(value):
            raise MetaInvalid(key=key, expected="text, a number, yes or no, or a list of texts")
        if reader is None or value is None:
            checked[key] = value
            continue
        read = reader(value) if isinstance(value, str | list) else None
        if read is None:
            raise MetaInvalid(key=key, expected=_EXPECTED[key])
        checked[key] = read
    if len(orjson.dumps(checked)) > MAX_BYTES:
        raise MetaInvalid("The metadata are too large.", max_bytes=MAX_BYTES)
    return checked


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(one, str) for one in cast(list[Any], value))
    return value is None or isinstance(value, str | int | float)


_EXPECTED = {
    "title": "text",
    "author": "text",
    "language": "text",
    "doc_type": "text",
    "effective_date": "a date such as 2026-01-31",
    "published_at": "a date or a time such as 2026-01-31T08:00:00Z",
    "department": "a list of texts",
    "created": "a date or a time such as 2026-01-31T08:00:00Z",
    "modified": "a date or a time such as 2026-01-31T08:00:00Z",
}


def effective_metadata(found: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """What holds: what people say, and else what the file says."""
    return {key: value for key, value in {**found, **said}.items() if value is not None}
