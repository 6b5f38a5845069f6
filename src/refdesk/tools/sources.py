"""Where tools come from: what a kind of tools must offer so that runs can use it. A kind is one class."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.tools.spec import Tool, ToolSpec
from refdesk.tools.toolbox import ToolProblem


@dataclass(frozen=True, slots=True)
class Opened:
    """Tools that can be called, and what could not be opened."""

    tools: Sequence[Tool] = ()
    problems: Sequence[ToolProblem] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A tool that can be chosen for an application. `group` names what it belongs to (a server), by id and
    name; choosing the group's id (`mcp:<id>`) takes all its tools, also those it gets later."""

    spec: ToolSpec
    is_active: bool = True
    group_id: str | None = None
    group_name: str | None = None
    state: Literal["ready", "failed", "unknown"] = "ready"
    problem: str | None = None
    owner_id: UUID | None = field(default=None)


class ToolSource(Protocol):
    """One kind of tools. `prefix` is what ids of its tools begin with, before the first `:`."""

    @property
    def prefix(self) -> str: ...

    async def open(self, scope: Scope, chosen: Sequence[str]) -> Opened:
        """The tools of these ids of its own. Never raises for one that is missing or fails: that is a
        problem. Opens its own short transactions."""
        ...

    async def choices(self, scope: Scope) -> Sequence[Choice]:
        """All tools of the workspace that can be chosen, without asking anybody else's server."""
        ...
