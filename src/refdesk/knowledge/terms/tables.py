"""The term base of a knowledge base, and how far the index has followed it."""

from uuid import UUID

from sqlalchemy import ForeignKey, String, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, TextArray, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class Term(Base):
    """A word that is kept whole in what is indexed and in what is asked, and the words that mean the same.

    `keys` are the spellings that the index knows them by (`key_of`), that of `word` first.
    """

    __tablename__ = "terms"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    knowledge_base_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("knowledge_bases.id", ondelete="CASCADE")
    )
    word: Mapped[str] = mapped_column(String(200))
    synonyms: Mapped[TextArray]
    keys: Mapped[TextArray]
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (UniqueConstraint("knowledge_base_id", "word", name="uq_terms_knowledge_base_id_word"),)


class TermState(Base):
    """What the index of a base holds of its terms. There is no row for a base that never had any.

    `held` are the keys that every paragraph with the word is indexed with: a question is asked with these
    alone. `traces` are all keys that an entry may have been written with. `wanted` are those that the running
    update brings in; it goes through the paragraphs in the order of their ids and is at `cursor`. `version`
    is another after every change of what a question or an entry is made with.
    """

    __tablename__ = "term_states"

    knowledge_base_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("knowledge_bases.id", ondelete="CASCADE"), primary_key=True
    )
    workspace_id: Mapped[WorkspaceId]
    version: Mapped[int] = mapped_column(default=1)
    held: Mapped[TextArray]
    traces: Mapped[TextArray]
    wanted: Mapped[TextArray]
    cursor: Mapped[UUID | None] = mapped_column(Uuid)
    is_pending: Mapped[bool] = mapped_column(default=False)
    progress_done: Mapped[int] = mapped_column(default=0)
    progress_total: Mapped[int] = mapped_column(default=0)
    updated_at: Mapped[UpdatedAt]
