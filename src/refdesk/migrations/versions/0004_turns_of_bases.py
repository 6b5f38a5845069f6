"""Knowledge bases take turns in the queue; documents with edits that are not indexed yet."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

ON_THE_WAY = "state IN ('queued', 'parsing', 'splitting', 'indexing')"
# The lines of each workspace with the turns of their waiting jobs; see `refdesk.jobs.queue`, which writes the
# same expressions.
LINES = """
CREATE INDEX ix_procrastinate_jobs_lines ON procrastinate_jobs
    ((args ->> 'workspace_id'), (queue_name || ':' || coalesce(args ->> 'line', '')), priority)
    WHERE status = 'todo' AND priority <= 0
"""


def upgrade() -> None:
    op.execute(LINES)
    op.add_column(
        "documents",
        sa.Column("is_reindexing", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
    op.drop_index("ix_documents_on_the_way", table_name="documents")
    op.create_index(
        "ix_documents_on_the_way",
        "documents",
        ["knowledge_base_id"],
        postgresql_where=sa.text(f"{ON_THE_WAY} OR is_reindexing"),
    )


def downgrade() -> None:
    op.drop_index("ix_documents_on_the_way", table_name="documents")
    op.create_index(
        "ix_documents_on_the_way", "documents", ["knowledge_base_id"], postgresql_where=sa.text(ON_THE_WAY)
    )
    op.drop_column("documents", "is_reindexing")
    op.drop_index("ix_procrastinate_jobs_lines", table_name="procrastinate_jobs")
