"""A model server on loopback that does what a test tells it.

It speaks the formats of OpenAI, Anthropic, Google, Cohere and Bedrock, for embeddings as well, and the
dialects of rerankers; which one is told by the path of each request. Real sockets, so that timeouts, broken
connections and cuts within a chunk are the real ones. It keeps every request it got. Without a script it
behaves well: chats echo the last message, embeddings hash words, rerankers count words, speech, pictures and
films are those of `scripted_media`.

    async with scripted_model() as model:
        model.then(refuses(429, "slow down", headers={"Retry-After": "1"}), says("Hello", delay_s=0.1))
        model.always(says(Turn(calls=(Call("search", '{"query": "refund"}'),), finish="tool_calls")))
        …                            # point a model at model.base_url, or at model.root for other vendors
        assert model.requests[0].headers["x-request-id"] == "…"
"""

import asyncio
import contextlib
import itertools
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson

from refdesk.testing.scripted_http import Reply, Request, Send, body, cut, hang, slow, streamed
from refdesk.testing.scripted_media import FilmStudio, by_path, media_reply, paints, speaks, transcribes
from refdesk.testing.scripted_reranker import reranks_any
from refdesk.testing.scripted_wires import (
    Call,
    Turn,
    asked,
    embedded,
    format_of,
    is_embedding,
    wants_stream,
)

__all__ = [
    "Call",
    "FilmStudio",
    "Reply",
    "Request",
    "ScriptedModel",
    "Send",
    "Turn",
    "answer",
    "body",
    "by_path",
    "cut",
    "delta",
    "embeddings",
    "error",
    "events",
    "hang",
    "hashed_vector",
    "paints",
    "refuses",
    "says",
    "scripted_model",
    "slow",
    "speaks",
    "streamed",
    "transcribes",
]


def error(
    status: int, message: str, *, code: str | None = None, headers: dict[str, str] | None = None
) -> Reply:
    """An error in OpenAI's shape."""
    return body({"error": {"message": message, "code": code}}, status=status, headers=headers)


def events(
    chunks: Sequence[Any], *, delay_s: float = 0.0, done: bool = True, break_off: bool = False
) -> Reply:
    """An event stream of `chunks` (JSON, or bytes as they are). `break_off` cuts the connection then."""
    frames = [
        chunk if isinstance(chunk, bytes) else b"data: " + orjson.dumps(chunk) + b"\n\n" for chunk in chunks
    ]
    if break_off:
        return streamed(frames, delay_s=delay_s, break_after=len(frames))
    return streamed([*frames, b"data: [DONE]\n\n"] if done else frames, delay_s=delay_s)


def says(
    what: Turn | str,
    *,
    first_delay_s: float = 0.0,
    delay_s: float = 0.0,
    break_after: int | None = None,
    end_after: int | None = None,
    fail_after: int | None = None,
    failure: tuple[str, str | None] = ("the server died", None),
    lingers: bool = False,
) -> Reply:
    """An answer in whatever format it is asked for, streamed or whole.

    `break_after` cuts the connection after that many frames, `end_after` ends the stream cleanly after that
    many bytes, `fail_after` writes an error (`failure`: words, code) in place of the frames after that many.
    `lingers` leaves the connection open behind the end.
    """
    turn = what if isinstance(what, Turn) else Turn(what)

    async def reply(request: Request, send: Send) -> None:
        form = format_of(request.path)
        if not wants_stream(request.path, request.body):
            if first_delay_s:
                await asyncio.sleep(first_delay_s)
            await body(form.whole(turn))(request, send)
            return
        frames = form.stream(turn)
        if fail_after is not None:
            frames = [*frames[:fail_after], form.stream_error(*failure)]
        await streamed(
            frames,
            content_type=form.stream_type,
            first_delay_s=first_delay_s,
            delay_s=delay_s,
            break_after=break_after,
            end_after=end_after,
            lingers=lingers,
        )(request, send)

    return reply


def refuses(
    status: int, message: str, *, code: str | None = None, headers: dict[str, str] | None = None
) -> Reply:
    """A refusal in the format of whoever asks."""

    async def reply(request: Request, send: Send) -> None:
        content = format_of(request.path).error(status, message, code)
        await body(content, status=status, headers=headers)(request, send)

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
    """Embeddings of each input by a function of its text, in the format they are asked for."""

    async def reply(request: Request, send: Send) -> None:
        await body(embedded(request.path, request.body, vectors))(request, send)

    return reply


def hashed_vector(text: str, dimensions: int = 64) -> list[float]:
    """Character bigrams counted in `dimensions` buckets: texts that share words are near each other."""
    vector = [0.01] * dimensions
    lowered = text.lower()
    for first, second in itertools.pairwise(lowered):
        vector[(ord(first) * 31 + ord(second)) % dimensions] += 1.0
    return vector


async def _echo(request: Request, send: Send) -> None:
    await says(asked(request.path, request.body))(request, send)


@dataclass(slots=True)
class ScriptedModel:
    """A running server. Replies queued with `then` are used up in order; after them `always` serves.

    `base_url` is where OpenAI's format begins, `root` where the others do. `connections` counts all that were
    opened, `open_connections` those that are open.
    """

    base_url: str = ""
    root: str = ""
    requests: list[Request] = field(default_factory=list[Request])
    open_connections: int = 0
    connections: int = 0
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
        if is_embedding(request.path):
            return embeddings(hashed_vector)
        if request.path.endswith("/rerank"):
            return reranks_any
        return media_reply(request) or _echo


async def _read_request(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _version = head[0].split(" ", 2)
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in head[1:])
        if name
    }
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    is_json = "json" in headers.get("content-type", "json")
    content = (orjson.loads(raw) if is_json else raw) if raw else None
    return Request(method, path, headers, content)


@asynccontextmanager
async def scripted_model(port: int = 0) -> AsyncGenerator[ScriptedModel]:
    """Serve on 127.0.0.1 until the block ends."""
    model = ScriptedModel()
    serving: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        model.open_connections += 1
        model.connections += 1
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
    model.root = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    model.base_url = f"{model.root}/v1"
    try:
        yield model
    finally:
        server.close()
        for task in tuple(serving):
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
        await server.wait_closed()
