"""What a connection is made of: the settings of a tool server with every variable filled in."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

Transport = Literal["http", "sse", "stdio"]


@dataclass(frozen=True, slots=True)
class Target:
    """`key` names the connection among all: the server, and the person where credentials are personal.
    `version` changes with anything else here. `auth` is an `httpx2.Auth` of the SDK. Holds secrets: never
    logged, and `repr` does not show them."""

    key: tuple[UUID, UUID | None]
    version: str
    name: str
    transport: Transport
    url: str = field(default="", repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    command: str = ""
    arguments: tuple[str, ...] = field(default=(), repr=False)
    environment: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    folder: Path = Path("/")
    auth: Any = field(default=None, repr=False, compare=False)
    connect_timeout_s: float = 10.0
    allow_private: bool = True
    max_message_bytes: int = 4 * 1024 * 1024
