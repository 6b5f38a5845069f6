"""What a run leaves behind: one call writes the event for listeners and the record for the row.

The record is always complete up to the present moment, so whatever ends the run (success, error, cancel,
shutdown) saves what was written so far.
"""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from refdesk.chat.journal import RunJournal

# The prompt holds the application's own instructions, which are not for whoever asks.
RECORD_ONLY = frozenset({"prompt", "read_runs"})


def shown_stage(stage: dict[str, Any]) -> dict[str, Any]:
    """A recorded stage as callers see it."""
    detail = {key: value for key, value in stage["detail"].items() if key not in RECORD_ONLY}
    return stage | {"detail": detail}


class RunRecorder:
    """Events and record of one run. Everything in it is JSON."""

    def __init__(self, journal: RunJournal) -> None:
        self.journal = journal
        self.model_id: str | None = None
        self.standalone_question: str | None = None
        self.retrieval: dict[str, Any] = {}
        self.sentences: list[dict[str, Any]] = []
        self.stages: list[dict[str, Any]] = []
        self.warnings: list[dict[str, str]] = []
        self.usage: dict[str, int] = {}
        self.error: dict[str, Any] | None = None

    @property
    def answer(self) -> str:
        return "".join(self.journal.answer)

    @property
    def citations(self) -> list[dict[str, Any]]:
        return self.journal.citations

    def delta(self, text: str) -> None:
        self.journal.text(text)

    def reasoning(self, text: str) -> None:
        self.journal.text(text, "reasoning")

    def restart(self) -> None:
        """Take back what was written; listeners get a snapshot of nothing."""
        self.journal.restart()

    def citation(self, citation: dict[str, Any]) -> None:
        """Announce a citation; call it before the text with its `[n]`."""
        self.journal.citations.append(citation)
        self.journal.emit("citation", citation)

    def warning(self, code: str, message: str, *, each: bool = False) -> None:
        """A notice beside the answer; the same code is told once unless `each` one counts."""
        if not each and any(warning["code"] == code for warning in self.warnings):
            return
        warning = {"code": code, "message": message}
        self.warnings.append(warning)
        self.journal.emit("warning", warning)

    def add_usage(self, input_tokens: int, output_tokens: int) -> None:
        """Add one model call's tokens to the run's."""
        self.usage = {
            "input_tokens": self.usage.get("input_tokens", 0) + input_tokens,
            "output_tokens": self.usage.get("output_tokens", 0) + output_tokens,
        }
        self.journal.emit("usage", self.usage)

    def sources(self, retrieval: dict[str, Any]) -> None:
        self.retrieval = retrieval
        keys = ("hits", "found", "decision", "best", "threshold", "mode", "candidates", "timings_ms")
        self.journal.emit("sources", {key: retrieval[key] for key in keys if key in retrieval})

    def fail(self, code: str, message: str, hint: str | None, retry_after_s: float | None = None) -> None:
        self.error = {"code": code, "message": message, "hint": hint}
        if retry_after_s is not None:
            self.error["retry_after_s"] = retry_after_s
        self.journal.emit("error", self.error)

    @asynccontextmanager
    async def stage(self, name: str) -> AsyncGenerator[dict[str, Any]]:
        """Time a stage; the block may fill the yielded detail, which ends in the record and in events (in
        these without what is for the record only)."""
        detail: dict[str, Any] = {}
        entry: dict[str, Any] = {"name": name, "state": "started", "elapsed_ms": None, "detail": detail}
        self.stages.append(entry)
        self.journal.emit("stage", {"name": name, "state": "started", "detail": {}, "elapsed_ms": 0.0})
        started = time.perf_counter()
        state = "failed"
        try:
            yield detail
            state = "finished"
        finally:
            entry["state"] = state
            entry["elapsed_ms"] = round((time.perf_counter() - started) * 1000, 2)
            self.journal.emit("stage", shown_stage(entry))
