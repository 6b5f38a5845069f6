"""Keeping tool servers: adding, changing, removing, testing. Runs use them through `source`."""

import time
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic import SecretStr

from refdesk.accounts import Scope, audit
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.tools.errors import ToolCommandForbidden, ToolSecretNeeded, ToolServerConfigInvalid
from refdesk.tools.servers.config import ServerConfig, checked, destination, names_in
from refdesk.tools.servers.connections import Connections
from refdesk.tools.servers.intake import PastedServer, servers_in, without_literals
from refdesk.tools.servers.listing import Listing
from refdesk.tools.servers.repository import ToolCredentialRepository, ToolServerRepository
from refdesk.tools.servers.schemas import (
    NewToolServer,
    PastedServerOutcome,
    ToolServerChange,
    ToolServerCheck,
    ToolServerDraft,
    ToolServerView,
    ToolSetting,
    VariableDraft,
)
from refdesk.tools.servers.secrets import Credential, open_values, personal_names, seal_values
from refdesk.tools.servers.source import ServerSource
from refdesk.tools.servers.target import Transport
from refdesk.tools.servers.views import left_out_of, tool_view, view_of
from refdesk.tools.tables import ToolServer

BEARER = "BEARER_TOKEN"
_AUDITED = "tool_server"


@dataclass(frozen=True, slots=True)
class ToolServers:
    """Opens its own short transactions; none is held while a server is asked."""

    database: Database
    scope: Scope
    settings: Settings
    cipher: Cipher
    source: ServerSource
    connections: Connections

    async def all(self) -> list[ToolServerView]:
        """The servers of the workspace, by name."""
        async with self.database.transaction() as session:
            servers = await ToolServerRepository(session, self.scope).all()
            return await self._views(session, servers)

    async def get(self, server_id: UUID) -> ToolServerView:
        """Raises `ToolServerNotFound`."""
        async with self.database.transaction() as session:
            server = await ToolServerRepository(session, self.scope).get(server_id)
            return (await self._views(session, [server]))[0]

    async def create(self, draft: NewToolServer) -> ToolServerView:
        """Raises `ToolServerConfigInvalid`, `ToolServerExists`, `ToolCommandForbidden`."""
        server = self._made(draft, new_id())
        async with self.database.transaction() as session:
            await ToolServerRepository(session, self.scope).add(server)
            audit(session, self.scope, "tool-server.create", (_AUDITED, server.id), **_told(server))
            await session.refresh(server)
            return (await self._views(session, [server]))[0]

    async def create_pasted(self, text: str) -> list[PastedServerOutcome]:
        """Each server of pasted JSON; one that cannot be added does not keep the others from it.

        Raises `ToolServersUnreadable`.
        """
        outcomes: list[PastedServerOutcome] = []
        for pasted in servers_in(text):
            try:
                view = await self.create(_draft_of(pasted))
                outcomes.append(PastedServerOutcome(name=pasted.name, server=view))
            except AppError as error:
                told = _reason(error)
                outcomes.append(
                    PastedServerOutcome(name=pasted.name, server=None, code=error.code, message=told)
                )
            except ValueError:  # of the schema: a name or number that is not taken
                outcomes.append(
                    PastedServerOutcome(
                        name=pasted.name,
                        server=None,
                        code=ToolServerConfigInvalid.code,
                        message=ToolServerConfigInvalid.message,
                    )
                )
        return outcomes

    async def change(self, server_id: UUID, change: ToolServerChange) -> ToolServerView:
        """Apply the members that are present.

        Raises `ToolServerNotFound`, `ToolServerConfigInvalid`, `ToolSecretNeeded`, `ToolServerExists`,
        `ToolCommandForbidden`.
        """
        given = change.model_fields_set
        async with self.database.transaction() as session:
            servers = ToolServerRepository(session, self.scope)
            row = await servers.get(server_id, lock=True)
            if given & {"transport", "config", "variables", "bearer_token"}:
                self._rebuild(row, change)
            for name in ("name", "timeout_s", "connect_timeout_s", "max_result_chars", "asks", "is_active"):
                if name in given:
                    setattr(row, name, getattr(change, name))
            if change.tool_settings is not None:
                row.tool_settings = row.tool_settings | _settings(change.tool_settings)
            if given - {"tool_settings", "name", "asks", "max_result_chars"}:
                row.version += 1
            await servers.changed(row)
            audit(session, self.scope, "tool-server.change", (_AUDITED, row.id), members=sorted(given))
            await session.refresh(row)
            return (await self._views(session, [row]))[0]

    async def delete(self, server_id: UUID) -> None:
        """Raises `ToolServerNotFound`."""
        async with self.database.transaction() as session:
            servers = ToolServerRepository(session, self.scope)
            row = await servers.get(server_id)
            await servers.delete(row)
            audit(session, self.scope, "tool-server.delete", (_AUDITED, server_id), name=row.name)

    async def check(self, server_id: UUID) -> ToolServerCheck:
        """Connect anew, list, and keep how that went. Raises `ToolServerNotFound`."""
        async with self.database.transaction() as session:
            row = await ToolServerRepository(session, self.scope).get(server_id)
            credentials = await ToolCredentialRepository(session, self.scope).of(
                [server_id], self.scope.user_id
            )
        self.connections.forget(server_id)
        began = time.perf_counter()
        try:
            target = self.source.targets.of(row, credentials, self.scope)
            listing = await self.source.listed(self.scope, row, target, is_check=True)
        except AppError as error:
            return _failed(error, began)
        return _checked(row, listing, began)

    async def check_draft(self, draft: ToolServerDraft) -> ToolServerCheck:
        """Connect to a server that is not saved.

        Raises `ToolServerConfigInvalid`, `ToolCommandForbidden`, and `ToolServerNotFound` and
        `ToolSecretNeeded` for the server whose secrets are to be used.
        """
        row = self._made(draft, new_id())
        values = self._values_of(row)
        if draft.server_id is not None:
            async with self.database.transaction() as session:
                saved = await ToolServerRepository(session, self.scope).get(draft.server_id)
            stored = open_values(self.cipher, saved.id, saved.secrets_sealed)
            kept = {name: value for name, value in stored.items() if name not in values}
            if kept and _elsewhere(saved, row):
                raise ToolSecretNeeded
            values = kept | values
        values |= {name: values.get(name, "") for name in personal_names(row)}
        connections = Connections()
        began = time.perf_counter()
        try:
            target = self.source.targets.filled(
                server_id=row.id,
                user_id=None,
                version="draft",
                name=row.name,
                transport=row.transport,
                config=ServerConfig.model_validate(row.config),
                values=values,
                connect_timeout_s=row.connect_timeout_s,
                credential=Credential(),
            )
            listing, _ = await connections.listing(target)
        except AppError as error:
            return _failed(error, began)
        finally:
            await connections.close()
        return _checked(row, listing, began)

    async def _views(self, session: Any, servers: list[ToolServer]) -> list[ToolServerView]:
        credentials = await ToolCredentialRepository(session, self.scope).of(
            [server.id for server in servers], self.scope.user_id
        )
        return [view_of(server, self.cipher, credentials, self.scope.user_id) for server in servers]

    def _require_commands(self, transport: Transport) -> None:
        """Raise `ToolCommandForbidden` unless the caller may have this machine run commands."""
        if transport != "stdio":
            return
        allowed = self.settings.tool_commands
        in_person = self.scope.is_administrator and self.scope.via != "api_key"
        if allowed == "off" or (allowed == "administrators" and not in_person):
            raise ToolCommandForbidden

    def _made(self, draft: NewToolServer, server_id: UUID) -> ToolServer:
        self._require_commands(draft.transport)
        row = ToolServer(
            id=server_id,
            workspace_id=self.scope.workspace_id,
            name=draft.name,
            transport=draft.transport,
            config={},
            variables=[],
            is_active=draft.is_active,
            timeout_s=draft.timeout_s,
            connect_timeout_s=draft.connect_timeout_s,
            max_result_chars=draft.max_result_chars,
            asks=draft.asks,
            tool_settings=_settings(draft.tool_settings),
            version=1,
            created_by=self.scope.user_id,
        )
        self._fill(row, draft.transport, draft.config, draft.variables, draft.bearer_token, {})
        return row

    def _rebuild(self, row: ToolServer, change: ToolServerChange) -> None:
        transport = change.transport or row.transport
        self._require_commands(row.transport)  # pyright: ignore[reportArgumentType]
        self._require_commands(transport)  # pyright: ignore[reportArgumentType]
        before = _copy(row)
        stored = open_values(self.cipher, row.id, row.secrets_sealed)
        config = change.config if change.config is not None else row.config
        variables = change.variables
        if variables is None:
            used = names_in(checked(transport, config).texts())  # pyright: ignore[reportArgumentType]
            known = [VariableDraft.model_validate(each) for each in row.variables]
            # A secret nobody uses any more is forgotten.
            variables = [v for v in known if v.name in used or not v.is_secret or v.is_per_user]
        self._fill(row, transport, config, variables, change.bearer_token, stored)  # pyright: ignore[reportArgumentType]
        kept = {
            name
            for name, value in open_values(self.cipher, row.id, row.secrets_sealed).items()
            if stored.get(name) == value
        } - _given(variables)
        if kept and _elsewhere(before, row):
            raise ToolSecretNeeded
        if _elsewhere(before, row):
            row.listing = row.health = None

    def _fill(
        self,
        row: ToolServer,
        transport: Transport,
        config: dict[str, Any],
        variables: list[VariableDraft],
        bearer: SecretStr | None,
        stored: dict[str, Any],
    ) -> None:
        """Settings, variables and sealed secrets of a row, from what was given and what is kept."""
        read = checked(transport, config)
        secrets: dict[str, str] = {}
        plain: dict[str, str | None] = {}
        for variable in variables:
            value = variable.value.get_secret_value() if variable.value is not None else None
            if variable.is_per_user:
                plain[variable.name] = None
            elif not variable.is_secret:
                plain[variable.name] = value
            elif value or stored.get(variable.name):
                secrets[variable.name] = value or str(stored[variable.name])
        flags = {v.name: (v.is_secret or v.is_per_user, v.is_per_user) for v in variables}
        if bearer is not None and transport != "stdio":
            read = _with_bearer(read)
            secrets[BEARER] = bearer.get_secret_value()
        taken = secrets | {name: value or "" for name, value in plain.items()}
        read, found = without_literals(read, taken)
        secrets |= found
        for name in secrets:
            flags.setdefault(name, (True, False))
        row.transport = transport
        row.config = read.model_dump(mode="json", exclude_defaults=True)
        row.variables = [
            {"name": name, "value": plain.get(name), "is_secret": secret, "is_per_user": personal}
            for name, (secret, personal) in flags.items()
        ]
        row.secrets_sealed = seal_values(self.cipher, row.id, secrets)

    def _values_of(self, row: ToolServer) -> dict[str, str]:
        plain = {v["name"]: v["value"] for v in row.variables if v["value"] is not None}
        return plain | open_values(self.cipher, row.id, row.secrets_sealed)


