"""Test sets: questions with what should be found for them, and what came of runs."""

from uuid import UUID

from sqlalchemy import ForeignKey, String, UniqueConstraint, Uuid
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, Json, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class TestSet(Base):
    """A named list of questions to the bases of a workspace."""

    __tablename__ = "test_sets"
    __test__ = False  # pytest takes the name for a class of tests

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    name: Mapped[str] = mapped_column(String(200))
    knowledge_base_ids: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid), default=list, nullable=False)
    created_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (UniqueConstraint("workspace_id", "name", name="uq_test_sets_workspace_id_name"),)


class TestQuestion(Base):
    """A question of a test set; found if one of the documents or paragraphs is.

    `expects_nothing`: it has no answer in the bases, and finding something for it is wrong. A question that
    expects neither is run, but not judged.
    """

    __tablename__ = "test_questions"
    __test__ = False

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    test_set_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("test_sets.id", ondelete="CASCADE"), index=True
    )
    position: Mapped[int]
    question: Mapped[str] = mapped_column(String(4000))
    expected_document_ids: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid), default=list, nullable=False)
    expected_paragraph_ids: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid), default=list, nullable=False)
    expects_nothing: Mapped[bool] = mapped_column(default=False)


class TestRun(Base):
    """A run of a test set: the settings and the figures, no question or document (who reads them may not be
    allowed to see what the person who ran it could)."""

    __tablename__ = "test_runs"
    __test__ = False

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    test_set_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("test_sets.id", ondelete="CASCADE"), index=True
    )
    settings: Mapped[Json]
    totals: Mapped[Json]
    created_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]
