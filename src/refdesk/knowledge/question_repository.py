"""All SQL of questions and of what they are attached to. Bound to the scope's workspace."""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast
from uuid import UUID

from sqlalchemy import Select, delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.ids import new_id
from refdesk.knowledge.tables import Paragraph, ParagraphQuestion, Question

# Rows of one statement: PostgreSQL takes 65,535 parameters.
BATCH = 5_000


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
        """The ids of the base's questions with these texts; what is not there yet is made."""
        wanted = list(dict.fromkeys(contents))
        ids: dict[str, UUID] = {}
        for i in range(0, len(wanted), BATCH):
            some = wanted[i : i + BATCH]
            rows = [
                {
                    "id": new_id(),
                    "workspace_id": self.scope.workspace_id,
                    "knowledge_base_id": base_id,
                    "content": content,
                    "hit_count": 0,
                }
                for content in sorted(
                    some
                )  # one order for all, so that two writers never wait for each other
            ]
            await self.session.execute(
                insert(Question)
                .values(rows)
                .on_conflict_do_nothing(constraint="uq_questions_knowledge_base_id_content")
            )
            found = await self.session.execute(
                select(Question.content, Question.id).where(
                    Question.workspace_id == self.scope.workspace_id,
                    Question.knowledge_base_id == base_id,
                    Question.content.in_(some),
                )
            )
            ids.update(cast("Iterable[tuple[str, UUID]]", found.all()))
        return ids

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

    async def detach_all(self, paragraph_ids: Sequence[UUID]) -> None:
        """Take all questions off these paragraphs; the questions themselves stay."""
        for i in range(0, len(paragraph_ids), BATCH):
            await self.session.execute(
                delete(ParagraphQuestion).where(
                    ParagraphQuestion.workspace_id == self.scope.workspace_id,
                    ParagraphQuestion.paragraph_id.in_(paragraph_ids[i : i + BATCH]),
                )
            )
