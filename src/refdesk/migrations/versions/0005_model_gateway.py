"""The model gateway: what models can do, fallback policies, health, limits, usage, caches."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _describe_models()


def downgrade() -> None:
    for name in ("version", "capabilities", "concurrency"):
        op.drop_column("models", name)


def _describe_models() -> None:
    op.add_column(
        "models", sa.Column("version", sa.String(length=32), server_default=sa.text("'1'"), nullable=False)
    )
    op.add_column(
        "models",
        sa.Column(
            "capabilities",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
    )
    op.add_column("models", sa.Column("concurrency", sa.Integer(), nullable=True))
