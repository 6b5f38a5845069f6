"""Anthropic's Messages format as its servers write it."""

from typing import Any

import orjson

from refdesk.testing.scripted_wires.turn import Turn

STREAM_TYPE = "text/event-stream"
_FINISHES = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}
SIGNATURE = "signed-by-the-vendor"


def event(data: dict[str, Any]) -> bytes:
    return b"event: " + str(data["type"]).encode() + b"\ndata: " + orjson.dumps(data) + b"\n\n"


def usage(turn: Turn) -> dict[str, Any]:
    """The vendor counts what it had read before apart from the input."""
    return {
        "input_tokens": (turn.input_tokens or 0) - turn.cached_tokens,
        "cache_read_input_tokens": turn.cached_tokens,
        "cache_creation_input_tokens": 0,
    }


def stream(turn: Turn) -> list[bytes]:
    started = message([], None) | ({} if turn.input_tokens is None else {"usage": usage(turn)})
    frames = [event({"type": "message_start", "message": started}), event({"type": "ping"})]
    index = 0
    if turn.reasoning:
        frames += _block(
            index,
            {"type": "thinking", "thinking": "", "signature": ""},
            [
                *({"type": "thinking_delta", "thinking": cut} for cut in turn.cuts(turn.reasoning)),
                {"type": "signature_delta", "signature": SIGNATURE},
            ],
        )
        index += 1
    if turn.text:
        deltas = [{"type": "text_delta", "text": cut} for cut in turn.cuts(turn.text)]
        frames += _block(index, {"type": "text", "text": ""}, deltas)
        index += 1
    for call in turn.calls:
        frames += _block(
            index,
            {"type": "tool_use", "id": call.id, "name": call.name, "input": {}},
            [{"type": "input_json_delta", "partial_json": cut} for cut in ("", *turn.cuts(call.arguments))],
        )
        index += 1
    if turn.finish is not None:
        ended: dict[str, Any] = {
            "type": "message_delta",
            "delta": {"stop_reason": _FINISHES.get(turn.finish, turn.finish), "stop_sequence": None},
        }
        if turn.input_tokens is not None:
            ended["usage"] = {"output_tokens": turn.output_tokens}
        frames += [event(ended), event({"type": "message_stop"})]
    return frames


def whole(turn: Turn) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if turn.reasoning:
        content.append({"type": "thinking", "thinking": turn.reasoning, "signature": SIGNATURE})
    if turn.text:
        content.append({"type": "text", "text": turn.text})
    content += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": orjson.loads(call.arguments)}
        for call in turn.calls
    ]
    body = message(content, _FINISHES.get(turn.finish or "", turn.finish))
    if turn.input_tokens is None:
        return body
    return body | {"usage": usage(turn) | {"output_tokens": turn.output_tokens}}


def error(status: int, message: str, code: str | None) -> dict[str, Any]:
    return {"type": "error", "error": {"type": code or "api_error", "message": message}}


def stream_error(message: str, code: str | None) -> bytes:
    return event(error(500, message, code))


def message(content: list[dict[str, Any]], stop_reason: str | None) -> dict[str, Any]:
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
    }


def _block(index: int, start: dict[str, Any], deltas: list[dict[str, Any]]) -> list[bytes]:
    return [
        event({"type": "content_block_start", "index": index, "content_block": start}),
        *(event({"type": "content_block_delta", "index": index, "delta": delta}) for delta in deltas),
        event({"type": "content_block_stop", "index": index}),
    ]
