"""All SQL of questions and of what they are attached to. Bound to the scope's workspace."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from uuid import UUID

from sqlalchemy import ColumnElement, Select, delete, exists, func, or_, select, true, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.ids import new_id
from refdesk.kit.like import containing
from refdesk.knowledge.access import may_see, sees_all
from refdesk.knowledge.tables import Document, Paragraph, ParagraphQuestion, Question

# Rows of one statement: PostgreSQL takes 65,535 parameters.
BATCH = 5_000


def _is_attached() -> ColumnElement[bool]:
    """Whether the question of the row is attached to anything."""
    return exists().where(ParagraphQuestion.question_id == Question.id)


class QuestionRepository:
    """Questions of one workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope

    def _attached(self) -> Select[UUID, Question]:
        return (
            select(ParagraphQuestion.paragraph_id, Question)
            .join(Question, Question.id == ParagraphQuestion.question_id)
            .where(ParagraphQuestion.workspace_id == self.scope.workspace_id)
            .order_by(Question.id)
        )

    def _of_base(self, base_id: UUID) -> Select[Question]:
        """Questions of a base, but for those that only previews have, or documents hidden from the caller."""
        imported = (
            exists()
            .where(ParagraphQuestion.question_id == Question.id)
            .where(Paragraph.id == ParagraphQuestion.paragraph_id)
            .where(
                Document.id == Paragraph.document_id,
                Document.is_draft.is_(False),
                Document.deleted_at.is_(None),
                may_see(self.scope),
            )
        )
        return select(Question).where(
            Question.workspace_id == self.scope.workspace_id,
            Question.knowledge_base_id == base_id,
            or_(~_is_attached(), imported),
        )

    async def find(self, question_id: UUID) -> Question | None:
        return await self.session.scalar(
            select(Question).where(
                Question.workspace_id == self.scope.workspace_id, Question.id == question_id
            )
        )

    def _shown(self) -> ColumnElement[bool]:
        """Whether the question of the row is attached to nothing, or to something the caller may see."""
        if sees_all(self.scope):
            return true()
        shown = (
            exists()
            .where(
                ParagraphQuestion.question_id == Question.id,
                ParagraphQuestion.workspace_id == self.scope.workspace_id,
            )
            .where(Paragraph.id == ParagraphQuestion.paragraph_id)
            .where(Document.id == Paragraph.document_id, Document.deleted_at.is_(None), may_see(self.scope))
        )
        return or_(~_is_attached(), shown)

    async def is_shown(self, question: Question) -> bool:
        """Whether the list of its base shows the caller the question, or a preview does."""
        found = select(Question.id).where(
            Question.workspace_id == self.scope.workspace_id, Question.id == question.id, self._shown()
        )
        return await self.session.scalar(found) is not None

    async def with_contents(self, base_id: UUID, contents: Collection[str]) -> dict[str, UUID]:
        """The questions with these texts that the caller may know of.

        Of several with one text one that is attached to nothing, else the oldest.
        """
        rows = await self.session.execute(
            select(Question.content, Question.id)
            .where(
                Question.workspace_id == self.scope.workspace_id,
                Question.knowledge_base_id == base_id,
                Question.content.in_(contents),
                self._shown(),
            )
            .order_by(_is_attached().desc(), Question.twin.desc())
        )
        return dict(rows.all())

    async def free_twins(self, base_id: UUID, contents: Collection[str]) -> dict[str, int]:
        """A `twin` for each of these texts that no question of the base has with it."""
        rows = await self.session.execute(
            select(Question.content, func.max(Question.twin))
            .where(
                Question.workspace_id == self.scope.workspace_id,
                Question.knowledge_base_id == base_id,
                Question.content.in_(contents),
            )
            .group_by(Question.content)
        )
        taken = dict(rows.all())
        return {content: taken[content] + 1 if content in taken else 0 for content in contents}

    async def page(
        self, base_id: UUID, *, limit: int, before: UUID | None, q: str | None
    ) -> tuple[list[Question], int]:
        """Questions of a base, the newest first, and how many match in all."""
        query = self._of_base(base_id)
        if q:
            query = query.where(Question.content.ilike(containing(q)))
        total = await self.session.scalar(select(func.count()).select_from(query.subquery()))
        if before is not None:
            query = query.where(Question.id < before)
        rows = await self.session.scalars(query.order_by(Question.id.desc()).limit(limit))
        return list(rows), total or 0

    def _asked(self, question_id: UUID) -> Select[Paragraph, Document]:
        return (
            select(Paragraph, Document)
            .join(ParagraphQuestion, ParagraphQuestion.paragraph_id == Paragraph.id)
            .join(Document, Document.id == Paragraph.document_id)
            .where(
                ParagraphQuestion.question_id == question_id,
                Paragraph.workspace_id == self.scope.workspace_id,
                Document.deleted_at.is_(None),
                Document.is_draft.is_(False),
                may_see(self.scope),
            )
        )

    async def paragraphs_of(
        self, question_id: UUID, *, limit: int, after: UUID | None
    ) -> tuple[list[tuple[Paragraph, Document]], int]:
        """Paragraphs of documents that a question is attached to, by id, and how many there are."""
        query = self._asked(question_id)
        total = await self.session.scalar(query.with_only_columns(func.count()))
        if after is not None:
            query = query.where(Paragraph.id > after)
        rows = await self.session.execute(query.order_by(Paragraph.id).limit(limit))
        return [(paragraph, document) for paragraph, document in rows], total or 0

    async def paragraph_ids(self, question_id: UUID) -> list[UUID]:
        """All paragraphs a question is attached to, also of previews."""
        rows = await self.session.scalars(
            select(ParagraphQuestion.paragraph_id).where(
                ParagraphQuestion.workspace_id == self.scope.workspace_id,
                ParagraphQuestion.question_id == question_id,
            )
        )
        return list(rows)

    async def paragraph_counts(self, question_ids: Sequence[UUID]) -> Mapping[UUID, int]:
        """How many paragraphs of documents each of these questions is attached to."""
        rows = await self.session.execute(
            select(ParagraphQuestion.question_id, func.count())
            .join(Paragraph, Paragraph.id == ParagraphQuestion.paragraph_id)
            .join(Document, Document.id == Paragraph.document_id)
            .where(
                ParagraphQuestion.workspace_id == self.scope.workspace_id,
                ParagraphQuestion.question_id.in_(question_ids),
                Document.deleted_at.is_(None),
                Document.is_draft.is_(False),
                may_see(self.scope),
            )
            .group_by(ParagraphQuestion.question_id)
        )
        return dict(rows.all())

    async def lock_documents(self, paragraph_ids: Sequence[UUID]) -> list[Document]:
        """The documents of these paragraphs, locked in the order of their ids."""
        found: dict[UUID, Document] = {}
        for i in range(0, len(paragraph_ids), BATCH):
            owners = select(Paragraph.document_id).where(
                Paragraph.workspace_id == self.scope.workspace_id,
                Paragraph.id.in_(paragraph_ids[i : i + BATCH]),
            )
            rows = await self.session.scalars(
                select(Document)
                .where(Document.id.in_(owners), Document.deleted_at.is_(None))
                .order_by(Document.id)
                .with_for_update()
                .execution_options(populate_existing=True)
            )
            found |= {document.id: document for document in rows}
        return list(found.values())

    async def raise_revisions(self, paragraph_ids: Sequence[UUID]) -> None:
        """A new revision for each of these paragraphs."""
        for i in range(0, len(paragraph_ids), BATCH):
            await self.session.execute(
                update(Paragraph)
                .where(
                    Paragraph.workspace_id == self.scope.workspace_id,
                    Paragraph.id.in_(paragraph_ids[i : i + BATCH]),
                )
                .values(revision=Paragraph.revision + 1)
                .execution_options(synchronize_session=False)
            )

    async def detach(self, paragraph_id: UUID, question_id: UUID) -> bool:
        """Take one question off one paragraph. False if it was not attached."""
        gone = await self.session.scalars(
            delete(ParagraphQuestion)
            .where(
                ParagraphQuestion.workspace_id == self.scope.workspace_id,
                ParagraphQuestion.paragraph_id == paragraph_id,
                ParagraphQuestion.question_id == question_id,
            )
            .returning(ParagraphQuestion.question_id)
        )
        return bool(gone.all())

    async def detach_pairs(self, pairs: Collection[tuple[UUID, UUID]]) -> set[UUID]:
        """Take (paragraph, question) pairs apart. Returns the paragraphs that lost one."""
        changed: set[UUID] = set()
        some = sorted(pairs)
        for i in range(0, len(some), BATCH):
            gone = await self.session.scalars(
                delete(ParagraphQuestion)
                .where(
                    ParagraphQuestion.workspace_id == self.scope.workspace_id,
                    tuple_(ParagraphQuestion.paragraph_id, ParagraphQuestion.question_id).in_(
                        some[i : i + BATCH]
                    ),
                )
                .returning(ParagraphQuestion.paragraph_id)
            )
            changed |= set(gone)
        return changed

    async def of_paragraphs(self, paragraph_ids: Sequence[UUID]) -> Mapping[UUID, list[Question]]:
        """The questions of each of these paragraphs that has any."""
        found: dict[UUID, list[Question]] = {}
        for i in range(0, len(paragraph_ids), BATCH):
            some = paragraph_ids[i : i + BATCH]
            query = self._attached().where(ParagraphQuestion.paragraph_id.in_(some))
            for paragraph_id, question in await self.session.execute(query):
                found.setdefault(paragraph_id, []).append(question)
        return found

    async def of_document(self, document_id: UUID) -> Mapping[UUID, list[str]]:
        """The texts of the questions of each paragraph of a document that has any."""
        query = (
            self._attached()
            .join(Paragraph, Paragraph.id == ParagraphQuestion.paragraph_id)
            .where(Paragraph.document_id == document_id)
        )
        found: dict[UUID, list[str]] = {}
        for paragraph_id, question in await self.session.execute(query):
            found.setdefault(paragraph_id, []).append(question.content)
        return found

    async def ensure(self, base_id: UUID, contents: Iterable[str]) -> Mapping[str, UUID]:
        """The ids of the base's questions with these texts; what the caller knows none of is made."""
        wanted = list(dict.fromkeys(contents))
        ids: dict[str, UUID] = {}
        for i in range(0, len(wanted), BATCH):
            some = wanted[i : i + BATCH]
            ids |= await self.with_contents(base_id, some)
            missing = [content for content in some if content not in ids]
            if missing:
                ids |= await self._make(base_id, missing)
        return ids

    async def _make(self, base_id: UUID, contents: Sequence[str]) -> dict[str, UUID]:
        twins = await self.free_twins(base_id, contents)
        rows = [
            {
                "id": new_id(),
                "workspace_id": self.scope.workspace_id,
                "knowledge_base_id": base_id,
                "content": content,
                "twin": twins[content],
                "hit_count": 0,
            }
            for content in sorted(contents)  # one order for all, so that two writers never wait in a ring
        ]
        await self.session.execute(
            insert(Question)
            .values(rows)
            .on_conflict_do_nothing(constraint="uq_questions_knowledge_base_id_content_twin")
        )
        found = await self.session.execute(
            select(Question.content, Question.id, Question.twin).where(
                Question.workspace_id == self.scope.workspace_id,
                Question.knowledge_base_id == base_id,
                Question.content.in_(contents),
            )
        )
        return {content: key for content, key, twin in found if twin == twins[content]}

    async def attach(self, pairs: Iterable[tuple[UUID, UUID]]) -> list[UUID]:
        """Attach (paragraph, question) pairs. Returns the paragraphs that got one they did not have."""
        rows = [
            {"paragraph_id": p, "question_id": q, "workspace_id": self.scope.workspace_id}
            for p, q in sorted(set(pairs))
        ]
        changed: list[UUID] = []
        for i in range(0, len(rows), BATCH):
            added = await self.session.scalars(
                insert(ParagraphQuestion)
                .values(rows[i : i + BATCH])
                .on_conflict_do_nothing()
                .returning(ParagraphQuestion.paragraph_id)
            )
            changed += added.all()
        return list(dict.fromkeys(changed))

    async def attached_to(self, paragraph_ids: Sequence[UUID]) -> set[UUID]:
        """The questions that are attached to any of these paragraphs."""
        rows = await self.session.scalars(
            select(ParagraphQuestion.question_id).where(
                ParagraphQuestion.workspace_id == self.scope.workspace_id,
                ParagraphQuestion.paragraph_id.in_(paragraph_ids),
            )
        )
        return set(rows)

    async def remove_unattached(self, question_ids: Collection[UUID]) -> None:
        """Remove those of these questions that are attached to nothing any more."""
        if not question_ids:
            return
        await self.session.execute(
            delete(Question).where(
                Question.workspace_id == self.scope.workspace_id,
                Question.id.in_(question_ids),
                ~exists().where(ParagraphQuestion.question_id == Question.id),
            )
        )

    async def detach_all(self, paragraph_ids: Sequence[UUID]) -> None:
        """Take all questions off these paragraphs; the questions themselves stay."""
        for i in range(0, len(paragraph_ids), BATCH):
            await self.session.execute(
                delete(ParagraphQuestion).where(
                    ParagraphQuestion.workspace_id == self.scope.workspace_id,
                    ParagraphQuestion.paragraph_id.in_(paragraph_ids[i : i + BATCH]),
                )
            )
