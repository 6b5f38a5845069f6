"""Google's Gemini format as its servers write it."""

from typing import Any

import orjson

from refdesk.testing.scripted_wires.openai import event
from refdesk.testing.scripted_wires.turn import Call, Turn

STREAM_TYPE = "text/event-stream"
_FINISHES = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}
SIGNATURE = "c2lnbmVk"


def usage(turn: Turn) -> dict[str, Any] | None:
    if turn.input_tokens is None:
        return None
    return {
        "promptTokenCount": turn.input_tokens,
        "cachedContentTokenCount": turn.cached_tokens,
        "candidatesTokenCount": turn.output_tokens,
        "totalTokenCount": turn.input_tokens + turn.output_tokens,
    }


def stream(turn: Turn) -> list[bytes]:
    parts: list[dict[str, Any]] = [{"text": cut, "thought": True} for cut in turn.cuts(turn.reasoning)]
    parts += [{"text": cut} for cut in turn.cuts(turn.text)]
    parts += [_call(call) for call in turn.calls]
    # Usage so far stands in every part.
    frames = [event(_body([part], None, turn)) for part in parts]
    if turn.finish is not None:
        frames.append(event(_body([], _FINISHES.get(turn.finish, turn.finish), turn)))
    return frames


def whole(turn: Turn) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    if turn.reasoning:
        parts.append({"text": turn.reasoning, "thought": True})
    if turn.text:
        parts.append({"text": turn.text})
    parts += [_call(call) for call in turn.calls]
    return _body(parts, _FINISHES.get(turn.finish or "", turn.finish), turn)


def error(status: int, message: str, code: str | None) -> dict[str, Any]:
    return {"error": {"code": status, "message": message, "status": code or "UNKNOWN"}}


def stream_error(message: str, code: str | None) -> bytes:
    return event(error(500, message, code))


def _call(call: Call) -> dict[str, Any]:
    made = {"name": call.name, "args": orjson.loads(call.arguments), "id": call.id}
    return {"functionCall": made, "thoughtSignature": SIGNATURE}


def _body(parts: list[dict[str, Any]], finish: str | None, turn: Turn) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    body: dict[str, Any] = {"candidates": [candidate], "modelVersion": "scripted"}
    return body if (used := usage(turn)) is None else body | {"usageMetadata": used}
