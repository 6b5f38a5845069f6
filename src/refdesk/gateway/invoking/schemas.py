"""Calls of models at the border, in the form of X9."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from refdesk.kit.border_types import CleanJson, PlainLine


class CallMetadata(BaseModel):
    """Whose call it is. `request_id` goes to the model's server as `X-Request-ID`; all three stand in the
    log."""

    model_config = ConfigDict(extra="forbid")

    request_id: PlainLine | None = Field(
        default=None, min_length=1, max_length=128, pattern=r"^[A-Za-z0-9_\-.:]+$"
    )
    user_id: PlainLine | None = Field(default=None, max_length=200)
    trace_id: PlainLine | None = Field(default=None, max_length=200)


class InvokeRequest(BaseModel):
    """One call. `model_id` is a model's name or its id; `input` is what its input_schema says.

    With `stream` the answer of a chat model comes as server-sent events: `delta`, `reasoning`, `tool_call`,
    `warning`, and at the end `result` (the same as without) or `error`.
    """

    model_config = ConfigDict(extra="forbid")

    model_id: PlainLine = Field(min_length=1, max_length=200)
    input: CleanJson
    metadata: CallMetadata = Field(default_factory=CallMetadata)
    stream: bool = False


class AnswerMetadata(BaseModel):
    """What a call took. `model_id` and `version` are of the model that answered."""

    request_id: str
    user_id: str | None
    trace_id: str | None
    model_id: str
    version: str
    latency_ms: float
    input_tokens: int | None
    output_tokens: int | None
    error_code: None = None
    warnings: list[str]


class InvokeAnswer(BaseModel):
    """`output` fits the model's output_schema; `content` is its text alone, null where it is none."""

    model_id: str = Field(description="The model that was asked.")
    output: dict[str, Any]
    content: str | None
    metadata: AnswerMetadata


class DescribedModel(BaseModel):
    """A model as it is listed: its descriptor without parameters and key, and its health."""

    id: str
    model_id: str
    version: str
    kind: str
    provider: str
    model_name: str
    endpoint: str | None
    health_check: dict[str, Any] | None
    capabilities: dict[str, Any]
    concurrency: int | None
    fallback_policy_id: str | None
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    undeclared_output: str
    is_default: bool
    health: Literal["closed", "open", "half_open"] = Field(description="State of its breaker.")
