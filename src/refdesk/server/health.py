"""Whether the process lives, whether it can work, and what it knows of itself."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from refdesk import __version__
from refdesk.accounts import Viewer
from refdesk.gateway import Gateway, Kind, get_gateway
from refdesk.kit.web import DatabaseDep
from refdesk.migrations import head_revision

router = APIRouter(tags=["status"])


class Status(BaseModel):
    """What the page needs to know at its start."""

    version: str
    has_language_model: bool
    sees: bool = Field(description="The language model takes pictures.")
    hears: bool = Field(description="There is a model that writes speech down.")
    speaks: bool = Field(description="There is a model that reads answers aloud.")


@router.get("/healthz", operation_id="getHealth", summary="The process answers")
async def get_health() -> dict[str, str]:
    return {"status": "ok"}


@router.get("/readyz", operation_id="getReadiness", summary="The database answers and is migrated")
async def get_readiness(request: Request, database: DatabaseDep) -> JSONResponse:
    try:
        async with database.transaction() as session:
            revision = await session.scalar(text("SELECT version_num FROM alembic_version"))
    except (SQLAlchemyError, OSError) as error:
        return JSONResponse({"status": "unavailable", "reason": type(error).__name__}, 503)
    if revision != head_revision():
        return JSONResponse({"status": "unavailable", "reason": f"schema at {revision}"}, 503)
    return JSONResponse({"status": "ready", "version": __version__})


@router.get("/api/v1/status", operation_id="getStatus", summary="What this workspace can do now")
async def get_status(scope: Viewer, gateway: Annotated[Gateway, Depends(get_gateway)]) -> Status:
    async def has(kind: Kind) -> bool:
        return await gateway.default_model(scope, kind) is not None

    language_model = await gateway.default_model(scope, "LLM")
    return Status(
        version=__version__,
        has_language_model=language_model is not None,
        sees=language_model is not None and (await gateway.abilities(scope, language_model)).images,
        hears=await has("STT"),
        speaks=await has("TTS"),
    )
