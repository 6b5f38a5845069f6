"""An answer of the Gemini wire, streamed or whole, as events. Both have one form: a stream is many of it."""

from typing import Any, cast

import orjson

from refdesk.gateway.calls import (
    CompletionEvent,
    Finished,
    FinishReason,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolCallReady,
    UsageReport,
)
from refdesk.gateway.wires.completer import words
from refdesk.gateway.wires.connection import Connection

STATE = "google:"
FINISH_REASONS: dict[str, FinishReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "IMAGE_SAFETY": "content_filter",
}


class GoogleReader:
    """Reads one answer; a new one is made for each."""

    def __init__(self, connection: Connection) -> None:
        self.begun = False
        self.closed = False
        self._connection = connection
        self._calls: list[ToolCall] = []
        self._usage: UsageReport | None = None
        self._finish: str | None = None

    def chunk(self, body: dict[str, Any]) -> list[CompletionEvent]:
        if "error" in body:
            raise self._connection.in_band(body["error"])
        events: list[CompletionEvent] = []
        if (usage := body.get("usageMetadata")) is not None:
            self._note_usage(usage)
        if (feedback := body.get("promptFeedback")) and feedback.get("blockReason"):
            # The question itself was refused: there is no candidate that could say so.
            self.begun = True
            self._finish = "SAFETY"
        for candidate in body.get("candidates") or ():
            self.begun = True
            content: dict[str, Any] = candidate.get("content") or {}
            for part in content.get("parts") or ():
                self._part(part, events)
            self._finish = words(candidate.get("finishReason") or self._finish or "") or None
        return events

    def whole(self, body: dict[str, Any]) -> list[CompletionEvent]:
        events = self.chunk(body)
        self._finish = self._finish or "STOP"
        return events

    def end(self) -> list[CompletionEvent] | None:
        if self._finish is None:
            return None
        events: list[CompletionEvent] = [ToolCallReady(call) for call in self._calls]
        if self._usage is not None:
            events.append(self._usage)
        reason = FINISH_REASONS.get(self._finish, "other")
        events.append(Finished("tool_calls" if self._calls and reason == "stop" else reason))
        return events

    def _part(self, part: dict[str, Any], events: list[CompletionEvent]) -> None:
        text = part.get("text")
        if isinstance(text, str) and text:
            events.append(ReasoningDelta(text) if part.get("thought") else TextDelta(text))
        if (call := part.get("functionCall")) is not None:
            signature = part.get("thoughtSignature")
            self._calls.append(
                ToolCall(
                    words(call.get("id") or f"call_{len(self._calls)}"),
                    words(call["name"]),
                    orjson.dumps(call.get("args") or {}).decode(),
                    STATE + signature if signature else "",
                )
            )

    def _note_usage(self, usage: Any) -> None:
        # Totals so far with every part: the last counts. Thinking is billed as output.
        numbers = cast("dict[str, Any]", usage)
        self._usage = UsageReport.told(
            [numbers.get("promptTokenCount"), numbers.get("toolUsePromptTokenCount")],
            [numbers.get("candidatesTokenCount"), numbers.get("thoughtsTokenCount")],
            numbers.get("cachedContentTokenCount"),
        )