def _copy(row: ToolServer) -> ToolServer:
    return ToolServer(transport=row.transport, config=row.config, variables=row.variables)


def _given(variables: list[VariableDraft]) -> set[str]:
    return {v.name for v in variables if v.is_secret and v.value is not None and v.value.get_secret_value()}


def _elsewhere(former: ToolServer, present: ToolServer) -> bool:
    """Whether secrets would go to another address, or to another command."""
    places: list[tuple[object, ...]] = []
    for row in (former, present):
        plain = {v["name"]: v["value"] for v in row.variables if v.get("value") is not None}
        places.append(
            (row.transport == "stdio", *destination(ServerConfig.model_validate(row.config), plain))
        )
    return places[0] != places[1]


def _with_bearer(config: ServerConfig) -> ServerConfig:
    headers = {name: text for name, text in config.headers.items() if name.lower() != "authorization"}
    return config.model_copy(update={"headers": {**headers, "Authorization": f"Bearer ${{{BEARER}}}"}})


def _settings(settings: dict[str, ToolSetting]) -> dict[str, Any]:
    return {name: setting.model_dump() for name, setting in settings.items()}


def _told(row: ToolServer) -> dict[str, Any]:
    return {"name": row.name, "transport": row.transport}


def _draft_of(pasted: PastedServer) -> NewToolServer:
    settings = {name: ToolSetting(ask_first=False) for name in pasted.allowed}
    settings |= {name: ToolSetting(is_active=False) for name in pasted.disabled}
    return NewToolServer(
        name=pasted.name,
        transport=pasted.transport,
        config=pasted.config,
        is_active=pasted.is_active,
        timeout_s=pasted.timeout_s or 30.0,
        tool_settings=settings,
    )


def _reason(error: AppError) -> str:
    fields = error.details.get("fields")
    if not fields:
        return error.text
    return f"{error.text} {'; '.join(f'{each["field"]}: {each["reason"]}' for each in fields)}"


def _failed(error: AppError, began: float) -> ToolServerCheck:
    names = error.details.get("names")
    return ToolServerCheck(
        ok=False,
        code=error.code,
        message=f"{error.text} ({', '.join(names)})" if names else error.text,
        hint=error.hint_text,
        took_ms=round((time.perf_counter() - began) * 1000, 1),
        server="",
        protocol="",
        tools=[],
        left_out=[],
        resources=[],
        prompts=[],
    )


def _checked(row: ToolServer, listing: Listing, began: float) -> ToolServerCheck:
    return ToolServerCheck(
        ok=True,
        code=None,
        message=None,
        hint=None,
        took_ms=round((time.perf_counter() - began) * 1000, 1),
        server=listing.server,
        protocol=listing.protocol,
        tools=[tool_view(row, tool) for tool in listing.tools],
        left_out=left_out_of(listing),
        resources=list(listing.resources),
        prompts=list(listing.prompts),
    )
