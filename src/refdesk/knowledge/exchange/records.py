"""What stands in an export, line by line, and what a line must be to be taken in (Pydantic, borders only).

An archive comes from strangers: every field has its type and its bounds, and nothing else is accepted. The
form has a number; a field that is added later gets a default, anything else makes a new number.
"""

from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

import orjson
from pydantic import BaseModel, ConfigDict, Field, model_validator

from refdesk.kit.border_types import MAX_BIGINT, MAX_INT, CleanJson, CleanText, PlainLine
from refdesk.knowledge.schemas import DocumentError, DocumentWarning, SplitOptions
from refdesk.knowledge.schemas.versions import VersionReason
from refdesk.knowledge.sources.schemas import FolderConfig, SourceCounts, SourceProblem, WebsiteConfig

FORMAT = "refdesk-knowledge-base"
FORMAT_VERSION = 1

MANIFEST = "manifest.json"
DOCUMENTS = "documents.jsonl"
PARAGRAPHS = "paragraphs.jsonl"
QUESTIONS = "questions.jsonl"
TERMS = "terms.jsonl"
VERSIONS = "versions.jsonl"
SNAPSHOTS = "snapshots.jsonl"
SOURCES = "sources.jsonl"
SOURCE_ITEMS = "source-items.jsonl"
ENTRIES = "entries.jsonl"
VECTORS = "vectors.npy"
FILES = "files/"

MAX_CONTENT_CHARS = 2_000_000
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, le=MAX_INT)]
Origin = Annotated[str, Field(max_length=100)]
Box = Annotated[list[float], Field(min_length=5, max_length=5)]
Address = Annotated[CleanText, Field(max_length=2_000)]
Title = Annotated[CleanText, Field(max_length=10_000)]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid")


class EmbedderRecord(_Record):
    """Which embedding model the vectors are of."""

    provider: str = Field(max_length=64)
    model_name: str = Field(max_length=200)
    dimensions: int = Field(ge=1, le=16_000)


class GraphRecord(BaseModel):
    """How the base's knowledge graph is built; what it holds is read again from the paragraphs."""

    method: Literal["rules", "model"]
    follows: bool = True


class SettingsRecord(BaseModel):
    """Settings of a base; those that this release does not know are passed over."""

    split: SplitOptions = Field(default_factory=SplitOptions)
    graph: GraphRecord | None = None


class BaseRecord(_Record):
    """The base itself."""

    name: CleanText = Field(min_length=1, max_length=200)
    description: CleanText = Field(default="", max_length=5_000)
    max_file_bytes: int | None = Field(default=None, ge=1, le=MAX_BIGINT)
    max_documents: int | None = Field(default=None, ge=1, le=MAX_INT)
    settings: SettingsRecord = Field(default_factory=SettingsRecord)
    meta: CleanJson = Field(default_factory=dict)
    suggested_questions: list[Title] = Field(default_factory=list[str], max_length=100)


class ManifestRecord(_Record):
    """The first member of an export."""

    format: Literal["refdesk-knowledge-base"]
    version: int
    refdesk: str = Field(default="", max_length=50)
    created_at: datetime
    base: BaseRecord
    embedder: EmbedderRecord | None = None
    average_length: float = Field(
        default=0.0,
        ge=0,
        le=1e6,
        description="Of an entry, in tokens, as the lexical weights were made with.",
    )


class ReportRecord(BaseModel):
    """What reading the file brought; further numbers are passed over."""

    extracted_chars: Count | None = None
    kept_chars: Count | None = None
    removed_chars: Count | None = None
    ocr_pages: Count | None = None
    files_read: Count | None = None
    files_left_out: Count | None = None


class DocumentRecord(_Record):
    """A document; its place in the file is its number. `file` is the SHA-256 of its original."""

    name: PlainLine = Field(min_length=1, max_length=500)
    kind: str | None = Field(default=None, max_length=32)
    state: Literal["queued", "parsing", "splitting", "indexing", "ready", "failed", "cancelled"]
    error: DocumentError | None = None
    is_split: bool
    warnings: list[DocumentWarning] = Field(default_factory=list[DocumentWarning], max_length=10_000)
    meta: CleanJson = Field(default_factory=dict)
    found_meta: CleanJson = Field(default_factory=dict)
    report: ReportRecord = Field(default_factory=ReportRecord)
    split_settings: SplitOptions = Field(default_factory=SplitOptions)
    character_count: Count = 0
    coverage: float | None = Field(default=None, ge=0, le=10)
    hit_handling: Literal["optimize", "directly_return"] = "optimize"
    direct_return_similarity: float = Field(default=0.9, ge=0, le=1)
    is_active: bool = True
    version: int = Field(default=1, ge=1, le=MAX_INT)
    removed_origins: list[Origin] = Field(default_factory=list)
    file: Sha256 | None = None
    source: Count | None = Field(default=None, description="Number of the source it comes from.")
    created_at: datetime


