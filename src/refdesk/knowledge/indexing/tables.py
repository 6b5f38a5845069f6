"""Indexes, what they hold of each paragraph, and the lexical statistics.

`index_entries` itself is LIST-partitioned by `home` and reached by SQL only (see the migration): its
`halfvec`, `int[]` and `sparsevec` columns gain nothing from a mapped class.
"""

from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Identity, Integer, String, Uuid
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, OptionalJson, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class KnowledgeIndex(Base):
    """One index of a knowledge base: one embedding model, one generation, one home.

    `state`: `building`, `active`, `retired`. `home` 0 is shared by all small indexes.
    `entry_count`, `total_length` are the folded totals; `average_length` is the one that stored BM25
    weights were computed with (0 until there are any). `next_home` is the home being built for it, if any.
    """

    __tablename__ = "indexes"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    knowledge_base_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("knowledge_bases.id", ondelete="CASCADE"), index=True
    )
    model_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("models.id", ondelete="RESTRICT"), index=True)
    dimensions: Mapped[int]
    generation: Mapped[int] = mapped_column(default=1)
    home: Mapped[int] = mapped_column(default=0)
    next_home: Mapped[int | None]
    state: Mapped[str] = mapped_column(String(16), default="active")
    entry_count: Mapped[int] = mapped_column(BigInteger, default=0)
    total_length: Mapped[int] = mapped_column(BigInteger, default=0)
    average_length: Mapped[float] = mapped_column(default=0.0)
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]


class IndexedParagraph(Base):
    """Which revision of a paragraph an index holds: the checkpoint of every indexing job.

    Written in the transaction that writes the paragraph's entries, so either both are there or neither.
    """

    __tablename__ = "indexed_paragraphs"

    index_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("indexes.id", ondelete="CASCADE"), primary_key=True
    )
    paragraph_id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    document_id: Mapped[UUID] = mapped_column(Uuid, index=True)
    workspace_id: Mapped[WorkspaceId]
    revision: Mapped[int]


class TermFrequency(Base):
    """In how many entries of an index under one access list a hashed term occurs, as of the last fold."""

    __tablename__ = "term_frequencies"

    index_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("indexes.id", ondelete="CASCADE"), primary_key=True
    )
    term: Mapped[int] = mapped_column(Integer, primary_key=True)
    acl_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    workspace_id: Mapped[WorkspaceId]
    frequency: Mapped[int]


class LexicalDelta(Base):
    """A change of the lexical statistics not yet folded: appended, so that batches never wait for rows."""

    __tablename__ = "lexical_deltas"

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    index_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("indexes.id", ondelete="CASCADE"), index=True)
    workspace_id: Mapped[WorkspaceId]
    acl_id: Mapped[int] = mapped_column(BigInteger)
    entries: Mapped[int]
    length: Mapped[int] = mapped_column(BigInteger)
    terms: Mapped[list[int]] = mapped_column(ARRAY(Integer))
    counts: Mapped[list[int]] = mapped_column(ARRAY(Integer))


class IndexBuild(Base):
    """An index being built beside the one in use, with another embedding model, and what came of it.

    `state`: `queued`, `building`, `built`, `switched`, `failed`, `cancelled`. `previous_index_id` is the
    index that was in use when it was switched to, kept for the way back. `comparison` holds both indexes'
    figures on the base's test questions. `attempt` is the fencing token as in `Document`.
    """

    __tablename__ = "index_builds"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    knowledge_base_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("knowledge_bases.id", ondelete="CASCADE"), index=True
    )
    index_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("indexes.id", ondelete="SET NULL"), index=True
    )
    previous_index_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("indexes.id", ondelete="SET NULL"), index=True
    )
    model_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("models.id", ondelete="CASCADE"), index=True)
    state: Mapped[str] = mapped_column(String(16), default="queued")
    progress_done: Mapped[int] = mapped_column(default=0)
    progress_total: Mapped[int] = mapped_column(default=0)
    comparison: Mapped[OptionalJson | None]
    error: Mapped[OptionalJson | None]
    attempt: Mapped[UUID | None] = mapped_column(Uuid)
    created_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]
