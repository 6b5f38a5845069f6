"""Questions over HTTP."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field

from refdesk.kit.border_types import CleanText
from refdesk.knowledge.schemas.paragraphs import ParagraphView, QuestionRef
from refdesk.knowledge.schemas.shapes import Input


class QuestionView(BaseModel):
    """A question of a knowledge base. `hit_count`: how often an answer was sought through it."""

    id: UUID
    knowledge_base_id: UUID
    content: str
    hit_count: int
    paragraph_count: int
    created_at: datetime


class NewQuestion(Input):
    """A question, and the paragraphs that answer it."""

    content: CleanText = Field(min_length=1, max_length=2_000)
    paragraph_ids: list[UUID] = Field(default_factory=list[UUID], max_length=200)


class QuestionUpdate(Input):
    """Another wording."""

    content: CleanText = Field(min_length=1, max_length=2_000)


class AttachedQuestions(Input):
    """Questions by text, which are made where there are none, or by id. `revision` is the paragraph's."""

    contents: list[CleanText] = Field(default_factory=list, max_length=200)
    question_ids: list[UUID] = Field(default_factory=list[UUID], max_length=200)
    revision: int | None = None


class QuestionList(BaseModel):
    """The questions of one paragraph."""

    items: list[QuestionRef]


class AskedParagraph(BaseModel):
    """A paragraph that a question is attached to, and the name of its document."""

    document_name: str
    paragraph: ParagraphView
