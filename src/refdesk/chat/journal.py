"""The event log of one run in the process that runs it: numbering, coalescing, waking listeners.

What arrives within 40 ms goes out as one `delta`; the first after a pause goes out at once, so a slow model
loses nothing and a fast one makes at most 25 events a second. Recent events stay in memory for listeners
here; all of them wait in `take_unwritten` for the log. No database access.
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any
from uuid import UUID

from refdesk.chat.events import EventName, RunEvent, clean_text, encode

COALESCE_S = 0.04
KEPT_EVENTS = 4_096


class RunJournal:
    """Numbered events of one run. `dirty` is called when something waits for the log."""

    def __init__(self, run_id: UUID, *, kept: int = KEPT_EVENTS) -> None:
        self.run_id = run_id
        self.closed = False
        self.answer: list[str] = []
        self.citations: list[dict[str, Any]] = []
        self._loop = asyncio.get_running_loop()
        self._kept = kept
        self._events: list[RunEvent] = []
        self._last_seq = 0
        self._unwritten: list[RunEvent] = []
        self._pending: list[str] = []
        self._pending_name: EventName = "delta"
        self._last_delta_at = -1.0
        self._timer: asyncio.TimerHandle | None = None
        self._listeners: set[asyncio.Event] = set()

    @property
    def last_seq(self) -> int:
        return self._last_seq

    def emit(self, name: EventName, data: Any) -> None:
        """Append an event; text that waits goes first."""
        self._flush()
        self._append(name, encode(data))

    def text(self, text: str, name: EventName = "delta") -> None:
        """Append text of the answer (or, with `name="reasoning"`, of the model's thinking)."""
        text = clean_text(text)
        if not text:
            return
        if name == "delta":
            self.answer.append(text)
        if self._pending and name != self._pending_name:
            self._flush()
        elapsed = self._loop.time() - self._last_delta_at
        self._pending.append(text)
        self._pending_name = name
        if elapsed >= COALESCE_S:
            self._flush()
        elif self._timer is None:
            self._timer = self._loop.call_later(COALESCE_S - elapsed, self._flush)

    def restart(self) -> None:
        """Take the text and the citations back: what comes now is another answer."""
        self._flush()
        self.answer.clear()
        self.citations.clear()
        self._append("snapshot", encode({"answer": "", "citations": [], "state": "running"}))

    def close(self) -> None:
        """No more events will come; listeners end once they have everything."""
        self._flush()
        self.closed = True
        self._wake()

    def take_unwritten(self) -> list[RunEvent]:
        """The events that are not in the log yet; the caller writes them or gives them back."""
        taken, self._unwritten = self._unwritten, []
        return taken

    def give_back(self, events: list[RunEvent]) -> None:
        """Undo `take_unwritten` after a failed write."""
        self._unwritten = events + self._unwritten

    def since(self, seq: int) -> list[RunEvent]:
        """Events after `seq`; if some are no longer kept, one `snapshot` that stands for all so far."""
        if seq >= self._last_seq:
            return []
        first = self._events[0].seq
        if seq + 1 < first:
            self._flush()
            return [self.snapshot()]
        return self._events[seq + 1 - first :]

    def snapshot(self, state: str = "running") -> RunEvent:
        """The answer so far, numbered as the last event it contains."""
        data = {"answer": "".join(self.answer), "citations": self.citations, "state": state}
        return RunEvent(self._last_seq, "snapshot", encode(data))

    async def follow(self, after: int, *, patience_s: float) -> AsyncGenerator[list[RunEvent]]:
        """Batches of events after `after` until the run ends; an empty one after `patience_s` of silence."""
        wake = asyncio.Event()
        self._listeners.add(wake)
        loop = self._loop
        silent_since = loop.time()
        # One timer that is late by at most its own length costs nothing; one for each wait costs 10 µs.
        timer = loop.call_later(patience_s, wake.set)
        try:
            while True:
                wake.clear()
                batch = self.since(after)
                if batch:
                    after = batch[-1].seq
                    silent_since = loop.time()
                    yield batch
                    continue
                if self.closed:
                    return
                if timer.when() <= loop.time():
                    if loop.time() - silent_since >= patience_s:
                        silent_since = loop.time()
                        yield []
                    timer = loop.call_at(silent_since + patience_s, wake.set)
                    continue
                await wake.wait()
        finally:
            timer.cancel()
            self._listeners.discard(wake)

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._pending:
            text = "".join(self._pending)
            self._pending.clear()
            self._last_delta_at = self._loop.time()
            self._append(self._pending_name, encode({"text": text}))

    def _append(self, name: EventName, data: bytes) -> None:
        self._last_seq += 1
        event = RunEvent(self._last_seq, name, data)
        self._events.append(event)
        self._unwritten.append(event)
        if len(self._events) > 2 * self._kept:
            del self._events[: -self._kept]
        self._wake()

    def _wake(self) -> None:
        for listener in self._listeners:
            listener.set()
