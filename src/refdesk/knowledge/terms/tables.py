"""The term base of a knowledge base."""

from uuid import UUID

from sqlalchemy import ForeignKey, String, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, TextArray, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class Term(Base):
    """A word that is kept whole in what is indexed and in what is asked, and the words that mean the same."""

    __tablename__ = "terms"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    knowledge_base_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("knowledge_bases.id", ondelete="CASCADE")
    )
    word: Mapped[str] = mapped_column(String(200))
    synonyms: Mapped[TextArray]
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (UniqueConstraint("knowledge_base_id", "word", name="uq_terms_knowledge_base_id_word"),)
