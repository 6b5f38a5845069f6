"""When each part of a run began, how long it took and what it used: stages, and the spans within them.

Where code runs is known by a context variable, which tasks inherit: channels and tool calls that are started
together inside a stage become its spans without being told. Two clock readings and one dictionary a span.
"""

import asyncio
import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from refdesk.kit.errors import AppError

type Entry = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class _Open:
    """A part that is under way. `owner` tells runs apart: one may be asked from within another."""

    owner: "Spans"
    entry: Entry
    parent: "_Open | None"


_CURRENT: ContextVar[_Open | None] = ContextVar("refdesk_run_span", default=None)


class Spans:
    """The parts of one run. `stages` is what is kept of it, complete up to the present moment.

    An entry is `{name, state, started_ms, elapsed_ms, detail}`, with `usage`, `spans`, `error` and (for a
    stage inside another) `parent` where there are any. Times in milliseconds, `started_ms` from the run's
    creation.
    """

    def __init__(self, age_s: float = 0.0) -> None:
        """`age_s`: for how long the run has existed already."""
        self.stages: list[Entry] = []
        self._began = time.perf_counter() - age_s

    def now_ms(self) -> float:
        """Milliseconds since the run was created."""
        return round((time.perf_counter() - self._began) * 1000, 2)

    @contextmanager
    def stage(self, name: str) -> Generator[Entry]:
        """A stage; the block may fill the entry's detail."""
        within = self._current()
        entry = self._entry(name)
        if within is not None:
            entry["parent"] = within.entry["name"]
        self.stages.append(entry)
        with self._timed(entry, within):
            yield entry

    @contextmanager
    def span(self, name: str, parent: str | None = None) -> Generator[Entry]:
        """A part of the stage or span that the code runs in, or of the latest stage called `parent`."""
        within = self._current()
        if parent is not None and (within is None or within.entry["name"] != parent):
            found = next((entry for entry in reversed(self.stages) if entry["name"] == parent), None)
            within = _Open(self, found, None) if found is not None else within
        entry = self._entry(name)
        siblings = self.stages if within is None else within.entry.setdefault("spans", [])
        siblings.append(entry)
        with self._timed(entry, within):
            yield entry

    def begin(self, name: str, detail: Entry) -> Entry:
        """Note a part of what is under way here that begins now and ends with `end`."""
        entry = self._entry(name) | {"detail": detail}
        within = self._current()
        (self.stages if within is None else within.entry.setdefault("spans", [])).append(entry)
        return entry

    def end(self, entry: Entry, error: str | None = None) -> None:
        """End what `begin` began."""
        entry["elapsed_ms"] = round(self.now_ms() - entry["started_ms"], 2)
        entry["state"] = "finished" if error is None else "failed"
        if error is not None:
            entry["error"] = error

    def skipped(self, name: str, reason: str) -> Entry:
        """Note a part that was left out, and why."""
        entry = self._entry(name) | {"state": "skipped", "elapsed_ms": 0.0, "detail": {"reason": reason}}
        within = self._current()
        (self.stages if within is None else within.entry.setdefault("spans", [])).append(entry)
        return entry

    def count(self, input_tokens: int, output_tokens: int) -> None:
        """Add a model call's tokens to what is under way here and to all it is part of."""
        place = self._current()
        while place is not None:
            used = place.entry.setdefault("usage", {"input_tokens": 0, "output_tokens": 0})
            used["input_tokens"] += input_tokens
            used["output_tokens"] += output_tokens
            place = place.parent

    def _entry(self, name: str) -> Entry:
        return {
            "name": name,
            "state": "started",
            "started_ms": self.now_ms(),
            "elapsed_ms": None,
            "detail": {},
        }

    def _current(self) -> _Open | None:
        current = _CURRENT.get()
        return current if current is not None and current.owner is self else None

    @contextmanager
    def _timed(self, entry: Entry, within: _Open | None) -> Generator[None]:
        token = _CURRENT.set(_Open(self, entry, within))
        try:
            yield
            entry["state"] = "finished"
        except BaseException as error:  # also a cancel; only noted, it goes on
            entry["state"] = "failed"
            entry["error"] = _code_of(error)
            raise
        finally:
            entry["elapsed_ms"] = round(self.now_ms() - entry["started_ms"], 2)
            _CURRENT.reset(token)


def _code_of(error: BaseException) -> str:
    if isinstance(error, AppError):
        return error.code
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    return "timeout" if isinstance(error, TimeoutError) else "internal"
