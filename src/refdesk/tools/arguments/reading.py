"""Reading the arguments of a call as a model wrote them.

Strict JSON first, then repaired JSON, then `name: value` pairs of names that the schema knows, then the text
as it stands where the tool takes a plain text. Says which way it was. Never raises; never adds a name or a
value that was not written. What the values mean is for `checking`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from refdesk.tools.arguments.pairs import read_pairs
from refdesk.tools.arguments.paths import paths_restored, with_whole_paths
from refdesk.tools.arguments.repairing import repaired
from refdesk.tools.arguments.schemas import properties_of

MAX_ARGUMENT_CHARS = 65_536
_MOST_DEPTH = 48

Way = Literal["empty", "strict", "repaired", "pairs", "raw", "unreadable"]


class WrittenFloat(float):
    """A number that still knows how it was written: `1.10` is a version to whoever wants a text."""

    written: str

    def __new__(cls, written: str) -> "WrittenFloat":
        number = super().__new__(cls, written)
        number.written = written
        return number


@dataclass(frozen=True, slots=True)
class Read:
    """What was read, and how. `reason` is a stable code of why nothing could be (`way` is `unreadable`):
    `too-large`, `too-deep`, `several-objects`, `not-an-object`."""

    values: Mapping[str, Any]
    way: Way
    reason: str | None = None

    @property
    def ok(self) -> bool:
        return self.way != "unreadable"


def read_arguments(raw: str, schema: Mapping[str, Any], *, fallback_key: str | None = None) -> Read:
    """The arguments in `raw`, for a tool with this schema of parameters.

    `fallback_key` names the parameter that takes the whole text when nothing else can be read from it;
    without one such a text is `unreadable`.
    """
    if len(raw) > MAX_ARGUMENT_CHARS:
        return Read({}, "unreadable", "too-large")
    text = _bared(raw)
    if text in ("", "null", "None", "{}"):
        return Read({}, "empty")
    found = _strict(text)
    if isinstance(found, str):  # JSON within JSON, as some vendors send it; or one plain text
        inner = found.strip()
        found = _strict(inner)
        text = inner if isinstance(found, dict) or inner.startswith("{") else text
    if isinstance(found, dict):
        values = _clean(cast("dict[str, Any]", found))
        return Read(values, "repaired" if paths_restored(values) else "strict")
    reason = "not-an-object"
    if _depth(text) > _MOST_DEPTH:
        reason = "too-deep"
    elif _are_several(text):
        reason = "several-objects"
    else:
        objects = repaired(with_whole_paths(text))
        if len(objects) == 1:
            return Read(_clean(objects[0]), "repaired")
        if objects:
            reason = "several-objects"
        elif pairs := read_pairs(text, properties_of(schema)):
            return Read(_clean(pairs), "pairs")
    if fallback_key is not None and reason == "not-an-object":
        return Read(_clean({fallback_key: _plain(text)}), "raw")
    return Read({}, "unreadable", reason)


def _bared(raw: str) -> str:
    """Without byte order mark, NUL bytes and the fence of a code block."""
    text = raw.replace("\x00", "").strip("\ufeff \t\r\n")
    if text.startswith("```"):
        text = text[3:].removesuffix("```").strip()
        word, _, rest = text.partition("\n")
        if word.strip().isalpha():
            text = rest.strip()
        elif text.startswith("json"):
            text = text[4:].strip()
    return text


def _strict(text: str) -> Any:
    """What JSON says, or None. NaN and infinity are kept for `checking` to refuse by name."""
    try:
        found = json.loads(text, parse_float=WrittenFloat)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, list) and len(found) == 1:  # pyright: ignore[reportUnknownArgumentType]
        return found[0]  # pyright: ignore[reportUnknownVariableType]
    return cast("Any", found)


def _are_several(text: str) -> bool:
    """Whether right objects follow one another that say different things: which one is meant is not known.

    Empty ones do not count: some vendors send `{}` before the arguments.
    """
    decoder, place, seen = json.JSONDecoder(), text.find("{"), list[Any]()
    while 0 <= place < len(text) and text[place] == "{":
        try:
            found, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        if found and found not in seen:
            seen.append(found)
        while place < len(text) and text[place] in " \t\r\n,;":
            place += 1
    return len(seen) > 1


def _clean(values: dict[str, Any]) -> dict[str, Any]:
    """Without what no database and no UTF-8 takes: NUL, half surrogate pairs."""
    return {_clean_value(name): _clean_value(value) for name, value in values.items()}


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        whole = value.replace("\x00", "")
        if whole.isascii():
            return whole
        # Repaired escapes of a sign beyond the first plane come as two halves.
        return whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return _clean(cast("dict[str, Any]", value))
    if isinstance(value, list):
        return [_clean_value(one) for one in cast("list[Any]", value)]
    return value


def _depth(text: str) -> int:
    """How deep brackets stand in one another, whatever they stand in."""
    depth = deepest = 0
    for sign in text:
        if sign in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "]}":
            depth = max(0, depth - 1)
    return deepest


def _plain(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1].strip()
    return text
