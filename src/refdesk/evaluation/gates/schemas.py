"""What calibrating takes and gives over HTTP."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

from refdesk.evaluation.gates.looks import Unanswerable
from refdesk.evaluation.schemas import MAX_QUESTIONS, BaseIds, QuestionInput
from refdesk.gateway import GateFit, GatesView
from refdesk.kit.border_types import Name, PlainLine


class KeyedQuestion(QuestionInput):
    """A question of a set that is not kept here, under the id it has there."""

    id: Annotated[PlainLine, Field(min_length=1, max_length=200)]


class CalibrationRequest(BaseModel):
    """A kept test set, or questions to these bases; and what is to be calibrated on them."""

    model_config = ConfigDict(extra="forbid")

    test_set_id: UUID | None = None
    questions: Annotated[list[KeyedQuestion], Field(min_length=1, max_length=MAX_QUESTIONS)] | None = None
    set_name: Name | None = Field(default=None, description="Of questions that are no kept set.")
    knowledge_base_ids: BaseIds | None = Field(default=None, description="Instead of the set's own.")
    model_id: UUID | None = Field(
        default=None, description="The embedding model; without it the one that all these bases have."
    )
    reranker_id: UUID | None = Field(default=None, description="Fit the least score of this reranker too.")
    unanswerable: Literal["auto", "named", "left-out"] = Field(
        default="auto",
        description="Questions without an answer: those that the set names, or every question with what"
        " answers it left out. `auto` takes the named ones if there are any.",
    )
    dry_run: bool = Field(default=False, description="Measure, and store nothing.")

    @model_validator(mode="after")
    def _one_source(self) -> "CalibrationRequest":
        if (self.test_set_id is None) == (self.questions is None):
            raise ValueError("give either test_set_id or questions")
        if self.questions is not None and not self.knowledge_base_ids:
            raise ValueError("questions need knowledge_base_ids")
        return self


class CalibratedModel(BaseModel):
    """A model and what holds for it now; `stored` tells whether this calibration changed it."""

    id: UUID
    name: str
    stored: bool
    gates: GatesView | None


class CalibrationProgress(BaseModel):
    """The data of an event `progress`."""

    done: int
    total: int


class CalibrationResult(BaseModel):
    """The data of the event `result`."""

    embedder: CalibratedModel
    reranker: CalibratedModel | None
    dry_run: bool
    unanswerable: Unanswerable
    questions: int
    left_aside: int = Field(description="Questions not used: what they expect is not there, or elsewhere.")
    fits: list[GateFit]


class CalibrationEvents(BaseModel):
    """What the stream carries: `progress` after each question, `result` at the end, or `problem`."""

    progress: CalibrationProgress
    result: CalibrationResult
