"""Trying models out over HTTP: for owners, since every try is paid for."""

import base64
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Request
from fastapi.responses import StreamingResponse

from refdesk.accounts import Owner
from refdesk.gateway.clients import GatewayDep
from refdesk.gateway.errors import ModelBadResponse
from refdesk.gateway.media import PictureRequest, SpeechRequest
from refdesk.gateway.repository import ModelRepository
from refdesk.gateway.trying.schemas import (
    PictureOut,
    PicturesIn,
    PicturesOut,
    SpeechIn,
    TryAnswer,
    TryRequest,
)
from refdesk.gateway.trying.streaming import StreamedTrial
from refdesk.gateway.trying.trials import TIMEOUT_S, Trial
from refdesk.kit.sse import EventStreamResponse
from refdesk.kit.web import DatabaseDep

router = APIRouter(prefix="/api/v1/models/{model_id}/try", tags=["models"])


async def _trial(
    model_id: UUID, request: Request, scope: Owner, gateway: GatewayDep, database: DatabaseDep
) -> Trial:
    # The transaction ends before the model is asked: a vendor may take minutes.
    async with database.transaction() as session:
        model = await ModelRepository(session, scope).get(model_id)
    return Trial(gateway, scope, model, request.state.request_id)


TrialDep = Annotated[Trial, Depends(_trial)]
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
}
_SOUND: dict[int | str, dict[str, Any]] = {
    200: {"description": "The sound, as it is made.", "content": {"audio/*": {}}}
}


@router.post("", operation_id="tryModel", summary="Ask a model something")
async def try_model(asked: TryRequest, trial: TrialDep) -> TryAnswer:
    return await trial.answer(asked)


@router.post(
    "/stream",
    operation_id="streamModelTrial",
    summary="Ask a chat model something and see the answer as it is written",
    response_class=EventStreamResponse,
    responses=_EVENTS,
)
async def stream_trial(asked: TryRequest, trial: TrialDep) -> EventStreamResponse:
    begun = await StreamedTrial.begin(trial, asked)
    return EventStreamResponse(begun.frames())


@router.post(
    "/speech",
    operation_id="tryModelSpeech",
    summary="Let a model speak",
    response_class=StreamingResponse,
    responses=_SOUND,
)
async def try_speech(asked: SpeechIn, trial: TrialDep) -> StreamingResponse:
    speaker = await trial.gateway.speaker(trial.scope, trial.model.id, trial.purpose)
    async with AsyncExitStack() as opened:
        stream = await opened.enter_async_context(
            speaker.speak(
                SpeechRequest(asked.text, asked.voice, asked.format, asked.speed, TIMEOUT_S, trial.request_id)
            )
        )
        first = await anext(stream.parts, b"")
        if not first:
            raise ModelBadResponse("The server sent no sound.")
        kept = opened.pop_all()

    async def parts() -> AsyncGenerator[bytes]:
        async with kept:
            yield first
            async for part in stream.parts:
                yield part

    return StreamingResponse(parts(), media_type=stream.media_type)


@router.post("/pictures", operation_id="tryModelPictures", summary="Let a model paint")
async def try_pictures(asked: PicturesIn, trial: TrialDep) -> PicturesOut:
    painter = await trial.gateway.painter(trial.scope, trial.model.id, trial.purpose)
    started = time.perf_counter()
    pictures = await painter.paint(
        PictureRequest(**asked.model_dump(), timeout_s=TIMEOUT_S, request_id=trial.request_id)
    )
    return PicturesOut(
        latency_ms=round((time.perf_counter() - started) * 1000, 1),
        pictures=[
            PictureOut(media_type=one.media_type, data=base64.b64encode(one.data).decode())
            for one in pictures
        ],
    )
