"""Running summaries of conversations, and long-term notes of people."""

from uuid import UUID

from sqlalchemy import ForeignKey, Index, Uuid
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class ConversationSummary(Base):
    """The turns of a conversation before its last ones, in a few sentences made of the runs `run_ids`."""

    __tablename__ = "conversation_summaries"

    conversation_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("conversations.id", ondelete="CASCADE"), primary_key=True
    )
    workspace_id: Mapped[WorkspaceId]
    text: Mapped[str]
    run_ids: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid))
    updated_at: Mapped[UpdatedAt]


class Notebook(Base):
    """That a person agreed to an application's keeping notes of them; without a row they did not."""

    __tablename__ = "notebooks"

    user_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    application_id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    workspace_id: Mapped[WorkspaceId]
    created_at: Mapped[CreatedAt]


class PersonNote(Base):
    """One thing a person has told an application about themselves."""

    __tablename__ = "person_notes"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    user_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("users.id", ondelete="CASCADE"))
    application_id: Mapped[UUID] = mapped_column(Uuid)
    text: Mapped[str]
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (Index("ix_person_notes_person", "user_id", "application_id"),)
