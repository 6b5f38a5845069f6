"""Replies of scripted servers as bytes on a socket: whole bodies, streams, and every way to fail.

A reply is a function of the request and of a way to send; whatever it does not send is never sent. Knows no
formats of models.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson


@dataclass(frozen=True, slots=True)
class Request:
    """A request as received; `body` is what its JSON says, or the bytes where it is none."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


type Send = Callable[[bytes], Awaitable[None]]
type Reply = Callable[[Request, Send], Awaitable[None]]


def _head(status: int, content_type: str, extra: dict[str, str], length: int | None) -> bytes:
    lines = [f"HTTP/1.1 {status} Scripted", f"Content-Type: {content_type}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in extra.items()]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def body(
    content: Any,
    *,
    status: int = 200,
    content_type: str = "application/json",
    headers: dict[str, str] | None = None,
) -> Reply:
    """One whole body; `content` is bytes as they are, or anything JSON can hold."""

    async def reply(_request: Request, send: Send) -> None:
        data = content if isinstance(content, bytes) else orjson.dumps(content)
        await send(_head(status, content_type, headers or {}, len(data)) + data)

    return reply


def hang() -> Reply:
    """Accepts the request and never answers."""

    async def reply(_request: Request, _send: Send) -> None:
        await asyncio.Event().wait()

    return reply


def streamed(
    frames: Sequence[bytes],
    *,
    content_type: str = "text/event-stream",
    first_delay_s: float = 0.0,
    delay_s: float = 0.0,
    break_after: int | None = None,
    end_after: int | None = None,
    lingers: bool = False,
) -> Reply:
    """Frames one after the other, `delay_s` apart, the first after `first_delay_s`.

    `break_after` cuts the connection after that many frames; `end_after` ends the answer cleanly after that
    many bytes, as a proxy does whose own server has died. `lingers` leaves the connection open behind the
    last frame, without an end.
    """

    async def reply(_request: Request, send: Send) -> None:
        if first_delay_s:
            await asyncio.sleep(first_delay_s)
        # Chunked, so that a cut connection is told apart from a complete answer.
        await send(_head(200, content_type, {"Transfer-Encoding": "chunked"}, None))
        left = end_after
        for frame in frames if break_after is None else frames[:break_after]:
            data = frame if left is None else frame[:left]
            if data:
                await send(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            if left is not None:
                left -= len(data)
                if left <= 0:
                    break
            if delay_s:
                await asyncio.sleep(delay_s)
        if lingers:
            await asyncio.Event().wait()
        if break_after is None:
            await send(b"0\r\n\r\n")

    return reply


class _Cut(Exception):
    """The last byte that a cut reply sends has been sent."""


def cut(reply: Reply, at_byte: int) -> Reply:
    """A reply whose connection is cut after `at_byte` bytes, head included."""

    async def cut_reply(request: Request, send: Send) -> None:
        left = at_byte

        async def sending(data: bytes) -> None:
            nonlocal left
            await send(data[:left])
            left -= len(data)
            if left <= 0:
                raise _Cut

        if at_byte > 0:
            try:
                await reply(request, sending)
            except _Cut:
                return

    return cut_reply


def slow(reply: Reply, seconds: float) -> Reply:
    """A reply of which nothing comes before `seconds` have passed."""

    async def slow_reply(request: Request, send: Send) -> None:
        await asyncio.sleep(seconds)
        await reply(request, send)

    return slow_reply
