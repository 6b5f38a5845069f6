"""Applications: a named way of answering over chosen knowledge bases."""

from uuid import UUID

from sqlalchemy import ForeignKey, String, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, Json, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class Application(Base):
    """`prompts`: `{system, answer}` templates with `{data}` and `{question}`. `settings`: see `schemas`."""

    __tablename__ = "applications"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    name: Mapped[str] = mapped_column(String(200))
    description: Mapped[str] = mapped_column(default="")
    model_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("models.id", ondelete="SET NULL"), index=True
    )
    prompts: Mapped[Json]
    settings: Mapped[Json]
    created_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (UniqueConstraint("workspace_id", "name", name="uq_applications_workspace_id_name"),)


class ApplicationBase(Base):
    """A knowledge base an application searches; `position` keeps the order in which they were chosen."""

    __tablename__ = "application_bases"

    application_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("applications.id", ondelete="CASCADE"), primary_key=True
    )
    knowledge_base_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("knowledge_bases.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    workspace_id: Mapped[WorkspaceId]
    position: Mapped[int] = mapped_column(default=0)
