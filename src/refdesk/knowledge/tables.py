"""Knowledge bases, stored files, documents with their versions, paragraphs, questions and sources.

The index lies in `indexing`.
"""

from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String, UniqueConstraint, Uuid, text
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import (
    CreatedAt,
    Id,
    Json,
    JsonList,
    OptionalJson,
    Sealed,
    TextArray,
    Timestamp,
    UpdatedAt,
    WorkspaceId,
)
from refdesk.kit.database import Base


class KnowledgeBase(Base):
    """A named collection of documents that share an embedding model.

    `active_index_id` is the switch between indexes. `settings` holds the defaults of splitting for new
    documents. `deleted_at` hides a base whose rows a job is still removing; its name is already free.
    """

    __tablename__ = "knowledge_bases"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    name: Mapped[str] = mapped_column(String(200))
    description: Mapped[str] = mapped_column(default="")
    embedding_model_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("models.id", ondelete="RESTRICT"), index=True
    )
    active_index_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("indexes.id", ondelete="SET NULL", use_alter=True), index=True
    )
    max_file_bytes: Mapped[int | None] = mapped_column(BigInteger)
    max_documents: Mapped[int | None]
    settings: Mapped[Json]
    meta: Mapped[Json]
    created_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    deleted_at: Mapped[Timestamp | None]
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (UniqueConstraint("workspace_id", "name", name="uq_knowledge_bases_workspace_id_name"),)


class Blob(Base):
    """An original file, stored once per workspace by the SHA-256 of its content.

    While it is being received `sha256` is a random stand-in and `completed_at` is null.
    """

    __tablename__ = "blobs"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    sha256: Mapped[bytes] = mapped_column(LargeBinary)
    size: Mapped[int] = mapped_column(BigInteger)
    completed_at: Mapped[Timestamp | None]
    created_at: Mapped[CreatedAt]

    __table_args__ = (UniqueConstraint("workspace_id", "sha256", name="uq_blobs_workspace_id_sha256"),)


class BlobChunk(Base):
    """One mebibyte of a file; kept in the database so that one dump is the whole backup."""

    __tablename__ = "blob_chunks"

    blob_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("blobs.id", ondelete="CASCADE"), primary_key=True)
    seq: Mapped[int] = mapped_column(primary_key=True)
    workspace_id: Mapped[WorkspaceId]
    data: Mapped[bytes] = mapped_column(LargeBinary)


class Document(Base):
    """A document and where it stands.

    `state`: `queued`, `parsing`, `splitting`, `indexing`, `ready`, `failed`, `cancelled`. `error` is
    `{code, stage, reason, hint}`. `attempt` is the fencing token of the job that may write: a job that
    finds another attempt in the row stops. `access_list_id` is the document's own list; `acl_id` the one
    that counts (its own, else its folder's), 0 for whoever may view the base. `split_at` tells since when the
    paragraphs are complete: where it is set, processing goes on with indexing. `deleted_at` hides a document
    whose rows a job is still removing.

    A draft (`is_draft`) is a preview: its paragraphs can be read and changed, nothing of it is indexed or
    counted, and it is removed at `expires_at` unless it was imported. `found_meta` is what the file says of
    itself, `meta` what people say, which wins. `report` tells what reading it brought: `{extracted_chars,
    kept_chars, removed_chars, ocr_pages}`, of files that hold others also `files_read` and `files_left_out`.
    `parsed_blob_id` keeps the parser's result, so that splitting
    anew does not parse anew. `password_sealed` opens a protected original. `removed_origins` are the origins
    (see `Paragraph`) that people deleted, so that no later version of the file brings them back.
    """

    __tablename__ = "documents"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    knowledge_base_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("knowledge_bases.id", ondelete="CASCADE"), index=True
    )
    blob_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("blobs.id", ondelete="SET NULL"), index=True
    )
    name: Mapped[str] = mapped_column(String(500))
    kind: Mapped[str | None] = mapped_column(String(32))
    state: Mapped[str] = mapped_column(String(16), default="queued")
    progress_done: Mapped[int] = mapped_column(default=0)
    progress_total: Mapped[int] = mapped_column(default=0)
    error: Mapped[OptionalJson | None]
    warnings: Mapped[JsonList]
    meta: Mapped[Json]
    split_settings: Mapped[Json]
    character_count: Mapped[int] = mapped_column(default=0)
    paragraph_count: Mapped[int] = mapped_column(default=0)
    coverage: Mapped[float | None]
    hit_handling: Mapped[str] = mapped_column(String(16), default="optimize")
    direct_return_similarity: Mapped[float] = mapped_column(default=0.9)
    folder_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("folders.id", ondelete="SET NULL"), index=True
    )
    access_list_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey("access_lists.id"), index=True)
    acl_id: Mapped[int] = mapped_column(BigInteger, default=0)
    cancel_requested: Mapped[bool] = mapped_column(default=False)
    attempt: Mapped[UUID | None] = mapped_column(Uuid)
    split_at: Mapped[Timestamp | None]
    deleted_at: Mapped[Timestamp | None]
    is_active: Mapped[bool] = mapped_column(default=True)
    is_draft: Mapped[bool] = mapped_column(default=False)
    # An edit waits to be indexed, so that searches find the text of before.
    is_reindexing: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    expires_at: Mapped[Timestamp | None]
    version: Mapped[int] = mapped_column(default=1)
    found_meta: Mapped[Json]
    report: Mapped[Json]
    parsed_blob_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("blobs.id", ondelete="SET NULL"), index=True
    )
    password_sealed: Mapped[Sealed | None]
    removed_origins: Mapped[TextArray]
    source_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("sources.id", ondelete="SET NULL"), index=True
    )
    created_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (
        Index("ix_documents_knowledge_base_id_updated_at", "knowledge_base_id", "updated_at"),
        # With the paragraphs, to tell without reading rows how much of a base lies under some lists.
        Index(
            "ix_documents_knowledge_base_id_acl_id",
            "knowledge_base_id",
            "acl_id",
            postgresql_include=["paragraph_count"],
        ),
        Index(
            "ix_documents_restricted",
            "knowledge_base_id",
            "id",
            "acl_id",
            postgresql_where=text("acl_id <> 0"),
        ),
        # Every search tells how many documents of its bases are not ready; mostly there are none.
        Index(
            "ix_documents_on_the_way",
            "knowledge_base_id",
            postgresql_where=text("state IN ('queued', 'parsing', 'splitting', 'indexing') OR is_reindexing"),
        ),
    )


