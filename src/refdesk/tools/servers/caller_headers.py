"""Who a call is for, told to the tool server by us: HTTP headers of the request and `_meta` of the call.

A connection is shared by many callers, so this goes with each request and not with the connection. It travels
in a context variable: the SDK sends each message in the context of the task that made the call.
"""

from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from refdesk.tools.spec import ToolCaller

type Telling = Literal["ids", "full", "none"]
"""What a server is told: ids of user and workspace, the name of the user as well, or nothing."""

META_PREFIX = "refdesk/"


@dataclass(slots=True)
class Exchange:
    """One call on its way: the headers to add, the status of the last answer to it, and whether it can have
    reached the server."""

    headers: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    status: int | None = None
    was_sent: bool = True


EXCHANGE: ContextVar[Exchange | None] = ContextVar("tool_exchange", default=None)


def facts_of(caller: ToolCaller, telling: Telling) -> dict[str, str]:
    """The facts by name. The request's id goes along in any case, so that both logs can be put together."""
    scope = caller.scope
    facts: dict[str, str | UUID | None] = {"request_id": caller.request_id or caller.run_id}
    if telling != "none":
        facts |= {
            "user_id": scope.user_id,
            "workspace_id": scope.workspace_id,
            "application_id": caller.application_id,
            "conversation_id": caller.conversation_id,
            "language": caller.language,
        }
    if telling == "full":
        facts["user_name"] = scope.actor
    return {name: str(value) for name, value in facts.items() if value is not None}


def as_headers(facts: dict[str, str]) -> dict[str, str]:
    """`X-Refdesk-User-Id` and the like; what is no ASCII has no place in a header and is left to `_meta`."""
    headers = {
        "X-Refdesk-" + name.replace("_", "-").title(): value
        for name, value in facts.items()
        if value.isascii() and value.isprintable()
    }
    if "request_id" in facts:
        headers["X-Request-ID"] = facts["request_id"]
    return headers


def as_meta(facts: dict[str, str]) -> dict[str, str]:
    """The same for `_meta`."""
    return {META_PREFIX + name: value for name, value in facts.items()}
