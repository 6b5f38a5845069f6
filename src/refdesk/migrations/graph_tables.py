"""The tables of revision 0006 for knowledge graphs."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

_TABLES = ("graph_relations", "graph_mentions", "graph_readings", "knowledge_graphs")


def make() -> None:
    _make_graphs()
    _make_readings()
    _make_mentions()
    _make_relations()


def drop() -> None:
    for table in _TABLES:
        op.drop_table(table)


def _workspace(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["workspace_id"], ["workspaces.id"], name=op.f(f"fk_{table}_workspace_id"), ondelete="CASCADE"
    )


def _reading(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["graph_id", "paragraph_id"],
        ["graph_readings.graph_id", "graph_readings.paragraph_id"],
        name=f"fk_{table}_reading",
        ondelete="CASCADE",
    )


def _make_graphs() -> None:
    op.create_table(
        "knowledge_graphs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("knowledge_base_id", sa.Uuid(), nullable=False),
        sa.Column("method", sa.String(length=16), nullable=False),
        sa.Column("model_id", sa.Uuid(), nullable=True),
        sa.Column("recipe", sa.String(length=64), nullable=False),
        sa.Column("follows", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Uuid(), nullable=True),
        sa.Column("progress_done", sa.Integer(), nullable=False),
        sa.Column("progress_total", sa.Integer(), nullable=False),
        sa.Column("skipped", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost", sa.Numeric(precision=20, scale=8), nullable=True),
        sa.Column("currency", sa.String(length=3), nullable=True),
        sa.Column("error", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_knowledge_graphs_created_by"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["knowledge_base_id"],
            ["knowledge_bases.id"],
            name=op.f("fk_knowledge_graphs_knowledge_base_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name=op.f("fk_knowledge_graphs_model_id"), ondelete="SET NULL"
        ),
        _workspace("knowledge_graphs"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_knowledge_graphs")),
        sa.UniqueConstraint("knowledge_base_id", name=op.f("uq_knowledge_graphs_knowledge_base_id")),
    )
    op.create_index(op.f("ix_knowledge_graphs_model_id"), "knowledge_graphs", ["model_id"])
    op.create_index(op.f("ix_knowledge_graphs_workspace_id"), "knowledge_graphs", ["workspace_id"])


def _make_readings() -> None:
    op.create_table(
        "graph_readings",
        sa.Column("graph_id", sa.Uuid(), nullable=False),
        sa.Column("paragraph_id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("recipe", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["paragraph_id"],
            ["paragraphs.id"],
            name=op.f("fk_graph_readings_paragraph_id"),
            ondelete="CASCADE",
        ),
        _workspace("graph_readings"),
        sa.PrimaryKeyConstraint("graph_id", "paragraph_id", name=op.f("pk_graph_readings")),
    )
    op.create_index(op.f("ix_graph_readings_paragraph_id"), "graph_readings", ["paragraph_id"])
    op.create_index(op.f("ix_graph_readings_workspace_id"), "graph_readings", ["workspace_id"])


def _make_mentions() -> None:
    op.create_table(
        "graph_mentions",
        sa.Column("graph_id", sa.Uuid(), nullable=False),
        sa.Column("paragraph_id", sa.Uuid(), nullable=False),
        sa.Column("entity_id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        _reading("graph_mentions"),
        _workspace("graph_mentions"),
        sa.PrimaryKeyConstraint("graph_id", "paragraph_id", "entity_id", name=op.f("pk_graph_mentions")),
    )
    op.create_index("ix_graph_mentions_entity_id", "graph_mentions", ["entity_id", "graph_id"])
    op.create_index(op.f("ix_graph_mentions_workspace_id"), "graph_mentions", ["workspace_id"])


def _make_relations() -> None:
    op.create_table(
        "graph_relations",
        sa.Column("id", sa.BigInteger(), autoincrement=True, nullable=False),
        sa.Column("graph_id", sa.Uuid(), nullable=False),
        sa.Column("paragraph_id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("target_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.Column("label", sa.String(length=100), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end_", sa.Integer(), nullable=False),
        sa.Column("ends", sa.Boolean(), nullable=False),
        _reading("graph_relations"),
        _workspace("graph_relations"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_graph_relations")),
    )
    op.create_index("ix_graph_relations_reading", "graph_relations", ["graph_id", "paragraph_id"])
    op.create_index("ix_graph_relations_source_id", "graph_relations", ["source_id", "graph_id"])
    op.create_index("ix_graph_relations_target_id", "graph_relations", ["target_id", "graph_id"])
    for end in ("source", "target"):
        op.create_index(
            f"ix_graph_relations_alias_{end}",
            "graph_relations",
            [f"{end}_id"],
            postgresql_where=sa.text("kind = 'alias'"),
        )
    op.create_index(op.f("ix_graph_relations_workspace_id"), "graph_relations", ["workspace_id"])
