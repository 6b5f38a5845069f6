"""Amazon's binary event stream, cut into JSON texts.

A frame is: its length, the length of its headers, a checksum of both (each 4 bytes, big-endian); headers;
payload; a checksum of all. Source: https://smithy.io/2.0/aws/amazon-eventstream.html
"""

import struct
import zlib
from collections.abc import AsyncIterator

import httpx
import orjson

from refdesk.gateway.errors import ModelBadResponse, ModelInterrupted
from refdesk.gateway.wires.streams import MAX_LINE_BYTES, parts_of

_PRELUDE = struct.Struct(">III")
_CHECKSUM_BYTES = 4
_STRING = 7
# Bytes of a header's value by its type; strings and byte strings tell theirs.
_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
_BYTES = 6


async def event_frames(response: httpx.Response) -> AsyncIterator[bytes]:
    """Each frame as `{"EVENT": PAYLOAD}`; a failure as `{"exception": {"type", "message"}}`.

    Raises `ModelBadResponse` for what is no such stream and `ModelInterrupted` for half a frame at its end.
    """
    buffer = b""
    async for part in parts_of(response):
        buffer += part
        at = 0
        while len(buffer) - at >= _PRELUDE.size:
            total, headers_size, checksum = _PRELUDE.unpack_from(buffer, at)
            if zlib.crc32(buffer[at : at + 8]) != checksum or not _plausible(total, headers_size):
                raise ModelBadResponse("The model's server sent a stream that is broken.")
            if len(buffer) - at < total:
                break
            yield _json_of(buffer[at : at + total], headers_size)
            at += total
        buffer = buffer[at:]
    if buffer:
        raise ModelInterrupted


def _plausible(total: int, headers_size: int) -> bool:
    return _PRELUDE.size + headers_size + _CHECKSUM_BYTES <= total <= MAX_LINE_BYTES


def _json_of(message: bytes, headers_size: int) -> bytes:
    if zlib.crc32(message[:-_CHECKSUM_BYTES]) != int.from_bytes(message[-_CHECKSUM_BYTES:]):
        raise ModelBadResponse("The model's server sent a stream that is broken.")
    headers = _headers(message[_PRELUDE.size : _PRELUDE.size + headers_size])
    payload = message[_PRELUDE.size + headers_size : -_CHECKSUM_BYTES]
    if headers.get(":message-type") == "event":
        return b'{"' + headers.get(":event-type", "").encode() + b'":' + (payload or b"null") + b"}"
    kind = headers.get(":exception-type") or headers.get(":error-code", "")
    try:
        words = orjson.loads(payload).get("message", "")
    except (orjson.JSONDecodeError, AttributeError):
        words = headers.get(":error-message", "")
    return orjson.dumps({"exception": {"type": kind, "message": words}})


def _headers(raw: bytes) -> dict[str, str]:
    """Those whose value is a text; the others are passed over."""
    headers: dict[str, str] = {}
    at = 0
    try:
        while at < len(raw):
            name_end = at + 1 + raw[at]
            name, kind = raw[at + 1 : name_end].decode(), raw[name_end]
            at = name_end + 1
            if kind in (_STRING, _BYTES):
                size = int.from_bytes(raw[at : at + 2])
                at += 2
                if kind == _STRING:
                    headers[name] = raw[at : at + size].decode()
            else:
                size = _SIZES[kind]
            at += size
    except (IndexError, KeyError, UnicodeDecodeError) as error:
        raise ModelBadResponse("The model's server sent a stream that is broken.") from error
    return headers
