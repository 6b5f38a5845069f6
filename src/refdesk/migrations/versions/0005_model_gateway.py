"""The model gateway: what models can do, fallback policies, health, limits, usage, caches."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from refdesk.migrations import model_gateway_tables

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


# Every change of these is told on the channel `refdesk_models` as `TABLE:ID`, whoever makes it.
_TOLD = {"models": "id", "fallback_policies": "id", "purpose_routes": "id", "model_health": "model_id"}


def upgrade() -> None:
    _describe_models()
    _make_routing()
    model_gateway_tables.make()
    _make_films()
    _describe_exchange()
    _make_question_pictures()


def downgrade() -> None:
    op.drop_column("runs", "picture_ids")
    op.drop_table("question_pictures")
    for name in ("input_schema", "output_schema", "undeclared_output"):
        op.drop_column("models", name)
    op.drop_table("model_films")
    model_gateway_tables.drop()
    _drop_routing()
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


def _describe_exchange() -> None:
    for name in ("input_schema", "output_schema"):
        op.add_column("models", sa.Column(name, postgresql.JSONB(astext_type=sa.Text()), nullable=True))
    op.add_column(
        "models",
        sa.Column(
            "undeclared_output", sa.String(length=16), server_default=sa.text("'filter'"), nullable=False
        ),
    )


def _id() -> sa.Column[Any]:
    return sa.Column("id", sa.Uuid(), nullable=False)


def _workspace(table: str) -> tuple[sa.Column[Any], sa.ForeignKeyConstraint]:
    return sa.Column("workspace_id", sa.Uuid(), nullable=False), sa.ForeignKeyConstraint(
        ["workspace_id"],
        ["workspaces.id"],
        name=op.f(f"fk_{table}_workspace_id_workspaces"),
        ondelete="CASCADE",
    )


def _times(*names: str) -> list[sa.Column[Any]]:
    now = sa.text("now()")
    return [sa.Column(name, sa.DateTime(timezone=True), server_default=now, nullable=False) for name in names]


def _of_model(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_model_id_models")
    return sa.ForeignKeyConstraint(["model_id"], ["models.id"], name=name, ondelete="CASCADE")


def _make_routing() -> None:
    json = postgresql.JSONB(astext_type=sa.Text())
    op.create_table(
        "fallback_policies",
        _id(),
        sa.Column("policy_id", sa.String(length=100), nullable=False),
        sa.Column("description", sa.String(length=500), server_default="", nullable=False),
        sa.Column("rules", json, nullable=False),
        *_workspace("fallback_policies"),
        *_times("created_at", "updated_at"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fallback_policies")),
        sa.UniqueConstraint("workspace_id", "policy_id", name="uq_fallback_policies_workspace_id_policy_id"),
    )
    op.create_index(op.f("ix_fallback_policies_workspace_id"), "fallback_policies", ["workspace_id"])
    op.add_column("models", sa.Column("health_check", json, nullable=True))
    op.add_column("models", sa.Column("fallback_policy_id", sa.Uuid(), nullable=True))
    op.create_index(op.f("ix_models_fallback_policy_id"), "models", ["fallback_policy_id"])
    op.create_foreign_key(
        op.f("fk_models_fallback_policy_id_fallback_policies"),
        "models",
        "fallback_policies",
        ["fallback_policy_id"],
        ["id"],
        ondelete="SET NULL",
    )
    op.create_table(
        "purpose_routes",
        _id(),
        sa.Column("purpose", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("model_id", sa.Uuid(), nullable=False),
        *_workspace("purpose_routes"),
        _of_model("purpose_routes"),
        *_times("created_at", "updated_at"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_purpose_routes")),
        sa.UniqueConstraint(
            "workspace_id", "purpose", "kind", name="uq_purpose_routes_workspace_id_purpose_kind"
        ),
    )
    op.create_index(op.f("ix_purpose_routes_workspace_id"), "purpose_routes", ["workspace_id"])
    op.create_index(op.f("ix_purpose_routes_model_id"), "purpose_routes", ["model_id"])
    op.create_table(
        "model_health",
        sa.Column("model_id", sa.Uuid(), nullable=False),
        sa.Column("state", sa.String(length=16), server_default="closed", nullable=False),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("version", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("retry_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lease_owner", sa.String(length=64), nullable=True),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_failure", json, nullable=True),
        sa.Column("last_probe", json, nullable=True),
        sa.Column("probe_due_at", sa.DateTime(timezone=True), nullable=True),
        _of_model("model_health"),
        sa.PrimaryKeyConstraint("model_id", name=op.f("pk_model_health")),
    )
    op.create_table(
        "model_outcomes",
        sa.Column("model_id", sa.Uuid(), nullable=False),
        sa.Column("hour", sa.DateTime(timezone=True), nullable=False),
        sa.Column("calls", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        _of_model("model_outcomes"),
        sa.PrimaryKeyConstraint("model_id", "hour", name=op.f("pk_model_outcomes")),
    )
    op.execute("""
        CREATE FUNCTION refdesk_tell_models() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM pg_notify('refdesk_models', TG_TABLE_NAME || ':' ||
                CASE WHEN TG_OP = 'DELETE' THEN to_jsonb(OLD) ->> TG_ARGV[0]
                     ELSE to_jsonb(NEW) ->> TG_ARGV[0] END);
            RETURN NULL;
        END $$
    """)
    for table, key in _TOLD.items():
        op.execute(
            f"CREATE TRIGGER tell_models AFTER INSERT OR UPDATE OR DELETE ON {table}"
            f" FOR EACH ROW EXECUTE FUNCTION refdesk_tell_models('{key}')"
        )


def _drop_routing() -> None:
    for table in _TOLD:
        op.execute(f"DROP TRIGGER tell_models ON {table}")
    op.execute("DROP FUNCTION refdesk_tell_models()")
    for table in ("model_outcomes", "model_health", "purpose_routes"):
        op.drop_table(table)
    for name in ("fallback_policy_id", "health_check"):
        op.drop_column("models", name)
    op.drop_table("fallback_policies")


def _make_films() -> None:
    workspace, in_workspace = _workspace("model_films")
    op.create_table(
        "model_films",
        _id(),
        workspace,
        sa.Column("model_id", sa.Uuid(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("task", sa.String(length=500), nullable=False),
        sa.Column("stage", sa.String(length=16), nullable=False),
        sa.Column("progress", sa.Float(), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("error", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        in_workspace,
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name=op.f("fk_model_films_model_id_models"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_films")),
    )
    op.create_index(op.f("ix_model_films_workspace_id"), "model_films", ["workspace_id"])
    op.create_index(op.f("ix_model_films_model_id"), "model_films", ["model_id"])


def _make_question_pictures() -> None:
    workspace, in_workspace = _workspace("question_pictures")
    op.create_table(
        "question_pictures",
        _id(),
        workspace,
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("api_key_id", sa.Uuid(), nullable=True),
        sa.Column("conversation_id", sa.Uuid(), nullable=True),
        sa.Column("media_type", sa.String(length=32), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        in_workspace,
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_question_pictures_user_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.id"],
            name=op.f("fk_question_pictures_conversation_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question_pictures")),
    )
    for column in ("workspace_id", "user_id", "conversation_id"):
        op.create_index(op.f(f"ix_question_pictures_{column}"), "question_pictures", [column])
    op.add_column(
        "runs",
        sa.Column(
            "picture_ids", postgresql.ARRAY(sa.Uuid()), server_default=sa.text("'{}'::uuid[]"), nullable=False
        ),
    )
