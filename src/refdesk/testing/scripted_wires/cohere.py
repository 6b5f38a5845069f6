"""Cohere's second format as its servers write it."""

from typing import Any

import orjson

from refdesk.testing.scripted_wires.turn import Turn

STREAM_TYPE = "text/event-stream"
_FINISHES = {
    "stop": "COMPLETE",
    "length": "MAX_TOKENS",
    "tool_calls": "TOOL_CALL",
    "content_filter": "ERROR_TOXIC",
}


def event(data: dict[str, Any]) -> bytes:
    return b"event: " + str(data["type"]).encode() + b"\ndata: " + orjson.dumps(data) + b"\n\n"


def usage(turn: Turn) -> dict[str, Any] | None:
    if turn.input_tokens is None:
        return None
    tokens = {"input_tokens": turn.input_tokens, "output_tokens": turn.output_tokens}
    return {"billed_units": tokens, "tokens": tokens, "cached_tokens": turn.cached_tokens}


def stream(turn: Turn) -> list[bytes]:
    begun: dict[str, Any] = {
        "role": "assistant",
        "content": [],
        "tool_plan": "",
        "tool_calls": [],
        "citations": [],
    }
    frames = [event({"id": "scripted", "type": "message-start", "delta": {"message": begun}})]
    index = 0
    for kind, text in (("thinking", turn.reasoning), ("text", turn.text)):
        if text:
            frames.append(_part("content-start", index, {"content": {"type": kind, kind: ""}}))
            frames += [_part("content-delta", index, {"content": {kind: cut}}) for cut in turn.cuts(text)]
            frames.append(event({"type": "content-end", "index": index}))
            index += 1
    for number, call in enumerate(turn.calls):
        function = {"name": call.name, "arguments": ""}
        start = {"tool_calls": {"id": call.id, "type": "function", "function": function}}
        frames.append(_part("tool-call-start", number, start))
        for cut in turn.cuts(call.arguments):
            frames.append(_part("tool-call-delta", number, {"tool_calls": {"function": {"arguments": cut}}}))
        frames.append(event({"type": "tool-call-end", "index": number}))
    if turn.finish is not None:
        end: dict[str, Any] = {"finish_reason": _FINISHES.get(turn.finish, turn.finish)}
        if (used := usage(turn)) is not None:
            end["usage"] = used
        frames.append(event({"id": "scripted", "type": "message-end", "delta": end}))
    return frames


def whole(turn: Turn) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": []}
    if turn.reasoning:
        message["content"].append({"type": "thinking", "thinking": turn.reasoning})
    if turn.text:
        message["content"].append({"type": "text", "text": turn.text})
    if turn.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in turn.calls
        ]
    body: dict[str, Any] = {
        "id": "scripted",
        "finish_reason": _FINISHES.get(turn.finish or "", turn.finish),
        "message": message,
    }
    return body if (used := usage(turn)) is None else body | {"usage": used}


def error(status: int, message: str, code: str | None) -> dict[str, Any]:
    return {"id": "scripted", "message": message}


def stream_error(message: str, code: str | None) -> bytes:
    return event({"type": "message-end", "delta": {"finish_reason": "ERROR", "error": message}})


def _part(kind: str, index: int, message: dict[str, Any]) -> bytes:
    return event({"type": kind, "index": index, "delta": {"message": message}})
