"""Limits as people set them, what was counted against them, and the tickets of calls that hold a permit."""

from decimal import Decimal
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Identity, Index, Numeric, SmallInteger, String, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, TextArray, Timestamp, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class ModelLimit(Base):
    """So much of one measure in one window.

    `measure` is `requests`, `tokens` or `money` (in `currency`); `window_kind` is `seconds` (of `window_s`),
    `day` or `month`, both in the workspace's time zone. The five ids and `path` narrow what it applies to,
    None meaning any; `per` names those of `user`, `api_key`, `application`, `path`, `model` that are counted
    each for itself. A limit that is not `is_hard` warns and refuses nothing.
    """

    __tablename__ = "model_limits"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    name: Mapped[str] = mapped_column(String(200))
    is_active: Mapped[bool] = mapped_column(default=True)
    is_hard: Mapped[bool] = mapped_column(default=True)
    measure: Mapped[str] = mapped_column(String(16))
    amount: Mapped[Decimal] = mapped_column(Numeric(20, 8))
    currency: Mapped[str | None] = mapped_column(String(3))
    window_kind: Mapped[str] = mapped_column(String(16))
    window_s: Mapped[int | None]
    per: Mapped[TextArray]
    user_id: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="CASCADE"), index=True)
    api_key_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("api_keys.id", ondelete="CASCADE"), index=True
    )
    application_id: Mapped[UUID | None] = mapped_column(Uuid)
    path: Mapped[str | None] = mapped_column(String(32))
    model_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("models.id", ondelete="CASCADE"), index=True
    )
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]


class LimitCounter(Base):
    """What one of those a limit counts apart used of it in the window that began at `window_start`."""

    __tablename__ = "model_limit_counters"

    limit_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("model_limits.id", ondelete="CASCADE"), primary_key=True
    )
    subject: Mapped[str] = mapped_column(String(400), primary_key=True)
    window_start: Mapped[Timestamp]
    used: Mapped[Decimal] = mapped_column(Numeric(24, 8))

    # Rewritten at every call: with room on the page the new version needs no new index entry.
    __table_args__ = ({"postgresql_with": {"fillfactor": 50}},)


class PermitTicket(Base):
    """A call that holds one of a model's permits, or waits for one.

    `number` is the order of arrival, `party` who asks, `turn` how often its party went before, `urgency` 0
    where a person waits. A ticket whose process does not renew `expires_at` is void.
    """

    __tablename__ = "model_permit_tickets"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    model_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("models.id", ondelete="CASCADE"))
    number: Mapped[int] = mapped_column(BigInteger, Identity(always=True))
    party: Mapped[str] = mapped_column(String(100))
    urgency: Mapped[int] = mapped_column(SmallInteger)
    turn: Mapped[int] = mapped_column(BigInteger)
    is_held: Mapped[bool] = mapped_column(default=False)
    expires_at: Mapped[Timestamp]

    __table_args__ = (Index("ix_model_permit_tickets_model_id", "model_id", "is_held"),)
