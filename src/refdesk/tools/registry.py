"""The tools of this process that come with code: built in, or from installed packages.

Only stores. Who makes tools, runs them or decides who may use them is elsewhere; tool servers and stored
tools belong to a workspace and are looked up there.
"""

from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import cast

import structlog

from refdesk.tools.spec import Tool

log = structlog.get_logger(__name__)

ENTRY_POINTS = "refdesk.tools"


class ToolRegistry:
    """Tools by id, in the order of their first registration."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}

    def register(self, tool: Tool) -> None:
        """Add a tool. One with this id is replaced, which is told in the log."""
        if tool.spec.id in self._tools:
            log.warning("tools.replaced", tool=tool.spec.id)
        self._tools[tool.spec.id] = tool

    def unregister(self, tool_id: str) -> bool:
        """Take a tool away; False if there is none of this id."""
        return self._tools.pop(tool_id, None) is not None

    def find(self, tool_id: str) -> Tool | None:
        """The tool of this id."""
        return self._tools.get(tool_id)

    def list(self) -> tuple[Tool, ...]:
        """All tools."""
        return tuple(self._tools.values())

    def contains(self, tool_id: str) -> bool:
        """Whether there is a tool of this id."""
        return tool_id in self._tools

    def size(self) -> int:
        """How many tools there are."""
        return len(self._tools)


def local_tools() -> Iterator[Tool]:
    """The tools of installed packages: entry points of the group `refdesk.tools`, each a `Tool` or a function
    without arguments that gives one or several. One that fails is left out and told in the log."""
    for point in entry_points(group=ENTRY_POINTS):
        yield from _tools_of(point)


def _tools_of(point: EntryPoint) -> tuple[Tool, ...]:
    try:
        found: object = point.load()
        if callable(found):
            found = found()
        several = tuple(cast("tuple[object, ...]", found)) if isinstance(found, list | tuple) else (found,)
    except Exception as error:  # noqa: BLE001 - somebody else's code at start; the server must come up
        log.warning("tools.entry-point-failed", entry_point=point.name, error=type(error).__name__)
        return ()
    tools = tuple(tool for tool in several if isinstance(tool, Tool))
    if len(tools) < len(several):
        log.warning("tools.entry-point-is-no-tool", entry_point=point.name)
    return tools
