"""JSON that is nearly right, set right by `json-repair`; and the proof that it added nothing.

The library is not given the schema: with one it fills in defaults and required names, and of several objects
it keeps the last. Both would be arguments that nobody wrote.
"""

import json
from collections.abc import Iterator
from typing import Any, cast

import json_repair


def repaired(text: str) -> list[dict[str, Any]]:
    """The objects in the text, empty ones left out and equal ones once; none where a repair would invent."""
    start = text.find("{")
    if start < 0:
        return []
    try:
        found: Any = json_repair.loads(text[start:], skip_json_loads=True)
    except (ValueError, RecursionError, IndexError, AttributeError, TypeError):
        # The library works by guessing; what it stumbles over is not JSON.
        return []
    written = _Written(text)
    objects: list[dict[str, Any]] = []
    for one in cast("list[Any]", found) if isinstance(found, list) else [found]:
        if isinstance(one, dict) and one and one not in objects:
            objects.append(cast("dict[str, Any]", one))
    return objects if all(written.holds(one) for one in objects) else []


class _Written:
    """What was written, letters and digits only, also with its escapes read."""

    def __init__(self, text: str) -> None:
        self._plain = _squashed(text)
        self._read = _squashed(_unescaped(text)) if "\\" in text else self._plain

    def holds(self, value: Any) -> bool:
        return all(part in self._plain or part in self._read for part in map(_squashed, _words(value)))


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, one in cast("dict[str, Any]", value).items():
            yield str(name)
            yield from _words(one)
    elif isinstance(value, list):
        for one in cast("list[Any]", value):
            yield from _words(one)
    elif isinstance(value, str):
        yield value


def _squashed(text: str) -> str:
    return "".join(sign for sign in text if sign.isalnum())


def _unescaped(text: str) -> str:
    parts: list[str] = []
    place = 0
    while (at := text.find("\\", place)) >= 0:
        parts.append(text[place:at])
        length = 6 if text[at + 1 : at + 2] == "u" else 2
        piece = text[at : at + length]
        if length == 6 and text[at + 6 : at + 8] == "\\u":
            length, piece = 12, text[at : at + 12]
        try:
            parts.append(json.loads(f'"{piece}"'))
        except ValueError:
            length = 2
            parts.append(text[at + 1 : at + 2])
        place = at + length
    parts.append(text[place:])
    return "".join(parts)
