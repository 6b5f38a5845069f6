"""All SQL of the editor of limits."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway.limits.errors import UnknownLimit
from refdesk.gateway.limits.schemas import QueueView
from refdesk.gateway.limits.tables import LimitCounter, ModelLimit, PermitTicket
from refdesk.gateway.tables import Model


class LimitRepository:
    """The limits of one workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def all(self) -> Sequence[ModelLimit]:
        statement = select(ModelLimit).where(ModelLimit.workspace_id == self._scope.workspace_id)
        return (await self._session.scalars(statement.order_by(ModelLimit.name, ModelLimit.id))).all()

    async def get(self, limit_id: UUID) -> ModelLimit:
        """Raises `UnknownLimit` for one that is not in the workspace."""
        statement = select(ModelLimit).where(
            ModelLimit.id == limit_id, ModelLimit.workspace_id == self._scope.workspace_id
        )
        limit = (await self._session.scalars(statement)).one_or_none()
        if limit is None:
            raise UnknownLimit(limit_id=str(limit_id))
        return limit

    async def add(self, limit: ModelLimit) -> None:
        limit.workspace_id = self._scope.workspace_id
        self._session.add(limit)
        await self._session.flush()

    async def delete(self, limit: ModelLimit) -> None:
        assert limit.workspace_id == self._scope.workspace_id
        await self._session.delete(limit)
        await self._session.flush()

    async def forget_counts(self, limit: ModelLimit) -> None:
        assert limit.workspace_id == self._scope.workspace_id
        await self._session.execute(delete(LimitCounter).where(LimitCounter.limit_id == limit.id))

    async def queues(self) -> Sequence[QueueView]:
        """Models of the workspace that take so many calls at once, and who is there."""
        is_held = PermitTicket.is_held
        rows = await self._session.execute(
            select(
                Model.id,
                Model.concurrency,
                func.count().filter(is_held),
                func.count().filter(is_held.is_(False)),
            )
            .outerjoin(
                PermitTicket, (PermitTicket.model_id == Model.id) & (PermitTicket.expires_at > func.now())
            )
            .where(Model.workspace_id == self._scope.workspace_id, Model.concurrency.is_not(None))
            .group_by(Model.id, Model.concurrency, Model.name)
            .order_by(Model.name)
        )
        return [QueueView(model_id=m, concurrency=c or 0, held=h, waiting=w) for m, c, h, w in rows]
