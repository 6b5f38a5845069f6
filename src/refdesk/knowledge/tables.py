"""Knowledge bases, stored files, documents and paragraphs. The index lies in `indexing`."""

from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import (
    CreatedAt,
    Id,
    Json,
    JsonList,
    OptionalJson,
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
    finds another attempt in the row stops. `acl_id` 0 means whoever may view the base. `split_at` tells
    since when the paragraphs are complete: where it is set, processing goes on with indexing. `deleted_at`
    hides a document whose rows a job is still removing.
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
    acl_id: Mapped[int] = mapped_column(BigInteger, default=0)
    cancel_requested: Mapped[bool] = mapped_column(default=False)
    attempt: Mapped[UUID | None] = mapped_column(Uuid)
    split_at: Mapped[Timestamp | None]
    deleted_at: Mapped[Timestamp | None]
    created_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (Index("ix_documents_knowledge_base_id_updated_at", "knowledge_base_id", "updated_at"),)


class Paragraph(Base):
    """The unit that is found, read, edited and cited.

    `start`/`end` are offsets in the document's extracted text; `boxes` are `[page, x0, y0, x1, y1]` in
    PDF points from the top left. `revision` rises with every edit; the index notes which one it holds.
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
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (Index("ix_paragraphs_document_id_position", "document_id", "position"),)
