"""An answer of Cohere's second wire, streamed or whole, as events."""

from typing import Any, cast

from refdesk.gateway.calls import (
    CompletionEvent,
    Finished,
    FinishReason,
    ReasoningDelta,
    TextDelta,
    ToolCallReady,
    UsageReport,
)
from refdesk.gateway.errors import ModelInterrupted
from refdesk.gateway.wires.completer import words
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.openai.tool_calls import ToolCallAssembler

FINISH_REASONS: dict[str, FinishReason] = {
    "COMPLETE": "stop",
    "STOP_SEQUENCE": "stop",
    "MAX_TOKENS": "length",
    "TOOL_CALL": "tool_calls",
    "ERROR_TOXIC": "content_filter",
}
BROKEN = frozenset({"ERROR", "TIMEOUT", "USER_CANCEL"})


class CohereReader:
    """Reads one answer; a new one is made for each."""

    def __init__(self, connection: Connection) -> None:
        self.begun = False
        self.closed = False
        self._connection = connection
        self._calls = ToolCallAssembler()
        self._usage: UsageReport | None = None
        self._finish: str | None = None
        self._failure: Any = None

    def chunk(self, body: dict[str, Any]) -> list[CompletionEvent]:
        kind = body.get("type")
        delta: dict[str, Any] = body.get("delta") or {}
        message: dict[str, Any] = delta.get("message") or {}
        match kind:
            case "message-end":
                self.closed = True
                self._note_end(delta.get("finish_reason"), delta.get("usage"), delta.get("error"))
            case "message-start":
                self.begun = True
            case "content-start" | "content-delta":
                self.begun = True
                return _said(message.get("content") or {})
            case "tool-plan-delta":
                # What the model means to do before it calls: words about the work, not the answer.
                plan = message.get("tool_plan")
                return [ReasoningDelta(words(plan))] if plan else []
            case "tool-call-start" | "tool-call-delta":
                self.begun = True
                self._calls.feed({"index": body.get("index")} | dict(message.get("tool_calls") or {}))
            case _:
                if "message" in body and kind is None:
                    raise self._connection.in_band(body["message"])
        return []

    def whole(self, body: dict[str, Any]) -> list[CompletionEvent]:
        message = body.get("message")
        if not isinstance(message, dict):
            return []
        said = cast("dict[str, Any]", message)
        self.begun = True
        events: list[CompletionEvent] = []
        if said.get("tool_plan"):
            events.append(ReasoningDelta(words(said["tool_plan"])))
        for part in said.get("content") or ():
            events.extend(_said(part))
        for call in said.get("tool_calls") or ():
            self._calls.feed(call)
        self._note_end(body.get("finish_reason") or "COMPLETE", body.get("usage"), None)
        return events

    def end(self) -> list[CompletionEvent] | None:
        if self._failure is not None:
            raise self._connection.in_band(self._failure)
        if self._finish is None:
            return None
        if self._finish in BROKEN:
            raise ModelInterrupted(vendor_message=self._finish)
        calls = self._calls.finish()
        events: list[CompletionEvent] = [ToolCallReady(call) for call in calls]
        if self._usage is not None:
            events.append(self._usage)
        reason = FINISH_REASONS.get(self._finish, "other")
        events.append(Finished("tool_calls" if calls and reason == "stop" else reason))
        return events

    def _note_end(self, finish: Any, usage: Any, failure: Any) -> None:
        self._finish = words(finish) if finish is not None else None
        self._failure = failure or None
        if not isinstance(usage, dict):
            return
        members = cast("dict[str, Any]", usage)
        tokens = members.get("tokens") or members.get("billed_units")
        if tokens:
            self._usage = UsageReport.told(
                [tokens.get("input_tokens")], [tokens.get("output_tokens")], members.get("cached_tokens")
            )


def _said(content: dict[str, Any]) -> list[CompletionEvent]:
    events: list[CompletionEvent] = []
    if thought := content.get("thinking"):
        events.append(ReasoningDelta(words(thought)))
    if text := content.get("text"):
        events.append(TextDelta(words(text)))
    return events
