"""An answer of the Messages wire, streamed or whole, as events."""

from dataclasses import dataclass, field
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

STATE = "anthropic:"
FINISH_REASONS: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}


@dataclass(slots=True)
class _Block:
    """A part of the answer as gathered so far: thinking, or a call with the pieces of its arguments."""

    body: dict[str, Any]
    pieces: list[str] = field(default_factory=list[str])


class AnthropicReader:
    """Reads one answer; a new one is made for each."""

    def __init__(self, connection: Connection) -> None:
        self.begun = False
        self.closed = False
        self._connection = connection
        self._blocks: dict[int, _Block] = {}
        self._usage: dict[str, int] = {}
        self._finish: str | None = None

    def chunk(self, body: dict[str, Any]) -> list[CompletionEvent]:
        match body.get("type"):
            case "content_block_delta":
                return self._delta(int(body["index"]), body["delta"])
            case "content_block_start":
                self.begun = True
                return self._start(int(body["index"]), body["content_block"])
            case "message_start":
                self.begun = True
                self._note_usage(body["message"].get("usage"))
            case "message_delta":
                self._note_usage(body.get("usage"))
                self._note_finish(body["delta"].get("stop_reason"))
            case "message_stop":
                self.closed = True
            case "error":
                raise self._connection.in_band(body.get("error"))
            case _:
                pass  # ping, ends of blocks, and kinds that come later: the vendor says to pass them over
        return []

    def whole(self, body: dict[str, Any]) -> list[CompletionEvent]:
        events: list[CompletionEvent] = []
        self.begun = isinstance(body.get("content"), list)
        for index, block in enumerate(body.get("content") or ()):
            events.extend(self._start(index, block))
        self._note_usage(body.get("usage"))
        self._note_finish(body.get("stop_reason") or "end_turn")
        return events

    def end(self) -> list[CompletionEvent] | None:
        if self._finish is None:
            return None
        calls = self._calls()
        events: list[CompletionEvent] = [ToolCallReady(call) for call in calls]
        if self._usage:
            cached = self._usage.get("cache_read_input_tokens")
            # The vendor counts what it had read before apart from the rest of the input.
            sent = [self._usage.get("input_tokens"), self._usage.get("cache_creation_input_tokens"), cached]
            usage = UsageReport.told(sent, [self._usage.get("output_tokens")], cached)
            if usage is not None:
                events.append(usage)
        reason = FINISH_REASONS.get(self._finish, "other")
        events.append(Finished("tool_calls" if calls and reason == "stop" else reason))
        return events

    def _note_finish(self, reason: Any) -> None:
        self._finish = words(reason) if reason is not None else self._finish

    def _start(self, index: int, block: dict[str, Any]) -> list[CompletionEvent]:
        match block.get("type"):
            case "text":
                return [TextDelta(words(block["text"]))] if block.get("text") else []
            case "thinking" | "redacted_thinking":
                self._blocks[index] = _Block(dict(block))
                return [ReasoningDelta(words(block["thinking"]))] if block.get("thinking") else []
            case "tool_use":
                self._blocks[index] = _Block(dict(block))
                return []
            case _:
                return []

    def _delta(self, index: int, delta: dict[str, Any]) -> list[CompletionEvent]:
        self.begun = True
        match delta.get("type"):
            case "text_delta":
                return [TextDelta(text)] if (text := words(delta["text"])) else []
            case "thinking_delta":
                text = words(delta["thinking"])
                block = self._blocks[index].body
                block["thinking"] = block.get("thinking", "") + text
                return [ReasoningDelta(text)] if text else []
            case "signature_delta":
                block = self._blocks[index].body
                block["signature"] = (block.get("signature") or "") + words(delta["signature"])
            case "input_json_delta":
                self._blocks[index].pieces.append(words(delta["partial_json"]))
            case _:
                pass
        return []

    def _calls(self) -> list[ToolCall]:
        blocks = [block for _, block in sorted(self._blocks.items())]
        # Signed thinking has to come back with the calls that followed it: it travels with the first.
        thinking = [
            block.body
            for block in blocks
            if block.body.get("signature") or block.body["type"] == "redacted_thinking"
        ]
        calls: list[ToolCall] = []
        for block in blocks:
            if block.body["type"] != "tool_use":
                continue
            arguments = "".join(block.pieces) or orjson.dumps(block.body.get("input") or {}).decode()
            state = STATE + orjson.dumps(thinking).decode() if thinking and not calls else ""
            call_id = words(block.body.get("id") or f"call_{len(calls)}")
            calls.append(ToolCall(call_id, words(block.body["name"]), arguments, state))
        return calls

    def _note_usage(self, usage: Any) -> None:
        # Totals so far: the last figure of each counts.
        if isinstance(usage, dict):
            for name, value in cast("dict[str, Any]", usage).items():
                if isinstance(value, int):
                    self._usage[name] = value
