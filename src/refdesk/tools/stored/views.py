"""Stored tools and interfaces as people see them. No secret leaves here."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from refdesk.kit.crypto import Cipher, SealBroken, mask
from refdesk.tools.openapi.operations import Operation
from refdesk.tools.servers.secrets import open_values
from refdesk.tools.stored.schemas import (
    AuthView,
    OperationView,
    SecretView,
    StoredToolVersionView,
    StoredToolView,
    ToolInterfaceView,
)
from refdesk.tools.stored.tables import StoredTool, StoredToolVersion, ToolInterface


def tool_view(tool: StoredTool, cipher: Cipher) -> StoredToolView:
    """A tool for people."""
    is_python = tool.kind == "python"
    return StoredToolView(
        id=tool.id,
        kind="python" if is_python else "http",
        interface_id=tool.interface_id,
        name=tool.name,
        title=tool.title,
        description=tool.description,
        parameters=tool.parameters,
        is_active=tool.is_active,
        read_only=tool.read_only,
        ask_first=tool.ask_first,
        timeout_s=tool.timeout_s,
        max_result_chars=tool.max_result_chars,
        code=tool.code if is_python else None,
        function=tool.config.get("function") if is_python else None,
        defaults=tool.config.get("defaults", {}) if is_python else {},
        secrets=_secrets(cipher, tool.id, tool.secrets_sealed),
        operation=None if is_python else tool.config.get("key"),
        version=tool.version,
        created_at=tool.created_at,
        updated_at=tool.updated_at,
    )


def version_view(version: StoredToolVersion) -> StoredToolVersionView:
    """An earlier version for people."""
    config = version.content["config"]
    return StoredToolVersionView(
        version=version.version,
        code=config.get("code", ""),
        function=config.get("function", ""),
        parameters=version.content["parameters"],
        defaults=config.get("defaults", {}),
        created_at=version.created_at,
    )


def operation_view(operation: Operation, tools: Mapping[str, UUID]) -> OperationView:
    """An operation, with the tool that it is by its key."""
    return OperationView(
        key=operation.key,
        method=operation.method,
        path=operation.path,
        name=operation.name,
        title=operation.title,
        description=operation.description,
        parameters=dict(operation.parameters),
        read_only=operation.read_only,
        deprecated=operation.deprecated,
        unsupported=operation.unsupported,
        tool_id=tools.get(operation.key),
    )


def interface_view(
    interface: ToolInterface, tools: Sequence[StoredTool], cipher: Cipher
) -> ToolInterfaceView:
    """An interface for people."""
    by_key = {str(tool.config.get("key")): tool.id for tool in tools}
    return ToolInterfaceView(
        id=interface.id,
        name=interface.name,
        description=interface.description,
        base_url=interface.base_url,
        document_url=interface.document_url,
        auth=AuthView(
            kind=interface.auth.get("kind", "none"),
            name=interface.auth.get("name", ""),
            secrets=_secrets(cipher, interface.id, interface.secrets_sealed),
        ),
        tells_caller=interface.tells_caller,  # pyright: ignore[reportArgumentType]
        is_active=interface.is_active,
        operations=[operation_view(Operation.from_json(one), by_key) for one in interface.operations],
        created_at=interface.created_at,
        updated_at=interface.updated_at,
    )


def _secrets(cipher: Cipher, row_id: UUID, sealed: bytes | None) -> list[SecretView]:
    try:
        values = open_values(cipher, row_id, sealed)
    except SealBroken:  # shown as having none: entering them again repairs it
        return []
    return [SecretView(name=name, shown=mask(str(value))) for name, value in sorted(values.items())]
