"""The settings of a tool server: how it is reached, with `${variables}` where values go.

Owns their check and what becomes of them when variables are filled in. Literal secrets in what people paste
are taken out by `intake`; here a secret is a variable like others.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from refdesk.kit.border_types import PlainLine
from refdesk.tools.errors import ToolServerConfigInvalid, ToolVariableMissing
from refdesk.tools.servers.caller_headers import Telling
from refdesk.tools.servers.target import Transport

# `${NAME}` and `${NAME:-default}`, as in the JSON that people share.
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_.-]*)(?::-([^}]*))?\}")
VARIABLE_NAME = r"^[A-Za-z_][A-Za-z0-9_.-]*$"

_Line = Annotated[PlainLine, StringConstraints(max_length=8_000)]
_HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", max_length=200)]
_EnvName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=200)]
# What the transport itself writes.
_OWN_HEADERS = frozenset(
    ("host", "content-length", "content-type", "accept", "connection", "transfer-encoding", "mcp-session-id")
)


class OAuthSettings(BaseModel):
    """Signing in at an authorization server. `client_credentials` is for programs, `authorization_code` for a
    person at a browser; without a client id the latter registers itself."""

    model_config = ConfigDict(extra="forbid")

    grant: Literal["client_credentials", "authorization_code"]
    client_id: _Line | None = None
    client_secret: _Line | None = None
    scope: _Line | None = None
    issuer: _Line | None = Field(
        default=None, description="Address of the authorization server the client belongs to."
    )


class ServerConfig(BaseModel):
    """`url`, `headers`, `oauth` are of servers at an address; `command`, `args`, `env`, `cwd` of processes.

    `tells_caller` is what a server learns of who asks: ids, the name too, or nothing.
    """

    model_config = ConfigDict(extra="forbid")

    url: _Line | None = None
    headers: dict[_HeaderName, _Line] = Field(default={}, max_length=50)
    oauth: OAuthSettings | None = None
    command: _Line | None = None
    args: list[Annotated[str, StringConstraints(max_length=8_000)]] = Field(default=[], max_length=100)
    env: dict[_EnvName, Annotated[str, StringConstraints(max_length=8_000)]] = Field(
        default={}, max_length=100
    )
    cwd: _Line | None = None
    tells_caller: Telling = "ids"

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.url is not None and self.command is not None:
            raise ValueError("give an address or a command, not both")
        if self.url is not None and not self.url.lower().startswith(("http://", "https://", "${")):
            raise ValueError("url must start with http:// or https://")
        if self.command is not None and (self.headers or self.oauth):
            raise ValueError("headers and oauth are for servers at an address")
        if self.url is not None and (self.args or self.env or self.cwd):
            raise ValueError("args, env and cwd are for commands")
        if taken := [name for name in self.headers if name.lower() in _OWN_HEADERS]:
            raise ValueError(f"the header {taken[0]} is written by the transport")
        oauth = self.oauth
        if oauth and oauth.grant == "client_credentials" and not (oauth.client_id and oauth.client_secret):
            raise ValueError("client_credentials needs client_id and client_secret")
        return self

    def texts(self) -> Iterator[str]:
        """Every text in which variables may stand."""
        yield from (text for text in (self.url, self.command, self.cwd) if text is not None)
        yield from self.headers.values()
        yield from self.args
        yield from self.env.values()
        if self.oauth is not None:
            parts = (self.oauth.client_id, self.oauth.client_secret, self.oauth.scope, self.oauth.issuer)
            yield from (text for text in parts if text is not None)


def checked(transport: Transport, config: Mapping[str, Any]) -> ServerConfig:
    """The settings for this transport. Raises `ToolServerConfigInvalid` naming the fields that do not fit."""
    try:
        read = ServerConfig.model_validate(config)
    except ValidationError as error:
        wrong = [{"field": ".".join(map(str, each["loc"])), "reason": each["msg"]} for each in error.errors()]
        raise ToolServerConfigInvalid(fields=wrong) from error
    if transport == "stdio" and read.command is None:
        raise ToolServerConfigInvalid(hint="A server of this kind needs a command.")
    if transport != "stdio" and read.url is None:
        raise ToolServerConfigInvalid(hint="A server of this kind needs an address (url).")
    return read


def names_in(texts: Iterable[str]) -> list[str]:
    """The variables that are used, in order, each once; not those with a default of their own."""
    found = [m.group(1) for text in texts for m in VARIABLE.finditer(text) if m.group(2) is None]
    return list(dict.fromkeys(found))


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with variables replaced. Raises `ToolVariableMissing`. Values are not looked into again."""

    def value(match: re.Match[str]) -> str:
        name, default = match.group(1), match.group(2)
        known = values.get(name) or default
        if known is None:
            raise ToolVariableMissing(names=[name])
        return known

    return VARIABLE.sub(value, text)


def destination(config: ServerConfig, plain: Mapping[str, str]) -> tuple[object, ...]:
    """Where secrets would go: the origin of the address, or the command with its arguments.

    `plain` are the values that are no secrets; a variable without one stands for itself.
    """

    def shown(text: str) -> str:
        return VARIABLE.sub(lambda m: plain.get(m.group(1)) or m.group(2) or m.group(0), text)

    if config.url is not None:
        parts = urlsplit(shown(config.url))
        issuer = shown(config.oauth.issuer) if config.oauth and config.oauth.issuer else None
        return (parts.scheme.lower(), parts.netloc.rpartition("@")[2].lower(), issuer)
    return (config.command, tuple(config.args), config.cwd)
