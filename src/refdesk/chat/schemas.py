"""Shapes of conversations and runs at the border. Times are ISO-8601 UTC, ids UUID strings."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from refdesk.kit.border_types import CleanJson, CleanText
from refdesk.retrieval import GateDecisionView

RunState = Literal["queued", "running", "finished", "failed", "cancelled", "interrupted"]


class RunReply(BaseModel):
    """An answer to what the conversation waits for: one of the three."""

    model_config = ConfigDict(extra="forbid")

    option: CleanText | None = Field(default=None, max_length=200, description="The value of an option.")
    fields: CleanJson | None = Field(default=None, description="What was filled in, by field.")
    approve: bool | None = Field(default=None, description="Whether the call that was shown may be made.")
    run_id: UUID | None = Field(
        default=None, description="The run whose form it answers; a form answered meanwhile is then refused."
    )


class RunCreate(BaseModel):
    """A question. Without a conversation a new one begins; it asks the application or the bases named here.

    With `retry_of` the question may be left out: the one of that run is asked again. So it may with `reply`.
    """

    model_config = ConfigDict(extra="forbid")

    question: CleanText | None = Field(default=None, description="What to answer, in any language.")
    conversation_id: UUID | None = None
    application_id: UUID | None = None
    knowledge_base_ids: list[UUID] | None = Field(
        default=None, max_length=100, description="Bases to search; none named: all of the workspace."
    )
    mode: Literal["embedding", "keywords", "blend"] | None = None
    retry_of: UUID | None = None
    picture_ids: list[UUID] = Field(
        default_factory=list[UUID], max_length=4, description="Pictures that the question is about."
    )
    reply: RunReply | None = Field(default=None, description="Answers the form of the last run.")


class CitationOut(BaseModel):
    """What the answer's `[n]` stands for: a place in a document, or what a tool answered.

    `hidden`: the caller may not see the document any more; then the number is all that is told. Of a tool,
    `document` is its title and `text` its answer.
    """

    kind: Literal["paragraph", "tool"] = "paragraph"
    tool: str | None = Field(default=None, description="Name of the tool, where one answered.")
    n: int = Field(description="Number in the answer, from 1, in order of first appearance.")
    paragraph_id: UUID | None
    document_id: UUID | None
    knowledge_base_id: UUID | None = None
    document: str = Field(description="Name of the document when the answer was written.")
    page: int | None = None
    section: str = Field(description="Headings above the passage, joined by ` › `.")
    text: str = Field(description="The passage, in its original wording.")
    offset: int = Field(description="Where `text` begins in the paragraph's content, in characters.")
    similarity: float | None = None
    available: bool = Field(default=True, description="False once the paragraph has been deleted.")
    hidden: bool = False


class SentenceOut(BaseModel):
    """One sentence of the answer and whether the evidence supports it."""

    text: str
    start: int = Field(description="Where the sentence begins in the answer, in characters.")
    end: int
    supported: bool
    score: float = Field(description="0–1: how well the evidence carries the sentence.")
    reason: str = Field(
        description="`supported`, `verbatim`, `no-claim`, or why not: `number-not-in-evidence`, "
        "`code-not-in-evidence`, `negation-differs`, `name-not-in-evidence`, `mixed-up`, `not-in-evidence`."
    )
    citations: list[int]


class StageOut(BaseModel):
    name: str
    state: Literal["started", "finished", "failed", "skipped"]
    elapsed_ms: float | None = None
    detail: dict[str, Any] = {}


class WarningOut(BaseModel):
    code: str
    message: str


class RunError(BaseModel):
    """`retry_after_s` tells when trying again may help, where that is known."""

    code: str
    message: str
    hint: str | None = None
    retry_after_s: float | None = None


class SourceOut(BaseModel):
    """One paragraph that was found for the question."""

    paragraph_id: UUID
    document_id: UUID
    knowledge_base_id: UUID
    document: str
    section: str
    page: int | None = None
    text: str
    offset: int = Field(default=0, description="Where `text` begins in the paragraph's content.")
    similarity: float
    score: float
    rerank_score: float | None = None


class RetrievalOut(BaseModel):
    """What the search for this question gave; `best` and `threshold` are calibrated similarities."""

    found: bool = False
    decision: GateDecisionView | None = Field(
        default=None, description="The gate that found nothing good enough; null where something was found."
    )
    best: float = 0.0
    threshold: float = 0.0
    mode: str | None = None
    candidates: int = 0
    unready: int = Field(default=0, description="Documents of the bases that were still being indexed.")
    hits: list[SourceOut] = []
    timings_ms: dict[str, float] = {}


class UsageOut(BaseModel):
    input_tokens: int = 0
    output_tokens: int = 0


class FormOption(BaseModel):
    """One of the answers to choose from."""

    value: str
    label: str
    description: str = ""


class FormField(BaseModel):
    """One value to fill in; `type` as in JSON Schema."""

    name: str
    label: str = ""
    type: str = "string"
    required: bool = False
    enum: list[Any] | None = None
    description: str = ""
    value: Any = Field(default=None, description="What is known of it already.")


class FormOut(BaseModel):
    """What the run asks the person. It can be answered while the run is the last of its conversation."""

    kind: Literal["guidance", "parameters", "approval"]
    title: str = ""
    text: str = ""
    options: list[FormOption] = []
    fields: list[FormField] = []
    call: dict[str, Any] | None = Field(
        default=None, description="The call that waits for a yes: `{tool, title, arguments}`."
    )


class ReplyOut(BaseModel):
    """The reply a run goes on from."""

    run_id: UUID = Field(description="The run that asked.")
    kind: Literal["guidance", "parameters", "approval"]
    question: str = Field(description="The question that goes on.")
    option: str | None = None
    fields: dict[str, Any] = {}
    approve: bool | None = None


class RunOut(BaseModel):
    """One question and what became of it."""

    id: UUID
    conversation_id: UUID
    application_id: UUID | None = None
    knowledge_base_ids: list[UUID] = []
    model_id: UUID | None = Field(default=None, description="Null: the answer quotes, no model wrote it.")
    question: str
    picture_ids: list[UUID] = []
    standalone_question: str | None = Field(
        default=None, description="The question as searched, completed from the conversation."
    )
    answer: str
    state: RunState
    citations: list[CitationOut] = []
    sentences: list[SentenceOut] = []
    retrieval: RetrievalOut = RetrievalOut()
    stages: list[StageOut] = []
    warnings: list[WarningOut] = []
    usage: UsageOut = UsageOut()
    error: RunError | None = None
    form: FormOut | None = Field(default=None, description="What the run asked instead of answering.")
    reply: ReplyOut | None = Field(default=None, description="What it went on from.")
    retry_of: UUID | None = None
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None


class ConversationOut(BaseModel):
    """A thread in a list."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    title: str
    application_id: UUID | None = None
    knowledge_base_ids: list[UUID] = []
    created_at: datetime
    updated_at: datetime


class ConversationDetail(ConversationOut):
    """A thread with its runs, oldest first. A retried run stays in the list; the retry names it."""

    runs: list[RunOut]


class ConversationPatch(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: Annotated[CleanText, Field(min_length=1, max_length=200)]
