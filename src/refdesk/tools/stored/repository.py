"""All SQL of stored tools and interfaces."""

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.tools.errors import ToolNotFound
from refdesk.tools.stored.errors import StoredToolExists, ToolInterfaceExists, ToolInterfaceNotFound
from refdesk.tools.stored.tables import StoredTool, StoredToolVersion, ToolInterface

KEPT_VERSIONS = 20


class StoredToolRepository:
    """The tools of the scope's workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def all(self, kind: str | None = None) -> list[StoredTool]:
        """By name."""
        query = select(StoredTool).where(StoredTool.workspace_id == self._scope.workspace_id)
        if kind is not None:
            query = query.where(StoredTool.kind == kind)
        return list((await self._session.execute(query.order_by(StoredTool.name))).scalars())

    async def chosen(
        self, ids: Collection[UUID], interface_ids: Collection[UUID]
    ) -> list[tuple[StoredTool, ToolInterface | None]]:
        """Tools of these ids or interfaces, each with its interface, by name."""
        query = (
            select(StoredTool, ToolInterface)
            .outerjoin(ToolInterface, ToolInterface.id == StoredTool.interface_id)
            .where(
                StoredTool.workspace_id == self._scope.workspace_id,
                StoredTool.id.in_(ids) | StoredTool.interface_id.in_(interface_ids),
            )
        )
        rows = await self._session.execute(query.order_by(StoredTool.name))
        return [(tool, interface) for tool, interface in rows]

    async def of_interface(self, interface_id: UUID) -> list[StoredTool]:
        """By name."""
        query = select(StoredTool).where(
            StoredTool.interface_id == interface_id, StoredTool.workspace_id == self._scope.workspace_id
        )
        return list((await self._session.execute(query.order_by(StoredTool.name))).scalars())

    async def get(self, tool_id: UUID, *, lock: bool = False) -> StoredTool:
        """Raises `ToolNotFound`."""
        query = select(StoredTool).where(
            StoredTool.id == tool_id, StoredTool.workspace_id == self._scope.workspace_id
        )
        if lock:
            query = query.with_for_update()
        tool = (await self._session.execute(query)).scalar_one_or_none()
        if tool is None:
            raise ToolNotFound(tool_id=str(tool_id))
        return tool

    async def names(self) -> set[str]:
        """Names that are taken."""
        query = select(StoredTool.name).where(StoredTool.workspace_id == self._scope.workspace_id)
        return set((await self._session.execute(query)).scalars())

    async def add(self, tool: StoredTool) -> None:
        """Raises `StoredToolExists`."""
        tool.workspace_id = self._scope.workspace_id
        try:
            async with self._session.begin_nested():
                self._session.add(tool)
        except IntegrityError as error:
            raise StoredToolExists(name=tool.name) from error

    async def changed(self, tool: StoredTool) -> None:
        """Write what was changed. Raises `StoredToolExists`."""
        name = tool.name
        try:
            async with self._session.begin_nested():
                await self._session.flush()
        except IntegrityError as error:
            raise StoredToolExists(name=name) from error
        await self._session.refresh(tool)

    async def delete(self, tool: StoredTool) -> None:
        await self._session.delete(tool)
        await self._session.flush()

    async def keep_version(self, version: StoredToolVersion) -> None:
        """Keep what a tool was, and forget all but the last ones."""
        version.workspace_id = self._scope.workspace_id
        self._session.add(version)
        await self._session.execute(
            delete(StoredToolVersion).where(
                StoredToolVersion.tool_id == version.tool_id,
                StoredToolVersion.workspace_id == self._scope.workspace_id,
                StoredToolVersion.version <= version.version - KEPT_VERSIONS,
            )
        )

    async def versions(self, tool_id: UUID) -> list[StoredToolVersion]:
        """The kept ones, the latest first."""
        query = select(StoredToolVersion).where(
            StoredToolVersion.tool_id == tool_id,
            StoredToolVersion.workspace_id == self._scope.workspace_id,
        )
        return list((await self._session.execute(query.order_by(StoredToolVersion.version.desc()))).scalars())


class ToolInterfaceRepository:
    """The interfaces of the scope's workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def all(self) -> list[ToolInterface]:
        """By name."""
        query = select(ToolInterface).where(ToolInterface.workspace_id == self._scope.workspace_id)
        return list((await self._session.execute(query.order_by(ToolInterface.name))).scalars())

    async def get(self, interface_id: UUID, *, lock: bool = False) -> ToolInterface:
        """Raises `ToolInterfaceNotFound`."""
        query = select(ToolInterface).where(
            ToolInterface.id == interface_id, ToolInterface.workspace_id == self._scope.workspace_id
        )
        if lock:
            query = query.with_for_update()
        interface = (await self._session.execute(query)).scalar_one_or_none()
        if interface is None:
            raise ToolInterfaceNotFound(interface_id=str(interface_id))
        return interface

    async def add(self, interface: ToolInterface) -> None:
        """Raises `ToolInterfaceExists`."""
        interface.workspace_id = self._scope.workspace_id
        try:
            async with self._session.begin_nested():
                self._session.add(interface)
        except IntegrityError as error:
            raise ToolInterfaceExists(name=interface.name) from error

    async def changed(self, interface: ToolInterface) -> None:
        """Write what was changed. Raises `ToolInterfaceExists`."""
        name = interface.name
        try:
            async with self._session.begin_nested():
                await self._session.flush()
        except IntegrityError as error:
            raise ToolInterfaceExists(name=name) from error
        await self._session.refresh(interface)

    async def delete(self, interface: ToolInterface) -> None:
        await self._session.delete(interface)
        await self._session.flush()
