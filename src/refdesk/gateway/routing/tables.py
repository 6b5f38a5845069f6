"""What routing keeps: fallback policies, purposes, and the health that all processes share."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, DateTime, ForeignKey, String, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, JsonList, OptionalJson, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class FallbackPolicy(Base):
    """What happens when a model fails, as data. `policy_id` is the name descriptors use; `rules` are in the
    form of `schemas.Rule`, tried in order."""

    __tablename__ = "fallback_policies"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    policy_id: Mapped[str] = mapped_column(String(100))
    description: Mapped[str] = mapped_column(String(500), default="", server_default="")
    rules: Mapped[JsonList]
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (
        UniqueConstraint("workspace_id", "policy_id", name="uq_fallback_policies_workspace_id_policy_id"),
    )


class PurposeRoute(Base):
    """Which model a purpose (core answers, live quotes) is served by."""

    __tablename__ = "purpose_routes"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    purpose: Mapped[str] = mapped_column(String(64))
    kind: Mapped[str] = mapped_column(String(16))
    model_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("models.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (
        UniqueConstraint(
            "workspace_id", "purpose", "kind", name="uq_purpose_routes_workspace_id_purpose_kind"
        ),
    )


class ModelHealth(Base):
    """State of one model's breaker, and its last probe. A model without a row has never failed.

    `failures` is how many in a row. While `state` is `open`, nothing is sent before `retry_at`; then one
    process takes the lease (`half_open`) and sends one call. `version` rises with every change, so that
    processes can tell which of two states is newer. `probe_due_at` is when the next active probe is to be
    made, by whoever claims it.
    """

    __tablename__ = "model_health"

    model_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("models.id", ondelete="CASCADE"), primary_key=True
    )
    state: Mapped[str] = mapped_column(String(16), default="closed", server_default="closed")
    failures: Mapped[int] = mapped_column(default=0, server_default="0")
    version: Mapped[int] = mapped_column(BigInteger, default=0, server_default="0")
    retry_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    lease_owner: Mapped[str | None] = mapped_column(String(64))
    lease_expires_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    changed_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    last_failure: Mapped[OptionalJson | None]
    last_probe: Mapped[OptionalJson | None]
    probe_due_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))


class ModelOutcomes(Base):
    """How many attempts at a model went well and how many failed, by the hour; SLA figures are made of it."""

    __tablename__ = "model_outcomes"

    model_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("models.id", ondelete="CASCADE"), primary_key=True
    )
    hour: Mapped[datetime] = mapped_column(DateTime(timezone=True), primary_key=True)
    calls: Mapped[int] = mapped_column(default=0, server_default="0")
    failures: Mapped[int] = mapped_column(default=0, server_default="0")
