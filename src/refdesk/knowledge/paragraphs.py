"""What can be done with paragraphs one by one or many at once: read, edit, revert, show or hide, delete.

`paragraph_structure` adds, splits and merges. Every writer locks the document's row first, so that none sees
half of another's work.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.errors import NotFound
from refdesk.knowledge.cursors import decode_position
from refdesk.knowledge.errors import NotEdited, ParagraphChanged, ParagraphDeleted
from refdesk.knowledge.indexing import IndexWriter
from refdesk.knowledge.indexing.tables import KnowledgeIndex
from refdesk.knowledge.paragraph_repository import ParagraphRepository, Wanted
from refdesk.knowledge.passage_metadata import checked_passage_metadata, with_said
from refdesk.knowledge.question_repository import QuestionRepository
from refdesk.knowledge.queueing import enqueue_indexing
from refdesk.knowledge.repository import DocumentRepository, KnowledgeBaseRepository
from refdesk.knowledge.schemas import ParagraphAction, ParagraphPage, ParagraphUpdate, ParagraphView
from refdesk.knowledge.splitting import lead_chars
from refdesk.knowledge.tables import Document, Paragraph
from refdesk.knowledge.versions import CONFLICT, VersionRepository, conflict_message, origin_of
from refdesk.knowledge.versions.reading import Versions
from refdesk.knowledge.views import paragraph_view


class Paragraphs:
    """The paragraphs of the scope's workspace, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope
        self.repository = ParagraphRepository(session, scope)
        self.documents = DocumentRepository(session, scope)
        self.questions = QuestionRepository(session, scope)

    async def page(
        self,
        document_id: UUID,
        *,
        limit: int,
        cursor: str | None,
        around: UUID | None,
        q: str | None,
        start: int | None = None,
        meta: Sequence[tuple[str, str]] = (),
    ) -> ParagraphPage:
        """Paragraphs in reading order; a cursor is the position of the first one of its page.

        `start` is its place instead (among those that match `q`), so that a long list opens anywhere.
        """
        document = await self.documents.get(document_id)
        wanted = Wanted(q, meta)
        position = 0 if cursor is None else decode_position(cursor)
        if start is not None:
            position = await self.repository.position_at(document_id, start, wanted)
        if around is not None:
            middle = await self.repository.find(around)
            if middle is None or middle.document_id != document_id:
                raise NotFound("There is no such paragraph in this document.")
            half = limit // 2
            first = await self.repository.start_of_page_before(document_id, middle.position, half, wanted)
            position = middle.position if first is None else first
        rows = await self.repository.after(document_id, position, limit + 1, wanted)
        shown = rows[:limit]
        previous = None
        if shown:
            previous = await self.repository.start_of_page_before(
                document_id, shown[0].position, limit, wanted
            )
        return ParagraphPage(
            items=await self.views(document, shown),
            next_cursor=str(rows[limit].position) if len(rows) > limit else None,
            previous_cursor=None if previous is None else str(previous),
            total=await self.repository.count(document_id, wanted),
        )

    async def view(self, paragraph_id: UUID) -> ParagraphView:
        """The paragraph as it stands, else as the last version says that had it; or `NotFound`."""
        paragraph = await self.repository.find(paragraph_id)
        if paragraph is None:
            try:
                return await Versions(self.session, self.scope).past_paragraph(paragraph_id)
            except NotFound:
                raise await self._gone(paragraph_id) from None
        document = await self.documents.get(paragraph.document_id)
        return await self.shown(document, paragraph)

    async def update(self, paragraph_id: UUID, body: ParagraphUpdate) -> ParagraphView:
        """Save an edit and have this paragraph, and only this one, indexed again.

        Whether it is active takes effect at once, for entries that are there already.
        """
        paragraph, document = await self.lock(paragraph_id, body.revision)
        title = paragraph.title if body.title is None else body.title.replace("\0", "").strip()
        content = paragraph.content if body.content is None else body.content.replace("\0", "")
        is_active = paragraph.is_active if body.is_active is None else body.is_active
        if body.meta is not None:
            paragraph.meta = with_said(paragraph.meta, checked_passage_metadata(body.meta))
            await self.session.flush()
        if (title, content, is_active) == (paragraph.title, paragraph.content, paragraph.is_active):
            await self.session.refresh(paragraph)
            return await self.shown(document, paragraph)
        if is_active != paragraph.is_active:
            await self._set_active(document, [paragraph], is_active)
        if (title, content) != (paragraph.title, paragraph.content):
            write_text(document, paragraph, title, content)
        # A new revision also when only the flag changed: a batch that was read before must not write it back.
        paragraph.revision += 1
        return await self.saved(document, paragraph)

    async def revert(self, paragraph_id: UUID, revision: int | None = None) -> ParagraphView:
        """Let the paragraph say again what the file says. Raises `NotEdited`."""
        paragraph, document = await self.lock(paragraph_id, revision)
        source = (paragraph.source_title or "", paragraph.source_content)
        if paragraph.source_content is None or source == (paragraph.title, paragraph.content):
            raise NotEdited
        write_text(document, paragraph, paragraph.source_title or "", paragraph.source_content)
        paragraph.revision += 1
        return await self.saved(document, paragraph)

    async def delete(self, paragraph_id: UUID) -> None:
        """Remove a paragraph and what the index holds of it; no later version of the file brings it back."""
        paragraph, document = await self.lock(paragraph_id)
        await self.remove(document, [paragraph])

    async def act(self, document_id: UUID, ids: Sequence[UUID], action: ParagraphAction) -> int:
        """Do the same to many paragraphs of a document; all or none. Returns how many it changed."""
        document = await self.documents.get(document_id, lock=True)
        paragraphs = [p for p in await self.repository.by_ids(ids) if p.document_id == document_id]
        missing = set(ids) - {paragraph.id for paragraph in paragraphs}
        if missing:
            named = sorted(str(key) for key in missing)[:10]
            raise NotFound("A paragraph is not in this document.", paragraph_ids=named)
        if action == "delete":
            await self.remove(document, paragraphs)
            return len(paragraphs)
        is_active = action == "activate"
        changed = [paragraph for paragraph in paragraphs if paragraph.is_active != is_active]
        await self._set_active(document, changed, is_active)
        for paragraph in changed:
            paragraph.revision += 1
        await self.session.flush()
        await self.renew_followers(document, [paragraph.position for paragraph in changed])
        if changed:
            await self.have_indexed(document)
        return len(changed)

    async def lock(self, paragraph_id: UUID, revision: int | None = None) -> tuple[Paragraph, Document]:
        """The paragraph and its document, locked until the transaction ends.

        Raises `NotFound`, and `ParagraphChanged` where `revision` is given and is not the present one.
        """
        found = await self.repository.find(paragraph_id)
        if found is None:
            raise await self._gone(paragraph_id)
        document = await self.documents.get(found.document_id, lock=True)
        paragraph = await self.repository.find(paragraph_id)
        if paragraph is None:
            raise await self._gone(paragraph_id)
        if revision is not None and revision != paragraph.revision:
            raise ParagraphChanged(revision=paragraph.revision)
        return paragraph, document

    async def _gone(self, paragraph_id: UUID) -> NotFound:
        """Why there is no paragraph of this id, as far as the caller may know."""
        deleted = await self.repository.deleted(paragraph_id)
        document = None if deleted is None else await self.documents.find(deleted.document_id)
        if deleted is None or document is None:
            return NotFound("There is no such paragraph.")
        return ParagraphDeleted(
            document_id=str(document.id), document=document.name, deleted_at=deleted.deleted_at.isoformat()
        )

    async def remove(
        self, document: Document, paragraphs: Sequence[Paragraph], *, for_good: bool = True
    ) -> None:
        """Remove rows of the locked document. `for_good`: their text is not wanted from the file either."""
        ids = [paragraph.id for paragraph in paragraphs]
        writer = await self._writer(document)
        if writer is not None:
            await writer.remove_paragraphs(ids)
        await self._note_past(document, paragraphs)
        document.paragraph_count -= len(ids)
        document.character_count -= sum(len(paragraph.content) for paragraph in paragraphs)
        if document.progress_total:
            document.progress_total -= len(ids)
            document.progress_done = min(document.progress_done, document.progress_total)
        settle_conflict(document, ids)
        places = [paragraph.position for paragraph in paragraphs]
        await self.repository.remove(ids)
        await self.repository.note_deleted(document.id, ids)
        if await self.renew_followers(document, places):
            await self.have_indexed(document)
        if for_good:
            gone = {origin for paragraph in paragraphs for origin in paragraph.origins}
            gone -= await self.repository.standing_origins(document.id, gone)
            document.removed_origins = [*document.removed_origins, *sorted(gone)]
        await self.session.flush()

    async def saved(self, document: Document, paragraph: Paragraph) -> ParagraphView:
        """Write what changed, have it indexed, and show it."""
        await self.session.flush()
        await self.renew_followers(document, [paragraph.position])
        await self.have_indexed(document)
        await self.session.refresh(paragraph)
        return await self.shown(document, paragraph)

    async def renew_followers(self, document: Document, places: Sequence[int]) -> int:
        """What stands behind these places is indexed anew where it takes along the end of what is before."""
        if not places or not lead_chars(document.kind, document.split_settings):
            return 0
        return await self.repository.raise_followers(document.id, places)

    async def have_indexed(self, document: Document) -> None:
        if not document.is_draft:
            await enqueue_indexing(self.session, self.scope, document.id)

    async def shown(self, document: Document, paragraph: Paragraph) -> ParagraphView:
        return (await self.views(document, [paragraph]))[0]

    async def views(self, document: Document, paragraphs: Sequence[Paragraph]) -> list[ParagraphView]:
        """What is sent of these paragraphs of one document."""
        ids = [paragraph.id for paragraph in paragraphs]
        held: Mapping[UUID, int] = {}
        index = await self._index(document)
        if index is not None and ids:
            held = await self.repository.indexed_revisions(index.id, ids)
        places = await self.repository.places(document.id, paragraphs)
        questions = await self.questions.of_paragraphs(ids)
        return [
            paragraph_view(
                document,
                paragraph,
                places[paragraph.id],
                questions.get(paragraph.id, ()),
                is_indexed=held.get(paragraph.id) == paragraph.revision,
            )
            for paragraph in paragraphs
        ]

    async def _set_active(self, document: Document, paragraphs: Sequence[Paragraph], is_active: bool) -> None:
        for paragraph in paragraphs:
            paragraph.is_active = is_active
        writer = await self._writer(document)
        if writer is not None and paragraphs:
            ids = [paragraph.id for paragraph in paragraphs]
            await writer.set_active(ids, is_active and document.is_active)

    async def _note_past(self, document: Document, paragraphs: Sequence[Paragraph]) -> None:
        """What was there when the last version was replaced lies in its snapshot."""
        versions = VersionRepository(self.session, self.scope)
        last = await versions.find(document.id, document.version - 1)
        if last is None or last.replaced_at is None:
            return
        held = [p.id for p in paragraphs if p.created_at < last.replaced_at]
        await versions.note_past(last.id, held)

    async def _index(self, document: Document) -> KnowledgeIndex | None:
        if document.is_draft:
            return None
        base = await KnowledgeBaseRepository(self.session, self.scope).get(document.knowledge_base_id)
        if base.active_index_id is None:
            return None
        return await self.session.get(KnowledgeIndex, base.active_index_id)

    async def _writer(self, document: Document) -> IndexWriter | None:
        index = await self._index(document)
        return None if index is None else IndexWriter(self.session, self.scope, index)


