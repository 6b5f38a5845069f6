"""All SQL of applications."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import Select, delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.apps.errors import ApplicationNotFound
from refdesk.apps.tables import Application, ApplicationBase
from refdesk.knowledge import KnowledgeBase

RESOURCE = "application"


class ApplicationRepository:
    """The applications of one workspace; a key bound to one sees that one."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    def _visible(self) -> Select[Application]:
        query = select(Application).where(Application.workspace_id == self._scope.workspace_id)
        if self._scope.resource is not None:
            kind, resource_id = self._scope.resource
            query = query.where(Application.id == (resource_id if kind == RESOURCE else None))
        return query

    async def get(self, application_id: UUID) -> Application:
        found = await self._session.scalar(self._visible().where(Application.id == application_id))
        if found is None:
            raise ApplicationNotFound
        return found

    async def by_name(self, name: str) -> Application | None:
        return await self._session.scalar(self._visible().where(Application.name == name))

    async def page(self, *, limit: int, after: str | None) -> tuple[list[Application], int]:
        """Applications by name, and how many there are in all."""
        total = await self._session.scalar(select(func.count()).select_from(self._visible().subquery()))
        query = self._visible()
        if after is not None:
            query = query.where(Application.name > after)
        rows = await self._session.scalars(query.order_by(Application.name).limit(limit))
        return list(rows), total or 0

    async def add(self, application: Application) -> None:
        application.workspace_id = self._scope.workspace_id
        self._session.add(application)
        await self._session.flush()

    async def delete(self, application: Application) -> None:
        await self._session.delete(application)
        await self._session.flush()

    async def base_ids(self, application_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
        """The bases of each application that still exist, in the order in which they were chosen."""
        rows = await self._session.execute(
            select(ApplicationBase.application_id, ApplicationBase.knowledge_base_id)
            .join(KnowledgeBase, KnowledgeBase.id == ApplicationBase.knowledge_base_id)
            .where(
                ApplicationBase.workspace_id == self._scope.workspace_id,
                ApplicationBase.application_id.in_(application_ids),
                KnowledgeBase.deleted_at.is_(None),
            )
            .order_by(ApplicationBase.position)
        )
        found: dict[UUID, list[UUID]] = {application_id: [] for application_id in application_ids}
        for application_id, base_id in rows:
            found[application_id].append(base_id)
        return found

    async def chosen_bases(self, application_id: UUID) -> int:
        """How many bases were chosen, with those marked as deleted."""
        counted = await self._session.scalar(
            select(func.count())
            .select_from(ApplicationBase)
            .where(
                ApplicationBase.workspace_id == self._scope.workspace_id,
                ApplicationBase.application_id == application_id,
            )
        )
        return counted or 0

    async def replace_bases(self, application: Application, base_ids: Sequence[UUID]) -> None:
        await self._session.execute(
            delete(ApplicationBase).where(
                ApplicationBase.workspace_id == self._scope.workspace_id,
                ApplicationBase.application_id == application.id,
            )
        )
        self._session.add_all(
            ApplicationBase(
                application_id=application.id,
                knowledge_base_id=base_id,
                workspace_id=self._scope.workspace_id,
                position=position,
            )
            for position, base_id in enumerate(base_ids)
        )
        await self._session.flush()


async def require_application(session: AsyncSession, scope: Scope, application_id: UUID) -> None:
    """Raise `ApplicationNotFound` unless the application is in the scope's workspace."""
    await ApplicationRepository(session, scope).get(application_id)


async def applications_of_base(session: AsyncSession, scope: Scope, base_id: UUID) -> Sequence[str]:
    """Names of the workspace's applications that ask a knowledge base."""
    rows = await session.scalars(
        select(Application.name)
        .join(ApplicationBase, ApplicationBase.application_id == Application.id)
        .where(Application.workspace_id == scope.workspace_id, ApplicationBase.knowledge_base_id == base_id)
    )
    return rows.all()
