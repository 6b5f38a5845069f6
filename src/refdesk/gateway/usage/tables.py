"""Every call of a model, what models cost, and how long a workspace keeps which of it."""

from datetime import date
from decimal import Decimal
from uuid import UUID

from sqlalchemy import Date, ForeignKey, Index, Integer, Numeric, SmallInteger, String, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, Timestamp, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class ModelCall(Base):
    """One call, or with `is_attempt` one try of it that failed and was followed by another.

    Ids of people and things have no foreign keys: what was used stays known after they are gone. `code` is
    `ok` or that of the error; `fault` is whose it was: `none`, `caller`, `gateway` or `model`. `units` counts
    what is not tokens (pictures, seconds, characters). Times in milliseconds.
    """

    __tablename__ = "model_calls"

    id: Mapped[Id]
    workspace_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("workspaces.id", ondelete="CASCADE"))
    at: Mapped[Timestamp]
    model_id: Mapped[UUID] = mapped_column(Uuid)
    kind: Mapped[str] = mapped_column(String(16))
    path: Mapped[str] = mapped_column(String(32))
    user_id: Mapped[UUID | None] = mapped_column(Uuid)
    api_key_id: Mapped[UUID | None] = mapped_column(Uuid)
    application_id: Mapped[UUID | None] = mapped_column(Uuid)
    run_id: Mapped[UUID | None] = mapped_column(Uuid)
    request_id: Mapped[str | None] = mapped_column(String(200))
    is_attempt: Mapped[bool] = mapped_column(default=False)
    is_cached: Mapped[bool] = mapped_column(default=False)
    input_tokens: Mapped[int] = mapped_column(Integer, default=0)
    output_tokens: Mapped[int] = mapped_column(Integer, default=0)
    cached_tokens: Mapped[int] = mapped_column(Integer, default=0)
    units: Mapped[Decimal] = mapped_column(Numeric(16, 4), default=Decimal(0))
    first_token_ms: Mapped[int | None]
    latency_ms: Mapped[int]
    attempts: Mapped[int] = mapped_column(SmallInteger, default=1)
    switched_from: Mapped[UUID | None] = mapped_column(Uuid)
    code: Mapped[str] = mapped_column(String(64))
    fault: Mapped[str] = mapped_column(String(8))
    cost: Mapped[Decimal | None] = mapped_column(Numeric(20, 8))
    currency: Mapped[str | None] = mapped_column(String(3))

    __table_args__ = (
        Index("ix_model_calls_workspace_id_at", "workspace_id", "at"),
        Index("ix_model_calls_workspace_id_user_id_at", "workspace_id", "user_id", "at"),
    )


class ModelPrice(Base):
    """What a model costs from a day on: per million tokens, per unit of what is not tokens, per call."""

    __tablename__ = "model_prices"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    model_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("models.id", ondelete="CASCADE"))
    valid_from: Mapped[date] = mapped_column(Date)
    currency: Mapped[str] = mapped_column(String(3))
    input_per_million: Mapped[Decimal] = mapped_column(Numeric(16, 6), default=Decimal(0))
    cached_per_million: Mapped[Decimal | None] = mapped_column(Numeric(16, 6))
    output_per_million: Mapped[Decimal] = mapped_column(Numeric(16, 6), default=Decimal(0))
    per_unit: Mapped[Decimal] = mapped_column(Numeric(16, 6), default=Decimal(0))
    per_call: Mapped[Decimal] = mapped_column(Numeric(16, 6), default=Decimal(0))
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (UniqueConstraint("model_id", "valid_from", name="uq_model_prices_model_id_valid_from"),)


class UsageSettings(Base):
    """How a workspace counts: the time zone of its days and months, and how long single calls are kept."""

    __tablename__ = "model_usage_settings"

    workspace_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("workspaces.id", ondelete="CASCADE"), primary_key=True
    )
    time_zone: Mapped[str] = mapped_column(String(64), default="UTC")
    keep_days: Mapped[int] = mapped_column(default=180)
    updated_at: Mapped[UpdatedAt]