class Paragraph(Base):
    """The unit that is found, read, edited and cited.

    `start`/`end` are offsets in the document's extracted text; `boxes` are `[page, x0, y0, x1, y1]` in
    PDF points from the top left. `revision` rises with every edit; the index notes which one it holds.

    `origins` are hashes of the splitter's paragraphs this one stands for (two after a merge, none for one
    that a person added). `source_title`/`source_content` hold what the file says where a person wrote
    something else, so that an edit can be taken back and survives a newer version of the file. `meta` holds
    what is known of this paragraph (`has_table`, `has_image`, `ocr_text`, `confidence_score`, …).
    """

    __tablename__ = "paragraphs"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    knowledge_base_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("knowledge_bases.id", ondelete="CASCADE"), index=True
    )
    document_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("documents.id", ondelete="CASCADE"))
    position: Mapped[int]
    title: Mapped[str] = mapped_column(default="")
    title_chain: Mapped[TextArray]
    content: Mapped[str]
    page: Mapped[int | None]
    boxes: Mapped[JsonList]
    start: Mapped[int] = mapped_column(default=0)
    end: Mapped[int] = mapped_column("end_", default=0)
    is_active: Mapped[bool] = mapped_column(default=True)
    is_edited: Mapped[bool] = mapped_column(default=False)
    hit_count: Mapped[int] = mapped_column(default=0)
    revision: Mapped[int] = mapped_column(default=1)
    origins: Mapped[TextArray]
    source_title: Mapped[str | None]
    source_content: Mapped[str | None]
    meta: Mapped[Json]
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (Index("ix_paragraphs_document_id_position", "document_id", "position"),)


class Question(Base):
    """A question that paragraphs of a base answer; indexed with each of them.

    There is one row a text, but where somebody asks what is there already for documents hidden from them:
    the same text with another `twin`, so that nothing tells them of the first.
    """

    __tablename__ = "questions"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    knowledge_base_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("knowledge_bases.id", ondelete="CASCADE")
    )
    content: Mapped[str] = mapped_column(String(500))
    twin: Mapped[int] = mapped_column(default=0)
    hit_count: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[CreatedAt]

    __table_args__ = (
        UniqueConstraint(
            "knowledge_base_id", "content", "twin", name="uq_questions_knowledge_base_id_content_twin"
        ),
    )


