"""What can be done with a document: find, change, stop, retry, delete, or create from paragraphs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from uuid import UUID

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.jobs import Urgency
from refdesk.kit.clock import now
from refdesk.kit.ids import new_id
from refdesk.kit.web import Page
from refdesk.knowledge.access.folders import Folders, hidden_folders_of
from refdesk.knowledge.cursors import decode_id
from refdesk.knowledge.errors import (
    DocumentLimitReached,
    NoOriginal,
    NotRunning,
    NotStopped,
)
from refdesk.knowledge.filenames import display_name
from refdesk.knowledge.indexing import IndexWriter
from refdesk.knowledge.indexing.tables import KnowledgeIndex
from refdesk.knowledge.metadata import checked_metadata
from refdesk.knowledge.queueing import enqueue_processing, enqueue_removal
from refdesk.knowledge.repository import DocumentFilter, DocumentRepository, KnowledgeBaseRepository
from refdesk.knowledge.schemas import DocumentList, DocumentUpdate, DocumentView, NewDocument
from refdesk.knowledge.split_checks import require_usable
from refdesk.knowledge.tables import Blob, Document, KnowledgeBase, Paragraph
from refdesk.knowledge.versions import OriginNames, new_version, split_again
from refdesk.knowledge.views import document_view

# Rows of one statement: bounds its memory.
ROWS_AT_ONCE = 5_000
RUNNING = frozenset(("queued", "parsing", "splitting", "indexing"))


async def require_room(session: AsyncSession, scope: Scope, base_id: UUID, wanted: int = 1) -> KnowledgeBase:
    """The base, locked against other additions; `DocumentLimitReached` if `wanted` more do not fit."""
    base = await KnowledgeBaseRepository(session, scope).get(base_id, lock=True)
    if base.max_documents is not None:
        present = await DocumentRepository(session, Scope.system(scope.workspace_id)).count(base_id)
        if present + wanted > base.max_documents:
            shown = await DocumentRepository(session, scope).count(base_id)
            raise DocumentLimitReached(
                limit="max_documents", max_documents=base.max_documents, documents=shown
            )
    return base


class Documents:
    """The documents of the scope's workspace, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope
        self.repository = DocumentRepository(session, scope)

    async def view(self, document_id: UUID) -> DocumentView:
        return await self._view(await self.repository.get(document_id))

    async def get(self, document_id: UUID) -> Document:
        return await self.repository.get(document_id)

    async def page(
        self, base_id: UUID, *, limit: int, cursor: str | None, wanted: DocumentFilter | None = None
    ) -> Page[DocumentView]:
        """Documents of a base, newest first; the cursor is the last id seen."""
        await KnowledgeBaseRepository(self.session, self.scope).get(base_id)
        before = None if cursor is None else decode_id(cursor)
        if wanted is not None and (wanted.folder_id is not None or wanted.in_no_folder):
            hidden = await Folders(self.session, self.scope).hidden(base_id)
            wanted = replace(wanted, hidden_folders=hidden)
        documents, total = await self.repository.page(base_id, limit=limit + 1, before=before, wanted=wanted)
        shown = documents[:limit]
        sizes = await self.repository.file_sizes(shown)
        hidden = await hidden_folders_of(self.session, self.scope, shown)
        following = str(shown[-1].id) if len(documents) > limit else None
        return Page(
            items=[document_view(document, sizes, hidden) for document in shown],
            next_cursor=following,
            total=total,
        )

    async def original(self, document_id: UUID) -> tuple[Document, Blob]:
        """The document and its stored file, or `NoOriginal`."""
        document = await self.repository.get(document_id)
        blob = await self.repository.blob(document)
        if blob is None:
            raise NoOriginal
        return document, blob

    async def create(
        self, base_id: UUID, drafts: Sequence[NewDocument], folder_id: UUID | None = None
    ) -> DocumentList:
        """Save structured documents and start indexing them; all or none."""
        await require_room(self.session, self.scope, base_id, len(drafts))
        documents = [self._add(base_id, draft) for draft in drafts]
        if folder_id is not None:
            folders = Folders(self.session, self.scope)
            for document in documents:
                await folders.place(document, folder_id)
        await self.session.flush()
        self.session.add_all(new_version(document, 1, "upload") for document in documents)
        rows = [row for d, draft in zip(documents, drafts, strict=True) for row in self._rows(d, draft)]
        for i in range(0, len(rows), ROWS_AT_ONCE):
            await self.session.execute(insert(Paragraph), rows[i : i + ROWS_AT_ONCE])
        for document in documents:
            await enqueue_processing(self.session, self.scope, document.id)
        fresh = await self.repository.reread([document.id for document in documents])
        return DocumentList(items=[document_view(document, {}, ()) for document in fresh])

    async def update(self, document_id: UUID, body: DocumentUpdate) -> DocumentView:
        """Change what the body names; other split settings split the original again."""
        moves = "folder_id" in body.model_fields_set
        if moves:
            # Before the document's own lock, as everywhere: a folder's list does not change meanwhile.
            base_id = (await self.repository.get(document_id)).knowledge_base_id
            await KnowledgeBaseRepository(self.session, self.scope).get(base_id, lock=True)
        document = await self.repository.get(document_id, lock=True)
        if moves:
            await Folders(self.session, self.scope).move(document, body.folder_id)
        if body.name is not None:
            document.name = display_name(body.name)
        if body.meta is not None:
            document.meta = checked_metadata(body.meta)
        if body.hit_handling is not None:
            document.hit_handling = body.hit_handling
        if body.direct_return_similarity is not None:
            document.direct_return_similarity = body.direct_return_similarity
        if body.is_active is not None and body.is_active != document.is_active:
            await self._set_active(document, body.is_active)
        if body.split_settings is not None:
            wanted = body.split_settings.model_dump(exclude_defaults=True)
            if wanted != document.split_settings:
                await require_usable(body.split_settings)
                await split_again(
                    self.session, self.scope, document, wanted, discard_edits=body.discard_edits
                )
        return await self._view(document)

    async def retry(self, document_id: UUID, *, password_sealed: bytes | None = None) -> DocumentView:
        """Continue where it stopped: what was parsed, split and indexed is kept.

        `password_sealed` opens the original from now on.
        """
        document = await self.repository.get(document_id, lock=True)
        if document.state not in ("failed", "cancelled"):
            raise NotStopped(state=document.state)
        if password_sealed is not None:
            document.password_sealed = password_sealed
        await self._queue(document)
        return await self._view(document)

    async def cancel(self, document_id: UUID) -> DocumentView:
        """Stop processing. The job loses the right to write here and now and ends within a second."""
        document = await self.repository.get(document_id, lock=True)
        if document.state not in RUNNING:
            raise NotRunning(state=document.state)
        document.state = "cancelled"
        document.cancel_requested = True
        document.attempt = None
        return await self._view(document)

    async def delete(self, document_id: UUID) -> None:
        """Hide the document at once; a job removes its rows in bounded batches."""
        document = await self.repository.get(document_id, lock=True)
        document.deleted_at = now()
        document.attempt = None
        audit(self.session, self.scope, "document.delete", ("document", document_id), name=document.name)
        await enqueue_removal(self.session, self.scope.workspace_id, document_id)

    async def _set_active(self, document: Document, is_active: bool) -> None:
        """Let searches find the document, or not, at once and without indexing anything anew."""
        document.is_active = is_active
        base = await KnowledgeBaseRepository(self.session, self.scope).get(document.knowledge_base_id)
        if document.is_draft or base.active_index_id is None:
            return
        index = await self.session.get(KnowledgeIndex, base.active_index_id)
        if index is not None:
            await IndexWriter(self.session, self.scope, index).set_document_active(document.id, is_active)

    async def _queue(self, document: Document) -> None:
        document.state = "queued"
        document.error = None
        document.cancel_requested = False
        document.attempt = None
        await enqueue_processing(self.session, self.scope, document.id, urgency=Urgency.AWAITED)

    def _add(self, base_id: UUID, draft: NewDocument) -> Document:
        document = Document(
            id=new_id(),
            workspace_id=self.scope.workspace_id,
            knowledge_base_id=base_id,
            name=display_name(draft.name),
            kind="structured",
            meta=checked_metadata(draft.meta),
            split_settings={},
            warnings=[],
            character_count=sum(len(paragraph.content) for paragraph in draft.paragraphs),
            paragraph_count=len(draft.paragraphs),
            progress_total=len(draft.paragraphs),
            split_at=now(),
            created_by=self.scope.user_id,
        )
        self.session.add(document)
        return document

    def _rows(self, document: Document, draft: NewDocument) -> Iterator[dict[str, object]]:
        start = 0
        names = OriginNames()
        for position, paragraph in enumerate(draft.paragraphs):
            content = paragraph.content
            yield {
                "workspace_id": self.scope.workspace_id,
                "knowledge_base_id": document.knowledge_base_id,
                "document_id": document.id,
                "position": position,
                "title": paragraph.title,
                "title_chain": paragraph.title_chain,
                "content": content,
                "page": paragraph.page,
                "is_active": paragraph.is_active,
                "start": start,
                "end": start + len(content),
                "origins": [names.name(paragraph.title_chain, paragraph.title, content)],
            }
            start += len(content) + 2

    async def _view(self, document: Document) -> DocumentView:
        await self.session.flush()
        await self.session.refresh(document)
        hidden = await hidden_folders_of(self.session, self.scope, [document])
        return document_view(document, await self.repository.file_sizes([document]), hidden)
