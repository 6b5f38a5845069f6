"""Server-sent events (WHATWG HTML, section 9.2): writing frames, sending a stream, reading one.

Knows nothing of what the events mean. The response is plain ASGI: one `send` per chunk, and it notices at
once when the client leaves (Starlette's own notices at the next chunk, which may be a heartbeat away).
"""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

HEARTBEAT = b": heartbeat\n\n"
HEARTBEAT_INTERVAL_S = 15.0
MAX_EVENT_ID = 2**31 - 1


def frame(name: str, data: bytes, event_id: int | None = None) -> bytes:
    """One event. `data` is JSON on one line (as `orjson.dumps` writes it)."""
    if event_id is None:
        return b"event: %b\ndata: %b\n\n" % (name.encode(), data)
    return b"event: %b\nid: %d\ndata: %b\n\n" % (name.encode(), event_id, data)


def parse_event_id(header: str | None, fallback: int = 0) -> int:
    """The number in a `Last-Event-ID` header; anything else counts as `fallback`."""
    if header is not None and header.isascii() and header.isdigit():
        return min(int(header[:10]), MAX_EVENT_ID)
    return min(fallback, MAX_EVENT_ID)


class EventStreamResponse(Response):
    """Sends the chunks of `content`; ends when they end or the client leaves."""

    media_type = "text/event-stream"

    def __init__(
        self,
        content: AsyncIterable[bytes] | None = None,
        status_code: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status_code = status_code
        self.background = None
        self.content = content  # and no `body`: its length would become the Content-Length
        # `no-transform` and X-Accel-Buffering keep proxies from holding the stream back.
        own = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
        self.init_headers(own | dict(headers or {}))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sender = asyncio.ensure_future(self._send_all(send))
        watcher = asyncio.ensure_future(_until_disconnect(receive))
        try:
            await asyncio.wait((sender, watcher), return_when=asyncio.FIRST_COMPLETED)
            if sender.done():
                await sender
        finally:
            for task in (sender, watcher):
                task.cancel()
            await asyncio.gather(sender, watcher, return_exceptions=True)

    async def _send_all(self, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        await send(start)
        content = self.content
        if content is not None:
            if isinstance(content, AsyncIterator) and hasattr(content, "aclose"):
                async with aclosing(content):  # pyright: ignore[reportArgumentType]
                    await self._send_chunks(content, send)
            else:
                await self._send_chunks(content, send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    @staticmethod
    async def _send_chunks(content: AsyncIterable[bytes], send: Send) -> None:
        try:
            async for chunk in content:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        except OSError:  # the socket closed between two chunks
            return


async def _until_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """An event as read: `name` is `message` when the sender gave none."""

    name: str
    data: str
    event_id: str | None

    def json(self) -> Any:
        return orjson.loads(self.data)


class EventReader:
    """Turns lines into events; feed it the lines of a response (without their line ends)."""

    def __init__(self) -> None:
        self._name = ""
        self._data: list[str] = []
        self._id: str | None = None

    def feed(self, line: str) -> Iterator[ServerSentEvent]:
        """Zero or one event that `line` completes."""
        if not line:
            if self._data:
                yield ServerSentEvent(self._name or "message", "\n".join(self._data), self._id)
            self._name, self._data = "", []
            return
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self._name = value
        elif field == "data":
            self._data.append(value)
        elif field == "id" and "\x00" not in value:
            self._id = value


async def read_events(lines: AsyncIterable[str]) -> AsyncIterator[ServerSentEvent]:
    """The events in a response's lines, as they arrive."""
    reader = EventReader()
    async for line in lines:
        for event in reader.feed(line):
            yield event