class ParagraphQuestion(Base):
    """That a question is attached to a paragraph (many to many)."""

    __tablename__ = "paragraph_questions"

    paragraph_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("paragraphs.id", ondelete="CASCADE"), primary_key=True
    )
    question_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("questions.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    workspace_id: Mapped[WorkspaceId]


class DocumentVersion(Base):
    """A version of a document. The current one has the document's `version` as its number and no `snapshot`.

    One with a higher number is being made; it becomes the current one together with its paragraphs.
    `restores`: where it is to bring an earlier version back, the number of that one.
    `snapshot` is the list of its paragraphs when it was replaced (compressed JSON: ids, titles, contents,
    places, questions), so that citations of old answers open what they were made from and a version can come
    back. `reason`: `upload`, `split`, `sync`, `rollback`, `reread`.
    """

    __tablename__ = "document_versions"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    document_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("documents.id", ondelete="CASCADE"))
    number: Mapped[int]
    reason: Mapped[str] = mapped_column(String(16), default="upload")
    name: Mapped[str] = mapped_column(String(500))
    kind: Mapped[str | None] = mapped_column(String(32))
    blob_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("blobs.id", ondelete="SET NULL"), index=True
    )
    found_meta: Mapped[Json]
    warnings: Mapped[JsonList]
    split_settings: Mapped[Json]
    character_count: Mapped[int] = mapped_column(default=0)
    paragraph_count: Mapped[int] = mapped_column(default=0)
    coverage: Mapped[float | None]
    snapshot: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)
    restores: Mapped[int | None]
    replaced_at: Mapped[Timestamp | None]
    created_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]

    __table_args__ = (
        UniqueConstraint("document_id", "number", name="uq_document_versions_document_id_number"),
    )


class PastParagraph(Base):
    """In which snapshot a paragraph lies that is no longer in the document."""

    __tablename__ = "past_paragraphs"

    paragraph_id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    version_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("document_versions.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    workspace_id: Mapped[WorkspaceId]


class DeletedParagraph(Base):
    """That somebody deleted a paragraph, or joined it with another; what it said is kept nowhere for that."""

    __tablename__ = "deleted_paragraphs"

    paragraph_id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    document_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("documents.id", ondelete="CASCADE"), index=True
    )
    workspace_id: Mapped[WorkspaceId]
    deleted_at: Mapped[Timestamp]


class Source(Base):
    """Where documents come from and are fetched again: a web site, or a folder somebody's client sends.

    `kind`: `website`, `folder`. `config` is of the kind. `state`: `idle`, `queued`, `running`, `failed`,
    `cancelled`. `counts` of the last run: `{found, added, changed, unchanged, removed, failed}`. `attempt` is
    the fencing token as in `Document`. `deleted_at` hides a source whose documents a job is still removing.
    """

    __tablename__ = "sources"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    knowledge_base_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("knowledge_bases.id", ondelete="CASCADE"), index=True
    )
    kind: Mapped[str] = mapped_column(String(16))
    name: Mapped[str] = mapped_column(String(200))
    config: Mapped[Json]
    interval_hours: Mapped[int | None]
    state: Mapped[str] = mapped_column(String(16), default="idle")
    counts: Mapped[Json]
    error: Mapped[OptionalJson | None]
    attempt: Mapped[UUID | None] = mapped_column(Uuid)
    cancel_requested: Mapped[bool] = mapped_column(default=False)
    last_run_at: Mapped[Timestamp | None]
    next_run_at: Mapped[Timestamp | None]
    deleted_at: Mapped[Timestamp | None]
    created_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]


class SourceItem(Base):
    """One page or file of a source as it was last seen. `key` is its URL or its path in the folder.

    `state`: `added`, `changed`, `unchanged`, `removed`, `skipped`, `failed`. `links` are the addresses a page
    leads to, for walks on which the server says that it has not changed. `acl_id` is the access list of the
    document it had, where that was removed: the address goes on being hidden from whom the document was.
    """

    __tablename__ = "source_items"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    source_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("sources.id", ondelete="CASCADE"))
    key: Mapped[str] = mapped_column(String(2000))
    document_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("documents.id", ondelete="SET NULL"), index=True
    )
    state: Mapped[str] = mapped_column(String(16))
    http_status: Mapped[int | None]
    etag: Mapped[str | None]
    last_modified: Mapped[str | None]
    content_hash: Mapped[bytes | None] = mapped_column(LargeBinary)
    links: Mapped[JsonList]
    error: Mapped[OptionalJson | None]
    seen_at: Mapped[Timestamp | None]
    acl_id: Mapped[int] = mapped_column(BigInteger, default=0)

    __table_args__ = (UniqueConstraint("source_id", "key", name="uq_source_items_source_id_key"),)
