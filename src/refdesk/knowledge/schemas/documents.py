"""Documents over HTTP: what is shown and can be changed of one, and what became of uploads."""

from datetime import datetime
from typing import Any, ClassVar, Literal
from uuid import UUID

from pydantic import BaseModel, Field, SecretStr

from refdesk.kit.border_types import MAX_INT, CleanJson, CleanText, PlainLine
from refdesk.knowledge.schemas.bases import SplitOptions
from refdesk.knowledge.schemas.shapes import Access, Change, Input, Problem, State

HitHandling = Literal["optimize", "directly_return"]


class DocumentError(BaseModel):
    """Why processing stopped. `stage`: `parsing`, `splitting` or `indexing`."""

    code: str
    stage: str
    reason: str
    hint: str | None = None
    error_id: str | None = None
    details: dict[str, Any] = Field(default={}, description="The facts of the reason: sizes, names, limits.")


class DocumentWarning(BaseModel):
    """Something a person should know about a document that could be read nevertheless."""

    code: str
    message: str
    page: int | None = None
    paragraph_ids: list[UUID] = Field(
        default_factory=list[UUID], description="The paragraphs it is about, where it is about some."
    )
    details: dict[str, str | int] = Field(
        default_factory=dict[str, str | int],
        description="What the message says: `count`; of a file inside the file `name`, and `cause`, a code.",
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
    files_read: int | None = Field(description="Of an archive or a message: files in it that were read.")
    files_left_out: int | None = Field(description="Of an archive or a message: files that were not read.")
    needs_attention: bool
    has_file: bool
    file_bytes: int | None
    has_password: bool
    version: int
    is_active: bool
    hit_handling: HitHandling
    direct_return_similarity: float
    source_id: UUID | None
    folder_id: UUID | None
    access: Access
    is_draft: bool
    expires_at: datetime | None
    created_at: datetime
    updated_at: datetime


class DocumentUpdate(Change):
    """What changes. New `split_settings` split the original again, from the stored file.

    `folder_id` moves it, null to the top; it then counts under the list of its new folder, unless it has one
    of its own.
    """

    nullable: ClassVar[frozenset[str]] = frozenset(("folder_id",))

    name: PlainLine | None = Field(default=None, min_length=1, max_length=500)
    folder_id: UUID | None = None
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


class DocumentRetry(Input):
    """With `password`, the file is opened with it, now and later."""

    password: SecretStr | None = Field(default=None, min_length=1, max_length=200)


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


class NewParagraph(Input):
    """A paragraph of a structured document."""

    title: CleanText = Field(default="", max_length=2_000)
    title_chain: list[CleanText] = Field(default_factory=list, max_length=16)
    content: CleanText = Field(min_length=1, max_length=100_000)
    page: int | None = Field(default=None, ge=1, le=MAX_INT)
    is_active: bool = True


class NewDocument(Input):
    """A document given as paragraphs, without a file."""

    name: PlainLine = Field(min_length=1, max_length=500)
    paragraphs: list[NewParagraph] = Field(min_length=1, max_length=20_000)
    meta: CleanJson = Field(default_factory=dict)


class DocumentsCreate(Input):
    """One or more structured documents; all are saved or none."""

    documents: list[NewDocument] = Field(min_length=1, max_length=500)
    folder_id: UUID | None = Field(default=None, description="Where they lie; left out: at the top.")


class DocumentList(BaseModel):
    """Documents that one request made, in its order."""

    items: list[DocumentView]


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
