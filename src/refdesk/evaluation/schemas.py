"""What test sets and batches of questions take and give over HTTP."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from refdesk.evaluation.cases import CaseResult, Outcome, Totals
from refdesk.kit.border_types import CleanText, Name
from refdesk.retrieval import DropReason, SearchSettings

MAX_QUESTIONS = 2_000
"""Of one request; a set may hold more, put in by several."""

QuestionText = Annotated[CleanText, Field(min_length=1, max_length=4_000)]
BaseIds = Annotated[list[UUID], Field(min_length=1, max_length=1_000)]
Expectations = Annotated[list[CleanText], Field(max_length=100)]


class QuestionInput(BaseModel):
    """A question and what should be found for it."""

    model_config = ConfigDict(extra="forbid")

    question: QuestionText
    documents: Expectations = Field(default_factory=list[str], description="Documents, by name or id.")
    paragraph_ids: Annotated[list[UUID], Field(max_length=100)] = Field(default_factory=list[UUID])
    expects_nothing: bool = Field(default=False, description="It has no answer in the bases.")


class QuestionChange(BaseModel):
    """What is left out stays. `documents` and `paragraph_ids` replace those that the caller can see."""

    model_config = ConfigDict(extra="forbid")

    question: QuestionText | None = None
    documents: Expectations | None = None
    paragraph_ids: Annotated[list[UUID], Field(max_length=100)] | None = None
    expects_nothing: bool | None = None
    forget_unavailable: bool = Field(
        default=False, description="Expect no longer what is gone or hidden from you."
    )


class ExpectedDocument(BaseModel):
    id: UUID
    name: str


class ExpectedParagraph(BaseModel):
    id: UUID
    document_id: UUID
    document_name: str
    title: str
    position: int


class ExpectedView(BaseModel):
    """What is expected, as far as the caller may know of it."""

    documents: list[ExpectedDocument]
    paragraphs: list[ExpectedParagraph]
    nothing: bool = Field(description="The question has no answer in the bases.")
    unavailable: int = Field(description="Expected ones that are gone or hidden from you.")
    unknown: list[str] = Field(description="Names that fit no document.")


class TestQuestionView(BaseModel):
    __test__ = False

    id: UUID
    position: int
    question: str
    expected: ExpectedView


class NewTestSet(BaseModel):
    """A test set with its first questions."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    knowledge_base_ids: BaseIds
    questions: Annotated[list[QuestionInput], Field(max_length=MAX_QUESTIONS)] = Field(
        default_factory=list[QuestionInput]
    )


class TestSetChange(BaseModel):
    __test__ = False

    model_config = ConfigDict(extra="forbid")

    name: Name | None = None
    knowledge_base_ids: BaseIds | None = None


class NewQuestions(BaseModel):
    model_config = ConfigDict(extra="forbid")

    questions: Annotated[list[QuestionInput], Field(min_length=1, max_length=MAX_QUESTIONS)]


class QuestionFile(BaseModel):
    """The text of a file of questions."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["csv", "jsonl"]
    content: Annotated[str, Field(max_length=20_000_000)]


class UnknownExpectation(BaseModel):
    """Names of a question that fit no document; the question was added without them."""

    question: str
    names: list[str]


class AddedQuestions(BaseModel):
    added: int
    unknown: list[UnknownExpectation]


class TotalsView(BaseModel):
    """The figures of a run; null where there is no question to take a mean over."""

    model_config = ConfigDict(from_attributes=True)

    questions: int
    answerable: int
    unanswerable: int
    unjudged: int = Field(description="Nothing is expected, or nothing of it is there for the caller.")
    failed: int
    incomplete: int = Field(description="Judged without some of what was expected.")
    hit_at_5: float | None
    mrr_at_10: float | None
    ndcg_at_10: float | None
    right_found: float | None = Field(description="Share of the answerable with something expected returned.")
    found_when_there: float | None = Field(description="Share of the answerable with anything returned.")
    refused_when_not: float | None = Field(description="Share of the unanswerable with nothing returned.")
    balanced: float | None = Field(description="Mean of the last two.")
    p50_ms: float
    p95_ms: float

    @classmethod
    def of(cls, totals: Totals) -> "TotalsView":
        return cls.model_validate(totals)


class NamedBase(BaseModel):
    id: UUID
    name: str


class TestRunView(BaseModel):
    """A run that was kept: figures only."""

    __test__ = False

    id: UUID
    created_at: datetime
    settings: dict[str, Any]
    totals: TotalsView


class TestSetView(BaseModel):
    """A test set. `missing_bases` counts those that have been deleted."""

    __test__ = False

    id: UUID
    name: str
    knowledge_bases: list[NamedBase]
    missing_bases: int
    question_count: int
    last_run: TestRunView | None
    created_at: datetime
    updated_at: datetime


class RunTestSet(SearchSettings):
    """How to run a set; `knowledge_base_ids` instead of the set's own."""

    knowledge_base_ids: BaseIds | None = None


class BatchRequest(SearchSettings):
    """Questions to run with one setting."""

    knowledge_base_ids: BaseIds
    questions: Annotated[list[QuestionInput], Field(min_length=1, max_length=MAX_QUESTIONS)]


class CaseHit(BaseModel):
    """One hit of a question, without its text."""

    rank: int
    document_id: UUID
    document_name: str
    paragraph_id: UUID
    title: str
    page: int | None
    similarity: float
    score: float
    relevant: bool


class CaseResultView(BaseModel):
    """What came of one question: the data of an event `result`."""

    index: int
    question_id: UUID | None
    question: str
    expected: ExpectedView
    outcome: Outcome
    rank: int | None = Field(description="Of the first expected, counting each document once.")
    dropped_for: DropReason | None = Field(description="Why the best expected candidate was left out.")
    found: bool
    best: float
    hit_at_5: float | None
    mrr_at_10: float | None
    ndcg_at_10: float | None
    elapsed_ms: float
    error: str | None = Field(description="Code of what failed.")
    hits: list[CaseHit]

    @classmethod
    def of(cls, index: int, result: CaseResult, expected: ExpectedView) -> "CaseResultView":
        pairs = zip(result.hits, result.relevant, strict=True)
        return cls(
            index=index,
            question_id=result.case.question_id,
            question=result.case.question,
            expected=expected,
            outcome=result.outcome,
            rank=result.rank,
            dropped_for=result.dropped_for,
            found=result.found,
            best=result.best,
            hit_at_5=result.hit_at_5,
            mrr_at_10=result.mrr_at_10,
            ndcg_at_10=result.ndcg_at_10,
            elapsed_ms=result.elapsed_ms,
            error=result.error,
            hits=[
                CaseHit(
                    rank=place,
                    document_id=hit.document_id,
                    document_name=hit.document_name,
                    paragraph_id=hit.paragraph_id,
                    title=hit.title,
                    page=hit.page,
                    similarity=hit.similarity,
                    score=hit.score,
                    relevant=relevant,
                )
                for place, (hit, relevant) in enumerate(pairs, 1)
            ],
        )


class RunEvents(BaseModel):
    """What a stream of a run carries: `result` for each question, `totals` at the end, or `problem`."""

    result: CaseResultView
    totals: TotalsView


def unknown_of(
    questions: Sequence[QuestionInput], unknown: Sequence[Sequence[str]]
) -> list[UnknownExpectation]:
    """The questions that name something that is not there."""
    pairs = zip(questions, unknown, strict=True)
    return [UnknownExpectation(question=one.question, names=list(names)) for one, names in pairs if names]
