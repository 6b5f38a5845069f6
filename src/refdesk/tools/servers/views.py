"""Tool servers as people see them. No secret leaves here."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from refdesk.kit.crypto import Cipher, SealBroken, mask
from refdesk.tools.servers.listing import Listing, OfferedTool
from refdesk.tools.servers.schemas import (
    HealthView,
    LeftOutTool,
    ServerToolView,
    ToolServerView,
    ToolSetting,
    VariableView,
)
from refdesk.tools.servers.secrets import credential_of, open_values, personal_names
from refdesk.tools.servers.source import is_active, listing_of, setting_of, spec_of
from refdesk.tools.tables import ToolCredential, ToolServer

type Credentials = Mapping[tuple[UUID, UUID | None], ToolCredential]


def tool_view(server: ToolServer, tool: OfferedTool) -> ServerToolView:
    """A tool with how it is treated."""
    spec = spec_of(server, tool)
    setting = setting_of(server, tool)
    return ServerToolView(
        id=spec.id,
        name=tool.name,
        title=tool.title,
        description=tool.description,
        parameters=tool.parameters,
        read_only=tool.read_only,
        is_active=is_active(server, tool),
        ask_first=spec.ask_first,
        setting=ToolSetting.model_validate(setting) if setting else None,
    )


def left_out_of(listing: Listing) -> list[LeftOutTool]:
    """What the server offers and nobody can use."""
    return [LeftOutTool(name=name, reason=reason) for name, reason in listing.left_out]


def _variables(server: ToolServer, cipher: Cipher) -> list[VariableView]:
    try:
        secrets: Mapping[str, Any] = open_values(cipher, server.id, server.secrets_sealed)
    except SealBroken:  # shown as having no value: entering it again repairs it
        secrets = {}
    return [
        VariableView(
            name=variable["name"],
            is_secret=variable["is_secret"],
            is_per_user=variable["is_per_user"],
            shown=mask(str(secrets[variable["name"]]))
            if variable["name"] in secrets
            else variable.get("value"),
        )
        for variable in server.variables
    ]


def _has_own(server: ToolServer, cipher: Cipher, credentials: Credentials, user_id: UUID | None) -> bool:
    row = credentials.get((server.id, user_id)) if user_id is not None else None
    try:
        values = credential_of(cipher, row).values
    except SealBroken:
        return False
    return all(values.get(name) for name in personal_names(server))


def view_of(
    server: ToolServer, cipher: Cipher, credentials: Credentials, user_id: UUID | None
) -> ToolServerView:
    """A server for this person."""
    listing = listing_of(server)
    personal = personal_names(server)
    oauth: dict[str, Any] = server.config.get("oauth") or {}
    shared = credentials.get((server.id, None))
    sign_in = "none"
    if oauth.get("grant") == "authorization_code":
        sign_in = "done" if shared is not None and shared.values_sealed is not None else "needed"
    return ToolServerView(
        id=server.id,
        name=server.name,
        transport=server.transport,  # pyright: ignore[reportArgumentType]
        config=server.config,
        variables=_variables(server, cipher),
        is_active=server.is_active,
        timeout_s=server.timeout_s,
        connect_timeout_s=server.connect_timeout_s,
        max_result_chars=server.max_result_chars,
        asks=server.asks,  # pyright: ignore[reportArgumentType]
        health=HealthView.model_validate(server.health) if server.health else None,
        server=listing.server,
        tools=[tool_view(server, tool) for tool in listing.tools],
        left_out=left_out_of(listing),
        resources=list(listing.resources),
        prompts=list(listing.prompts),
        needs_own_values=bool(personal),
        has_own_values=bool(personal) and _has_own(server, cipher, credentials, user_id),
        sign_in=sign_in,  # pyright: ignore[reportArgumentType]
        created_at=server.created_at,
    )
