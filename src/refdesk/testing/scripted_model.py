"""A model server on loopback that speaks the OpenAI-compatible wire and does what a test tells it.

Real sockets, so that timeouts, broken connections and cuts within a chunk are the real ones. It keeps every
request it got. Without a script it behaves well: chats echo the last message, embeddings hash words.
"""

import asyncio
import contextlib
import itertools
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson


@dataclass(frozen=True, slots=True)
class Request:
    """A request as received."""

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


def error(
    status: int, message: str, *, code: str | None = None, headers: dict[str, str] | None = None
) -> Reply:
    """An error in OpenAI's shape."""
    return body({"error": {"message": message, "code": code}}, status=status, headers=headers)


def hang() -> Reply:
    """Accepts the request and never answers."""

    async def reply(_request: Request, _send: Send) -> None:
        await asyncio.Event().wait()

    return reply


def events(
    chunks: Sequence[Any], *, delay_s: float = 0.0, done: bool = True, break_off: bool = False
) -> Reply:
    """An event stream of `chunks` (JSON, or bytes as they are). `break_off` cuts the connection then."""

    async def reply(_request: Request, send: Send) -> None:
        # Chunked, so that a cut connection is told apart from a complete answer.
        head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        await send(head.encode())
        for chunk in chunks:
            data = chunk if isinstance(chunk, bytes) else b"data: " + orjson.dumps(chunk) + b"\n\n"
            await send(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            if delay_s:
                await asyncio.sleep(delay_s)
        if break_off:
            return
        tail = b"data: [DONE]\n\n" if done else b""
        if tail:
            await send(f"{len(tail):x}\r\n".encode() + tail + b"\r\n")
        await send(b"0\r\n\r\n")

    return reply


def delta(text: str | None = None, *, finish: str | None = None, **members: Any) -> dict[str, Any]:
    """One chunk of a streamed chat completion."""
    content: dict[str, Any] = dict(members)
    if text is not None:
        content["content"] = text
    return {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": content, "finish_reason": finish}],
    }


def answer(
    text: str, *, input_tokens: int = 10, output_tokens: int = 5, delay_s: float = 0.0, size: int = 8
) -> Reply:
    """`text` as a good server sends it: streamed in cuts of `size` characters when asked to, else whole."""

    async def reply(request: Request, send: Send) -> None:
        usage = {"prompt_tokens": input_tokens, "completion_tokens": output_tokens}
        if not request.body.get("stream"):
            message = {"role": "assistant", "content": text}
            whole = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}
            await body(whole)(request, send)
            return
        cuts = [text[start : start + size] for start in range(0, len(text), size)]
        chunks = [delta(cut) for cut in cuts] + [delta(finish="stop"), {"choices": [], "usage": usage}]
        await events(chunks, delay_s=delay_s)(request, send)

    return reply


def embeddings(vectors: Callable[[str], list[float]]) -> Reply:
    """Embeddings of each input by a function of its text."""

    async def reply(request: Request, send: Send) -> None:
        rows = [
            {"object": "embedding", "index": index, "embedding": vectors(text)}
            for index, text in enumerate(request.body["input"])
        ]
        await body({"object": "list", "data": rows, "usage": {"prompt_tokens": 1}})(request, send)

    return reply


def hashed_vector(text: str, dimensions: int = 64) -> list[float]:
    """Character bigrams counted in `dimensions` buckets: texts that share words are near each other."""
    vector = [0.01] * dimensions
    lowered = text.lower()
    for first, second in itertools.pairwise(lowered):
        vector[(ord(first) * 31 + ord(second)) % dimensions] += 1.0
    return vector


async def _echo(request: Request, send: Send) -> None:
    await answer(str(request.body["messages"][-1]["content"]))(request, send)


@dataclass(slots=True)
class ScriptedModel:
    """A running server. Replies queued with `then` are used up in order; after them `always` serves."""

    base_url: str = ""
    requests: list[Request] = field(default_factory=list[Request])
    open_connections: int = 0
    _queue: deque[Reply] = field(default_factory=deque[Reply])
    _always: Reply | None = None

    def then(self, *replies: Reply) -> None:
        self._queue.extend(replies)

    def always(self, reply: Reply) -> None:
        self._always = reply

    def reply_to(self, request: Request) -> Reply:
        if self._queue:
            return self._queue.popleft()
        if self._always is not None:
            return self._always
        if request.path.endswith("/models"):
            return body({"object": "list", "data": [{"id": "scripted-chat"}, {"id": "scripted-embedding"}]})
        if request.path.endswith("/embeddings"):
            return embeddings(hashed_vector)
        return _echo


async def _read_request(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _version = head[0].split(" ", 2)
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in head[1:])
        if name
    }
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, path, headers, orjson.loads(raw) if raw else None)


@asynccontextmanager
async def scripted_model(port: int = 0) -> AsyncGenerator[ScriptedModel]:
    """Serve on 127.0.0.1 until the block ends."""
    model = ScriptedModel()
    serving: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        model.open_connections += 1
        task = asyncio.current_task()
        assert task is not None
        serving.add(task)

        async def send(data: bytes) -> None:
            writer.write(data)
            await writer.drain()

        try:
            request = await _read_request(reader)
            model.requests.append(request)
            replying = asyncio.ensure_future(model.reply_to(request)(request, send))
            # The caller sends nothing more: what arrives now is the end of its connection.
            leaving = asyncio.ensure_future(reader.read(1))
            await asyncio.wait((replying, leaving), return_when=asyncio.FIRST_COMPLETED)
            for waiting in (replying, leaving):
                if not waiting.done():
                    waiting.cancel()
            await asyncio.gather(replying, leaving, return_exceptions=True)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            model.open_connections -= 1
            serving.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", port, limit=16 * 1024 * 1024)
    model.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield model
    finally:
        server.close()
        for task in tuple(serving):
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
        await server.wait_closed()
