"""Versions of documents over HTTP, and what differs between two."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from refdesk.kit.web import Page
from refdesk.knowledge.schemas.bases import SplitOptions
from refdesk.knowledge.schemas.documents import DocumentWarning

VersionReason = Literal["upload", "split", "sync", "rollback", "reread"]


class VersionView(BaseModel):
    """A version of a document. `reason`: why it was made."""

    number: int
    reason: VersionReason
    is_current: bool
    name: str
    kind: str | None
    page_count: int | None = Field(description="Pages of its file, where it has pages.")
    has_file: bool
    file_bytes: int | None
    split_settings: SplitOptions
    character_count: int
    paragraph_count: int
    coverage: float | None
    warnings: list[DocumentWarning]
    created_at: datetime
    replaced_at: datetime | None


class DiffPart(BaseModel):
    """A stretch of text: in both versions, only in the later (`insert`), only in the earlier (`delete`)."""

    op: Literal["equal", "insert", "delete"]
    text: str


class DiffSide(BaseModel):
    """A paragraph of one of the two versions."""

    paragraph_id: UUID
    position: int
    title: str
    title_chain: list[str]
    page: int | None


class DiffChange(BaseModel):
    """A paragraph that differs; `parts` are of its content."""

    kind: Literal["added", "removed", "changed", "moved"]
    before: DiffSide | None
    after: DiffSide | None
    parts: list[DiffPart]


class DiffCounts(BaseModel):
    """How many paragraphs of each kind there are in the whole comparison."""

    added: int
    removed: int
    changed: int
    moved: int
    unchanged: int


class DocumentDiff(Page[DiffChange]):
    """What differs between two versions, in the order of the later one."""

    from_version: int
    to_version: int
    counts: DiffCounts
