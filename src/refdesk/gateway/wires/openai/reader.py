"""An answer of an OpenAI-compatible server, streamed or whole, as events."""

from typing import Any, cast

from refdesk.gateway.calls import (
    CompletionEvent,
    Finished,
    FinishReason,
    ReasoningDelta,
    ToolCallReady,
    UsageReport,
)
from refdesk.gateway.errors import ModelInterrupted
from refdesk.gateway.wires.completer import words
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.openai.thinking import ThinkingSplitter
from refdesk.gateway.wires.openai.tool_calls import ToolCallAssembler
from refdesk.gateway.wires.refusals import body_error

FINISH_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "end_turn": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "tool_use": "tool_calls",
    "content_filter": "content_filter",
    "sensitive": "content_filter",
}
BROKEN = frozenset({"error", "network_error", "abort", "insufficient_system_resource"})
"""What vendors write as a finish reason when the answer broke off on their side."""

DONE = "[DONE]"
"""The finish reason of a stream whose server ends it with these words and no other."""


class OpenAIReader:
    """Reads one answer; a new one is made for each."""

    def __init__(self, connection: Connection) -> None:
        self.begun = False
        self.closed = False
        self._connection = connection
        self._thinking = ThinkingSplitter()
        self._calls = ToolCallAssembler()
        self._usage: UsageReport | None = None
        self._finish: str | None = None
        self._spoken = False

    def chunk(self, body: dict[str, Any]) -> list[CompletionEvent]:
        return self._choices(body, "delta")

    def whole(self, body: dict[str, Any]) -> list[CompletionEvent]:
        events = self._choices(body, "message")
        self._finish = self._finish or "stop"  # a whole body is complete whatever it says
        return events

    def end(self) -> list[CompletionEvent] | None:
        if self._finish is None:
            return None
        if self._finish in BROKEN:
            raise ModelInterrupted(vendor_message=self._finish)
        events: list[CompletionEvent] = list(self._thinking.close())
        calls = self._calls.finish()
        events.extend(ToolCallReady(call) for call in calls)
        if self._usage is not None:
            events.append(self._usage)
        reason = FINISH_REASONS.get(self._finish, "other")
        events.append(Finished("tool_calls" if calls and reason == "stop" else reason))
        return events

    def _choices(self, body: dict[str, Any], key: str) -> list[CompletionEvent]:
        events: list[CompletionEvent] = []
        choices = body.get("choices")
        if (not choices or "error" in body) and (refusal := body_error(body)) is not None:
            raise self._connection.in_band(refusal)
        if (usage := body.get("usage")) is not None:
            self._note_usage(usage)
        for choice in choices or ():
            self.begun = True
            if (usage := choice.get("usage")) is not None:  # where Moonshot puts it
                self._note_usage(usage)
            part: dict[str, Any] | None = choice.get(key)
            if part is None and not self._spoken:
                part = choice.get("message") or choice.get("delta")  # a server that ignores what was asked
            if part:
                self._part(part, events)
            if (finish := choice.get("finish_reason")) is not None:
                self._note_finish(words(finish))
        # MiniMax says all of it again, whole, in the last part.
        self._spoken = self._spoken or bool(events) or not self._calls.empty
        return events

    def _note_finish(self, finish: str) -> None:
        if finish == DONE:
            self._finish = self._finish or "stop"
        elif finish:
            self._finish = finish

    def _part(self, part: dict[str, Any], events: list[CompletionEvent]) -> None:
        reasoning = part.get("reasoning_content") or part.get("reasoning")
        if isinstance(reasoning, str) and reasoning:
            events.append(ReasoningDelta(reasoning))
        content = part.get("content")
        if isinstance(content, list):  # content parts, as some servers send even for plain text
            thought, content = _parted(cast("list[Any]", content))
            if thought:
                events.append(ReasoningDelta(thought))
        if isinstance(content, str) and content:
            events.extend(self._thinking.feed(content))
        for fragment in part.get("tool_calls") or ():
            self._calls.feed(fragment)
        if part.get("function_call"):
            self._calls.feed_legacy(part["function_call"])

    def _note_usage(self, usage: Any) -> None:
        # The last report counts: some vendors send a running total with every chunk.
        if not isinstance(usage, dict):
            return
        numbers = cast("dict[str, Any]", usage)
        details: Any = numbers.get("prompt_tokens_details")
        cached = (
            (cast("dict[str, Any]", details).get("cached_tokens") if isinstance(details, dict) else None)
            or numbers.get("cached_tokens")  # Moonshot
            or numbers.get("prompt_cache_hit_tokens")  # DeepSeek
        )
        self._usage = UsageReport.told(
            [numbers.get("prompt_tokens")], [numbers.get("completion_tokens")], cached
        )


def _parted(items: list[Any]) -> tuple[str, str]:
    """Thinking and text of content parts; Mistral's `thinking` holds parts of its own."""
    thought, text = "", ""
    for item in items:
        if isinstance(item, str):
            text += item
        elif item.get("type") == "thinking":
            inner = item.get("thinking") or ""
            thought += inner if isinstance(inner, str) else _parted(cast("list[Any]", inner))[1]
        else:
            text += words(item.get("text") or "")
    return thought, text
