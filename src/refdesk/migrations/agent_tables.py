"""The tables of revision 0006 for the agent, skills and working directories."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

_JSON = postgresql.JSONB(astext_type=sa.Text())


def make() -> None:
    _make_turns()


def drop() -> None:
    op.drop_table("agent_turns")


def _make_turns() -> None:
    op.create_table(
        "agent_turns",
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("rounds", _JSON, nullable=False),
        sa.Column("sources", _JSON, nullable=False),
        _foreign("agent_turns", "run_id", "runs"),
        _foreign("agent_turns", "workspace_id", "workspaces"),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_agent_turns")),
    )
    op.create_index(op.f("ix_agent_turns_workspace_id"), "agent_turns", ["workspace_id"])


def _foreign(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")
