"""Skills of workspaces."""

from uuid import UUID

from sqlalchemy import ForeignKey, LargeBinary, String, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class Skill(Base):
    """A skill that somebody added; those that come with the product have no row."""

    __tablename__ = "skills"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    name: Mapped[str] = mapped_column(String(64))
    description: Mapped[str]
    created_by: Mapped[UUID | None] = mapped_column(Uuid, ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (UniqueConstraint("workspace_id", "name", name="uq_skills_workspace_id_name"),)


class SkillFile(Base):
    """One file of a skill."""

    __tablename__ = "skill_files"

    skill_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("skills.id", ondelete="CASCADE"), primary_key=True
    )
    path: Mapped[str] = mapped_column(String(300), primary_key=True)
    workspace_id: Mapped[WorkspaceId]
    content: Mapped[bytes] = mapped_column(LargeBinary)