class _Paragraph(_Record):
    """A paragraph of document `d`. `key` is the same wherever the same paragraph of the document stands."""

    d: Count
    key: UUID | None = None
    title: Title = ""
    title_chain: list[Title] = Field(default_factory=list, max_length=64)
    content: CleanText = Field(max_length=MAX_CONTENT_CHARS)
    page: int | None = Field(default=None, ge=0, le=MAX_INT)
    boxes: list[Box] = Field(default_factory=list[list[float]], max_length=20_000)
    start: Count = 0
    end: Count = 0
    is_active: bool = True
    is_edited: bool = False
    hit_count: Count = 0
    revision: int = Field(default=1, ge=1, le=MAX_INT)
    origins: list[Origin] = Field(default_factory=list)
    source_title: CleanText | None = Field(default=None, max_length=10_000)
    source_content: CleanText | None = Field(default=None, max_length=MAX_CONTENT_CHARS)
    meta: CleanJson = Field(default_factory=dict)


class ParagraphLine(_Paragraph):
    """A paragraph as it stands, in reading order. `questions` are numbers."""

    questions: list[Count] = Field(default_factory=list[int])
    created_at: datetime | None = None


class SnapshotLine(_Paragraph):
    """A paragraph of the replaced version `number`, in reading order.

    `is_past`: it is in no later version, so that this is where citations of it lead.
    """

    number: int = Field(ge=1, le=MAX_INT)
    questions: list[Title] = Field(default_factory=list[str])
    is_past: bool = False


class QuestionLine(_Record):
    """A question; its place in the file is its number."""

    content: CleanText = Field(min_length=1, max_length=500)
    hit_count: Count = 0


class TermLine(_Record):
    """A word of the term base, and those of the same meaning."""

    word: str = Field(min_length=1, max_length=200)
    synonyms: list[str] = Field(default_factory=list[str], max_length=100)


class VersionLine(_Record):
    """A version of document `d`. With `has_snapshot` its paragraphs are in the snapshots, and `report` tells
    what reading its file brought; archives of earlier releases have none.

    One with a higher number than the document's is being made: `state` and `error` are the document's then.
    """

    d: Count
    number: int = Field(ge=1, le=MAX_INT)
    reason: VersionReason
    name: PlainLine = Field(min_length=1, max_length=500)
    kind: str | None = Field(default=None, max_length=32)
    found_meta: CleanJson = Field(default_factory=dict)
    warnings: list[DocumentWarning] = Field(default_factory=list[DocumentWarning], max_length=10_000)
    split_settings: SplitOptions = Field(default_factory=SplitOptions)
    character_count: Count = 0
    paragraph_count: Count = 0
    coverage: float | None = Field(default=None, ge=0, le=10)
    file: Sha256 | None = None
    has_snapshot: bool = False
    report: ReportRecord = Field(default_factory=ReportRecord)
    removed_origins: list[Origin] = Field(default_factory=list)
    restores: int | None = Field(default=None, ge=1, le=MAX_INT)
    state: Literal["queued", "failed", "cancelled"] | None = None
    error: DocumentError | None = None
    created_at: datetime
    replaced_at: datetime | None = None


class SourceRecord(_Record):
    """A web site or folder; its place in the file is its number."""

    kind: Literal["website", "folder"]
    name: Title = Field(min_length=1, max_length=200)
    config: WebsiteConfig | FolderConfig
    split_settings: SplitOptions | None = None
    interval_hours: int | None = Field(default=None, ge=1, le=8_760)
    state: Literal["idle", "failed", "cancelled"] = "idle"
    counts: SourceCounts = Field(default_factory=SourceCounts)
    error: SourceProblem | None = None
    last_run_at: datetime | None = None
    created_at: datetime

    @model_validator(mode="after")
    def _require_fitting_config(self) -> Self:
        if isinstance(self.config, WebsiteConfig) != (self.kind == "website"):
            raise ValueError("the settings are of another kind of source")
        return self


class SourceItemLine(_Record):
    """A page or file of source `s` as it was last seen, and the number of the document made of it."""

    s: Count
    key: CleanText = Field(min_length=1, max_length=2_000)
    d: Count | None = None
    state: Literal["added", "changed", "unchanged", "removed", "skipped", "failed"]
    http_status: int | None = Field(default=None, ge=0, le=999)
    etag: CleanText | None = Field(default=None, max_length=10_000)
    last_modified: CleanText | None = Field(default=None, max_length=1_000)
    content_hash: str | None = Field(default=None, pattern=r"^([0-9a-f]{2}){1,64}$")
    links: list[Annotated[CleanText, Field(max_length=2_000)]] = Field(
        default_factory=list, max_length=20_000
    )
    error: SourceProblem | None = None
    seen_at: datetime | None = None


class EntryLine(_Record):
    """Of which text the vector of this number is: entry of `kind` of paragraph `p` of document `d`.

    `p` counts within the document; `q` is the number of the question, for entries of questions.
    """

    d: Count
    p: Count
    kind: int = Field(ge=0, le=100)
    start: Count
    end: Count
    q: Count | None = None


def as_line(record: Any) -> bytes:
    """A record as a line of JSON."""
    return orjson.dumps(record, option=orjson.OPT_UTC_Z) + b"\n"
