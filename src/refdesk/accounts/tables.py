"""People, workspaces and what lets them in. Users, sessions and tokens belong to the whole installation."""

from uuid import UUID

from sqlalchemy import ForeignKey, Index, LargeBinary, String, UniqueConstraint, Uuid, func
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, Json, TextArray, Timestamp, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class User(Base):
    """A person. `password_hash` is null until an invitation or reset is redeemed."""

    __tablename__ = "users"

    id: Mapped[Id]
    email: Mapped[str] = mapped_column(String(320))
    name: Mapped[str] = mapped_column(String(200))
    password_hash: Mapped[str | None]
    is_administrator: Mapped[bool] = mapped_column(default=False)
    is_active: Mapped[bool] = mapped_column(default=True)
    locale: Mapped[str | None] = mapped_column(String(16))
    last_login_at: Mapped[Timestamp | None]
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (Index("uq_users_email", func.lower(email), unique=True),)


class Workspace(Base):
    """A tenant: every knowledge base, application, model and conversation belongs to exactly one."""

    __tablename__ = "workspaces"

    id: Mapped[Id]
    name: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]


class Membership(Base):
    """A user's role in a workspace: `viewer`, `editor` or `owner`."""

    __tablename__ = "memberships"

    workspace_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("workspaces.id", ondelete="CASCADE"), primary_key=True
    )
    user_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    role: Mapped[str] = mapped_column(String(16))
    created_at: Mapped[CreatedAt]


class Group(Base):
    """A named set of members of one workspace."""

    __tablename__ = "groups"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    name: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[CreatedAt]

    __table_args__ = (UniqueConstraint("workspace_id", "name", name="uq_groups_workspace_id_name"),)


class GroupMember(Base):
    __tablename__ = "group_members"

    group_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True
    )
    user_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    workspace_id: Mapped[WorkspaceId]


class LoginSession(Base):
    """A browser's sign-in. The cookie holds the secret; only its SHA-256 is stored."""

    __tablename__ = "login_sessions"

    id: Mapped[Id]
    user_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("users.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    user_agent: Mapped[str | None] = mapped_column(String(400))
    created_at: Mapped[CreatedAt]
    last_seen_at: Mapped[Timestamp]
    expires_at: Mapped[Timestamp]


class OneTimeToken(Base):
    """A link's secret, stored hashed: first set-up, an invitation, a password reset."""

    __tablename__ = "one_time_tokens"

    id: Mapped[Id]
    purpose: Mapped[str] = mapped_column(String(16))
    token_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    user_id: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="CASCADE"), index=True)
    created_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]
    expires_at: Mapped[Timestamp]
    used_at: Mapped[Timestamp | None]


class ApiKey(Base):
    """A program's key to one workspace, optionally bound to one knowledge base or application.

    `scopes` holds any of `read`, `ask`, `write`, `manage`. Only the SHA-256 of the secret is stored;
    `prefix` (its first characters) is what lists show.
    """

    __tablename__ = "api_keys"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    created_by: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("users.id", ondelete="CASCADE"), index=True
    )
    name: Mapped[str] = mapped_column(String(200))
    prefix: Mapped[str] = mapped_column(String(16))
    key_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    scopes: Mapped[TextArray]
    resource_kind: Mapped[str | None] = mapped_column(String(32))
    resource_id: Mapped[UUID | None] = mapped_column(Uuid)
    expires_at: Mapped[Timestamp | None]
    revoked_at: Mapped[Timestamp | None]
    last_used_at: Mapped[Timestamp | None]
    created_at: Mapped[CreatedAt]


class LoginThrottle(Base):
    """Failed sign-ins per subject (an address or an account), shared by all processes."""

    __tablename__ = "login_throttles"

    subject: Mapped[str] = mapped_column(String(400), primary_key=True)
    failures: Mapped[int] = mapped_column(default=0)
    window_started_at: Mapped[Timestamp]
    blocked_until: Mapped[Timestamp | None]


class AuditEvent(Base):
    """Who did what to which thing. `workspace_id` is null for acts on the installation itself."""

    __tablename__ = "audit_events"

    id: Mapped[Id]
    workspace_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("workspaces.id", ondelete="CASCADE"), index=True
    )
    actor_id: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    actor_label: Mapped[str] = mapped_column(String(320))
    action: Mapped[str] = mapped_column(String(64))
    target_kind: Mapped[str | None] = mapped_column(String(32))
    target_id: Mapped[UUID | None] = mapped_column(Uuid)
    details: Mapped[Json]
    created_at: Mapped[CreatedAt]
