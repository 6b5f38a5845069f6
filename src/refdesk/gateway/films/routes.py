"""Films over HTTP: for owners, since every film is paid for."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Request, status
from fastapi.responses import StreamingResponse

from refdesk.accounts import Owner
from refdesk.gateway.clients import GatewayDep
from refdesk.gateway.films.desk import FilmDesk
from refdesk.gateway.films.schemas import FilmIn, FilmView
from refdesk.kit.web import DatabaseDep, Page

router = APIRouter(prefix="/api/v1", tags=["models"])


def _desk(scope: Owner, gateway: GatewayDep, database: DatabaseDep) -> FilmDesk:
    return FilmDesk(database, gateway, scope)


Desk = Annotated[FilmDesk, Depends(_desk)]
_FILM: dict[int | str, dict[str, Any]] = {
    200: {"description": "The film, as it arrives from the vendor.", "content": {"video/mp4": {}}}
}


@router.post(
    "/models/{model_id}/try/film",
    operation_id="tryModelFilm",
    summary="Let a model film",
    status_code=status.HTTP_202_ACCEPTED,
)
async def try_film(model_id: UUID, asked: FilmIn, request: Request, desk: Desk) -> FilmView:
    return FilmView.model_validate(await desk.begin(model_id, asked, request.state.request_id))


@router.get("/models/{model_id}/films", operation_id="listModelFilms", summary="The latest films of a model")
async def list_films(model_id: UUID, desk: Desk) -> Page[FilmView]:
    films = await desk.of_model(model_id)
    return Page(items=[FilmView.model_validate(film) for film in films], total=len(films))


@router.get("/model-films/{film_id}", operation_id="getModelFilm", summary="How far a film is")
async def get_film(film_id: UUID, desk: Desk) -> FilmView:
    return FilmView.model_validate(await desk.look(film_id))


@router.post("/model-films/{film_id}/cancel", operation_id="cancelModelFilm", summary="Take a film back")
async def cancel_film(film_id: UUID, desk: Desk) -> FilmView:
    return FilmView.model_validate(await desk.cancel(film_id))


@router.get(
    "/model-films/{film_id}/file",
    operation_id="getModelFilmFile",
    summary="The finished film",
    response_class=StreamingResponse,
    responses=_FILM,
)
async def get_film_file(film_id: UUID, desk: Desk) -> StreamingResponse:
    async with AsyncExitStack() as opened:
        stream = await opened.enter_async_context(await desk.file(film_id))
        first = await anext(stream.parts, b"")
        kept = opened.pop_all()

    async def parts() -> AsyncGenerator[bytes]:
        async with kept:
            yield first
            async for part in stream.parts:
                yield part

    return StreamingResponse(parts(), media_type=stream.media_type)
