"""HTTP of speech: a recording in, words out; an answer in, sound out."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from refdesk.accounts import Asker
from refdesk.chat.service import RunService
from refdesk.chat.speech import read_aloud, written_down
from refdesk.gateway import GatewayDep
from refdesk.kit.web import DatabaseDep

router = APIRouter(prefix="/api/v1", tags=["speech"])

_RECORDING: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"audio/*": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_SOUND: dict[int | str, dict[str, Any]] = {
    200: {"description": "The sound, as it is made.", "content": {"audio/*": {}}}
}


class TranscriptionOut(BaseModel):
    """What was said; language and length where the vendor tells them."""

    text: str
    language: str | None = Field(description="ISO 639-1 code.")
    duration_s: float | None


@router.post(
    "/transcriptions",
    operation_id="transcribe",
    summary="Write a spoken question down",
    openapi_extra=_RECORDING,
)
async def transcribe(
    request: Request,
    scope: Asker,
    gateway: GatewayDep,
    language: Annotated[str | None, Query(pattern="^[a-z]{2,3}$", description="ISO 639-1 code.")] = None,
) -> TranscriptionOut:
    heard = await written_down(
        gateway,
        scope,
        request.stream(),
        request.headers.get("content-type", ""),
        language=language,
        request_id=request.state.request_id,
    )
    return TranscriptionOut(text=heard.text, language=heard.language, duration_s=heard.duration_s)


@router.post(
    "/runs/{run_id}/speech",
    operation_id="readRunAloud",
    summary="Read an answer aloud",
    response_class=StreamingResponse,
    responses=_SOUND,
)
async def read_run_aloud(
    run_id: UUID,
    request: Request,
    scope: Asker,
    gateway: GatewayDep,
    database: DatabaseDep,
    voice: Annotated[str | None, Query(max_length=100, description="A voice of the model's vendor.")] = None,
) -> StreamingResponse:
    async with database.transaction() as session:
        run = await RunService(session, scope).get(run_id)
    sound = await read_aloud(gateway, scope, run.answer, voice=voice, request_id=request.state.request_id)
    return StreamingResponse(sound.parts, media_type=sound.media_type)
