"""The tools of one run: found by name, called with a deadline and a limit of size.

A call never raises (but when its task is cancelled): whatever goes wrong is a result with a fault, which a
model or a person can read. Owns no tools and knows no kind of them.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import structlog

from refdesk.kit.errors import AppError
from refdesk.tools.spec import Tool, ToolCaller, ToolFault, ToolResult, ToolSpec

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ToolProblem:
    """A tool or a server that could not be offered, and why."""

    name: str
    code: str
    message: str


class Toolbox:
    """Tools by name and by id, in the order they were chosen."""

    def __init__(self, tools: Iterable[Tool] = (), problems: Iterable[ToolProblem] = ()) -> None:
        self._tools: dict[str, Tool] = {tool.spec.name: tool for tool in tools}
        self._names = {tool.spec.id: tool.spec.name for tool in self._tools.values()}
        self.problems = tuple(problems)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(tool.spec for tool in self._tools.values())

    def find(self, name_or_id: str) -> ToolSpec | None:
        tool = self._tools.get(self._names.get(name_or_id, name_or_id))
        return tool.spec if tool is not None else None

    def with_tools(self, tools: Iterable[Tool]) -> "Toolbox":
        """These tools and more; of two with one name the later is kept."""
        return Toolbox([*self._tools.values(), *tools], self.problems)

    async def call(
        self,
        name_or_id: str,
        arguments: Mapping[str, Any],
        caller: ToolCaller,
        *,
        timeout_s: float | None = None,
    ) -> ToolResult:
        """Call a tool with valid arguments, for at most its own time or `timeout_s`, whichever is less."""
        tool = self._tools.get(self._names.get(name_or_id, name_or_id))
        if tool is None:
            return ToolResult("", fault=ToolFault("unknown-tool", f"unknown tool: {name_or_id}"))
        spec = tool.spec
        limit_s = spec.timeout_s if timeout_s is None else min(spec.timeout_s, timeout_s)
        started = time.perf_counter()
        try:
            async with asyncio.timeout(limit_s):
                result = await tool.executor.call(arguments, caller)
        except TimeoutError:
            message = f"The tool did not answer within {limit_s:g} seconds."
            result = ToolResult("", fault=ToolFault("tool-timeout", message))
        except AppError as error:
            result = ToolResult("", fault=ToolFault(error.code, error.text))
        except Exception as error:  # the edge of a tool: its fault must not end the run
            log.warning("tools.executor-failed", tool=spec.id, error=type(error).__name__, exc_info=True)
            result = ToolResult(
                "", fault=ToolFault("tool-failed", f"The tool failed: {type(error).__name__}.")
            )
        if len(result.text) > spec.max_result_chars:
            result = replace(result, text=result.text[: spec.max_result_chars], data=None, truncated=True)
        return replace(result, elapsed_ms=round((time.perf_counter() - started) * 1000, 2))
