"""Questions that paragraphs answer: attached many to many, and found as if they were the paragraph's text.

A paragraph whose questions change gets a new revision, so that the index takes them up like an edit.
"""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.errors import NotFound
from refdesk.kit.web import Page
from refdesk.knowledge.cursors import decode_id
from refdesk.knowledge.errors import QuestionTaken
from refdesk.knowledge.paragraphs import Paragraphs
from refdesk.knowledge.question_repository import QuestionRepository
from refdesk.knowledge.question_texts import clean_question, clean_questions
from refdesk.knowledge.repository import RESOURCE, DocumentRepository, KnowledgeBaseRepository
from refdesk.knowledge.schemas import (
    AskedParagraph,
    AttachedQuestions,
    NewQuestion,
    ParagraphView,
    QuestionRef,
    QuestionView,
)
from refdesk.knowledge.tables import Document, Paragraph, Question


class Questions:
    """The questions of the scope's workspace, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope
        self.repository = QuestionRepository(session, scope)
        self.paragraphs = Paragraphs(session, scope)

    async def page(
        self, base_id: UUID, *, limit: int, cursor: str | None, q: str | None
    ) -> Page[QuestionView]:
        """Questions of a base, the newest first; the cursor is the last id seen."""
        await KnowledgeBaseRepository(self.session, self.scope).get(base_id)
        before = None if cursor is None else decode_id(cursor)
        found, total = await self.repository.page(base_id, limit=limit + 1, before=before, q=q)
        shown = found[:limit]
        following = str(shown[-1].id) if len(found) > limit else None
        return Page(items=await self._views(shown), next_cursor=following, total=total)

    async def create(self, base_id: UUID, body: NewQuestion) -> QuestionView:
        """A question of the base, attached to these paragraphs; one that is there is taken."""
        await KnowledgeBaseRepository(self.session, self.scope).get(base_id, lock=True)
        content = clean_question(body.content)
        question_id = (await self.repository.ensure(base_id, [content]))[content]
        for paragraph_id in sorted(set(body.paragraph_ids)):
            await self._attach(paragraph_id, [question_id], base_id)
        return await self._view(question_id)

    async def update(self, question_id: UUID, content: str) -> QuestionView:
        """Word a question otherwise, for all its paragraphs.

        Raises `QuestionTaken` where the caller knows of another with that text.
        """
        question = await self._get(question_id)
        wanted = clean_question(content)
        if wanted == question.content:
            return await self._view(question_id)
        await KnowledgeBaseRepository(self.session, self.scope).get(question.knowledge_base_id, lock=True)
        other = await self.repository.with_contents(question.knowledge_base_id, [wanted])
        if other:
            raise QuestionTaken(question_id=str(other[wanted]))
        asked = await self.repository.paragraph_ids(question_id)
        await self._touch(asked)
        question.twin = (await self.repository.free_twins(question.knowledge_base_id, [wanted]))[wanted]
        question.content = wanted
        await self.session.flush()
        return await self._view(question_id)

    async def delete(self, question_id: UUID) -> None:
        """Remove a question from the base and from all its paragraphs."""
        question = await self._get(question_id)
        await self._touch(await self.repository.paragraph_ids(question_id))
        await self.session.delete(question)
        await self.session.flush()

    async def asked(self, question_id: UUID, *, limit: int, cursor: str | None) -> Page[AskedParagraph]:
        """The paragraphs a question is attached to, with their documents; the cursor is the last id seen."""
        await self._get(question_id)
        after = None if cursor is None else decode_id(cursor)
        found, total = await self.repository.paragraphs_of(question_id, limit=limit + 1, after=after)
        shown = found[:limit]
        items = [await self._asked(paragraph, document) for paragraph, document in shown]
        following = str(shown[-1][0].id) if len(found) > limit else None
        return Page(items=items, next_cursor=following, total=total)

    async def of_paragraph(self, paragraph_id: UUID) -> list[QuestionRef]:
        paragraph = await self.paragraphs.repository.find(paragraph_id)
        if paragraph is None:
            raise NotFound("There is no such paragraph.")
        await DocumentRepository(self.session, self.scope).get(paragraph.document_id)
        found = await self.repository.of_paragraphs([paragraph_id])
        return [QuestionRef(id=q.id, content=q.content) for q in found.get(paragraph_id, ())]

    async def attach(self, paragraph_id: UUID, body: AttachedQuestions) -> ParagraphView:
        """Attach questions by text or id; those that are attached already stay."""
        paragraph, document = await self.paragraphs.lock(paragraph_id, body.revision)
        ids: list[UUID] = []
        for key in body.question_ids:
            if (await self._get(key)).knowledge_base_id != document.knowledge_base_id:
                raise NotFound("There is no such question in this knowledge base.", question_id=str(key))
            ids.append(key)
        contents = clean_questions(body.contents)
        if contents:
            ids += (await self.repository.ensure(document.knowledge_base_id, contents)).values()
        if await self.repository.attach((paragraph_id, key) for key in ids):
            paragraph.revision += 1
        return await self.paragraphs.saved(document, paragraph)

    async def detach(self, paragraph_id: UUID, question_id: UUID) -> None:
        """Take a question off a paragraph. One that is attached to nothing else goes with it."""
        paragraph, document = await self.paragraphs.lock(paragraph_id)
        if not await self.repository.detach(paragraph_id, question_id):
            raise NotFound("This question is not attached to the paragraph.")
        await self.repository.remove_unattached([question_id])
        paragraph.revision += 1
        await self.paragraphs.saved(document, paragraph)

    async def _attach(self, paragraph_id: UUID, question_ids: Sequence[UUID], base_id: UUID) -> None:
        paragraph, document = await self.paragraphs.lock(paragraph_id)
        if document.knowledge_base_id != base_id:
            raise NotFound("There is no such paragraph in this knowledge base.")
        if await self.repository.attach((paragraph_id, key) for key in question_ids):
            paragraph.revision += 1
            await self.paragraphs.saved(document, paragraph)

    async def _touch(self, paragraph_ids: Sequence[UUID]) -> None:
        """Have paragraphs indexed anew; their documents are locked first, in one order for all."""
        documents = await self.repository.lock_documents(paragraph_ids)
        await self.repository.raise_revisions(paragraph_ids)
        for document in documents:
            await self.paragraphs.have_indexed(document)

    async def _get(self, question_id: UUID) -> Question:
        question = await self.repository.find(question_id)
        if question is None or not await self.repository.is_shown(question):
            raise NotFound("There is no such question.")
        self.scope.require_resource(RESOURCE, question.knowledge_base_id)
        await KnowledgeBaseRepository(self.session, self.scope).get(question.knowledge_base_id)
        return question

    async def _view(self, question_id: UUID) -> QuestionView:
        question = await self.repository.find(question_id)
        if question is None:
            raise NotFound("There is no such question.")
        return (await self._views([question]))[0]

    async def _views(self, questions: Sequence[Question]) -> list[QuestionView]:
        counts = await self.repository.paragraph_counts([question.id for question in questions])
        return [
            QuestionView(
                id=question.id,
                knowledge_base_id=question.knowledge_base_id,
                content=question.content,
                hit_count=question.hit_count,
                paragraph_count=counts.get(question.id, 0),
                created_at=question.created_at,
            )
            for question in questions
        ]

    async def _asked(self, paragraph: Paragraph, document: Document) -> AskedParagraph:
        return AskedParagraph(
            document_name=document.name, paragraph=await self.paragraphs.shown(document, paragraph)
        )
