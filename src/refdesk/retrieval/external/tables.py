"""The external sources of a workspace."""

from uuid import UUID

from sqlalchemy import ForeignKey, String, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, Json, OptionalJson, Sealed, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class ExternalSource(Base):
    """A source somebody else runs. `credential_sealed` is its password or key, sealed with the row's id.

    `model_id`: the embedding model of kinds that store vectors. `last_check`: `{ok, code, message, hint,
    details, took_ms, at}` of the present settings, null when these have not been tried.
    """

    __tablename__ = "external_sources"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    name: Mapped[str] = mapped_column(String(200))
    kind: Mapped[str] = mapped_column(String(16))
    config: Mapped[Json]
    credential_sealed: Mapped[Sealed | None]
    model_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("models.id", ondelete="RESTRICT"), index=True
    )
    timeout_s: Mapped[float]
    last_check: Mapped[OptionalJson | None]
    created_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (UniqueConstraint("workspace_id", "name", name="uq_external_sources_workspace_id_name"),)