def write_text(document: Document, paragraph: Paragraph, title: str, content: str) -> None:
    """Let the paragraph say this; what the file says is kept beside it."""
    document.character_count += len(content) - len(paragraph.content)
    if paragraph.source_content is None and paragraph.origins:
        paragraph.source_title, paragraph.source_content = paragraph.title, paragraph.content
    paragraph.title, paragraph.content, paragraph.is_edited = title, content, True
    settle_edit(paragraph)
    settle_conflict(document, [paragraph.id])


def settle_edit(paragraph: Paragraph) -> None:
    """One that says what the file says is not edited, however it came to say it.

    Half of what the file says is not that, though it may have nothing else to go back to.
    """
    named = origin_of(paragraph.title_chain, paragraph.title, paragraph.content)
    if [origin.partition("#")[0] for origin in paragraph.origins] == [named]:
        paragraph.is_edited, paragraph.source_title, paragraph.source_content = False, None, None


def settle_conflict(document: Document, paragraph_ids: Sequence[UUID]) -> None:
    """Somebody decided what these paragraphs say: they need nobody's attention any more."""
    settled = {str(paragraph_id) for paragraph_id in paragraph_ids}
    warnings: list[Any] = []
    for warning in document.warnings:
        if warning["code"] == CONFLICT:
            left = [key for key in warning.get("paragraph_ids", ()) if key not in settled]
            if not left:
                continue
            warning = {**warning, "paragraph_ids": left, "message": conflict_message(len(left))}
        warnings.append(warning)
    if warnings != document.warnings:
        document.warnings = warnings
