"""What went wrong with a tool server, from what the SDK raises to words people understand."""

from collections.abc import Iterator
from dataclasses import dataclass

import httpx2
from mcp.client.auth import OAuthFlowError
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, PARSE_ERROR, REQUEST_TIMEOUT
from pydantic import ValidationError

from refdesk.kit.errors import AppError
from refdesk.tools.errors import (
    ToolResultTooLarge,
    ToolServerAuthentication,
    ToolServerCommandFailed,
    ToolServerFailed,
    ToolServerLost,
    ToolServerNoMcp,
    ToolServerTimeout,
    ToolServerUnreachable,
)
from refdesk.tools.servers.process import ServerProcess

_MESSAGE_CHARS = 300


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen below the SDK, which does not tell it: the status of the last HTTP answer if it was an
    error, whether one was larger than the limit, why no connection came about."""

    refusal: int | None = None
    sent_too_much: bool = False
    unreachable: str | None = None


def failure_of(error: BaseException, seen: Seen, process: ServerProcess | None) -> tuple[AppError, bool]:
    """The failure, and whether the connection is lost with it."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, AppError):
            return cause, False
    if process is not None and process.sent_too_much:
        return ToolResultTooLarge(), True
    if seen.sent_too_much:
        return ToolResultTooLarge(), False
    if process is not None and (reason := process.reason()) is not None:
        return ToolServerCommandFailed(reason), True
    if seen.unreachable is not None:
        return ToolServerUnreachable(f"The tool server cannot be reached. {seen.unreachable}"), True
    for cause in causes:
        found = _known(cause, seen.refusal)
        if found is not None:
            return found
    return ToolServerFailed(f"The tool server failed: {type(causes[0]).__name__}."), True


def _known(cause: BaseException, refusal: int | None) -> tuple[AppError, bool] | None:
    if isinstance(cause, OAuthFlowError):
        return ToolServerAuthentication(f"Signing in failed: {_short(cause)}"), True
    if isinstance(cause, httpx2.HTTPStatusError):
        return _refused(cause.response.status_code), True
    if isinstance(cause, httpx2.TimeoutException | TimeoutError):
        return ToolServerTimeout(), True
    if isinstance(cause, httpx2.ConnectError | httpx2.UnsupportedProtocol):
        return ToolServerUnreachable(f"The tool server cannot be reached: {_short(cause)}"), True
    if isinstance(cause, httpx2.HTTPError | ConnectionError):
        return ToolServerLost(), True
    if isinstance(cause, PermissionError | FileNotFoundError | OSError):
        return ToolServerCommandFailed(f"The command cannot be run: {cause.strerror or _short(cause)}"), True
    if isinstance(cause, ValidationError):
        return ToolServerNoMcp("The tool server's answer is not one of the protocol."), False
    return _of_protocol(cause, refusal) if isinstance(cause, MCPError) else None


def _of_protocol(error: MCPError, refusal: int | None) -> tuple[AppError, bool]:
    if error.code == CONNECTION_CLOSED:
        return ToolServerLost(), not error.message.startswith("SSE stream")  # that of the one call
    if error.code == REQUEST_TIMEOUT:
        return ToolServerTimeout(), False
    if refusal is not None and error.message in ("Server returned an error response", "Not Found"):
        return _refused(refusal), True
    if error.code == PARSE_ERROR or error.message.startswith("Unexpected content type"):
        return ToolServerNoMcp(), False
    return ToolServerFailed(f"The tool server refused: {_short(error)}"), False


def _refused(status: int) -> AppError:
    if status in (401, 403):
        return ToolServerAuthentication(f"The tool server does not take the credentials (HTTP {status}).")
    if status in (404, 405, 406, 415):
        return ToolServerNoMcp(f"There is no tool server at this address (HTTP {status}).")
    return ToolServerFailed(f"The tool server answered with HTTP {status}.")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The failures within groups, the deepest first; then what they came from."""
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
            yield from _causes(part)  # pyright: ignore[reportUnknownArgumentType]
        return
    yield error
    if isinstance(error.__cause__, AppError):
        yield error.__cause__


def _short(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text[:_MESSAGE_CHARS] or type(error).__name__
