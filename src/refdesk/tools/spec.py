"""What a tool is to whoever offers or calls one, whatever stands behind it.

One shape for MCP servers, HTTP interfaces, Python code, other applications, skills and what is built in.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol
from uuid import UUID

from refdesk.accounts import Scope

Origin = Literal["mcp", "http", "python", "application", "skill", "builtin"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as it is offered.

    `id` names it for good (`builtin:search_documents`, `mcp:<server id>:<tool>`, `tool:<id>`); `name` is what
    a model calls it (letters, digits, `_` and `-`, at most 64), unique within a toolbox. `parameters` is a
    JSON Schema of type object. `read_only` means that calling it changes nothing; `ask_first` that the person
    must agree before each call.
    """

    id: str
    name: str
    description: str
    parameters: Mapping[str, Any]
    origin: Origin
    title: str = ""
    read_only: bool = False
    ask_first: bool = False
    timeout_s: float = 30.0
    max_result_chars: int = 20_000


@dataclass(frozen=True, slots=True)
class ToolCaller:
    """For whom a tool is called. Made by the server from the run, never by a model."""

    scope: Scope
    language: Literal["zh", "en"] = "en"
    application_id: UUID | None = None
    conversation_id: UUID | None = None
    run_id: UUID | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class ToolFault:
    """Why a call gave no result: a stable code and one sentence."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call. `text` is what a model reads, `data` the same as JSON where the tool gave any;
    `details` holds what the trace shows beside (status, server, exit code)."""

    text: str
    data: Any = None
    fault: ToolFault | None = None
    truncated: bool = False
    elapsed_ms: float = 0.0
    details: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())

    @property
    def ok(self) -> bool:
        return self.fault is None


class Executor(Protocol):
    """What does the work of one tool. Arguments are valid by the tool's schema. May raise `AppError`s and
    `TimeoutError`; everything else is a fault of the executor."""

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult: ...


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool with what does its work."""

    spec: ToolSpec
    executor: Executor
