"""Amazon Bedrock's Converse format as its servers write it, with its binary frames."""

import struct
import zlib
from typing import Any

import orjson

from refdesk.testing.scripted_wires.turn import Turn

STREAM_TYPE = "application/vnd.amazon.eventstream"
_FINISHES = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "guardrail_intervened",
}
SIGNATURE = "signed-by-the-vendor"
_STRING = 7


def frame(headers: dict[str, str], payload: bytes) -> bytes:
    """Lengths and their checksum, headers, payload, checksum of all."""
    head = b""
    for name, value in headers.items():
        text = value.encode()
        head += bytes((len(name),)) + name.encode() + bytes((_STRING,)) + struct.pack(">H", len(text)) + text
    prelude = struct.pack(">II", 16 + len(head) + len(payload), len(head))
    body = prelude + struct.pack(">I", zlib.crc32(prelude)) + head + payload
    return body + struct.pack(">I", zlib.crc32(body))


def event(kind: str, data: dict[str, Any]) -> bytes:
    headers = {":message-type": "event", ":event-type": kind, ":content-type": "application/json"}
    return frame(headers, orjson.dumps(data))


def usage(turn: Turn) -> dict[str, Any] | None:
    """The vendor counts what it had read before apart from the input."""
    if turn.input_tokens is None:
        return None
    return {
        "inputTokens": turn.input_tokens - turn.cached_tokens,
        "outputTokens": turn.output_tokens,
        "totalTokens": turn.input_tokens + turn.output_tokens,
        "cacheReadInputTokens": turn.cached_tokens,
    }


def stream(turn: Turn) -> list[bytes]:
    frames = [event("messageStart", {"role": "assistant"})]
    index = 0
    if turn.reasoning:
        deltas: list[dict[str, Any]] = [
            {"reasoningContent": {"text": cut}} for cut in turn.cuts(turn.reasoning)
        ]
        frames += _deltas(index, [*deltas, {"reasoningContent": {"signature": SIGNATURE}}])
        index += 1
    if turn.text:
        frames += _deltas(index, [{"text": cut} for cut in turn.cuts(turn.text)])
        index += 1
    for call in turn.calls:
        start = {"toolUse": {"toolUseId": call.id, "name": call.name}}
        frames.append(event("contentBlockStart", {"start": start, "contentBlockIndex": index}))
        frames += _deltas(index, [{"toolUse": {"input": cut}} for cut in turn.cuts(call.arguments)])
        index += 1
    if turn.finish is not None:
        frames.append(event("messageStop", {"stopReason": _FINISHES.get(turn.finish, turn.finish)}))
    if (used := usage(turn)) is not None:
        frames.append(event("metadata", {"usage": used, "metrics": {"latencyMs": 1}}))
    return frames


def whole(turn: Turn) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if turn.reasoning:
        reasoning = {"text": turn.reasoning, "signature": SIGNATURE}
        content.append({"reasoningContent": {"reasoningText": reasoning}})
    if turn.text:
        content.append({"text": turn.text})
    content += [
        {"toolUse": {"toolUseId": call.id, "name": call.name, "input": orjson.loads(call.arguments)}}
        for call in turn.calls
    ]
    body: dict[str, Any] = {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": _FINISHES.get(turn.finish or "", turn.finish),
    }
    return body if (used := usage(turn)) is None else body | {"usage": used}


def error(status: int, message: str, code: str | None) -> dict[str, Any]:
    return {"message": message} if code is None else {"__type": code, "message": message}


def stream_error(message: str, code: str | None) -> bytes:
    headers = {
        ":message-type": "exception",
        ":exception-type": code or "internalServerException",
        ":content-type": "application/json",
    }
    return frame(headers, orjson.dumps({"message": message}))


def _deltas(index: int, deltas: list[dict[str, Any]]) -> list[bytes]:
    return [
        *(event("contentBlockDelta", {"delta": delta, "contentBlockIndex": index}) for delta in deltas),
        event("contentBlockStop", {"contentBlockIndex": index}),
    ]
