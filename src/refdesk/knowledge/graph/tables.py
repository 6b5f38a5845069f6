"""Knowledge graphs: what was read from each paragraph. Nothing merged is stored.

An entity's id is made from its key (`keys.entity_id`), so that one name is one entity wherever it stands, in
whatever spelling, and an edge is all the rows of one source, kind and target. A paragraph that is edited or
deleted takes its rows with it, and nothing else has to follow.
"""

from decimal import Decimal
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, ForeignKeyConstraint, Index, Numeric, String, Uuid, text
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, OptionalJson, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class KnowledgeGraph(Base):
    """The graph of a base, if it has one, and how far it is.

    `method`: `rules` or `model`. `recipe` names what paragraphs are read with: one read by another is read
    anew. `state`: `queued`, `building`, `ready`, `failed`, `cancelled`. `attempt` is the fencing token of the
    run that may write. `follows`: edits and new documents are read without being asked. `skipped` counts
    paragraphs of which the model gave no usable answer. Tokens and cost are of all runs together.
    """

    __tablename__ = "knowledge_graphs"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    knowledge_base_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("knowledge_bases.id", ondelete="CASCADE"), unique=True
    )
    method: Mapped[str] = mapped_column(String(16))
    model_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("models.id", ondelete="SET NULL"), index=True
    )
    recipe: Mapped[str] = mapped_column(String(64))
    follows: Mapped[bool] = mapped_column(default=True)
    state: Mapped[str] = mapped_column(String(16), default="queued")
    attempt: Mapped[UUID | None] = mapped_column(Uuid)
    progress_done: Mapped[int] = mapped_column(default=0)
    progress_total: Mapped[int] = mapped_column(default=0)
    skipped: Mapped[int] = mapped_column(default=0)
    input_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    output_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    cost: Mapped[Decimal | None] = mapped_column(Numeric(20, 8))
    currency: Mapped[str | None] = mapped_column(String(3))
    error: Mapped[OptionalJson | None]
    created_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]


class GraphReading(Base):
    """That a paragraph was read for a graph, at which revision and by which recipe."""

    __tablename__ = "graph_readings"

    graph_id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    paragraph_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("paragraphs.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    workspace_id: Mapped[WorkspaceId]
    revision: Mapped[int]
    recipe: Mapped[str] = mapped_column(String(64))


class GraphMention(Base):
    """An entity as a paragraph names it. `kind`: `thing`, `code` or `value`."""

    __tablename__ = "graph_mentions"

    graph_id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    paragraph_id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    entity_id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    workspace_id: Mapped[WorkspaceId]
    document_id: Mapped[UUID] = mapped_column(Uuid)
    revision: Mapped[int]
    name: Mapped[str] = mapped_column(String(200))
    key: Mapped[str] = mapped_column(String(200))
    kind: Mapped[str] = mapped_column(String(16))

    __table_args__ = (
        ForeignKeyConstraint(
            ["graph_id", "paragraph_id"],
            ["graph_readings.graph_id", "graph_readings.paragraph_id"],
            name="fk_graph_mentions_reading",
            ondelete="CASCADE",
        ),
        Index("ix_graph_mentions_entity_id", "entity_id", "graph_id"),
    )


class GraphRelation(Base):
    """A relation as a paragraph tells it.

    `kind` is one of `kinds.KINDS`; `label` is what the text calls it. `start`, `end`: where in the content of
    the paragraph it stands. `ends`: the target is a value, which paths may end in but not pass through.
    """

    __tablename__ = "graph_relations"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=True)
    graph_id: Mapped[UUID] = mapped_column(Uuid)
    paragraph_id: Mapped[UUID] = mapped_column(Uuid)
    workspace_id: Mapped[WorkspaceId]
    document_id: Mapped[UUID] = mapped_column(Uuid)
    revision: Mapped[int]
    source_id: Mapped[UUID] = mapped_column(Uuid)
    target_id: Mapped[UUID] = mapped_column(Uuid)
    kind: Mapped[str] = mapped_column(String(24))
    label: Mapped[str] = mapped_column(String(100))
    start: Mapped[int]
    end: Mapped[int] = mapped_column("end_")
    ends: Mapped[bool] = mapped_column(default=False)

    __table_args__ = (
        ForeignKeyConstraint(
            ["graph_id", "paragraph_id"],
            ["graph_readings.graph_id", "graph_readings.paragraph_id"],
            name="fk_graph_relations_reading",
            ondelete="CASCADE",
        ),
        Index("ix_graph_relations_reading", "graph_id", "paragraph_id"),
        Index("ix_graph_relations_source_id", "source_id", "graph_id"),
        Index("ix_graph_relations_target_id", "target_id", "graph_id"),
        # Names of one thing are looked up at every step of a path; few relations are of this kind.
        Index("ix_graph_relations_alias_source", "source_id", postgresql_where=text("kind = 'alias'")),
        Index("ix_graph_relations_alias_target", "target_id", postgresql_where=text("kind = 'alias'")),
    )
