"""From a stored tool server to what a connection is made of: variables filled in, credentials of the caller
opened."""

import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings
from refdesk.tools.errors import (
    ToolCommandForbidden,
    ToolCredentialMissing,
    ToolServerAuthentication,
    ToolVariableMissing,
)
from refdesk.tools.servers.config import ServerConfig, checked, filled, names_in
from refdesk.tools.servers.secrets import (
    Credential,
    credential_of,
    personal_names,
    save_credential,
    server_values,
)
from refdesk.tools.servers.target import Target
from refdesk.tools.tables import ToolCredential, ToolServer

type Keep = Callable[[Credential], Awaitable[None]]

SIGN_IN_HINT = "Sign in to it on the page of the tool server."


@dataclass(frozen=True, slots=True)
class TargetMaker:
    """Makes targets. Raises for settings that cannot be used now."""

    settings: Settings
    cipher: Cipher
    database: Database

    def of(self, server: ToolServer, credentials: Mapping[Any, ToolCredential], scope: Scope) -> Target:
        """The target for this caller.

        Raises `ToolVariableMissing`, `ToolCredentialMissing`, `ToolServerAuthentication`,
        `ToolCommandForbidden`, `ToolServerConfigInvalid`, `SealBroken`.
        """
        personal = personal_names(server)
        user_id = scope.user_id if personal else None
        own = credentials.get((server.id, user_id)) if user_id is not None else None
        shared = credentials.get((server.id, None))
        values = server_values(self.cipher, server)
        if personal:
            mine = credential_of(self.cipher, own).values
            if missing := [name for name in personal if not mine.get(name)]:
                raise ToolCredentialMissing(server=server.name, names=missing)
            values |= mine
        config = checked(server.transport, server.config)  # pyright: ignore[reportArgumentType]
        credential = credential_of(self.cipher, shared)
        versions = [server.version, *(row.version for row in (own, shared) if row is not None)]
        return self.filled(
            server_id=server.id,
            user_id=user_id,
            version=".".join(map(str, versions)),
            name=server.name,
            transport=server.transport,
            config=config,
            values=values,
            connect_timeout_s=server.connect_timeout_s,
            credential=credential,
            keep=partial(save_credential, self.database, self.cipher, scope, server.id, None),
        )

    def filled(
        self,
        *,
        server_id: UUID,
        user_id: UUID | None,
        version: str,
        name: str,
        transport: Any,
        config: ServerConfig,
        values: Mapping[str, str],
        connect_timeout_s: float,
        credential: Credential,
        keep: Keep | None = None,
    ) -> Target:
        """The target of settings with these values."""
        if transport == "stdio" and self.settings.tool_commands == "off":
            raise ToolCommandForbidden
        if missing := [each for each in names_in(config.texts()) if not values.get(each)]:
            raise ToolVariableMissing(names=missing)

        def value(text: str | None) -> str:
            return filled(text, values) if text is not None else ""

        url = value(config.url)
        return Target(
            key=(server_id, user_id),
            version=version,
            name=name,
            transport=transport,
            url=url,
            headers=tuple((header, value(text).strip()) for header, text in config.headers.items()),
            command=value(config.command),
            arguments=tuple(map(value, config.args)),
            environment=tuple((variable, value(text)) for variable, text in config.env.items()),
            folder=Path(value(config.cwd) or tempfile.gettempdir()),
            auth=self._auth(config, url, values, credential, keep),
            connect_timeout_s=connect_timeout_s,
            allow_private=self.settings.allow_private_endpoints,
            max_message_bytes=self.settings.tool_max_message_bytes,
        )

    def _auth(
        self,
        config: ServerConfig,
        url: str,
        values: Mapping[str, str],
        credential: Credential,
        keep: Keep | None,
    ) -> Any:
        oauth = config.oauth
        if oauth is None:
            return None
        from refdesk.tools.servers.authorization import client_credentials, stored_sign_in

        if oauth.grant == "client_credentials":
            return client_credentials(url, oauth, values)
        if credential.tokens is None:
            raise ToolServerAuthentication("Nobody has signed in to the tool server yet.", hint=SIGN_IN_HINT)
        return stored_sign_in(url, oauth, values, credential, keep)
