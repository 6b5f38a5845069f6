"""Jobs for films."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import DateTime, ForeignKey, String, Text, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, OptionalJson, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class Film(Base):
    """One job. `task` is the vendor's id of it, `stage` one of `queued`, `running`, `finished`, `failed`,
    `cancelled`; `asked_at` is when the vendor was last asked. `url` is where the finished film lies, None
    where the vendor gives it by the job's id. `error` is `{code, message, hint, details}` of a failed one.
    """

    __tablename__ = "model_films"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    model_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("models.id", ondelete="CASCADE"), index=True)
    prompt: Mapped[str] = mapped_column(Text)
    task: Mapped[str] = mapped_column(String(500))
    stage: Mapped[str] = mapped_column(String(16))
    progress: Mapped[float | None]
    url: Mapped[str | None] = mapped_column(Text)
    error: Mapped[OptionalJson | None]
    asked_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]
