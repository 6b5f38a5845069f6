"""Files of conversations."""

from uuid import UUID

from sqlalchemy import ForeignKey, LargeBinary, String, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import Timestamp, WorkspaceId
from refdesk.kit.database import Base


class WorkingFile(Base):
    """One file of a conversation's working directory; gone with the conversation."""

    __tablename__ = "working_files"

    conversation_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("conversations.id", ondelete="CASCADE"), primary_key=True
    )
    path: Mapped[str] = mapped_column(String(300), primary_key=True)
    workspace_id: Mapped[WorkspaceId]
    size: Mapped[int]
    content: Mapped[bytes] = mapped_column(LargeBinary)
    changed_at: Mapped[Timestamp]
