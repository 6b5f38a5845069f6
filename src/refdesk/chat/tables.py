"""Conversations, runs and the events of a run."""

from uuid import UUID

from sqlalchemy import ForeignKey, Index, LargeBinary, String, Uuid
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import (
    CreatedAt,
    Id,
    Json,
    JsonList,
    OptionalJson,
    Timestamp,
    UpdatedAt,
    WorkspaceId,
)
from refdesk.kit.database import Base


class Conversation(Base):
    """A thread of one person. It asks either an application or a set of knowledge bases."""

    __tablename__ = "conversations"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    user_id: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="CASCADE"), index=True)
    api_key_id: Mapped[UUID | None] = mapped_column(Uuid)
    application_id: Mapped[UUID | None] = mapped_column(Uuid, index=True)
    knowledge_base_ids: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid), default=list)
    title: Mapped[str] = mapped_column(String(200), default="")
    # Whether there is a summary to be read: most conversations are too short for one.
    summarised: Mapped[bool] = mapped_column(default=False, server_default="false")
    # Not one of a comparison of settings, which its owner reads there and not among what they asked.
    listed: Mapped[bool] = mapped_column(default=True, server_default="true")
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    # The list of one's conversations, the latest first.
    __table_args__ = (Index("ix_conversations_list", "workspace_id", "user_id", "updated_at"),)


class QuestionPicture(Base):
    """A picture somebody adds to questions. Without a conversation it was not asked with yet, and goes a day
    later; with one it goes with that. `user_id` and `api_key_id` are whose it is, as of a conversation."""

    __tablename__ = "question_pictures"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    user_id: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="CASCADE"), index=True)
    api_key_id: Mapped[UUID | None] = mapped_column(Uuid)
    conversation_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("conversations.id", ondelete="CASCADE"), index=True
    )
    media_type: Mapped[str] = mapped_column(String(32))
    data: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    created_at: Mapped[CreatedAt]


class Run(Base):
    """One question and what became of it: the record that is kept.

    `state`: `queued`, `running`, `finished`, `failed`, `cancelled`, `interrupted`. `profile` is the frozen
    configuration it ran with (bases, model, prompts, settings; no secrets). `citations`, `sentences`,
    `retrieval`, `stages`, `warnings` and `usage` are the finished record. `form` is what it asked the person,
    `reply` what it goes on from: the step that was pending with the reply to it (`pending.Resumed`). A run
    belongs to the process named in `lease_owner` until `lease_expires_at`.
    """

    __tablename__ = "runs"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    conversation_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("conversations.id", ondelete="CASCADE"), index=True
    )
    user_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("users.id", ondelete="SET NULL"), index=True
    )
    question: Mapped[str]
    picture_ids: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid), default=list, server_default="{}")
    standalone_question: Mapped[str | None]
    answer: Mapped[str] = mapped_column(default="")
    state: Mapped[str] = mapped_column(String(16), default="queued")
    profile: Mapped[Json]
    retrieval: Mapped[Json]
    citations: Mapped[JsonList]
    sentences: Mapped[JsonList]
    stages: Mapped[JsonList]
    warnings: Mapped[JsonList]
    usage: Mapped[Json]
    error: Mapped[OptionalJson | None]
    form: Mapped[OptionalJson | None]
    reply: Mapped[OptionalJson | None]
    retry_of: Mapped[UUID | None] = mapped_column(Uuid)
    cancel_requested: Mapped[bool] = mapped_column(default=False)
    lease_owner: Mapped[str | None] = mapped_column(String(64))
    lease_expires_at: Mapped[Timestamp | None]
    started_at: Mapped[Timestamp | None]
    finished_at: Mapped[Timestamp | None]
    created_at: Mapped[CreatedAt]

    __table_args__ = (Index("ix_runs_state_lease", "state", "lease_expires_at"),)


class RunEvents(Base):
    """One batch of a run's event log: the events `first_seq` to `last_seq`, without a gap.

    `events` is `[[seq, name, data], …]`. A batch is a row because a streaming answer makes up to 25 events a
    second: at 500 runs that is 2,000 rows a second instead of 10,000.
    """

    __tablename__ = "run_events"

    run_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    last_seq: Mapped[int] = mapped_column(primary_key=True)
    first_seq: Mapped[int]
    workspace_id: Mapped[WorkspaceId]
    events: Mapped[object] = mapped_column(JSONB)
    created_at: Mapped[CreatedAt]
