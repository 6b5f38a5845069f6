"""Answers and vectors that are kept so that the same need not be computed twice."""

from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, LargeBinary, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Json, Timestamp, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class ResponseCachePolicy(Base):
    """That answers of an application are kept, for how long, how many bytes of them, and how often it helped.

    Without a row nothing of the application is kept.
    """

    __tablename__ = "response_cache_policies"

    application_id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    workspace_id: Mapped[WorkspaceId]
    ttl_s: Mapped[int]
    max_bytes: Mapped[int] = mapped_column(BigInteger)
    with_tools: Mapped[bool] = mapped_column(default=False)
    hits: Mapped[int] = mapped_column(BigInteger, default=0)
    misses: Mapped[int] = mapped_column(BigInteger, default=0)
    updated_at: Mapped[UpdatedAt]


class CachedResponse(Base):
    """One whole answer. `key` is the SHA-256 of the model with its revision, the messages and parameters."""

    __tablename__ = "cached_responses"

    application_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("response_cache_policies.application_id", ondelete="CASCADE"), primary_key=True
    )
    key: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    workspace_id: Mapped[WorkspaceId]
    model_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("models.id", ondelete="CASCADE"), index=True)
    body: Mapped[Json]
    size: Mapped[int] = mapped_column(Integer)
    created_at: Mapped[CreatedAt]
    expires_at: Mapped[Timestamp]

    __table_args__ = (Index("ix_cached_responses_application_id_created_at", "application_id", "created_at"),)


class CachedEmbedding(Base):
    """The vector of one passage: `digest` is the SHA-256 of what the model does with texts, and the text.

    `used_on` is the day (since 1970) it was last asked for.
    """

    __tablename__ = "cached_embeddings"

    model_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("models.id", ondelete="CASCADE"), primary_key=True
    )
    digest: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    workspace_id: Mapped[WorkspaceId]
    vector: Mapped[bytes] = mapped_column(LargeBinary)
    used_on: Mapped[int] = mapped_column(Integer, index=True)


class EmbeddingCacheFigures(Base):
    """How often passages were found in the cache, and how often not."""

    __tablename__ = "embedding_cache_figures"

    model_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("models.id", ondelete="CASCADE"), primary_key=True
    )
    workspace_id: Mapped[WorkspaceId]
    hits: Mapped[int] = mapped_column(BigInteger, default=0)
    misses: Mapped[int] = mapped_column(BigInteger, default=0)
