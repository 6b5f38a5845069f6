"""Previews before import: documents that are read and split, can be changed, and belong to nothing yet.

A draft is a document in the state `draft`. Nothing of it is indexed or counted, and it is removed when it
expires. Importing it makes it a document like any other, with everything that was done to it.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.jobs import Urgency
from refdesk.kit.clock import now
from refdesk.kit.errors import NotFound
from refdesk.kit.web import Page
from refdesk.knowledge.access.folders import hidden_folders_of
from refdesk.knowledge.cursors import decode_id
from refdesk.knowledge.documents import require_room
from refdesk.knowledge.errors import DraftNotReady, TooManyDrafts
from refdesk.knowledge.queueing import enqueue_processing, enqueue_removal
from refdesk.knowledge.repository import DocumentRepository, KnowledgeBaseRepository
from refdesk.knowledge.schemas import DocumentView, DraftImport, DraftImportResult, SkippedDraft
from refdesk.knowledge.tables import Document
from refdesk.knowledge.views import document_view

# Of one knowledge base at a time: previews that nobody looks at are no way to store files.
MAX_DRAFTS = 500


async def require_draft_room(session: AsyncSession, scope: Scope, base_id: UUID) -> None:
    """Raise `TooManyDrafts` unless the base takes one more preview. Locks the base."""
    await KnowledgeBaseRepository(session, scope).get(base_id, lock=True)
    everybody = DocumentRepository(session, Scope.system(scope.workspace_id))
    present = await everybody.count(base_id, drafts=True)
    if present >= MAX_DRAFTS:
        raise TooManyDrafts(max_drafts=MAX_DRAFTS)


class Drafts:
    """The previews of the scope's workspace, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope
        self.repository = DocumentRepository(session, scope)

    async def page(self, base_id: UUID, *, limit: int, cursor: str | None) -> Page[DocumentView]:
        """Previews of a base, the newest first; the cursor is the last id seen."""
        await KnowledgeBaseRepository(self.session, self.scope).get(base_id)
        before = None if cursor is None else decode_id(cursor)
        found, total = await self.repository.page(base_id, limit=limit + 1, before=before, drafts=True)
        shown = found[:limit]
        sizes = await self.repository.file_sizes(shown)
        hidden = await hidden_folders_of(self.session, self.scope, shown)
        following = str(shown[-1].id) if len(found) > limit else None
        return Page(
            items=[document_view(draft, sizes, hidden) for draft in shown],
            next_cursor=following,
            total=total,
        )

    async def bring_in(self, base_id: UUID, body: DraftImport) -> DraftImportResult:
        """Make previews documents of the base and have them indexed.

        Named ones all or none; without names all that are ready, and the others are told. Raises
        `NotFound`, `DraftNotReady`, `DocumentLimitReached`.
        """
        wanted = await self._wanted(base_id, body.document_ids)
        imported = [draft for draft in wanted if draft.state == "draft"]
        skipped = [draft for draft in wanted if draft.state != "draft"]
        if body.document_ids is not None and skipped:
            raise DraftNotReady(document_id=str(skipped[0].id), state=skipped[0].state)
        await require_room(self.session, self.scope, base_id, len(imported))
        for draft in imported:
            draft.is_draft, draft.expires_at = False, None
            draft.state, draft.attempt, draft.cancel_requested = "indexing", None, False
            draft.progress_done, draft.progress_total = 0, draft.paragraph_count
        await self.session.flush()
        urgency = Urgency.AWAITED if len(imported) == 1 else Urgency.BULK
        for draft in imported:
            await enqueue_processing(self.session, self.scope, draft.id, urgency=urgency)
        fresh = await self.repository.reread([draft.id for draft in imported])
        sizes = await self.repository.file_sizes(fresh)
        hidden = await hidden_folders_of(self.session, self.scope, fresh)
        return DraftImportResult(
            imported=[document_view(document, sizes, hidden) for document in fresh],
            skipped=[SkippedDraft.model_validate(draft, from_attributes=True) for draft in skipped],
        )

    async def _wanted(self, base_id: UUID, document_ids: Sequence[UUID] | None) -> list[Document]:
        """The previews in the order of their ids, locked."""
        await KnowledgeBaseRepository(self.session, self.scope).get(base_id, lock=True)
        if document_ids is None:
            found, _ = await self.repository.page(base_id, limit=MAX_DRAFTS, before=None, drafts=True)
            document_ids = [draft.id for draft in found]
            locked = [await self.repository.find(key, lock=True) for key in sorted(document_ids)]
            return [draft for draft in locked if draft is not None and draft.is_draft]
        wanted: list[Document] = []
        for key in sorted(set(document_ids)):
            draft = await self.repository.get(key, lock=True)
            if draft.knowledge_base_id != base_id or not draft.is_draft:
                raise NotFound("There is no such preview in this knowledge base.", document_id=str(key))
            wanted.append(draft)
        return wanted


async def expire_drafts(session: AsyncSession, before: datetime) -> int:
    """Have previews of all workspaces removed that expired before then. Returns how many."""
    rows = await session.scalars(
        select(Document)
        .where(
            Document.is_draft.is_(True),
            Document.expires_at < before,
            Document.deleted_at.is_(None),
        )
        .order_by(Document.id)
        .limit(1_000)
        .with_for_update(skip_locked=True)
    )
    expired = rows.all()
    for draft in expired:
        draft.deleted_at, draft.attempt = now(), None
        await enqueue_removal(session, draft.workspace_id, draft.id)
    return len(expired)
