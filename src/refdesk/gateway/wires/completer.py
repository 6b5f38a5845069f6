"""One completion over HTTP, whatever the format: send, read, leave.

A format says how a request is written and how its answer is read; this module owns the order of things: the
defaults of a model under what a request asks, the choice between a stream and a whole answer by what the
server really sent, and that an answer without its end is an error.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast
from uuid import UUID

import httpx
import orjson

from refdesk.gateway.calls import Completion, CompletionBuilder, CompletionEvent, CompletionRequest
from refdesk.gateway.errors import ModelBadResponse, ModelError, ModelInterrupted, ModelRefused
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.easing import Easing
from refdesk.gateway.wires.refusals import body_error
from refdesk.gateway.wires.streams import body_of

SSE_BEGINNINGS = (b"data:", b"event:", b":", b"id:", b"retry:")
LINGER_S = 0.2
MOST_EASINGS = 4
"""A server that refuses more members one after the other refuses the request."""


class Reader(Protocol):
    """Understands one answer. May raise AttributeError, KeyError, TypeError or ValueError for members of
    other types than agreed: they become `ModelBadResponse`."""

    @property
    def begun(self) -> bool:
        """Whether anything of an answer was seen."""
        ...

    @property
    def closed(self) -> bool:
        """Whether the server said that nothing follows."""
        ...

    def chunk(self, body: dict[str, Any]) -> list[CompletionEvent]:
        """The events of one streamed part."""
        ...

    def whole(self, body: dict[str, Any]) -> list[CompletionEvent]:
        """The events of an answer that came in one piece, but for those of `end`."""
        ...

    def end(self) -> list[CompletionEvent] | None:
        """What follows the last part, `Finished` the last; None where the answer never said its end."""
        ...


def words(value: Any) -> str:
    """A member that has to be a text. Raises TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"a text was agreed, not {type(value).__name__}")
    return value


class Format(Protocol):
    """How one kind of server is spoken to."""

    @property
    def stream_type(self) -> str:
        """The media type of a stream of this format."""
        ...

    @property
    def easing(self) -> Easing:
        """What can be left out for a server that refuses it by name."""
        ...

    def path(self, model_name: str, *, stream: bool) -> str: ...

    async def body(self, model_name: str, request: CompletionRequest, *, stream: bool) -> dict[str, Any]:
        """The request's JSON. Fetches images for vendors that do not."""
        ...

    def frames(self, response: httpx.Response) -> AsyncIterator[bytes]:
        """A stream cut into the JSON texts of its parts."""
        ...

    def reader(self, connection: Connection) -> Reader: ...


