"""All SQL of tool servers and credentials."""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import delete, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from refdesk.accounts import Scope
from refdesk.tools.errors import ToolServerExists, ToolServerNotFound
from refdesk.tools.tables import ToolCredential, ToolServer


class ToolServerRepository:
    """The tool servers of the scope's workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def all(self) -> list[ToolServer]:
        """By name."""
        query = select(ToolServer).where(ToolServer.workspace_id == self._scope.workspace_id)
        return list((await self._session.execute(query.order_by(ToolServer.name))).scalars())

    async def get(self, server_id: UUID, *, lock: bool = False) -> ToolServer:
        """Raises `ToolServerNotFound`. `lock` makes other writers of it wait."""
        query = select(ToolServer).where(
            ToolServer.id == server_id, ToolServer.workspace_id == self._scope.workspace_id
        )
        if lock:
            query = query.with_for_update()
        server = (await self._session.execute(query)).scalar_one_or_none()
        if server is None:
            raise ToolServerNotFound(server_id=str(server_id))
        return server

    async def chosen(self, ids: Collection[UUID], names: Collection[str]) -> list[ToolServer]:
        """Those with these ids or names, by name; without their lists of tools, which runs do not need."""
        if not ids and not names:
            return []
        query = select(ToolServer).where(
            ToolServer.workspace_id == self._scope.workspace_id,
            or_(ToolServer.id.in_(ids), ToolServer.name.in_(names)),
        )
        query = query.options(defer(ToolServer.listing, raiseload=True)).order_by(ToolServer.name)
        return list((await self._session.execute(query)).scalars())

    async def add(self, server: ToolServer) -> None:
        """Raises `ToolServerExists`."""
        try:
            async with self._session.begin_nested():
                self._session.add(server)
        except IntegrityError as error:
            raise ToolServerExists(name=server.name) from error

    async def changed(self, server: ToolServer) -> None:
        """Write what was changed. Raises `ToolServerExists`."""
        try:
            async with self._session.begin_nested():
                await self._session.flush()
        except IntegrityError as error:
            raise ToolServerExists from error

    async def delete(self, server: ToolServer) -> None:
        await self._session.delete(server)

    async def note(
        self, server_id: UUID, version: int, health: dict[str, Any], listing: dict[str, Any] | None
    ) -> None:
        """Keep how asking this version of a server went, and what it offers if it was told."""
        values: dict[str, Any] = {"health": health, "updated_at": ToolServer.updated_at}
        if listing is not None:
            values["listing"] = listing
        await self._session.execute(
            update(ToolServer)
            .where(
                ToolServer.id == server_id,
                ToolServer.workspace_id == self._scope.workspace_id,
                ToolServer.version == version,
            )
            .values(values)
        )


class ToolCredentialRepository:
    """What people of the scope's workspace use tool servers with."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def of(
        self, server_ids: Collection[UUID], user_id: UUID | None
    ) -> dict[tuple[UUID, UUID | None], ToolCredential]:
        """The credentials of this person and of the workspace itself, by server and person."""
        if not server_ids:
            return {}
        whose = ToolCredential.user_id.is_(None)
        if user_id is not None:
            whose = or_(whose, ToolCredential.user_id == user_id)
        query = select(ToolCredential).where(
            ToolCredential.workspace_id == self._scope.workspace_id,
            ToolCredential.server_id.in_(server_ids),
            whose,
        )
        rows: Sequence[ToolCredential] = (await self._session.execute(query)).scalars().all()
        return {(row.server_id, row.user_id): row for row in rows}

    async def get(self, server_id: UUID, user_id: UUID | None) -> ToolCredential | None:
        """One credential, locked for a change."""
        query = select(ToolCredential).where(
            ToolCredential.workspace_id == self._scope.workspace_id,
            ToolCredential.server_id == server_id,
            ToolCredential.user_id.is_not_distinct_from(user_id),
        )
        return (await self._session.execute(query.with_for_update())).scalar_one_or_none()

    async def add(self, credential: ToolCredential) -> bool:
        """False if its server is gone, or another process has added one for it at the same moment."""
        try:
            async with self._session.begin_nested():
                self._session.add(credential)
        except IntegrityError:
            return False
        return True

    async def delete(self, server_id: UUID, user_id: UUID | None) -> None:
        await self._session.execute(
            delete(ToolCredential).where(
                ToolCredential.workspace_id == self._scope.workspace_id,
                ToolCredential.server_id == server_id,
                ToolCredential.user_id.is_not_distinct_from(user_id),
            )
        )
