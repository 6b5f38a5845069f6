"""Sealing the secrets of tool servers, and putting values together for a connection."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, cast
from uuid import UUID

import orjson

from refdesk.accounts import Scope
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.tools.servers.repository import ToolCredentialRepository
from refdesk.tools.tables import ToolCredential, ToolServer


@dataclass(slots=True)
class Credential:
    """What one person, or the workspace, uses a server with. `tokens` and `client` are OAuth's, as the SDK
    writes them; `issuer` and the like lie within."""

    values: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    tokens: dict[str, Any] | None = None
    client: dict[str, Any] | None = None
    expires_at: float | None = None
    metadata: dict[str, Any] | None = None


def seal_values(cipher: Cipher, row_id: UUID, values: Mapping[str, Any]) -> bytes | None:
    """Values as one sealed JSON object; None for none."""
    return cipher.seal(orjson.dumps(dict(values)).decode(), context=row_id.bytes) if values else None


def open_values(cipher: Cipher, row_id: UUID, sealed: bytes | None) -> dict[str, Any]:
    """What `seal_values` sealed. Raises `SealBroken`."""
    if sealed is None:
        return {}
    return cast("dict[str, Any]", orjson.loads(cipher.open(sealed, context=row_id.bytes)))


def server_values(cipher: Cipher, server: ToolServer) -> dict[str, str]:
    """All values of a server's own variables, secret ones too."""
    secrets = open_values(cipher, server.id, server.secrets_sealed)
    plain = {v["name"]: v["value"] for v in server.variables if v.get("value") is not None}
    return {**plain, **{name: str(value) for name, value in secrets.items()}}


def credential_of(cipher: Cipher, row: ToolCredential | None) -> Credential:
    """What a row of credentials holds."""
    if row is None:
        return Credential()
    return Credential(**open_values(cipher, row.id, row.values_sealed))


async def save_credential(
    database: Database,
    cipher: Cipher,
    scope: Scope,
    server_id: UUID,
    user_id: UUID | None,
    credential: Credential,
) -> None:
    """Keep a credential; all processes connect anew with it. Does nothing for a server that is gone."""
    async with database.transaction() as session:
        credentials = ToolCredentialRepository(session, scope)
        row = await credentials.get(server_id, user_id)
        if row is None:
            row = ToolCredential(
                id=new_id(), workspace_id=scope.workspace_id, server_id=server_id, user_id=user_id
            )
            if not await credentials.add(row):
                return
        row.values_sealed = seal_values(cipher, row.id, asdict(credential))
        row.version += 1


def personal_names(server: ToolServer) -> list[str]:
    """The variables whose values each person enters."""
    return [v["name"] for v in server.variables if v.get("is_per_user")]
