"""Tool servers of a workspace and what people signed in to them with; stored tools have their own tables."""

from uuid import UUID

from sqlalchemy import ForeignKey, Integer, String, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, Json, JsonList, OptionalJson, Sealed, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class ToolServer(Base):
    """An MCP server.

    `config` is how it is reached (see `servers.config`), with `${variables}` where values go; `variables` are
    these values, `[{name, value, is_secret, is_per_user}]`, whose secret ones lie in `secrets_sealed` (a JSON
    object by name, sealed with the row's id). `tool_settings`: `{tool: {is_active, ask_first}}`. `listing`:
    what it offered when it was asked last; `health`: how that went, with a digest of the list. `version`
    counts changes of what a connection is made of.
    """

    __tablename__ = "tool_servers"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    name: Mapped[str] = mapped_column(String(200))
    transport: Mapped[str] = mapped_column(String(8))
    config: Mapped[Json]
    variables: Mapped[JsonList]
    secrets_sealed: Mapped[Sealed | None]
    is_active: Mapped[bool] = mapped_column(default=True)
    timeout_s: Mapped[float]
    connect_timeout_s: Mapped[float]
    max_result_chars: Mapped[int] = mapped_column(Integer)
    asks: Mapped[str] = mapped_column(String(8))
    tool_settings: Mapped[Json]
    version: Mapped[int] = mapped_column(Integer, default=1)
    listing: Mapped[OptionalJson | None]
    health: Mapped[OptionalJson | None]
    created_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (UniqueConstraint("workspace_id", "name", name="uq_tool_servers_workspace_id_name"),)


class ToolCredential(Base):
    """What one person (or, with no user, the workspace) uses a server with: `{variables, tokens, client}` as
    JSON, sealed with the row's id. `version` as that of the server."""

    __tablename__ = "tool_credentials"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    server_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("tool_servers.id", ondelete="CASCADE"))
    user_id: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="CASCADE"), index=True)
    values_sealed: Mapped[Sealed | None]
    version: Mapped[int] = mapped_column(Integer, default=1)
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (
        UniqueConstraint(
            "server_id",
            "user_id",
            name="uq_tool_credentials_server_id_user_id",
            postgresql_nulls_not_distinct=True,
        ),
    )


class ToolSignIn(Base):
    """A sign-in at an authorization server that is under way. `state_hash` is what its answer is recognised
    by; `flow_sealed` what is needed to finish it, sealed with the row's id."""

    __tablename__ = "tool_sign_ins"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    server_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("tool_servers.id", ondelete="CASCADE"), index=True
    )
    user_id: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="CASCADE"), index=True)
    state_hash: Mapped[str] = mapped_column(String(64), unique=True)
    flow_sealed: Mapped[Sealed | None]
    created_at: Mapped[CreatedAt]
