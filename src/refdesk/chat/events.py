"""The events of a run, as they are logged and sent (names: see `docs/api.md`)."""

from dataclasses import dataclass
from typing import Any, Literal, cast

import orjson

from refdesk.kit import sse

EventName = Literal[
    "run.started",
    "queue",
    "stage",
    "sources",
    "reasoning",
    "delta",
    "tool.call",
    "tool.result",
    "citation",
    "form",
    "usage",
    "warning",
    "error",
    "snapshot",
    "run.finished",
]


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One event. `seq` counts from 1 without gaps; `data` is JSON, encoded once for log and listeners."""

    seq: int
    name: str
    data: bytes

    def frame(self) -> bytes:
        """The event as server-sent event, `seq` as its id."""
        return sse.frame(self.name, self.data, self.seq)

    def json(self) -> Any:
        return orjson.loads(self.data)


def encode(data: Any) -> bytes:
    """JSON that PostgreSQL's `jsonb` takes too: no NUL characters, no lone surrogates."""
    try:
        encoded = orjson.dumps(data)
    except TypeError:
        return orjson.dumps(_cleaned(data))
    if b"\\u0000" in encoded:
        return orjson.dumps(_cleaned(data))
    return encoded


def clean_text(text: str) -> str:
    """`text` without NUL; lone surrogates become `?`."""
    if "\x00" in text:
        text = text.replace("\x00", "")
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _cleaned(data: Any) -> Any:
    if isinstance(data, str):
        return clean_text(data)
    if isinstance(data, dict):
        return {clean_text(str(k)): _cleaned(v) for k, v in cast("dict[Any, Any]", data).items()}
    if isinstance(data, list | tuple):
        return [_cleaned(item) for item in cast("list[Any]", data)]
    return data
