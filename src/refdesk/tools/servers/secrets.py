"""Sealing the secrets of tool servers, and putting values together for a connection."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from uuid import UUID

import orjson

from refdesk.kit.crypto import Cipher
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


def personal_names(server: ToolServer) -> list[str]:
    """The variables whose values each person enters."""
    return [v["name"] for v in server.variables if v.get("is_per_user")]
