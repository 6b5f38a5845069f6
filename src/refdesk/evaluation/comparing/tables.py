"""Comparisons, and what came of each question with each variant."""

from uuid import UUID

from sqlalchemy import ForeignKey, String, Uuid
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, Json, JsonList, OptionalJson, Timestamp, WorkspaceId
from refdesk.kit.database import Base


class Comparison(Base):
    """A test set asked of several variants (`schemas.Variant`), over the bases it had then.

    `asker` is who asked (`accounts.asker_of`), with whose rights the questions are asked. `state`: `queued`,
    `running`, `finished`, `failed`, `cancelled`. `attempt` is the fencing token of the job that may write.
    """

    __tablename__ = "comparisons"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    test_set_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("test_sets.id", ondelete="CASCADE"), index=True
    )
    knowledge_base_ids: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid), default=list, nullable=False)
    variants: Mapped[JsonList]
    asker: Mapped[Json]
    state: Mapped[str] = mapped_column(String(16), default="queued")
    attempt: Mapped[UUID | None] = mapped_column(Uuid)
    question_count: Mapped[int]
    error: Mapped[OptionalJson | None]
    created_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]
    finished_at: Mapped[Timestamp | None]


class ComparisonAnswer(Base):
    """One question asked of one variant. Without an `outcome` it is still to be asked, or being asked.

    The answer itself is the run's: who reads it is checked there. `figures` are `judging.Judged` without the
    outcome, and `costs` by currency.
    """

    __tablename__ = "comparison_answers"

    comparison_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("comparisons.id", ondelete="CASCADE"), primary_key=True
    )
    place: Mapped[int] = mapped_column(primary_key=True)
    variant: Mapped[int] = mapped_column(primary_key=True)
    workspace_id: Mapped[WorkspaceId]
    question_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("test_questions.id", ondelete="SET NULL"), index=True
    )
    question: Mapped[str] = mapped_column(String(4000))
    run_id: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("runs.id", ondelete="SET NULL"), index=True)
    outcome: Mapped[str | None] = mapped_column(String(16))
    figures: Mapped[Json]
