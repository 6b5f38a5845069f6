"""Speech, pictures and films as callers hold them: each call asks through the flow, like those of text.

Tokens are known of none of them, so limits count requests, and what a text has of tokens; prices go by units:
seconds heard, characters spoken, pictures, seconds of a film where they were asked for. A job for a film is
governed where it is handed in; looking how far it is asks the vendor's server alone.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.gateway.calls import Notice
from refdesk.gateway.content import ImagePart
from refdesk.gateway.errors import ModelRefused
from refdesk.gateway.limits import Estimate
from refdesk.gateway.media import (
    Filmmaker,
    Media,
    Painter,
    PictureRequest,
    Speaker,
    SpeechRequest,
    Stream,
    Transcriber,
    Transcription,
    TranscriptionRequest,
    VideoRequest,
    VideoState,
)
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.routing.flow import Asked, Call, Flow
from refdesk.gateway.routing.snapshot import RoutedModel
from refdesk.gateway.tokens import estimated_tokens


@dataclass(frozen=True, slots=True)
class _Governed[C: Media]:
    """A model with its limits, its breaker and its fallback policy. `client_of` gives any model's client."""

    flow: Flow
    client_of: Callable[[RoutedModel], C]
    scope: Scope
    purpose: Purpose
    model: RoutedModel

    @property
    def model_id(self) -> UUID:
        return self.model.id

    @property
    def model_name(self) -> str:
        return self.model.row.model_name

    async def once[R](
        self,
        ask: Callable[[C, str], Awaitable[R]],
        text: str,
        *,
        expected: Decimal,
        units_of: Callable[[R], Decimal],
    ) -> R:
        """The one result of `ask(client, request_id)`; `text` is what is counted of tokens. `expected` is
        how many units it should be, `units_of` how many it was."""

        def asked(model: RoutedModel, request_id: str, _is_backup: bool) -> Asked[R]:
            async def result() -> AsyncGenerator[R]:
                yield await ask(self.client_of(model), request_id)

            return Asked(result())

        result, _ = await self.flow.once(self.call(asked, text, expected, units_of))
        return result

    def call[T](
        self,
        ask: Callable[[RoutedModel, str, bool], Asked[T]],
        text: str,
        expected: Decimal,
        units_of: Callable[[T], Decimal],
    ) -> Call[T]:
        """The call for the flow."""
        return Call(
            self.scope,
            self.purpose,
            self.model,
            ask,
            lambda: Estimate(estimated_tokens(text), 0, units=expected),
            begins=lambda event: not isinstance(event, str),
            usage_of=lambda _event: None,
            units_of=units_of,
        )


class GovernedTranscriber(_Governed[Transcriber]):
    """A model that writes speech down."""

    async def transcribe(self, request: TranscriptionRequest) -> Transcription:
        return await self.once(
            lambda client, request_id: client.transcribe(replace(request, request_id=request_id)),
            request.prompt or "",
            expected=Decimal(0),  # how long it is, the vendor tells
            units_of=lambda heard: Decimal(str(round(heard.duration_s or 0.0, 3))),
        )


class GovernedPainter(_Governed[Painter]):
    """A model that makes pictures."""

    async def paint(self, request: PictureRequest) -> list[ImagePart]:
        return await self.once(
            lambda client, request_id: client.paint(replace(request, request_id=request_id)),
            request.prompt,
            expected=Decimal(request.count),
            units_of=lambda pictures: Decimal(len(pictures)),
        )


class GovernedFilmmaker(_Governed[Filmmaker]):
    """A model that makes films. A job lies with the model that took it, and is kept under the model that was
    named: so no other one takes it, whatever the policy says."""

    async def submit(self, request: VideoRequest) -> str:
        own = self.client_of(self.model)

        async def ask(client: Filmmaker, request_id: str) -> str:
            if client is not own:
                raise ModelRefused("A film is made by the model that was asked for it, and by no other.")
            return await client.submit(replace(request, request_id=request_id))

        seconds = Decimal(request.seconds or 0)
        return await self.once(ask, request.prompt, expected=seconds, units_of=lambda _task: seconds)

    async def state(self, task: str) -> VideoState:
        return await self.client_of(self.model).state(task)

    async def cancel(self, task: str) -> bool:
        return await self.client_of(self.model).cancel(task)

    def film(self, task: str, state: VideoState) -> AbstractAsyncContextManager[Stream]:
        return self.client_of(self.model).film(task, state)


class GovernedSpeaker(_Governed[Speaker]):
    """A model that speaks. Up to the first sound a failure may go to another voice, if the policy says so."""

    @asynccontextmanager
    async def speak(self, request: SpeechRequest) -> AsyncGenerator[Stream]:
        def ask(model: RoutedModel, request_id: str, is_backup: bool) -> Asked[str | bytes]:
            # Another model knows other voices.
            named = replace(request, request_id=request_id, voice=None if is_backup else request.voice)
            return Asked(_sound(self.client_of(model), named))

        characters = Decimal(len(request.text))

        def units_of(event: str | bytes) -> Decimal:
            return characters if isinstance(event, str) else Decimal(0)  # the media type comes first, once

        call = self.call(ask, request.text, characters, units_of)
        async with aclosing(self.flow.run(call)) as events:
            media_type: Any = ""
            async for event in events:
                if isinstance(event, str):
                    media_type = event
                    break
            yield Stream(media_type, _parts(events))


async def _sound(speaker: Speaker, request: SpeechRequest) -> AsyncGenerator[str | bytes]:
    """The media type, and the sound."""
    async with speaker.speak(request) as stream:
        yield stream.media_type
        async for part in stream.parts:
            yield part


async def _parts(events: AsyncGenerator[str | bytes | Notice]) -> AsyncGenerator[bytes]:
    async for event in events:
        if isinstance(event, bytes):
            yield event
