"""The tables of revision 0006 for tool servers, stored tools, their secrets."""

from datetime import datetime

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# Every process closes what it has connected when a server or a credential changes: the channel tells its id.
_TELL = """
CREATE FUNCTION tell_tool_server() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'tool_servers' THEN
        PERFORM pg_notify('refdesk_tools', coalesce(NEW.id, OLD.id)::text);
    ELSE
        PERFORM pg_notify('refdesk_tools', coalesce(NEW.server_id, OLD.server_id)::text);
    END IF;
    RETURN NULL;
END $$
"""


def make() -> None:
    _make_servers()
    _make_stored()


def drop() -> None:
    _drop_stored()
    _drop_servers()


def _make_servers() -> None:
    op.create_table(
        "tool_servers",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("transport", sa.String(length=8), nullable=False),
        sa.Column("config", postgresql.JSONB(), nullable=False),
        sa.Column("variables", postgresql.JSONB(), nullable=False),
        sa.Column("secrets_sealed", sa.LargeBinary(), nullable=True),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("timeout_s", sa.Float(), nullable=False),
        sa.Column("connect_timeout_s", sa.Float(), nullable=False),
        sa.Column("max_result_chars", sa.Integer(), nullable=False),
        sa.Column("asks", sa.String(length=8), nullable=False),
        sa.Column("tool_settings", postgresql.JSONB(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("listing", postgresql.JSONB(), nullable=True),
        sa.Column("health", postgresql.JSONB(), nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        *_times(),
        _belongs_to_workspace("tool_servers"),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_tool_servers_created_by"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tool_servers")),
        sa.UniqueConstraint("workspace_id", "name", name="uq_tool_servers_workspace_id_name"),
    )
    op.create_index(op.f("ix_tool_servers_workspace_id"), "tool_servers", ["workspace_id"])
    op.create_table(
        "tool_credentials",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("server_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("values_sealed", sa.LargeBinary(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        *_times(),
        _belongs_to_workspace("tool_credentials"),
        *_belongs_to_server_and_user("tool_credentials"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tool_credentials")),
        sa.UniqueConstraint(
            "server_id",
            "user_id",
            name="uq_tool_credentials_server_id_user_id",
            postgresql_nulls_not_distinct=True,
        ),
    )
    op.create_index(op.f("ix_tool_credentials_workspace_id"), "tool_credentials", ["workspace_id"])
    op.create_index(op.f("ix_tool_credentials_user_id"), "tool_credentials", ["user_id"])
    op.create_table(
        "tool_sign_ins",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("server_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("state_hash", sa.String(length=64), nullable=False),
        sa.Column("flow_sealed", sa.LargeBinary(), nullable=True),
        _times()[0],
        _belongs_to_workspace("tool_sign_ins"),
        *_belongs_to_server_and_user("tool_sign_ins"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tool_sign_ins")),
        sa.UniqueConstraint("state_hash", name=op.f("uq_tool_sign_ins_state_hash")),
    )
    for column in ("workspace_id", "server_id", "user_id"):
        op.create_index(op.f(f"ix_tool_sign_ins_{column}"), "tool_sign_ins", [column])
    op.execute(_TELL)
    for table in ("tool_servers", "tool_credentials"):
        op.execute(
            f"CREATE TRIGGER tell_tools AFTER INSERT OR UPDATE OF version OR DELETE ON {table}"
            " FOR EACH ROW EXECUTE FUNCTION tell_tool_server()"
        )


def _drop_servers() -> None:
    for table in ("tool_sign_ins", "tool_credentials", "tool_servers"):
        op.drop_table(table)
    op.execute("DROP FUNCTION tell_tool_server")


def _make_stored() -> None:
    op.create_table(
        "tool_interfaces",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("base_url", sa.String(length=2000), nullable=False),
        sa.Column("document_url", sa.String(length=2000), nullable=True),
        sa.Column("operations", postgresql.JSONB(), nullable=False),
        sa.Column("auth", postgresql.JSONB(), nullable=False),
        sa.Column("secrets_sealed", sa.LargeBinary(), nullable=True),
        sa.Column("tells_caller", sa.String(length=8), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        *_times(),
        _belongs_to_workspace("tool_interfaces"),
        _made_by("tool_interfaces", "created_by"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tool_interfaces")),
        sa.UniqueConstraint("workspace_id", "name", name="uq_tool_interfaces_workspace_id_name"),
    )
    op.create_index(op.f("ix_tool_interfaces_workspace_id"), "tool_interfaces", ["workspace_id"])
    op.create_table(
        "stored_tools",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("interface_id", sa.Uuid(), nullable=True),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("parameters", postgresql.JSONB(), nullable=False),
        sa.Column("config", postgresql.JSONB(), nullable=False),
        sa.Column("secrets_sealed", sa.LargeBinary(), nullable=True),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("read_only", sa.Boolean(), nullable=False),
        sa.Column("ask_first", sa.Boolean(), nullable=False),
        sa.Column("timeout_s", sa.Float(), nullable=False),
        sa.Column("max_result_chars", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        *_times(),
        _belongs_to_workspace("stored_tools"),
        _made_by("stored_tools", "created_by"),
        sa.ForeignKeyConstraint(
            ["interface_id"],
            ["tool_interfaces.id"],
            name=op.f("fk_stored_tools_interface_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stored_tools")),
        sa.UniqueConstraint("workspace_id", "name", name="uq_stored_tools_workspace_id_name"),
    )
    op.create_index(op.f("ix_stored_tools_workspace_id"), "stored_tools", ["workspace_id"])
    op.create_index(op.f("ix_stored_tools_interface_id"), "stored_tools", ["interface_id"])
    op.create_table(
        "stored_tool_versions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("tool_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("content", postgresql.JSONB(), nullable=False),
        sa.Column("changed_by", sa.Uuid(), nullable=True),
        _times()[0],
        _belongs_to_workspace("stored_tool_versions"),
        _made_by("stored_tool_versions", "changed_by"),
        sa.ForeignKeyConstraint(
            ["tool_id"], ["stored_tools.id"], name=op.f("fk_stored_tool_versions_tool_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stored_tool_versions")),
        sa.UniqueConstraint("tool_id", "version", name="uq_stored_tool_versions_tool_id_version"),
    )
    op.create_index(op.f("ix_stored_tool_versions_workspace_id"), "stored_tool_versions", ["workspace_id"])


def _drop_stored() -> None:
    for table in ("stored_tool_versions", "stored_tools", "tool_interfaces"):
        op.drop_table(table)


def _made_by(table: str, column: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], ["users.id"], name=op.f(f"fk_{table}_{column}"), ondelete="SET NULL"
    )


def _times() -> tuple[sa.Column[datetime], sa.Column[datetime]]:
    created, updated = (
        sa.Column(name, sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False)
        for name in ("created_at", "updated_at")
    )
    return created, updated


def _belongs_to_workspace(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["workspace_id"], ["workspaces.id"], name=op.f(f"fk_{table}_workspace_id"), ondelete="CASCADE"
    )


def _belongs_to_server_and_user(table: str) -> tuple[sa.ForeignKeyConstraint, ...]:
    return (
        sa.ForeignKeyConstraint(
            ["server_id"], ["tool_servers.id"], name=op.f(f"fk_{table}_server_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f(f"fk_{table}_user_id"), ondelete="CASCADE"
        ),
    )