@dataclass(frozen=True, slots=True)
class HttpCompleter:
    """A chat model behind a server of any format.

    A refusal of a member that the format's easing knows is answered by asking again in another way, which is
    kept for later requests; nothing else is repeated. `defaults` may hold `temperature` and `max_tokens`,
    used where a request has none; all else in it is merged under each request's own JSON, objects member by
    member.
    """

    model_id: UUID
    model_name: str
    connection: Connection
    context_tokens: int
    format: Format
    defaults: Mapping[str, Any] = field(default_factory=dict[str, Any])
    _learnt: list[str] = field(default_factory=list[str], repr=False, compare=False)

    async def stream(self, request: CompletionRequest) -> AsyncIterator[CompletionEvent]:
        """Events in order; the last is `Finished`. A stream that ends without one raises."""
        reader = self.format.reader(self.connection)
        async with self._answer_to(request, stream=True) as response:
            if self.format.stream_type not in response.headers.get("content-type", ""):
                for event in self._unannounced(reader, await body_of(response)):
                    yield event
                return
            frames = self.format.frames(response)
            async for data in frames:
                for event in self._chunk(reader, data):
                    yield event
                if reader.closed or data == b"[DONE]":
                    await _rest(frames)
                    break
        for event in self._end(reader):
            yield event

    async def complete(self, request: CompletionRequest) -> Completion:
        """The whole answer at once."""
        async with self._answer_to(request, stream=False) as response:
            raw = await body_of(response)
        builder = CompletionBuilder()
        for event in self._whole(self.format.reader(self.connection), raw):
            builder.add(event)
        return builder.build()

    @asynccontextmanager
    async def _answer_to(self, request: CompletionRequest, *, stream: bool) -> AsyncGenerator[httpx.Response]:
        path = self.format.path(self.model_name, stream=stream)
        body = await self._body(request, stream=stream)
        known = len(self._learnt)
        easings: list[str] = []
        async with AsyncExitStack() as stack:
            while True:
                sending = self.connection.send(
                    "POST", path, body, timeout_s=request.timeout_s, request_id=request.request_id
                )
                try:
                    response = await stack.enter_async_context(sending)
                    break
                except ModelRefused as error:
                    name = self.format.easing.find(body, str(error.details.get("vendor_message", "")))
                    if name is None or len(easings) == MOST_EASINGS:
                        raise
                    body = self.format.easing.apply(body, name)
                    easings.append(name)
            if len(self._learnt) == known:  # else a request beside this one has learnt the same
                self._learnt.extend(easings)
            yield response

    async def _body(self, request: CompletionRequest, *, stream: bool) -> dict[str, Any]:
        rest = dict(self.defaults)
        temperature, max_tokens = rest.pop("temperature", None), rest.pop("max_tokens", None)
        if request.temperature is None and temperature is not None:
            request = replace(request, temperature=temperature)
        if request.max_tokens is None and max_tokens is not None:
            request = replace(request, max_tokens=max_tokens)
        body = await self.format.body(self.model_name, request, stream=stream)
        if rest:
            body = _merged(rest, body)
        for name in self._learnt:
            body = self.format.easing.apply(body, name)
        return body

    def _chunk(self, reader: Reader, data: bytes) -> list[CompletionEvent]:
        if data == b"[DONE]" or not data:
            return []
        try:
            return reader.chunk(orjson.loads(data))
        except (AttributeError, KeyError, TypeError, ValueError) as error:  # JSONDecodeError is a ValueError
            raise self.connection.bad_response(data) from error

    def _unannounced(self, reader: Reader, raw: bytes) -> list[CompletionEvent]:
        """What a server sent that announced no stream: one answer whatever was asked, a page, or a stream
        that it calls something else."""
        if not raw.lstrip().startswith(SSE_BEGINNINGS):
            return self._whole(reader, raw)
        lines = [line[5:].strip() for line in raw.splitlines() if line.startswith(b"data:")]
        events = [event for data in lines for event in self._chunk(reader, data)]
        return events + self._end(reader)

    def _whole(self, reader: Reader, raw: bytes) -> list[CompletionEvent]:
        try:
            parsed: Any = orjson.loads(raw)
            if isinstance(parsed, list):  # Google's compatible endpoints wrap errors so
                (parsed,) = cast("list[Any]", parsed)
            if (refusal := body_error(parsed)) is not None:
                raise self.connection.in_band(refusal)
            events = reader.whole(parsed)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise self.connection.bad_response(raw) from error
        if not reader.begun:
            raise self.connection.bad_response(raw)
        return events + self._end(reader)

    def _end(self, reader: Reader) -> list[CompletionEvent]:
        try:
            events = reader.end()
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ModelBadResponse from error
        if events is None:
            raise ModelInterrupted(
                "The model's answer ended without saying that it is complete."
                if reader.begun
                else "The model's server ended the answer before it began."
            )
        return events


async def _rest(frames: AsyncIterator[bytes]) -> None:
    """Read what is left, so that the connection can be kept; but a server that says its end and leaves the
    connection open, or cuts it then, spoils no answer."""
    with suppress(TimeoutError, httpx.HTTPError, ModelError):
        async with asyncio.timeout(LINGER_S):
            async for _ in frames:
                pass


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for name, value in above.items():
        under = merged.get(name)
        if isinstance(under, dict) and isinstance(value, dict):
            merged[name] = _merged(cast("dict[str, Any]", under), cast("dict[str, Any]", value))
        else:
            merged[name] = value
    return merged
