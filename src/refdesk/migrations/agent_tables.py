"""The tables of revision 0006 for the agent, skills and working directories."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

_JSON = postgresql.JSONB(astext_type=sa.Text())


def make() -> None:
    _make_turns()
    _make_skills()
    _make_files()


def drop() -> None:
    for table in ("working_files", "skill_files", "skills"):
        op.drop_table(table)
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


def _make_skills() -> None:
    op.create_table(
        "skills",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        *_times("created_at", "updated_at"),
        _foreign("skills", "workspace_id", "workspaces"),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_skills_created_by_users"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_skills")),
        sa.UniqueConstraint("workspace_id", "name", name="uq_skills_workspace_id_name"),
    )
    op.create_index(op.f("ix_skills_workspace_id"), "skills", ["workspace_id"])
    op.create_table(
        "skill_files",
        sa.Column("skill_id", sa.Uuid(), nullable=False),
        sa.Column("path", sa.String(length=300), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        _foreign("skill_files", "skill_id", "skills"),
        _foreign("skill_files", "workspace_id", "workspaces"),
        sa.PrimaryKeyConstraint("skill_id", "path", name=op.f("pk_skill_files")),
    )
    op.create_index(op.f("ix_skill_files_workspace_id"), "skill_files", ["workspace_id"])


def _make_files() -> None:
    op.create_table(
        "working_files",
        sa.Column("conversation_id", sa.Uuid(), nullable=False),
        sa.Column("path", sa.String(length=300), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        _foreign("working_files", "conversation_id", "conversations"),
        _foreign("working_files", "workspace_id", "workspaces"),
        sa.PrimaryKeyConstraint("conversation_id", "path", name=op.f("pk_working_files")),
    )
    op.create_index(op.f("ix_working_files_workspace_id"), "working_files", ["workspace_id"])


def _times(*names: str) -> list[sa.Column[object]]:
    return [
        sa.Column(name, sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False)
        for name in names
    ]


def _foreign(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")
