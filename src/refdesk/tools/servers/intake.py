"""Tool servers as people paste them: the customary JSON, with secrets written into it.

Reads `{"mcpServers": {"name": {...}}}` and its near relations, and takes literal secrets out of it: the
settings keep `${NAME}`, the value goes among the variables.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import orjson

from refdesk.kit.border_types import clean_json
from refdesk.tools.errors import ToolServersUnreadable
from refdesk.tools.servers.config import VARIABLE, ServerConfig
from refdesk.tools.servers.target import Transport

_MAX_BYTES = 256 * 1024
_MAX_SERVERS = 50
_SECRET = re.compile(
    r"auth|token|secret|passw|pwd|credential|cookie|session|api[-_]?key|(^|[-_])key$|sig(nature)?$", re.I
)
_TRANSPORTS: dict[str, Transport] = {
    "http": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamablehttp": "http",
    "sse": "sse",
    "stdio": "stdio",
    "local": "stdio",
    "remote": "http",
}
_HIDDEN = ("alwaysAllow", "autoApprove", "trustedTools")


@dataclass(slots=True)
class PastedServer:
    """A server as it was pasted. `allowed`: tools that need not ask; `disabled`: tools that are off."""

    name: str
    transport: Transport
    config: dict[str, Any]
    is_active: bool = True
    timeout_s: float | None = None
    allowed: list[str] = field(default_factory=lambda: list[str]())
    disabled: list[str] = field(default_factory=lambda: list[str]())


def servers_in(pasted: str | Mapping[str, Any]) -> list[PastedServer]:
    """The servers of a text or object in the customary shape. Raises `ToolServersUnreadable`."""
    value: Any = pasted
    if isinstance(pasted, str):
        if len(pasted.encode()) > _MAX_BYTES:
            raise ToolServersUnreadable("The list of tool servers is too long.")
        try:
            value = orjson.loads(_without_remarks(pasted))
        except orjson.JSONDecodeError as error:
            raise ToolServersUnreadable(f"This is not JSON: {error.msg} in line {error.lineno}.") from error
    value = clean_json(value)
    if not isinstance(value, dict):
        raise ToolServersUnreadable
    document = cast("dict[str, Any]", value)
    for wrapper in ("mcpServers", "servers", "mcp"):
        if isinstance(document.get(wrapper), dict):
            document = cast("dict[str, Any]", document[wrapper])
            if wrapper != "mcp" or not isinstance(document.get("servers"), dict):
                break
            document = cast("dict[str, Any]", document["servers"])
            break
    if not document or len(document) > _MAX_SERVERS:
        raise ToolServersUnreadable
    return [_server(str(name), entry) for name, entry in document.items()]


def _server(name: str, entry: Any) -> PastedServer:
    if not isinstance(entry, dict):
        raise ToolServersUnreadable(f"The server {name[:100]} is no object.")
    given = cast("dict[str, Any]", _plain_variables(entry))
    url = given.get("url") or given.get("serverUrl") or given.get("httpUrl")
    command = given.get("command")
    arguments = _list(given.get("args"))
    if isinstance(command, list):  # some write the whole line as a list
        line = cast("list[Any]", command)
        command, arguments = line[0] if line else None, [*line[1:], *arguments]
    if not url and not command:
        raise ToolServersUnreadable(f"The server {name[:100]} has neither url nor command.")
    kind = str(given.get("type") or given.get("transport") or "").lower()
    transport = _TRANSPORTS.get(kind) or _guessed(url)
    if command:
        config: dict[str, Any] = {"command": str(command), "args": [str(each) for each in arguments]}
        config["env"] = _texts(given.get("env") or given.get("environment"))
        if given.get("cwd"):
            config["cwd"] = str(given["cwd"])
        transport = "stdio"
    else:
        config = {"url": str(url), "headers": _texts(given.get("headers"))}
        if isinstance(given.get("oauth"), dict):
            config["oauth"] = given["oauth"]
    return PastedServer(
        name=name.strip()[:200] or "server",
        transport=transport,
        config=config,
        is_active=not (given.get("disabled") is True or given.get("enabled") is False),
        timeout_s=_seconds(given.get("timeout")),
        allowed=[str(tool) for key in _HIDDEN for tool in _list(given.get(key))],
        disabled=[str(tool) for tool in _list(given.get("disabledTools"))],
    )


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _guessed(url: Any) -> Transport:
    return "sse" if urlsplit(str(url)).path.rstrip("/").endswith("/sse") else "http"


def _seconds(value: Any) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
        return None
    # Some clients count milliseconds; nobody waits a quarter of an hour for a tool.
    return min(600.0, max(1.0, float(value) / 1000 if value > 900 else float(value)))


def _texts(value: Any) -> dict[str, str]:
    return (
        {str(k): str(v) for k, v in cast("dict[Any, Any]", value).items()} if isinstance(value, dict) else {}
    )


def _plain_variables(value: Any) -> Any:
    """`${env:NAME}` and `${input:NAME}` as `${NAME}`."""
    if isinstance(value, str):
        return re.sub(r"\$\{(?:env|input):([A-Za-z_][A-Za-z0-9_.-]*)\}", r"${\1}", value)
    if isinstance(value, dict):
        return {key: _plain_variables(part) for key, part in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_plain_variables(part) for part in cast("list[Any]", value)]
    return value


def _without_remarks(text: str) -> str:
    """JSON with `//` lines and commas before a closing bracket, as editors' settings have them."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("//")]
    return re.sub(r",(\s*[}\]])", r"\1", "\n".join(lines)) if _is_loose(text) else text


