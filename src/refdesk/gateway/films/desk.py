"""Beginning a film, looking how far it is, taking it back, passing it on.

Never within a transaction: a vendor may take its time. Two that look at once both ask; the last answer
stands, but an end is never undone.
"""

from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.gateway.clients import Gateway
from refdesk.gateway.content import ImagePart
from refdesk.gateway.errors import (
    FilmNotReady,
    ModelError,
    ModelRefused,
    ModelTimeout,
    TrialIncomplete,
)
from refdesk.gateway.films.repository import FilmRepository
from refdesk.gateway.films.schemas import FilmIn
from refdesk.gateway.films.tables import Film
from refdesk.gateway.media import Filmmaker, Stream, VideoRequest, VideoState
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.repository import ModelRepository
from refdesk.kit.clock import now
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError
from refdesk.kit.ids import new_id

ASK_AGAIN_AFTER = timedelta(seconds=2)
GIVEN_UP_AFTER = timedelta(hours=1)
KEPT_FOR = timedelta(days=7)
_OPEN = ("queued", "running")


@dataclass(frozen=True, slots=True)
class FilmDesk:
    """The films of one caller's workspace."""

    database: Database
    gateway: Gateway
    scope: Scope

    async def begin(self, model_id: UUID, asked: FilmIn, request_id: str) -> Film:
        """Hand a job in. Raises `ModelError`s, `TrialIncomplete`, `WrongModelKind`."""
        async with self.database.transaction() as session:
            model = await ModelRepository(session, self.scope).get(model_id)
        purpose = Purpose("try", request_id=request_id)
        maker = await self.gateway.filmmaker(self.scope, model_id, purpose)
        if model.kind == "ITV" and asked.picture is None:
            raise TrialIncomplete(needed="picture")
        if model.kind == "TTV" and not asked.prompt.strip():
            raise TrialIncomplete(needed="text")
        picture = None
        if model.kind == "ITV" and asked.picture is not None:
            picture = ImagePart.of_bytes(asked.picture)
        task = await maker.submit(
            VideoRequest(asked.prompt, picture, asked.size, asked.seconds, request_id=request_id)
        )
        film = Film(id=new_id(), model_id=model_id, prompt=asked.prompt, task=task, stage="queued")
        async with self.database.transaction() as session:
            films = FilmRepository(session, self.scope)
            await films.forget(now() - KEPT_FOR)
            await films.add(film)
            await session.refresh(film)
        return film

    async def look(self, film_id: UUID) -> Film:
        """The job as it stands; the vendor is asked unless it just was. A vendor that cannot be reached now
        changes nothing; one that refuses ends the job."""
        film = await self._stored(film_id)
        due = film.asked_at is None or now() - film.asked_at > ASK_AGAIN_AFTER
        if film.stage not in _OPEN or not due:
            return film
        if now() - film.created_at > GIVEN_UP_AFTER:
            with suppress(ModelError):  # given up it is in any case
                await (await self._maker(film)).cancel(film.task)
            error = ModelTimeout(timeout_s=GIVEN_UP_AFTER.total_seconds())
            return await self._note(film_id, stage="failed", error=_told(error))
        try:
            state = await (await self._maker(film)).state(film.task)
        except ModelError as error:
            if error.status in (503, 504):
                return await self._note(film_id)
            return await self._note(film_id, stage="failed", error=_told(error))
        return await self._note(film_id, **_changes(state))

    async def cancel(self, film_id: UUID) -> Film:
        """Take a job back; at the vendor where that is possible, here in any case."""
        film = await self._stored(film_id)
        if film.stage in _OPEN:
            await (await self._maker(film)).cancel(film.task)
            film = await self._note(film_id, stage="cancelled")
        return film

    async def of_model(self, model_id: UUID, limit: int = 20) -> list[Film]:
        """The latest films of a model."""
        async with self.database.transaction() as session:
            await ModelRepository(session, self.scope).get(model_id)
            return list(await FilmRepository(session, self.scope).of_model(model_id, limit))

    async def file(self, film_id: UUID) -> AbstractAsyncContextManager[Stream]:
        """The finished film, as it arrives from the vendor. Raises `FilmNotReady`."""
        film = await self._stored(film_id)
        if film.stage != "finished":
            raise FilmNotReady(stage=film.stage)
        return (await self._maker(film)).film(film.task, VideoState("finished", 1.0, film.url))

    async def _stored(self, film_id: UUID) -> Film:
        async with self.database.transaction() as session:
            return await FilmRepository(session, self.scope).get(film_id)

    async def _maker(self, film: Film) -> Filmmaker:
        return await self.gateway.filmmaker(self.scope, film.model_id)

    async def _note(self, film_id: UUID, **changes: Any) -> Film:
        async with self.database.transaction() as session:
            film = await FilmRepository(session, self.scope).get(film_id, for_update=True)
            if film.stage in _OPEN:
                for name, value in changes.items():
                    setattr(film, name, value)
                film.asked_at = film.updated_at = now()
                await session.flush()
                await session.refresh(film)
        return film


def _changes(state: VideoState) -> dict[str, Any]:
    changes: dict[str, Any] = {"stage": state.stage, "progress": state.progress, "url": state.url}
    if state.stage == "failed":
        changes["error"] = _told(ModelRefused(vendor_message=state.message or ""))
    return changes


def _told(error: AppError) -> dict[str, Any]:
    return {
        "code": error.code,
        "message": error.text,
        "hint": error.hint_text,
        "details": error.details,
    }
