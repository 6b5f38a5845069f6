"""The tables of revision 0006 for the stages of an answer, memory and notes."""

import sqlalchemy as sa
from alembic import op


def make() -> None:
    op.add_column(
        "conversations",
        sa.Column("summarised", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
    op.create_table(
        "conversation_summaries",
        sa.Column("conversation_id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("run_ids", sa.ARRAY(sa.Uuid()), nullable=False),
        _moment("updated_at"),
        _foreign("conversation_summaries", "conversation_id", "conversations"),
        _foreign("conversation_summaries", "workspace_id", "workspaces"),
        sa.PrimaryKeyConstraint("conversation_id", name=op.f("pk_conversation_summaries")),
    )
    op.create_table(
        "notebooks",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("application_id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        _moment("created_at"),
        _foreign("notebooks", "user_id", "users"),
        _foreign("notebooks", "workspace_id", "workspaces"),
        sa.PrimaryKeyConstraint("user_id", "application_id", name=op.f("pk_notebooks")),
    )
    op.create_table(
        "person_notes",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("application_id", sa.Uuid(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        _moment("created_at"),
        _moment("updated_at"),
        _foreign("person_notes", "user_id", "users"),
        _foreign("person_notes", "workspace_id", "workspaces"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person_notes")),
    )
    op.create_index("ix_person_notes_person", "person_notes", ["user_id", "application_id"])
    for table in ("conversation_summaries", "notebooks", "person_notes"):
        op.create_index(op.f(f"ix_{table}_workspace_id"), table, ["workspace_id"])


def drop() -> None:
    for table in ("person_notes", "notebooks", "conversation_summaries"):
        op.drop_table(table)
    op.drop_column("conversations", "summarised")


def _moment(name: str) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False)


def _foreign(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")