def _is_loose(text: str) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return True
    return False


def without_literals(config: ServerConfig, taken: dict[str, str]) -> tuple[ServerConfig, dict[str, str]]:
    """The settings with `${NAME}` in place of each literal secret, and these secrets by name.

    What is a secret is told by the name of the header, variable, argument or query parameter. `taken` are
    values of variables that exist already, whose names are not used for others.
    """
    secrets: dict[str, str] = {}

    def take(name: str, value: str) -> str:
        base = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_").upper() or "SECRET"
        free, number = base, 1
        while (secrets | taken).get(free, value) != value:
            number += 1
            free = f"{base}_{number}"
        secrets[free] = value
        return f"${{{free}}}"

    def kept(name: str, value: str) -> str:
        if not value or VARIABLE.search(value) or not _SECRET.search(name):
            return value
        scheme, space, rest = value.partition(" ")
        if space and scheme.lower() in ("bearer", "basic", "token", "apikey"):
            return f"{scheme} {take(name, rest.strip())}"
        return take(name, value)

    changes: dict[str, Any] = {
        "headers": {name: kept(name, value) for name, value in config.headers.items()},
        "env": {name: kept(name, value) for name, value in config.env.items()},
        "args": _arguments(config.args, kept),
    }
    if config.url is not None:
        changes["url"] = _address(config.url, take, kept)
    if config.oauth is not None and config.oauth.client_secret:
        secret = kept("client_secret", config.oauth.client_secret)
        changes["oauth"] = config.oauth.model_copy(update={"client_secret": secret})
    return config.model_copy(update=changes), secrets


def _arguments(arguments: list[str], kept: Any) -> list[str]:
    result: list[str] = []
    for place, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        before = arguments[place - 1] if place else ""
        if name.startswith("-") and equals:
            result.append(f"{name}={kept(name.lstrip('-'), value)}")
        elif before.startswith("-") and "=" not in before and not argument.startswith("-"):
            result.append(kept(before.lstrip("-"), argument))
        else:
            result.append(argument)
    return result


def _address(url: str, take: Any, kept: Any) -> str:
    """The address with user, password and telling query parameters taken out."""
    parts = urlsplit(url)
    place = parts.netloc
    login, at, host = place.rpartition("@")
    if at and not VARIABLE.search(login):
        place = f"{take('url_login', login)}@{host}"
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    replaced = [(name, kept(name, value)) for name, value in pairs]
    query = parts.query if replaced == pairs else urlencode(replaced, safe="${}", quote_via=quote)
    return urlunsplit(parts._replace(netloc=place, query=query))
