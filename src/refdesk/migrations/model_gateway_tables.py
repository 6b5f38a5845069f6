"""The tables of revision 0005 that count and keep: limits and permits, calls and prices, caches."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from refdesk.migrations.model_gateway_functions import ALL, TELL

# Every change of these is told on the channel `refdesk_controls` as the table's name, whoever makes it.
_TOLD = ("model_limits", "model_prices", "model_usage_settings", "response_cache_policies")
_TABLES = (
    "embedding_cache_figures",
    "cached_embeddings",
    "cached_responses",
    "response_cache_policies",
    "model_usage_settings",
    "model_prices",
    "model_calls",
    "model_permit_tickets",
    "model_limit_counters",
    "model_limits",
)


def make() -> None:
    _make_limits()
    _make_usage()
    _make_caches()
    op.execute("ALTER TABLE cached_embeddings ALTER vector SET STORAGE EXTERNAL")  # noise does not compress
    for statement in ALL.values():
        op.execute(statement)
    op.execute(TELL)
    for table in _TOLD:
        of = " OF ttl_s, max_bytes, with_tools" if table == "response_cache_policies" else ""
        op.execute(
            f"CREATE TRIGGER tell_controls AFTER INSERT OR UPDATE{of} OR DELETE ON {table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION tell_model_controls()"
        )


def drop() -> None:
    for name in ALL:
        op.execute(f"DROP FUNCTION {name}")
    for table in _TABLES:
        op.drop_table(table)
    op.execute("DROP FUNCTION tell_model_controls")


def _make_limits() -> None:
    op.create_table(
        "model_limits",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("is_hard", sa.Boolean(), nullable=False),
        sa.Column("measure", sa.String(length=16), nullable=False),
        sa.Column("amount", sa.Numeric(precision=20, scale=8), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=True),
        sa.Column("window_kind", sa.String(length=16), nullable=False),
        sa.Column("window_s", sa.Integer(), nullable=True),
        sa.Column("per", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("api_key_id", sa.Uuid(), nullable=True),
        sa.Column("application_id", sa.Uuid(), nullable=True),
        sa.Column("path", sa.String(length=32), nullable=True),
        sa.Column("model_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["api_key_id"], ["api_keys.id"], name=op.f("fk_model_limits_api_key_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name=op.f("fk_model_limits_model_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_model_limits_user_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_model_limits_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_limits")),
    )
    op.create_index(op.f("ix_model_limits_api_key_id"), "model_limits", ["api_key_id"], unique=False)
    op.create_index(op.f("ix_model_limits_model_id"), "model_limits", ["model_id"], unique=False)
    op.create_index(op.f("ix_model_limits_user_id"), "model_limits", ["user_id"], unique=False)
    op.create_index(op.f("ix_model_limits_workspace_id"), "model_limits", ["workspace_id"], unique=False)
    op.create_table(
        "model_limit_counters",
        sa.Column("limit_id", sa.Uuid(), nullable=False),
        sa.Column("subject", sa.String(length=400), nullable=False),
        sa.Column("window_start", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used", sa.Numeric(precision=24, scale=8), nullable=False),
        sa.ForeignKeyConstraint(
            ["limit_id"],
            ["model_limits.id"],
            name=op.f("fk_model_limit_counters_limit_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("limit_id", "subject", name=op.f("pk_model_limit_counters")),
        postgresql_with={"fillfactor": 50},
    )
    op.create_table(
        "model_permit_tickets",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("model_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("party", sa.String(length=100), nullable=False),
        sa.Column("urgency", sa.SmallInteger(), nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.Column("is_held", sa.Boolean(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name=op.f("fk_model_permit_tickets_model_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.id"],
            name=op.f("fk_model_permit_tickets_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_permit_tickets")),
    )
    op.create_index(
        "ix_model_permit_tickets_model_id", "model_permit_tickets", ["model_id", "is_held"], unique=False
    )
    op.create_index(
        op.f("ix_model_permit_tickets_workspace_id"), "model_permit_tickets", ["workspace_id"], unique=False
    )


def _make_usage() -> None:
    op.create_table(
        "model_calls",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("model_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("path", sa.String(length=32), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("api_key_id", sa.Uuid(), nullable=True),
        sa.Column("application_id", sa.Uuid(), nullable=True),
        sa.Column("run_id", sa.Uuid(), nullable=True),
        sa.Column("request_id", sa.String(length=200), nullable=True),
        sa.Column("is_attempt", sa.Boolean(), nullable=False),
        sa.Column("is_cached", sa.Boolean(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("cached_tokens", sa.Integer(), nullable=False),
        sa.Column("units", sa.Numeric(precision=16, scale=4), nullable=False),
        sa.Column("first_token_ms", sa.Integer(), nullable=True),
        sa.Column("latency_ms", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.SmallInteger(), nullable=False),
        sa.Column("switched_from", sa.Uuid(), nullable=True),
        sa.Column("code", sa.String(length=64), nullable=False),
        sa.Column("fault", sa.String(length=8), nullable=False),
        sa.Column("cost", sa.Numeric(precision=20, scale=8), nullable=True),
        sa.Column("currency", sa.String(length=3), nullable=True),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_model_calls_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_calls")),
    )
    op.create_index("ix_model_calls_workspace_id_at", "model_calls", ["workspace_id", "at"], unique=False)
    op.create_index(
        "ix_model_calls_workspace_id_user_id_at",
        "model_calls",
        ["workspace_id", "user_id", "at"],
        unique=False,
    )
    op.create_table(
        "model_prices",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("model_id", sa.Uuid(), nullable=False),
        sa.Column("valid_from", sa.Date(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("input_per_million", sa.Numeric(precision=16, scale=6), nullable=False),
        sa.Column("cached_per_million", sa.Numeric(precision=16, scale=6), nullable=True),
        sa.Column("output_per_million", sa.Numeric(precision=16, scale=6), nullable=False),
        sa.Column("per_unit", sa.Numeric(precision=16, scale=6), nullable=False),
        sa.Column("per_call", sa.Numeric(precision=16, scale=6), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name=op.f("fk_model_prices_model_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_model_prices_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_prices")),
        sa.UniqueConstraint("model_id", "valid_from", name="uq_model_prices_model_id_valid_from"),
    )
    op.create_index(op.f("ix_model_prices_workspace_id"), "model_prices", ["workspace_id"], unique=False)
    op.create_table(
        "model_usage_settings",
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("time_zone", sa.String(length=64), nullable=False),
        sa.Column("keep_days", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.id"],
            name=op.f("fk_model_usage_settings_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", name=op.f("pk_model_usage_settings")),
    )


def _make_caches() -> None:
    op.create_table(
        "response_cache_policies",
        sa.Column("application_id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("ttl_s", sa.Integer(), nullable=False),
        sa.Column("max_bytes", sa.BigInteger(), nullable=False),
        sa.Column("with_tools", sa.Boolean(), nullable=False),
        sa.Column("hits", sa.BigInteger(), nullable=False),
        sa.Column("misses", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.id"],
            name=op.f("fk_response_cache_policies_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("application_id", name=op.f("pk_response_cache_policies")),
    )
    op.create_index(
        op.f("ix_response_cache_policies_workspace_id"),
        "response_cache_policies",
        ["workspace_id"],
        unique=False,
    )
    op.create_table(
        "cached_responses",
        sa.Column("application_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("model_id", sa.Uuid(), nullable=False),
        sa.Column("body", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["application_id"],
            ["response_cache_policies.application_id"],
            name=op.f("fk_cached_responses_application_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name=op.f("fk_cached_responses_model_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.id"],
            name=op.f("fk_cached_responses_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("application_id", "key", name=op.f("pk_cached_responses")),
    )
    op.create_index(
        "ix_cached_responses_application_id_created_at",
        "cached_responses",
        ["application_id", "created_at"],
        unique=False,
    )
    op.create_index(op.f("ix_cached_responses_model_id"), "cached_responses", ["model_id"], unique=False)
    op.create_index(
        op.f("ix_cached_responses_workspace_id"), "cached_responses", ["workspace_id"], unique=False
    )
    op.create_table(
        "cached_embeddings",
        sa.Column("model_id", sa.Uuid(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.Column("used_on", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name=op.f("fk_cached_embeddings_model_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.id"],
            name=op.f("fk_cached_embeddings_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("model_id", "digest", name=op.f("pk_cached_embeddings")),
    )
    op.create_index(op.f("ix_cached_embeddings_used_on"), "cached_embeddings", ["used_on"], unique=False)
    op.create_index(
        op.f("ix_cached_embeddings_workspace_id"), "cached_embeddings", ["workspace_id"], unique=False
    )
    op.create_table(
        "embedding_cache_figures",
        sa.Column("model_id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("hits", sa.BigInteger(), nullable=False),
        sa.Column("misses", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name=op.f("fk_embedding_cache_figures_model_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.id"],
            name=op.f("fk_embedding_cache_figures_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("model_id", name=op.f("pk_embedding_cache_figures")),
    )
    op.create_index(
        op.f("ix_embedding_cache_figures_workspace_id"),
        "embedding_cache_figures",
        ["workspace_id"],
        unique=False,
    )
