"""What comparisons take and give over HTTP."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

from refdesk.chat import RunAgain
from refdesk.evaluation.comparing.judging import AnswerOutcome
from refdesk.evaluation.schemas import ExpectedView
from refdesk.kit.border_types import Name

MOST_VARIANTS = 6
MOST_QUESTIONS = 500

ComparisonState = Literal["queued", "running", "finished", "failed", "cancelled"]


class Variant(RunAgain):
    """One way of answering: an application, or none, with what is to be different from it.

    Whatever it is, it searches the knowledge bases of the test set, so that variants differ in nothing else.
    """

    model_config = ConfigDict(extra="forbid")

    name: Name = Field(max_length=80)
    application_id: UUID | None = Field(default=None, description="Null: the settings of asking without one.")
    strategy: str | None = Field(
        default=None, max_length=100, description="A name of `GET /api/v1/strategies`."
    )


class NewComparison(BaseModel):
    model_config = ConfigDict(extra="forbid")

    variants: Annotated[list[Variant], Field(min_length=2, max_length=MOST_VARIANTS)]
    questions: int | None = Field(
        default=None,
        ge=1,
        le=MOST_QUESTIONS,
        description="Ask only so many, evenly spread over the set; null: all of them.",
    )

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        if len({variant.name for variant in self.variants}) != len(self.variants):
            raise ValueError("each variant needs a name of its own")
        return self


class ComparisonFigures(BaseModel):
    """The figures of one variant over the questions asked of it so far. Shares are 0–1, null where there is
    no question to take one over."""

    model_config = ConfigDict(from_attributes=True)

    asked: int
    answerable: int
    unanswerable: int
    unjudged: int
    asked_back: int = Field(description="Runs that asked the person something instead of answering.")
    failed: int
    right: float | None = Field(description="Of the answerable: something expected is cited.")
    recall: float | None = Field(description="Of what the answerable expect: how much is cited.")
    missed: float | None = Field(description="Of the answerable: the answer says that nothing was found.")
    refused_when_not: float | None = Field(description="Of the unanswerable: the answer rightly says so.")
    sentences: int
    unsupported: int = Field(description="Sentences that the evidence does not support.")
    p50_ms: float
    p95_ms: float
    input_tokens: int
    output_tokens: int
    costs: dict[str, float] = Field(description="Sums by currency.")
    uncosted: int = Field(description="Answers of models without a known price.")
    errors: dict[str, int] = Field(description="Codes of what runs failed with, and how often.")


class ComparedVariant(BaseModel):
    settings: Variant
    figures: ComparisonFigures


class ComparisonView(BaseModel):
    """A comparison with its figures so far."""

    id: UUID
    test_set_id: UUID
    state: ComparisonState
    questions: int
    done: int = Field(description="Answers that are there, of `questions` times the number of variants.")
    total: int
    variants: list[ComparedVariant]
    error: dict[str, Any] | None = Field(description="Why it ended early: `code`, `reason`, `hint`.")
    is_yours: bool = Field(description="Its answers are read by whoever ran it.")
    created_at: datetime
    finished_at: datetime | None


class AnswerCitation(BaseModel):
    n: int
    document_id: UUID | None
    paragraph_id: UUID | None
    document: str
    section: str
    is_expected: bool


class ComparedAnswer(BaseModel):
    """One answer. `run_id` opens its trace; null: the run is gone, or was never begun."""

    variant: int
    outcome: AnswerOutcome | None = Field(description="Null: not asked yet.")
    run_id: UUID | None
    conversation_id: UUID | None
    answer: str
    citations: list[AnswerCitation]
    recall: float | None
    sentences: int
    unsupported: int
    elapsed_ms: float
    input_tokens: int
    output_tokens: int
    costs: dict[str, float]
    error: str | None


class ComparedQuestion(BaseModel):
    """A question with its answers, one a variant and in their order."""

    place: int
    question: str
    expected: ExpectedView | None = Field(description="Null: the question is no longer in the set.")
    answers: list[ComparedAnswer]
