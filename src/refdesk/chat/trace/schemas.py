"""A run's trace at the border. Times are milliseconds from the run's beginning."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from refdesk.chat.choices import Answering, StageName
from refdesk.chat.profile import Mode
from refdesk.chat.schemas import RunState, UsageOut, WarningOut
from refdesk.gateway import RunCall
from refdesk.kit.border_types import CleanText


class TraceCost(BaseModel):
    currency: str
    amount: float


class PromptMessage(BaseModel):
    """One message as the model got it."""

    role: str
    content: str
    tokens: int = Field(description="Estimated: vendors' tokenizers differ.")


class TraceLeg(BaseModel):
    raw: float
    calibrated: float
    rank: int


class TraceCandidate(BaseModel):
    """A paragraph that a search looked at."""

    paragraph_id: UUID
    document_id: UUID
    document: str
    section: str = ""
    text: str = Field(default="", description="The beginning of the passage.")
    similarity: float
    score: float
    rerank_score: float | None = None
    dense: TraceLeg | None = None
    lexical: TraceLeg | None = None
    dropped: str | None = Field(
        default=None, description="Why it was left out, as a code; null: it was kept."
    )


class TraceSpan(BaseModel):
    """A stage, or a part of one: a channel of the search, a call of a tool, a step."""

    name: str
    kind: Literal["stage", "channel", "tool", "step"]
    state: Literal["started", "finished", "failed", "skipped"]
    error: str | None = Field(default=None, description="The code of what it failed with.")
    started_ms: float
    elapsed_ms: float | None = None
    parent: str | None = Field(default=None, description="The stage it ran inside, for a stage within one.")
    usage: UsageOut | None = None
    costs: list[TraceCost] = []
    detail: dict[str, Any] = {}
    prompt: list[PromptMessage] | None = Field(
        default=None, description="What the model was sent, word for word. For editors."
    )
    candidates: list[TraceCandidate] | None = Field(
        default=None, description="What the search looked at, with the reasons. For editors."
    )
    spans: list["TraceSpan"] = []


class TraceCall(RunCall):
    """A call of a model within the run."""

    started_ms: float
    stage: int | None = Field(default=None, description="Place of the stage it was made in, from 0.")


class TraceOut(BaseModel):
    """What a run did. `is_whole`: the caller manages applications, so prompts, settings and candidates are
    in it. `is_hidden`: documents it rests on may not be seen by the caller any more, so details are not."""

    run_id: UUID
    conversation_id: UUID
    application_id: UUID | None
    question: str
    standalone_question: str | None
    state: RunState
    retry_of: UUID | None
    created_at: datetime
    queued_ms: float | None = Field(description="How long it waited for its turn.")
    total_ms: float | None = Field(description="From the question to the record; null while it runs.")
    is_whole: bool
    is_hidden: bool
    is_estimated: bool = Field(
        description="Beginnings were not recorded when it ran: stages are shown one after another."
    )
    stages: list[TraceSpan]
    calls: list[TraceCall]
    usage: UsageOut
    costs: list[TraceCost]
    warnings: list[WarningOut]
    settings: dict[str, Any] | None = Field(
        description="What it ran with: mode, thresholds, prompts, stages. For editors."
    )


class PromptChanges(BaseModel):
    """Templates by situation; an empty one means the built-in one."""

    model_config = ConfigDict(extra="forbid")

    system: CleanText | None = Field(default=None, max_length=20_000)
    knowledge: CleanText | None = Field(default=None, max_length=20_000)
    tools: CleanText | None = Field(default=None, max_length=20_000)
    both: CleanText | None = Field(default=None, max_length=20_000)
    empty: CleanText | None = Field(default=None, max_length=20_000)


class RunAgain(BaseModel):
    """What is to be different. What is not given is as the conversation's application has it now."""

    model_config = ConfigDict(extra="forbid")

    mode: Mode | None = None
    top_n: int | None = Field(default=None, ge=1, le=50)
    similarity: float | None = Field(default=None, ge=0, le=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    model_id: UUID | None = Field(default=None, description="A language model of the workspace.")
    answering: Answering | None = None
    prompts: PromptChanges | None = None
    stages_off: list[StageName] | None = Field(
        default=None, description="The stages to leave out; all others are on."
    )
