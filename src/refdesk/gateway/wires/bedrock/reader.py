"""An answer of Converse, streamed or whole, as events."""

from dataclasses import dataclass, field
from typing import Any

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

STATE = "bedrock:"
FINISH_REASONS: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "guardrail_intervened": "content_filter",
    "content_filtered": "content_filter",
}


@dataclass(slots=True)
class _Call:
    id: str
    name: str
    pieces: list[str] = field(default_factory=list[str])
    arguments: Any = None


@dataclass(slots=True)
class _Thought:
    pieces: list[str] = field(default_factory=list[str])
    signature: str = ""


class BedrockReader:
    """Reads one answer; a new one is made for each."""

    def __init__(self, connection: Connection) -> None:
        self.begun = False
        self.closed = False
        self._connection = connection
        self._calls: dict[int, _Call] = {}
        self._thoughts: dict[int, _Thought] = {}
        self._usage: UsageReport | None = None
        self._finish: str | None = None

    def chunk(self, body: dict[str, Any]) -> list[CompletionEvent]:
        ((kind, event),) = body.items()
        match kind:
            case "contentBlockDelta":
                self.begun = True
                return self._delta(int(event.get("contentBlockIndex") or 0), event["delta"])
            case "contentBlockStart":
                self.begun = True
                if (use := event["start"].get("toolUse")) is not None:
                    index = int(event.get("contentBlockIndex") or 0)
                    self._calls[index] = _Call(words(use["toolUseId"]), words(use["name"]))
            case "messageStart":
                self.begun = True
            case "messageStop":
                self._finish = words(event["stopReason"])
            case "metadata":
                self._note_usage(event.get("usage"))
                self.closed = self._finish is not None
            case "exception":
                raise self._connection.in_band(event)
            case _:
                pass  # ends of blocks, and kinds that come later
        return []

    def whole(self, body: dict[str, Any]) -> list[CompletionEvent]:
        output: dict[str, Any] = body.get("output") or {}
        message: dict[str, Any] | None = output.get("message")
        if message is None:
            return []
        self.begun = True
        events: list[CompletionEvent] = []
        for index, block in enumerate(message.get("content") or ()):
            if (use := block.get("toolUse")) is not None:
                self._calls[index] = _Call(words(use["toolUseId"]), words(use["name"]), [], use.get("input"))
            else:
                reasoning = (block.get("reasoningContent") or {}).get("reasoningText")
                events.extend(
                    self._delta(index, {"reasoningContent": reasoning} if reasoning is not None else block)
                )
        self._note_usage(body.get("usage"))
        self._finish = words(body.get("stopReason") or "end_turn")
        return events

    def end(self) -> list[CompletionEvent] | None:
        if self._finish is None:
            return None
        calls = self._finished_calls()
        events: list[CompletionEvent] = [ToolCallReady(call) for call in calls]
        if self._usage is not None:
            events.append(self._usage)
        reason = FINISH_REASONS.get(self._finish, "other")
        events.append(Finished("tool_calls" if calls and reason == "stop" else reason))
        return events

    def _delta(self, index: int, delta: dict[str, Any]) -> list[CompletionEvent]:
        if text := delta.get("text"):
            return [TextDelta(words(text))]
        if (use := delta.get("toolUse")) is not None:
            self._calls[index].pieces.append(words(use.get("input") or ""))
        elif (reasoning := delta.get("reasoningContent")) is not None:
            thought = self._thoughts.setdefault(index, _Thought())
            thought.signature += str(reasoning.get("signature") or "")
            if text := reasoning.get("text"):
                thought.pieces.append(words(text))
                return [ReasoningDelta(words(text))]
        return []

    def _finished_calls(self) -> list[ToolCall]:
        # Signed thinking has to come back with the calls that followed it: it travels with the first.
        thinking = [
            {"reasoningContent": {"reasoningText": {"text": "".join(t.pieces), "signature": t.signature}}}
            for _, t in sorted(self._thoughts.items())
            if t.signature
        ]
        calls: list[ToolCall] = []
        for _, call in sorted(self._calls.items()):
            arguments = "".join(call.pieces) or orjson.dumps(call.arguments or {}).decode()
            state = STATE + orjson.dumps(thinking).decode() if thinking and not calls else ""
            calls.append(ToolCall(call.id, call.name, arguments, state))
        return calls

    def _note_usage(self, usage: dict[str, Any] | None) -> None:
        if usage:
            cached = usage.get("cacheReadInputTokens")
            sent = [usage.get("inputTokens"), usage.get("cacheWriteInputTokens"), cached]
            self._usage = UsageReport.told(sent, [usage.get("outputTokens")], cached)
