"""All SQL of terms but what questions are read with."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Select, func, or_, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.like import containing
from refdesk.knowledge.tables import Document, Paragraph, ParagraphQuestion, Question
from refdesk.knowledge.terms.tables import Term, TermState


@dataclass(frozen=True, slots=True)
class ReadParagraph:
    """The texts of a paragraph that words are looked for in."""

    id: UUID
    text: str


class TermRepository:
    """Terms of one workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope

    def of_base(self, base_id: UUID) -> Select[Term]:
        return select(Term).where(
            Term.workspace_id == self.scope.workspace_id, Term.knowledge_base_id == base_id
        )

    async def find(self, term_id: UUID) -> Term | None:
        return await self.session.scalar(
            select(Term).where(Term.workspace_id == self.scope.workspace_id, Term.id == term_id)
        )

    async def all(self, base_id: UUID) -> Sequence[Term]:
        """Every term of a base, in the order of their words."""
        return (await self.session.scalars(self.of_base(base_id).order_by(Term.word))).all()

    async def page(
        self, base_id: UUID, *, limit: int, after: str | None, q: str | None
    ) -> tuple[list[Term], int]:
        """Terms by word, and how many there are. `q` is looked for in words and synonyms."""
        query = self.of_base(base_id)
        if q:
            joined = func.array_to_string(Term.synonyms, "\n")
            query = query.where(or_(Term.word.ilike(containing(q)), joined.ilike(containing(q))))
        total = await self.session.scalar(select(func.count()).select_from(query.subquery())) or 0
        if after is not None:
            query = query.where(Term.word > after)
        return list(await self.session.scalars(query.order_by(Term.word).limit(limit))), total

    async def holding(self, base_id: UUID, keys: Collection[str]) -> Sequence[Term]:
        """Terms that have one of these keys."""
        query = self.of_base(base_id).where(Term.keys.overlap(list(keys)))
        return (await self.session.scalars(query)).all()

    async def keys(self, base_id: UUID) -> frozenset[str]:
        """Every key of a base."""
        query = select(func.unnest(Term.keys)).where(
            Term.workspace_id == self.scope.workspace_id, Term.knowledge_base_id == base_id
        )
        return frozenset(await self.session.scalars(query))

    async def count_keys(self, base_id: UUID) -> int:
        query = select(func.coalesce(func.sum(func.cardinality(Term.keys)), 0)).where(
            Term.workspace_id == self.scope.workspace_id, Term.knowledge_base_id == base_id
        )
        return int((await self.session.execute(query)).scalar_one())

    async def state(self, base_id: UUID) -> TermState | None:
        return await self.session.scalar(self._state(base_id))

    async def lock_state(self, base_id: UUID) -> TermState | None:
        return await self.session.scalar(
            self._state(base_id).with_for_update().execution_options(populate_existing=True)
        )

    async def ensure_state(self, base_id: UUID) -> TermState:
        """The state, locked; made where there is none."""
        await self.session.execute(
            insert(TermState)
            .values(
                knowledge_base_id=base_id,
                workspace_id=self.scope.workspace_id,
                version=1,
                held=[],
                traces=[],
                wanted=[],
                is_pending=False,
                progress_done=0,
                progress_total=0,
            )
            .on_conflict_do_nothing()
        )
        state = await self.lock_state(base_id)
        assert state is not None
        return state

    def _state(self, base_id: UUID) -> Select[TermState]:
        return select(TermState).where(
            TermState.workspace_id == self.scope.workspace_id, TermState.knowledge_base_id == base_id
        )

    async def texts(self, base_id: UUID, after: UUID | None, limit: int) -> list[ReadParagraph]:
        """Paragraphs of a base in the order of their ids, with titles and questions; previews have none."""
        query = (
            select(Paragraph.id, Paragraph.title_chain, Paragraph.title, Paragraph.content)
            .join(Document, Document.id == Paragraph.document_id)
            .where(
                Paragraph.workspace_id == self.scope.workspace_id,
                Paragraph.knowledge_base_id == base_id,
                Document.is_draft.is_(False),
                Document.deleted_at.is_(None),
            )
            .order_by(Paragraph.id)
            .limit(limit)
        )
        if after is not None:
            query = query.where(Paragraph.id > after)
        rows = (await self.session.execute(query)).all()
        asked: dict[UUID, list[str]] = {}
        questions = await self.session.execute(
            select(ParagraphQuestion.paragraph_id, Question.content)
            .join(Question, Question.id == ParagraphQuestion.question_id)
            .where(
                ParagraphQuestion.workspace_id == self.scope.workspace_id,
                ParagraphQuestion.paragraph_id.in_([row[0] for row in rows]),
            )
        )
        for paragraph_id, content in questions:
            asked.setdefault(paragraph_id, []).append(content)
        # A mark that is part of no word keeps what stands apart from being read together.
        return [
            ReadParagraph(key, " | ".join([*chain, title, content, *asked.get(key, ())]))
            for key, chain, title, content in rows
        ]

    async def have_indexed_anew(self, index_id: UUID, paragraph_ids: Collection[UUID]) -> list[UUID]:
        """Make these paragraphs pending in an index; returns the documents they belong to."""
        rows = await self.session.execute(
            text(
                "DELETE FROM indexed_paragraphs WHERE index_id = :index_id AND workspace_id = :workspace_id"
                " AND paragraph_id = ANY(CAST(:ids AS uuid[])) RETURNING document_id"
            ),
            {
                "index_id": index_id,
                "workspace_id": self.scope.workspace_id,
                "ids": list(paragraph_ids),
            },
        )
        return sorted(set(rows.scalars()))
