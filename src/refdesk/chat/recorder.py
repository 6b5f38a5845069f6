"""What a run leaves behind: one call writes the event for listeners and the record for the row.

The record is always complete up to the present moment, so whatever ends the run (success, error, cancel,
shutdown) saves what was written so far.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

from refdesk.chat.considered import CONSIDERED
from refdesk.chat.journal import RunJournal
from refdesk.chat.redaction import redacted
from refdesk.chat.spans import Spans

# The prompt holds the application's own instructions, which are not for whoever asks.
RECORD_ONLY = frozenset({"prompt", "read_runs", CONSIDERED})
# What is kept of a tool's result in the trace.
TOOL_TEXT_CHARS = 4_000


def shown_stage(stage: dict[str, Any]) -> dict[str, Any]:
    """A recorded stage as callers see it: without what is for the record only, and without its spans, which
    the trace tells."""
    detail = {key: value for key, value in stage["detail"].items() if key not in RECORD_ONLY}
    return {key: value for key, value in stage.items() if key != "spans"} | {"detail": detail}


class RunRecorder:
    """Events and record of one run. Everything in it is JSON."""

    def __init__(self, journal: RunJournal, age_s: float = 0.0) -> None:
        """`age_s`: for how long the run has existed; the clock places calls of models in its stages."""
        self.journal = journal
        self.model_id: str | None = None
        self.standalone_question: str | None = None
        self.retrieval: dict[str, Any] = {}
        self.sentences: list[dict[str, Any]] = []
        self.spans = Spans(age_s)
        self.form_asked: dict[str, Any] | None = None
        self._tool_calls: dict[str, dict[str, Any]] = {}
        self.warnings: list[dict[str, str]] = []
        self.usage: dict[str, int] = {}
        self.error: dict[str, Any] | None = None

    @property
    def stages(self) -> list[dict[str, Any]]:
        return self.spans.stages

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
        """Add one model call's tokens to the run's and to those of the stage it was made in."""
        self.usage = {
            "input_tokens": self.usage.get("input_tokens", 0) + input_tokens,
            "output_tokens": self.usage.get("output_tokens", 0) + output_tokens,
        }
        self.spans.count(input_tokens, output_tokens)
        self.journal.emit("usage", self.usage)

    def form(self, form: Mapping[str, Any]) -> None:
        """Ask the person something: `{kind, title, text, options?, fields?, call?}`. The last form counts."""
        self.form_asked = redacted(form)
        self.journal.emit("form", self.form_asked)

    def tool_call(self, call: Mapping[str, Any]) -> None:
        """Tell that a tool is called, `{id, tool, title, arguments}`; a span of the present stage begins."""
        told: dict[str, Any] = redacted(call)
        detail = {key: told[key] for key in ("title", "arguments") if key in told}
        self._tool_calls[told["id"]] = self.spans.begin(f"tool:{told['tool']}", detail)
        self.journal.emit("tool.call", told)

    def tool_result(self, result: Mapping[str, Any]) -> None:
        """Tell what came of it, `{id, tool, ok, text, fault, elapsed_ms}`; its span ends. `fault` is
        `{code, message}` or null."""
        told: dict[str, Any] = redacted(result)
        entry = self._tool_calls.pop(told["id"], None)
        if entry is not None:
            fault = cast("dict[str, str] | None", told.get("fault"))
            text = str(told.get("text") or "")
            entry["detail"]["result"] = text[:TOOL_TEXT_CHARS]
            if len(text) > TOOL_TEXT_CHARS:
                entry["detail"]["result_chars"] = len(text)
            if fault:
                entry["detail"]["fault"] = fault
            self.spans.end(entry, None if told.get("ok") else (fault or {}).get("code", "tool-failed"))
        self.journal.emit("tool.result", told)

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
        entry: dict[str, Any] | None = None
        try:
            with self.spans.stage(name) as entry:
                begun: dict[str, Any] = {"name": name, "state": "started", "detail": {}, "elapsed_ms": 0.0}
                self.journal.emit("stage", begun | {"started_ms": entry["started_ms"]})
                yield entry["detail"]
        finally:
            if entry is not None:
                _redact(entry["detail"])
                self.journal.emit("stage", shown_stage(entry))

    @asynccontextmanager
    async def span(self, name: str, *, parent: str | None = None) -> AsyncGenerator[dict[str, Any]]:
        """Time a part of a stage (a channel, a tool call): of the one the code runs in, or of `parent`. The
        block may fill the yielded detail, which ends in the record and makes no event."""
        entry: dict[str, Any] | None = None
        try:
            with self.spans.span(name, parent) as entry:
                yield entry["detail"]
        finally:
            if entry is not None:
                _redact(entry["detail"])

    def skipped(self, name: str, reason: str) -> None:
        """Record that a part of the present stage was left out, and why."""
        self.spans.skipped(name, reason)


def _redact(detail: dict[str, Any]) -> None:
    # The prompt stays what the model was sent, word for word: secrets never get there.
    for key, value in detail.items():
        if key not in RECORD_ONLY:
            detail[key] = redacted(value)
