"""What goes in and out over HTTP in this room (Pydantic, borders only)."""

from datetime import datetime
from typing import Any, ClassVar, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from refdesk.kit.border_types import MAX_BIGINT, MAX_INT, CleanJson, CleanText, Name, PlainLine
from refdesk.kit.web import Page

State = Literal["queued", "parsing", "splitting", "draft", "indexing", "ready", "failed", "cancelled"]
HitHandling = Literal["optimize", "directly_return"]
VersionReason = Literal["upload", "split", "sync", "rollback"]
Tally = dict[State, int]


class _Input(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Change(_Input):
    """Base of what changes a thing: a field that is left out stays; null is for fields that can be empty."""

    nullable: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="after")
    def _require_values(self) -> Self:
        for name in sorted(self.model_fields_set - self.nullable):
            if getattr(self, name) is None:
                raise ValueError(f"{name} must not be null; leave it out to keep it")
        return self


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
    sheet_form: Literal["auto", "rows", "table"] = Field(
        default="auto",
        description="Tables of spreadsheets: an item a row (`header: value; …`), one table, or what fits.",
    )


class KnowledgeBaseCreate(_Input):
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


class KnowledgeBaseUpdate(_Change):
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
    """A knowledge base. `upload_limit_bytes` is the smaller of the server's limit and its own."""

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
    created_at: datetime
    updated_at: datetime


class KnowledgeBaseUsage(BaseModel):
    """The names of the applications that ask a base."""

    applications: list[str]


class DocumentError(BaseModel):
    """Why processing stopped. `stage`: `parsing`, `splitting` or `indexing`."""

    code: str
    stage: str
    reason: str
    hint: str | None = None
    error_id: str | None = None


class DocumentWarning(BaseModel):
    """Something a person should know about a document that could be read nevertheless."""

    code: str
    message: str
    page: int | None = None
    paragraph_ids: list[UUID] = Field(
        default_factory=list[UUID], description="The paragraphs it is about, where it is about some."
    )


class DocumentView(BaseModel):
    """A document and where it stands. Progress counts pages while it is parsed, then paragraphs.

    `coverage` is `kept_chars` / `extracted_chars`, 0–1; white space is not counted. `removed_chars` are those
    that cleaning took away. `meta` is what people say and, where they say nothing, what the file says of
    itself (`found_meta`). `needs_attention`: it failed, has warnings, or less than 99.5 % of it was kept.
    """

    id: UUID
    knowledge_base_id: UUID
    name: str
    kind: str | None
    state: State
    progress_done: int
    progress_total: int
    error: DocumentError | None
    warnings: list[DocumentWarning]
    meta: dict[str, Any]
    found_meta: dict[str, Any]
    split_settings: SplitOptions
    character_count: int
    paragraph_count: int
    coverage: float | None
    extracted_chars: int | None
    kept_chars: int | None
    removed_chars: int | None
    ocr_pages: int | None
    needs_attention: bool
    has_file: bool
    file_bytes: int | None
    has_password: bool
    version: int
    is_active: bool
    hit_handling: HitHandling
    direct_return_similarity: float
    source_id: UUID | None
    is_draft: bool
    expires_at: datetime | None
    created_at: datetime
    updated_at: datetime


class DocumentUpdate(_Change):
    """What changes. New `split_settings` split the original again, from the stored file."""

    name: PlainLine | None = Field(default=None, min_length=1, max_length=500)
    split_settings: SplitOptions | None = None
    discard_edits: bool = False
    meta: CleanJson | None = Field(
        default=None,
        description="All that people say. Known keys are checked: `title`, `author`, `language`, `doc_type`, "
        "`effective_date`, `published_at`, `department` (a list), `created`, `modified`. Null hides what the "
        "file says.",
    )
    is_active: bool | None = Field(default=None, description="Whether searches find it.")
    hit_handling: HitHandling | None = None
    direct_return_similarity: float | None = Field(
        default=None, ge=0, le=1, description="From which similarity on a paragraph is returned as it is."
    )


class DocumentRetry(_Input):
    """With `password`, the file is opened with it, now and later."""

    password: SecretStr | None = Field(default=None, min_length=1, max_length=200)


class DraftImport(_Input):
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


class Problem(BaseModel):
    """An error as it appears inside a list of outcomes."""

    code: str
    message: str
    hint: str | None = None
    details: dict[str, Any] = Field(default_factory=dict)


class FileOutcome(BaseModel):
    """What became of one file: a document, or an error."""

    name: str
    document: DocumentView | None = None
    error: Problem | None = None


class UploadResult(BaseModel):
    """What became of every file. `unread`: the rest of the request was not read; send later files again."""

    files: list[FileOutcome]
    accepted: int
    refused: int
    unread: bool = False


class NewParagraph(_Input):
    """A paragraph of a structured document."""

    title: CleanText = Field(default="", max_length=2_000)
    title_chain: list[CleanText] = Field(default_factory=list, max_length=16)
    content: CleanText = Field(min_length=1, max_length=100_000)
    page: int | None = Field(default=None, ge=1, le=MAX_INT)
    is_active: bool = True


