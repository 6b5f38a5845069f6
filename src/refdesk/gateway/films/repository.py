"""All SQL of films."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway.errors import UnknownFilm
from refdesk.gateway.films.tables import Film


class FilmRepository:
    """The films of one workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def get(self, film_id: UUID, *, for_update: bool = False) -> Film:
        """The film; raises `UnknownFilm` for one that is not in the workspace."""
        statement = select(Film).where(Film.id == film_id, Film.workspace_id == self._scope.workspace_id)
        if for_update:
            statement = statement.with_for_update()
        film = (await self._session.execute(statement)).scalar_one_or_none()
        if film is None:
            raise UnknownFilm(film_id=str(film_id))
        return film

    async def of_model(self, model_id: UUID, limit: int) -> Sequence[Film]:
        """The latest films of a model, the newest first."""
        statement = (
            select(Film)
            .where(Film.model_id == model_id, Film.workspace_id == self._scope.workspace_id)
            .order_by(Film.created_at.desc(), Film.id.desc())
            .limit(limit)
        )
        return (await self._session.execute(statement)).scalars().all()

    async def add(self, film: Film) -> None:
        film.workspace_id = self._scope.workspace_id
        self._session.add(film)
        await self._session.flush()

    async def forget(self, before: datetime) -> None:
        """Remove what is older."""
        await self._session.execute(
            delete(Film).where(Film.workspace_id == self._scope.workspace_id, Film.created_at < before)
        )
