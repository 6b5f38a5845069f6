"""The tables of revision 0006 for intents and what a conversation waits for."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

_JSON = postgresql.JSONB(astext_type=sa.Text())


def make() -> None:
    _make_pending()
    _make_intents()


def drop() -> None:
    for table in ("intent_example_vectors", "intent_tree_versions", "intents"):
        op.drop_table(table)
    op.drop_column("runs", "reply")
    op.drop_column("runs", "form")
    op.drop_table("pending_steps")


def _make_pending() -> None:
    op.create_table(
        "pending_steps",
        sa.Column("conversation_id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("state", _JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        _foreign("pending_steps", "conversation_id", "conversations"),
        _foreign("pending_steps", "workspace_id", "workspaces"),
        _foreign("pending_steps", "run_id", "runs"),
        sa.PrimaryKeyConstraint("conversation_id", name=op.f("pk_pending_steps")),
    )
    for column in ("workspace_id", "run_id"):
        op.create_index(op.f(f"ix_pending_steps_{column}"), "pending_steps", [column])
    op.add_column("runs", sa.Column("form", _JSON, nullable=True))
    op.add_column("runs", sa.Column("reply", _JSON, nullable=True))


def _make_intents() -> None:
    texts = ("description", "parameter_prompt", "answer_rule", "system_prompt", "reply")
    op.create_table(
        "intents",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("application_id", sa.Uuid(), nullable=False),
        sa.Column("parent_id", sa.Uuid(), nullable=True),
        sa.Column("code", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        *[sa.Column(name, sa.String(), nullable=False) for name in texts],
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("examples", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("knowledge_base_ids", postgresql.ARRAY(sa.Uuid()), nullable=False),
        sa.Column("tool_id", sa.String(length=200), nullable=True),
        sa.Column("top_k", sa.Integer(), nullable=True),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        *[
            sa.Column(name, sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False)
            for name in ("created_at", "updated_at")
        ],
        _foreign("intents", "workspace_id", "workspaces"),
        _foreign("intents", "application_id", "applications"),
        _foreign("intents", "parent_id", "intents"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_intents")),
    )
    for column in ("workspace_id", "application_id", "parent_id"):
        op.create_index(op.f(f"ix_intents_{column}"), "intents", [column])
    op.create_index(
        "uq_intents_application_id_code",
        "intents",
        ["application_id", "code"],
        unique=True,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_table(
        "intent_tree_versions",
        sa.Column("application_id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        _foreign("intent_tree_versions", "workspace_id", "workspaces"),
        _foreign("intent_tree_versions", "application_id", "applications"),
        sa.PrimaryKeyConstraint("application_id", name=op.f("pk_intent_tree_versions")),
    )
    op.create_index(op.f("ix_intent_tree_versions_workspace_id"), "intent_tree_versions", ["workspace_id"])
    op.create_table(
        "intent_example_vectors",
        sa.Column("application_id", sa.Uuid(), nullable=False),
        sa.Column("model_id", sa.Uuid(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        _foreign("intent_example_vectors", "workspace_id", "workspaces"),
        _foreign("intent_example_vectors", "application_id", "applications"),
        _foreign("intent_example_vectors", "model_id", "models"),
        sa.PrimaryKeyConstraint(
            "application_id", "model_id", "digest", name=op.f("pk_intent_example_vectors")
        ),
    )
    for column in ("workspace_id", "model_id"):
        op.create_index(op.f(f"ix_intent_example_vectors_{column}"), "intent_example_vectors", [column])


def _foreign(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")
