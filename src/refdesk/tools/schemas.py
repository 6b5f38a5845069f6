"""Tools of all kinds at the border."""

from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from refdesk.kit.border_types import CleanJson, PlainLine
from refdesk.tools.sources import Choice
from refdesk.tools.spec import ToolResult


class ToolView(BaseModel):
    """A tool that can be chosen for an application. Choosing `group_id` takes all tools of a server."""

    id: str
    name: str = Field(description="What a model calls it.")
    title: str
    description: str
    parameters: dict[str, Any]
    origin: str
    read_only: bool
    ask_first: bool
    is_active: bool
    group_id: str | None
    group_name: str | None
    state: Literal["ready", "failed", "unknown"]
    problem: str | None

    @classmethod
    def of(cls, choice: Choice) -> Self:
        spec = choice.spec
        return cls(
            id=spec.id,
            name=spec.name,
            title=spec.title or spec.name,
            description=spec.description,
            parameters=dict(spec.parameters),
            origin=spec.origin,
            read_only=spec.read_only,
            ask_first=spec.ask_first,
            is_active=choice.is_active,
            group_id=choice.group_id,
            group_name=choice.group_name,
            state=choice.state,
            problem=choice.problem,
        )


class ToolTrial(BaseModel):
    """A call to try a tool out."""

    model_config = ConfigDict(extra="forbid")

    tool: PlainLine = Field(min_length=1, max_length=500, description="Id or name of the tool.")
    arguments: CleanJson = {}


class ToolFaultView(BaseModel):
    """Why a call gave no result."""

    code: str
    message: str


class ToolOutcome(BaseModel):
    """What came of the call."""

    ok: bool
    text: str
    data: Any
    fault: ToolFaultView | None
    truncated: bool
    elapsed_ms: float
    details: dict[str, Any]

    @classmethod
    def of(cls, result: ToolResult) -> Self:
        fault = result.fault
        return cls(
            ok=result.ok,
            text=result.text,
            data=result.data,
            fault=ToolFaultView(code=fault.code, message=fault.message) if fault is not None else None,
            truncated=result.truncated,
            elapsed_ms=result.elapsed_ms,
            details=dict(result.details),
        )
