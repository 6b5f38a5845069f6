"""Comparisons: a test set asked of several modes and settings."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_JSON = postgresql.JSONB(astext_type=sa.Text())


def upgrade() -> None:
    op.add_column(
        "conversations", sa.Column("listed", sa.Boolean(), server_default=sa.text("true"), nullable=False)
    )
    op.create_table(
        "comparisons",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("test_set_id", sa.Uuid(), nullable=False),
        sa.Column("knowledge_base_ids", postgresql.ARRAY(sa.Uuid()), nullable=False),
        sa.Column("variants", _JSON, nullable=False),
        sa.Column("asker", _JSON, nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Uuid(), nullable=True),
        sa.Column("question_count", sa.Integer(), nullable=False),
        sa.Column("error", _JSON, nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        _foreign("comparisons", "workspace_id", "workspaces", "CASCADE"),
        _foreign("comparisons", "test_set_id", "test_sets", "CASCADE"),
        _foreign("comparisons", "created_by", "users", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comparisons")),
    )
    for column in ("workspace_id", "test_set_id"):
        op.create_index(op.f(f"ix_comparisons_{column}"), "comparisons", [column])
    op.create_table(
        "comparison_answers",
        sa.Column("comparison_id", sa.Uuid(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("variant", sa.Integer(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("question_id", sa.Uuid(), nullable=True),
        sa.Column("question", sa.String(length=4000), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=True),
        sa.Column("outcome", sa.String(length=16), nullable=True),
        sa.Column("figures", _JSON, nullable=False),
        _foreign("comparison_answers", "comparison_id", "comparisons", "CASCADE"),
        _foreign("comparison_answers", "workspace_id", "workspaces", "CASCADE"),
        _foreign("comparison_answers", "question_id", "test_questions", "SET NULL"),
        _foreign("comparison_answers", "run_id", "runs", "SET NULL"),
        sa.PrimaryKeyConstraint("comparison_id", "place", "variant", name=op.f("pk_comparison_answers")),
    )
    for column in ("workspace_id", "question_id", "run_id"):
        op.create_index(op.f(f"ix_comparison_answers_{column}"), "comparison_answers", [column])


def downgrade() -> None:
    op.drop_table("comparison_answers")
    op.drop_table("comparisons")
    op.execute("DELETE FROM conversations WHERE NOT listed")
    op.drop_column("conversations", "listed")


def _foreign(table: str, column: str, target: str, ondelete: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete=ondelete)
