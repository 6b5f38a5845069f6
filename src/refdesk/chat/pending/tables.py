"""The steps conversations wait at."""

from uuid import UUID

from sqlalchemy import ForeignKey, String, Text, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Json, WorkspaceId
from refdesk.kit.database import Base


class PendingStep(Base):
    """What one conversation waits for. `kind`: `guidance`, `parameters`, `approval`; `question` is the one
    that goes on with the reply, `run_id` the run that asked, `state` what that run needs to go on."""

    __tablename__ = "pending_steps"

    conversation_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("conversations.id", ondelete="CASCADE"), primary_key=True
    )
    workspace_id: Mapped[WorkspaceId]
    run_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("runs.id", ondelete="CASCADE"), index=True)
    kind: Mapped[str] = mapped_column(String(16))
    question: Mapped[str] = mapped_column(Text)
    state: Mapped[Json]
    created_at: Mapped[CreatedAt]
