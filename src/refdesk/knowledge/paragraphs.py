"""What can be done with a paragraph: read, edit, take out of searches, delete."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.errors import NotFound
from refdesk.knowledge.cursors import decode_position
from refdesk.knowledge.errors import ParagraphChanged
from refdesk.knowledge.indexing import IndexWriter
from refdesk.knowledge.indexing.tables import KnowledgeIndex
from refdesk.knowledge.paragraph_repository import ParagraphRepository
from refdesk.knowledge.queueing import enqueue_indexing
from refdesk.knowledge.repository import DocumentRepository, KnowledgeBaseRepository
from refdesk.knowledge.schemas import ParagraphPage, ParagraphUpdate, ParagraphView
from refdesk.knowledge.tables import Document, Paragraph
from refdesk.knowledge.views import paragraph_view


class Paragraphs:
    """The paragraphs of the scope's workspace, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope
        self.repository = ParagraphRepository(session, scope)
        self.documents = DocumentRepository(session, scope)

    async def page(
        self,
        document_id: UUID,
        *,
        limit: int,
        cursor: str | None,
        around: UUID | None,
        q: str | None,
    ) -> ParagraphPage:
        """Paragraphs in reading order; a cursor is the position of the first one of its page."""
        document = await self.documents.get(document_id)
        position = 0 if cursor is None else decode_position(cursor)
        if around is not None:
            middle = await self.repository.find(around)
            if middle is None or middle.document_id != document_id:
                raise NotFound("There is no such paragraph in this document.")
            half = limit // 2
            first = await self.repository.start_of_page_before(document_id, middle.position, half, q)
            position = middle.position if first is None else first
        rows = await self.repository.after(document_id, position, limit + 1, q)
        shown = rows[:limit]
        previous = None
        if shown:
            previous = await self.repository.start_of_page_before(document_id, shown[0].position, limit, q)
        return ParagraphPage(
            items=await self._views(document, shown),
            next_cursor=str(rows[limit].position) if len(rows) > limit else None,
            previous_cursor=None if previous is None else str(previous),
            total=await self.repository.count(document_id, q),
        )

    async def view(self, paragraph_id: UUID) -> ParagraphView:
        paragraph, document = await self._get(paragraph_id)
        return (await self._views(document, [paragraph]))[0]

    async def update(self, paragraph_id: UUID, body: ParagraphUpdate) -> ParagraphView:
        """Save an edit and have this paragraph, and only this one, indexed again.

        Whether it is active takes effect at once, for entries that are there already.
        """
        paragraph, document = await self._get(paragraph_id, lock=True)
        if body.revision is not None and body.revision != paragraph.revision:
            raise ParagraphChanged(revision=paragraph.revision)
        title = paragraph.title if body.title is None else body.title.replace("\0", "").strip()
        content = paragraph.content if body.content is None else body.content.replace("\0", "")
        is_active = paragraph.is_active if body.is_active is None else body.is_active
        if (title, content, is_active) == (paragraph.title, paragraph.content, paragraph.is_active):
            return (await self._views(document, [paragraph]))[0]
        if is_active != paragraph.is_active:
            paragraph.is_active = is_active
            writer = await self._writer(document)
            if writer is not None:
                await writer.set_active([paragraph_id], is_active)
        if (title, content) != (paragraph.title, paragraph.content):
            document.character_count += len(content) - len(paragraph.content)
            paragraph.title, paragraph.content = title, content
            paragraph.is_edited = True
        # A new revision also when only the flag changed: a batch that was read before must not write it back.
        paragraph.revision += 1
        await self.session.flush()
        await enqueue_indexing(self.session, self.scope, document.id)
        await self.session.refresh(paragraph)
        return (await self._views(document, [paragraph]))[0]

    async def delete(self, paragraph_id: UUID) -> None:
        """Remove a paragraph and what the index holds of it."""
        paragraph, document = await self._get(paragraph_id, lock=True)
        writer = await self._writer(document)
        if writer is not None:
            await writer.remove_paragraphs([paragraph_id])
        document.paragraph_count -= 1
        document.character_count -= len(paragraph.content)
        if document.progress_total:
            document.progress_total -= 1
            document.progress_done = min(document.progress_done, document.progress_total)
        await self.repository.remove([paragraph_id])

    async def _get(self, paragraph_id: UUID, *, lock: bool = False) -> tuple[Paragraph, Document]:
        paragraph = await self.repository.find(paragraph_id)
        if paragraph is None:
            raise NotFound("There is no such paragraph.")
        # All writers of a document wait for its row, so that none sees half of another's work.
        document = await self.documents.get(paragraph.document_id, lock=lock)
        if lock:
            paragraph = await self.repository.find(paragraph_id)
            if paragraph is None:
                raise NotFound("There is no such paragraph.")
        return paragraph, document

    async def _index(self, document: Document) -> KnowledgeIndex | None:
        base = await KnowledgeBaseRepository(self.session, self.scope).get(document.knowledge_base_id)
        if base.active_index_id is None:
            return None
        return await self.session.get(KnowledgeIndex, base.active_index_id)

    async def _writer(self, document: Document) -> IndexWriter | None:
        index = await self._index(document)
        return None if index is None else IndexWriter(self.session, self.scope, index)

    async def _views(self, document: Document, paragraphs: Sequence[Paragraph]) -> list[ParagraphView]:
        index = await self._index(document)
        held: Mapping[UUID, int] = {}
        if index is not None and paragraphs:
            held = await self.repository.indexed_revisions(index.id, [p.id for p in paragraphs])
        return [paragraph_view(p, is_indexed=held.get(p.id) == p.revision) for p in paragraphs]