class NewDocument(_Input):
    """A document given as paragraphs, without a file."""

    name: PlainLine = Field(min_length=1, max_length=500)
    paragraphs: list[NewParagraph] = Field(min_length=1, max_length=20_000)
    meta: CleanJson = Field(default_factory=dict)


class DocumentsCreate(_Input):
    """One or more structured documents; all are saved or none."""

    documents: list[NewDocument] = Field(min_length=1, max_length=500)


class DocumentList(BaseModel):
    """Documents that one request made, in its order."""

    items: list[DocumentView]


class QuestionRef(BaseModel):
    """A question attached to a paragraph. `id` is null in an earlier version."""

    id: UUID | None
    content: str


class ParagraphSource(BaseModel):
    """What the file says where a person wrote something else."""

    title: str
    content: str


class ParagraphView(BaseModel):
    """A paragraph. `boxes` are `[page, x0, y0, x1, y1]`, PDF points from the top left.

    `position` counts from 0. `is_indexed`: searches already see this revision. `is_current` is false for one
    that is in `version` of the document, but not in the present one.
    """

    id: UUID
    document_id: UUID
    knowledge_base_id: UUID
    position: int
    title: str
    title_chain: list[str]
    content: str
    page: int | None
    boxes: list[list[float]]
    start: int
    end: int
    is_active: bool
    is_edited: bool
    is_indexed: bool
    hit_count: int
    questions: list[QuestionRef]
    source: ParagraphSource | None
    meta: dict[str, Any]
    is_current: bool
    version: int
    revision: int
    updated_at: datetime


class VersionView(BaseModel):
    """A version of a document. `reason`: why it was made."""

    number: int
    reason: VersionReason
    is_current: bool
    name: str
    kind: str | None
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


class ParagraphPage(Page[ParagraphView]):
    """Paragraphs in reading order; `previous_cursor` leads back (null at the start)."""

    previous_cursor: str | None = None


class ParagraphUpdate(_Change):
    """What changes. `revision`, if sent, must be the present one: an edit never overwrites one unseen."""

    nullable = frozenset(("revision",))

    title: CleanText | None = Field(default=None, max_length=2_000)
    content: CleanText | None = Field(default=None, min_length=1, max_length=100_000)
    is_active: bool | None = None
    revision: int | None = None


class QuestionView(BaseModel):
    """A question of a knowledge base. `hit_count`: how often an answer was sought through it."""

    id: UUID
    knowledge_base_id: UUID
    content: str
    hit_count: int
    paragraph_count: int
    created_at: datetime


class NewQuestion(_Input):
    """A question, and the paragraphs that answer it."""

    content: CleanText = Field(min_length=1, max_length=2_000)
    paragraph_ids: list[UUID] = Field(default_factory=list[UUID], max_length=200)


class QuestionUpdate(_Input):
    """Another wording."""

    content: CleanText = Field(min_length=1, max_length=2_000)


class AttachedQuestions(_Input):
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


class PatternCheck(_Input):
    """Regular expressions of headings, one a level, and a text to try them on."""

    patterns: list[PlainLine] = Field(min_length=1, max_length=6)
    text: CleanText = Field(max_length=1_000_000)


class PatternHit(BaseModel):
    """A heading that a pattern found: `start`, `end` are offsets in characters; `title` is without number."""

    level: int
    start: int
    end: int
    text: str
    title: str


class PatternCheckResult(BaseModel):
    """The first thousand headings, and how many there are."""

    matches: list[PatternHit]
    total: int


ParagraphAction = Literal["activate", "deactivate", "delete"]


class AddedParagraph(_Input):
    """A paragraph that a person adds. `after`: left out, it goes to the end; null, to the beginning."""

    title: CleanText = Field(default="", max_length=2_000)
    title_chain: list[CleanText] = Field(default_factory=list, max_length=16)
    content: CleanText = Field(min_length=1, max_length=100_000)
    questions: list[CleanText] = Field(default_factory=list, max_length=200)
    after: UUID | None = None


class ParagraphSplit(_Input):
    """Where to cut, in characters (Unicode code points) of the content."""

    offset: int = Field(ge=0, le=100_000)
    revision: int | None = None


class ParagraphMerge(_Input):
    """How to join with the next paragraph. `separator` is what stands between both, of white space only."""

    separator: str = Field(default="\n\n", max_length=16, pattern=r"^[ \t\n]*$")
    revision: int | None = None
    next_revision: int | None = None


class ParagraphRevert(_Input):
    """`revision`, if sent, must be the present one."""

    revision: int | None = None


class ParagraphPair(BaseModel):
    """The two halves of a paragraph that was cut."""

    first: ParagraphView
    second: ParagraphView


class ParagraphActions(_Input):
    """What to do to many paragraphs of one document."""

    ids: list[UUID] = Field(min_length=1, max_length=5_000)
    action: ParagraphAction


class ParagraphActionResult(BaseModel):
    """How many paragraphs were changed or removed."""

    changed: int


class DocumentProgress(BaseModel):
    """Data of the SSE event `document`: the part of a document that changes while it is processed."""

    id: UUID
    name: str
    kind: str | None
    state: State
    progress_done: int
    progress_total: int
    error: DocumentError | None
    warnings: list[DocumentWarning]
    character_count: int
    paragraph_count: int
    coverage: float | None
    updated_at: datetime
