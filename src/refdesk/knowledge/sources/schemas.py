"""What goes in and out over HTTP of sources (Pydantic, borders only)."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from refdesk.kit.border_types import CleanText, Name, PlainLine
from refdesk.knowledge.schemas import FileOutcome, SplitOptions

SourceState = Literal["idle", "queued", "running", "failed", "cancelled"]
ItemState = Literal["added", "changed", "unchanged", "removed", "skipped", "failed"]
Pattern = Annotated[PlainLine, Field(min_length=1, max_length=300)]
MAX_MANIFEST_FILES = 5_000


class _Input(BaseModel):
    model_config = ConfigDict(extra="forbid")


class WebsiteConfig(_Input):
    """How a web site is read. Patterns know `*` and `?`; with a slash at the start they mean the path."""

    url: CleanText = Field(min_length=1, max_length=2_000, description="The start page.")
    scope: Literal["path", "host"] = Field(
        default="path", description="`path`: what lies below the start page's folder; `host`: the whole host."
    )
    depth: int = Field(default=5, ge=0, le=50, description="Links followed from the start page.")
    max_pages: int = Field(default=500, ge=1, le=50_000)
    include: list[Pattern] = Field(default_factory=list, max_length=50)
    exclude: list[Pattern] = Field(default_factory=list, max_length=50)
    selector: PlainLine | None = Field(
        default=None, max_length=500, description="CSS selector of the content; left out: it is found."
    )
    use_sitemap: bool = True
    include_files: bool = Field(default=True, description="Import PDF, DOCX and other documents too.")
    follow_canonical: bool = Field(
        default=True, description="Import a page under the address it names as its own, once."
    )
    concurrency: int = Field(default=2, ge=1, le=8, description="Pages fetched at once.")
    delay_ms: int = Field(
        default=0, ge=0, le=60_000, description="Between two requests; the site's own wish counts if longer."
    )


class FolderConfig(_Input):
    """A folder that a client sends. `path` is where it lies for that client, for people to read."""

    path: CleanText = Field(default="", max_length=2_000)


class NewWebsite(_Input):
    """A web site to be read, at once and then every `interval_hours`."""

    kind: Literal["website"]
    name: Name | None = Field(default=None, description="Left out: the host and path.")
    config: WebsiteConfig
    interval_hours: int | None = Field(default=None, ge=1, le=8_760)
    split_settings: SplitOptions | None = Field(
        default=None, description="For its documents; left out: those of the knowledge base."
    )


class NewFolder(_Input):
    """A folder that a client will send with a manifest."""

    kind: Literal["folder"]
    name: Name
    config: FolderConfig = Field(default_factory=FolderConfig)
    split_settings: SplitOptions | None = None


NewSource = Annotated[NewWebsite | NewFolder, Field(discriminator="kind")]


class SourceUpdate(_Input):
    """What changes; a field that is left out stays. `config` is replaced as a whole."""

    name: Name | None = None
    config: WebsiteConfig | FolderConfig | None = None
    interval_hours: int | None = Field(default=None, ge=1, le=8_760, description="Null: only when asked.")


class SyncRequest(_Input):
    """How to sync. `allow_mass_removal`: also if more than half of the documents are gone from the source."""

    allow_mass_removal: bool = False
    restore_deleted: bool = Field(default=False, description="Import again what people deleted here.")


class SourceCounts(BaseModel):
    """What the last run met, so far."""

    found: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped: int = 0
    failed: int = 0


class SourceProblem(BaseModel):
    """Why a run or a page failed, or was left out."""

    code: str
    reason: str
    hint: str | None = None
    details: dict[str, Any] = Field(default_factory=dict)


class SourceView(BaseModel):
    """A source and how its last run ended or stands. `documents` counts those it has now."""

    id: UUID
    knowledge_base_id: UUID
    kind: Literal["website", "folder"]
    name: str
    config: dict[str, Any]
    interval_hours: int | None
    state: SourceState
    counts: SourceCounts
    documents: int
    error: SourceProblem | None
    last_run_at: datetime | None
    next_run_at: datetime | None
    created_at: datetime
    updated_at: datetime


class SourceItemView(BaseModel):
    """One page or file. `key` is its address or path; `content_hash` of a file is its SHA-256."""

    id: UUID
    key: str
    state: ItemState
    document_id: UUID | None
    http_status: int | None
    content_hash: str | None
    error: SourceProblem | None
    seen_at: datetime | None


class ManifestFile(_Input):
    """A file of the folder: its path with `/`, its SHA-256 in hexadecimal, its bytes."""

    path: str = Field(min_length=1, max_length=1_000)
    sha256: str = Field(pattern=r"^[0-9a-fA-F]{64}$")
    size: int = Field(ge=0)


class Manifest(_Input):
    """All files of a folder, in one or more parts.

    The first part has no `run`; its answer names one, which the others carry. Only the part that is not
    followed by `more` removes what is not in any of them, unless `keep`.
    """

    files: list[ManifestFile] = Field(max_length=MAX_MANIFEST_FILES)
    keep: bool = False
    run: UUID | None = None
    more: bool = False
    allow_mass_removal: bool = False
    restore_deleted: bool = False


class RefusedFile(BaseModel):
    """A file of the manifest that will not be taken, and why."""

    path: str
    code: str
    reason: str


class ManifestAnswer(BaseModel):
    """What to do: `upload` these paths. `renamed` and `removed` are done already."""

    run: UUID
    upload: list[str]
    unchanged: int
    renamed: list[str]
    removed: list[str]
    refused: list[RefusedFile]


class ArchiveSync(BaseModel):
    """What an archive brought. `upload` were added or changed; `files` says what became of each of these."""

    upload: list[str]
    unchanged: int
    renamed: list[str]
    removed: list[str]
    refused: list[RefusedFile]
    files: list[FileOutcome]


class FolderUploadResult(BaseModel):
    """What became of every file that was sent. `unread`: the rest of the request was not read."""

    files: list[FileOutcome]
    accepted: int
    refused: int
    unread: bool = False
