"""Previews over HTTP, and trying out patterns of headings."""

from uuid import UUID

from pydantic import BaseModel, Field

from refdesk.kit.border_types import CleanText, PlainLine
from refdesk.knowledge.schemas.documents import DocumentView
from refdesk.knowledge.schemas.shapes import Input, State


class DraftImport(Input):
    """Which previews become documents; without a list all that are ready."""

    document_ids: list[UUID] | None = Field(default=None, min_length=1, max_length=500)


class SkippedDraft(BaseModel):
    """A preview that was left out because it is not ready."""

    id: UUID
    name: str
    state: State


class DraftImportResult(BaseModel):
    """What was imported, and what was left out."""

    imported: list[DocumentView]
    skipped: list[SkippedDraft]


class PatternCheck(Input):
    """Regular expressions of headings, one a level, and a text to try them on."""

    patterns: list[PlainLine] = Field(min_length=1, max_length=6)
    text: CleanText = Field(max_length=1_000_000)


class PatternHit(BaseModel):
    """A heading that a pattern found: `start`, `end` are offsets in characters; `title` is shown."""

    level: int
    start: int
    end: int
    text: str
    title: str


class PatternCheckResult(BaseModel):
    """The first thousand headings, and how many there are."""

    matches: list[PatternHit]
    total: int
