"""What stands in an export, line by line, and what a line must be to be taken in (Pydantic, borders only).

An archive comes from strangers: every field has its type and its bounds, and nothing else is accepted. The
form has a number; a field that is added later gets a default, anything else makes a new number.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field

from refdesk.kit.border_types import MAX_BIGINT, MAX_INT, CleanJson, CleanText, PlainLine
from refdesk.knowledge.schemas import DocumentError, DocumentWarning, SplitOptions

FORMAT = "refdesk-knowledge-base"
FORMAT_VERSION = 1

MANIFEST = "manifest.json"
DOCUMENTS = "documents.jsonl"
PARAGRAPHS = "paragraphs.jsonl"
QUESTIONS = "questions.jsonl"
VERSIONS = "versions.jsonl"
ENTRIES = "entries.jsonl"
VECTORS = "vectors.npy"
FILES = "files/"

MAX_CONTENT_CHARS = 2_000_000
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, le=MAX_INT)]
Origin = Annotated[str, Field(max_length=100)]
Box = Annotated[list[float], Field(min_length=5, max_length=5)]
Title = Annotated[CleanText, Field(max_length=10_000)]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid")


class EmbedderRecord(_Record):
    """Which embedding model the vectors are of."""

    provider: str = Field(max_length=64)
    model_name: str = Field(max_length=200)
    dimensions: int = Field(ge=1, le=16_000)


class SettingsRecord(BaseModel):
    """Settings of a base; those that this release does not know are passed over."""

    split: SplitOptions = Field(default_factory=SplitOptions)


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
    created_at: datetime


class ParagraphLine(_Record):
    """A paragraph of document `d`, in reading order. `questions` are numbers."""

    d: Count
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
    questions: list[Count] = Field(default_factory=list[int])


class QuestionLine(_Record):
    """A question; its place in the file is its number."""

    content: CleanText = Field(min_length=1, max_length=500)
    hit_count: Count = 0


class VersionLine(_Record):
    """What is remembered of a version of document `d`; to be read by people, not imported."""

    d: Count
    number: int = Field(ge=1, le=MAX_INT)
    reason: str = Field(max_length=16)
    name: str = Field(max_length=500)
    kind: str | None = Field(default=None, max_length=32)
    character_count: Count = 0
    paragraph_count: Count = 0
    coverage: float | None = None
    created_at: datetime
    replaced_at: datetime | None = None


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
