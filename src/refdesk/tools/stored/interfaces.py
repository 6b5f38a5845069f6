"""Keeping HTTP interfaces: reading their documents, making tools of chosen operations."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.kit.crypto import Cipher
from refdesk.kit.ids import new_id
from refdesk.tools.errors import ToolSecretNeeded
from refdesk.tools.naming import MAX_NAME_CHARS
from refdesk.tools.openapi.document import fetch_document, read_document
from refdesk.tools.openapi.errors import OpenApiOperationUnknown, OpenApiUnreadable
from refdesk.tools.openapi.operations import Description, Operation, describe
from refdesk.tools.openapi.requests import same_origin
from refdesk.tools.servers.secrets import open_values, seal_values
from refdesk.tools.stored.repository import StoredToolRepository, ToolInterfaceRepository
from refdesk.tools.stored.schemas import (
    AuthDraft,
    DocumentSource,
    InterfaceDocumentView,
    NewToolInterface,
    ToolInterfaceChange,
    ToolInterfaceView,
)
from refdesk.tools.stored.tables import StoredTool, ToolInterface
from refdesk.tools.stored.views import interface_view, operation_view

_AUDITED = "tool_interface"


async def described(source: DocumentSource, *, allow_private: bool) -> Description:
    """Read the document; no transaction may be open meanwhile.

    Raises `OpenApiUnreadable`, `OpenApiUnreachable`, `AddressRefused`, `ResponseTooLarge`.
    """
    text = source.document
    if text is None:
        text = await fetch_document(source.document_url or "", allow_private=allow_private)
    return await asyncio.to_thread(lambda: describe(read_document(text), source.document_url))


def document_view(description: Description) -> InterfaceDocumentView:
    """A document as people choose from it."""
    return InterfaceDocumentView(
        title=description.title,
        version=description.version,
        description=description.text,
        base_url=description.base_url,
        auth_kind=description.auth_kind,
        auth_name=description.auth_name,
        operations=[operation_view(operation, {}) for operation in description.operations],
    )


@dataclass(frozen=True, slots=True)
class ToolInterfaces:
    """The verbs on HTTP interfaces of the caller's workspace."""

    session: AsyncSession
    scope: Scope
    cipher: Cipher

    @property
    def _rows(self) -> ToolInterfaceRepository:
        return ToolInterfaceRepository(self.session, self.scope)

    @property
    def _tools(self) -> StoredToolRepository:
        return StoredToolRepository(self.session, self.scope)

    async def all(self) -> list[ToolInterfaceView]:
        """By name."""
        tools = await self._tools.all("http")
        return [
            interface_view(one, [tool for tool in tools if tool.interface_id == one.id], self.cipher)
            for one in await self._rows.all()
        ]

    async def get(self, interface_id: UUID) -> ToolInterfaceView:
        """Raises `ToolInterfaceNotFound`."""
        return await self._shown(await self._rows.get(interface_id))

    async def create(self, draft: NewToolInterface, description: Description) -> ToolInterfaceView:
        """Raises `ToolInterfaceExists`, `OpenApiOperationUnknown`, `OpenApiUnreadable` without an address."""
        interface = ToolInterface(
            id=new_id(),
            name=draft.name,
            description=draft.description if draft.description is not None else description.text[:500],
            base_url=_base_url(draft.base_url, description),
            document_url=draft.document_url,
            operations=[operation.as_json() for operation in description.operations],
            auth={"kind": draft.auth.kind, "name": draft.auth.name},
            tells_caller=draft.tells_caller,
            created_by=self.scope.user_id,
        )
        interface.secrets_sealed = seal_values(self.cipher, interface.id, draft.auth.secrets())
        await self._rows.add(interface)
        await self._choose(interface, draft.operations, draft.timeout_s)
        audit(
            self.session,
            self.scope,
            "tool-interface.create",
            (_AUDITED, interface.id),
            name=interface.name,
            base_url=interface.base_url,
            operations=draft.operations[:100],
        )
        await self.session.refresh(interface)
        return await self._shown(interface)

    async def change(
        self, interface_id: UUID, change: ToolInterfaceChange, description: Description | None
    ) -> ToolInterfaceView:
        """Apply the members that are present; `description` is that of `change.source`.

        Raises `ToolInterfaceNotFound`, `ToolInterfaceExists`, `OpenApiOperationUnknown`, `ToolSecretNeeded`.
        """
        interface = await self._rows.get(interface_id, lock=True)
        before = interface.base_url
        for name in ("name", "description", "base_url", "tells_caller", "is_active"):
            if (value := getattr(change, name)) is not None:
                setattr(interface, name, value)
        self._change_auth(interface, change.auth, moved=not same_origin(before, interface.base_url))
        if description is not None and change.source is not None:
            interface.operations = [operation.as_json() for operation in description.operations]
            interface.document_url = change.source.document_url or interface.document_url
            await self._follow_document(interface)
        if change.operations is not None:
            await self._choose(interface, change.operations, 30.0)
        await self._rows.changed(interface)
        audit(
            self.session,
            self.scope,
            "tool-interface.change",
            (_AUDITED, interface.id),
            name=interface.name,
            base_url=interface.base_url,
            changed=sorted(change.model_fields_set),
        )
        return await self._shown(interface)

    async def delete(self, interface_id: UUID) -> None:
        """Remove it with its tools. Raises `ToolInterfaceNotFound`."""
        interface = await self._rows.get(interface_id, lock=True)
        audit(
            self.session, self.scope, "tool-interface.delete", (_AUDITED, interface.id), name=interface.name
        )
        await self._rows.delete(interface)

    async def _shown(self, interface: ToolInterface) -> ToolInterfaceView:
        return interface_view(interface, await self._tools.of_interface(interface.id), self.cipher)

    def _change_auth(self, interface: ToolInterface, auth: AuthDraft | None, *, moved: bool) -> None:
        """A stored secret stays only with the server that it was entered for."""
        kept = open_values(self.cipher, interface.id, interface.secrets_sealed)
        given = auth.secrets() if auth is not None else {}
        kind = auth.kind if auth is not None else interface.auth.get("kind", "none")
        wanted = {"none": (), "basic": ("username", "password")}.get(kind, ("token",))
        if moved and set(wanted) & set(kept) - set(given):
            raise ToolSecretNeeded(name=interface.name)
        if auth is None:
            return
        values = {name: given.get(name, kept.get(name)) for name in wanted}
        interface.auth = {"kind": auth.kind, "name": auth.name}
        interface.secrets_sealed = seal_values(
            self.cipher, interface.id, {name: value for name, value in values.items() if value is not None}
        )

    async def _follow_document(self, interface: ToolInterface) -> None:
        """Tools take what the new document says of their operations; without one they go."""
        operations = {one["key"]: Operation.from_json(one) for one in interface.operations}
        for tool in await self._tools.of_interface(interface.id):
            operation = operations.get(str(tool.config.get("key")))
            if operation is None or operation.unsupported:
                await self._tools.delete(tool)
            elif tool.config != operation.as_json():
                tool.config, tool.parameters = operation.as_json(), dict(operation.parameters)
                tool.version += 1

    async def _choose(self, interface: ToolInterface, keys: Sequence[str], timeout_s: float) -> None:
        """Make tools of these operations and remove the others; what was set for those that stay is kept."""
        operations = {one["key"]: Operation.from_json(one) for one in interface.operations}
        present = {str(tool.config.get("key")): tool for tool in await self._tools.of_interface(interface.id)}
        unknown = [key for key in keys if key not in operations or operations[key].unsupported]
        if unknown:
            raise OpenApiOperationUnknown(f"There is no operation {unknown[0]}.", operations=unknown[:20])
        for key, tool in present.items():
            if key not in keys:
                await self._tools.delete(tool)
        taken = await self._tools.names()
        for key in dict.fromkeys(keys):
            if key not in present:
                tool = _tool_of(interface, operations[key], taken, timeout_s)
                taken.add(tool.name)
                await self._tools.add(tool)


def _tool_of(interface: ToolInterface, operation: Operation, taken: set[str], timeout_s: float) -> StoredTool:
    name, number = operation.name, 1
    while name in taken:
        number += 1
        name = f"{operation.name[: MAX_NAME_CHARS - 4]}_{number}"
    return StoredTool(
        id=new_id(),
        interface_id=interface.id,
        kind="http",
        name=name,
        title=operation.title,
        description=operation.description or operation.key,
        parameters=dict(operation.parameters),
        config=operation.as_json(),
        read_only=operation.read_only,
        ask_first=not operation.read_only,
        timeout_s=timeout_s,
        created_by=interface.created_by,
    )


def _base_url(given: str | None, description: Description) -> str:
    url = given or description.base_url
    if not url:
        raise OpenApiUnreadable("The document names no server.", hint="Enter the address of the interface.")
    return url.rstrip("/")
