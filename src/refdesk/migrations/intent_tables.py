"""The tables of revision 0006 for intents and what a conversation waits for."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

_JSON = postgresql.JSONB(astext_type=sa.Text())


def make() -> None:
    _make_pending()


def drop() -> None:
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


def _foreign(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")
