"""Knowledge bases over HTTP, and the settings of splitting that they and documents share."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from refdesk.kit.border_types import MAX_BIGINT, MAX_INT, CleanJson, CleanText, Name, PlainLine
from refdesk.knowledge.schemas.shapes import Change, Input, Tally

ImportState = Literal["queued", "running", "failed"]


class SplitOptions(BaseModel):
    """How documents are cut into paragraphs; whatever is null comes from the profile."""

    model_config = ConfigDict(extra="forbid")

    profile: Literal["standard", "compact", "structured"] = "standard"
    limit: int | None = Field(default=None, ge=50, le=100_000, description="Longest paragraph, in `unit`.")
    unit: Literal["characters", "tokens"] | None = None
    min_size: int | None = Field(
        default=None, ge=0, le=100_000, description="Paragraphs with fewer characters join the one before."
    )
    patterns: list[PlainLine] = Field(
        default_factory=list, max_length=6, description="Regular expressions of headings, one a level."
    )
    with_filter: bool = Field(
        default=True, description="Collapse runs of spaces and blank lines; remove control characters."
    )
    include_comments: bool = Field(
        default=False, description="Read comments of Office files and notes of cells as text."
    )
    include_running: bool = Field(
        default=False, description="Read headers and footers of Office texts as text."
    )
    overlap: int | None = Field(
        default=None,
        ge=0,
        le=300,
        description=(
            "Characters that neighbouring index pieces of a long paragraph share; smaller than `limit`. "
            "Paragraphs themselves never overlap. Null: 64 with the profile `structured`, otherwise 100 "
            "for Chinese, Japanese and Korean, 250 for scripts written in words."
        ),
    )
    sheet_form: Literal["auto", "rows", "table"] = Field(
        default="auto",
        description="Tables of spreadsheets: an item a row (`header: value; …`), one table, or what fits.",
    )


class KnowledgeBaseCreate(Input):
    """A new knowledge base. Without `embedding_model_id` the workspace's default model is taken."""

    name: Name
    description: CleanText = Field(default="", max_length=5_000)
    embedding_model_id: UUID | None = None
    max_file_bytes: int | None = Field(
        default=None, ge=1, le=MAX_BIGINT, description="Null: the server's limit only."
    )
    max_documents: int | None = Field(default=None, ge=1, le=MAX_INT, description="Null: no limit.")
    split_settings: SplitOptions = Field(default_factory=SplitOptions)
    meta: CleanJson = Field(default_factory=dict)


class KnowledgeBaseUpdate(Change):
    """What changes; a field that is left out stays. Null takes a limit away."""

    nullable = frozenset(("max_file_bytes", "max_documents"))

    name: Name | None = None
    description: CleanText | None = Field(default=None, max_length=5_000)
    embedding_model_id: UUID | None = None
    max_file_bytes: int | None = Field(default=None, ge=1, le=MAX_BIGINT)
    max_documents: int | None = Field(default=None, ge=1, le=MAX_INT)
    split_settings: SplitOptions | None = None
    meta: CleanJson | None = None


class KnowledgeBaseCounts(BaseModel):
    """What a base holds. `states` counts documents; states without one are left out."""

    documents: int
    paragraphs: int
    characters: int
    attention: int = Field(description="Documents that failed, have warnings or lost text.")
    states: Tally


class KnowledgeBaseView(BaseModel):
    """A knowledge base. `upload_limit_bytes` is the smaller of the server's limit and its own.

    `import_state` is of the export it is being made from; null once that is finished, and for all others.
    """

    id: UUID
    name: str
    description: str
    embedding_model_id: UUID
    max_file_bytes: int | None
    max_documents: int | None
    upload_limit_bytes: int
    split_settings: SplitOptions
    meta: dict[str, Any]
    suggested_questions: list[str]
    counts: KnowledgeBaseCounts
    import_state: ImportState | None
    created_at: datetime
    updated_at: datetime


class KnowledgeBaseUsage(BaseModel):
    """The names of the applications that ask a base."""

    applications: list[str]
