"""The OpenAI-compatible format as a good server writes it."""

from typing import Any

import orjson

from refdesk.testing.scripted_wires.turn import Turn

STREAM_TYPE = "text/event-stream"


def event(data: Any) -> bytes:
    """One event of a stream; bytes and texts as they are."""
    raw = data if isinstance(data, bytes) else orjson.dumps(data)
    return b"data: " + raw + b"\n\n"


def usage(turn: Turn) -> dict[str, Any] | None:
    if turn.input_tokens is None:
        return None
    return {
        "prompt_tokens": turn.input_tokens,
        "completion_tokens": turn.output_tokens,
        "total_tokens": turn.input_tokens + turn.output_tokens,
        "prompt_tokens_details": {"cached_tokens": turn.cached_tokens},
    }


def stream(turn: Turn) -> list[bytes]:
    parts: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    parts += [{"reasoning_content": cut} for cut in turn.cuts(turn.reasoning)]
    parts += [{"content": cut} for cut in turn.cuts(turn.text)]
    for index, call in enumerate(turn.calls):
        function: dict[str, Any] = {"name": call.name, "arguments": ""}
        parts.append(_fragment({"index": index, "id": call.id, "type": "function", "function": function}))
        for cut in turn.cuts(call.arguments):
            parts.append(_fragment({"index": index, "function": {"arguments": cut}}))
    frames = [event(_chunk(part)) for part in parts]
    if turn.finish is not None:
        frames.append(event(_chunk({}, turn.finish)))
    if (used := usage(turn)) is not None:
        frames.append(event({"object": "chat.completion.chunk", "choices": [], "usage": used}))
    return [*frames, event(b"[DONE]")]


def whole(turn: Turn) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn.text or None}
    if turn.reasoning:
        message["reasoning_content"] = turn.reasoning
    if turn.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in turn.calls
        ]
    body: dict[str, Any] = {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": turn.finish}],
    }
    return body if (used := usage(turn)) is None else body | {"usage": used}


def error(status: int, message: str, code: str | None) -> dict[str, Any]:
    return {"error": {"message": message, "type": code or "invalid_request_error", "code": code}}


def stream_error(message: str, code: str | None) -> bytes:
    return event(error(500, message, code))


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"object": "chat.completion.chunk", "choices": [choice]}


def _fragment(call: dict[str, Any]) -> dict[str, Any]:
    return {"tool_calls": [call]}
