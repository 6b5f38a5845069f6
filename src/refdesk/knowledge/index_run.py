"""Bringing a document's pending paragraphs into the active index of its base.

Owns when a document is ready; the batches themselves are `index_batches`'.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway import Gateway, Purpose
from refdesk.kit.database import Database
from refdesk.knowledge.index_batches import IndexBatches
from refdesk.knowledge.indexing import IndexNotFound, IndexWriter, Written
from refdesk.knowledge.indexing.tables import KnowledgeIndex
from refdesk.knowledge.queueing import keep_other_indexes_up, note_reindexing
from refdesk.knowledge.repository import KnowledgeBaseRepository
from refdesk.knowledge.tables import Document

# All pending ids are read at once: 16 bytes each, and a batch that waits to be written is still pending.
MAX_PENDING = 1_000_000
# Paragraphs edited while they are indexed stay pending for another pass; more passes than this is a fault.
MAX_PASSES = 50


class Superseded(Exception):
    """The run may not write any more: another run, a cancel or a deletion took the document."""


type OwnedDocument = Callable[[AsyncSession], Awaitable[Document]]


async def base_index(session: AsyncSession, scope: Scope, base_id: UUID) -> KnowledgeIndex:
    """The active index of a base. Raises `Superseded` if base or index are gone."""
    base = await KnowledgeBaseRepository(session, scope).find(base_id)
    if base is None or base.active_index_id is None:
        raise Superseded
    index = await session.get(KnowledgeIndex, base.active_index_id)
    if index is None:
        raise Superseded
    return index


class IndexRun:
    """Indexes one document. `owned` locks and returns the document, or raises `Superseded`.

    `finishes`: the document is on its way, and this run reports its progress and makes it ready.
    """

    def __init__(
        self,
        database: Database,
        gateway: Gateway,
        scope: Scope,
        document_id: UUID,
        owned: OwnedDocument,
        *,
        batch_size: int,
        finishes: bool = True,
    ) -> None:
        self._database = database
        self._gateway = gateway
        self._scope = scope
        self._document_id = document_id
        self._owned = owned
        self._batch_size = batch_size
        self._finishes = finishes
        self._document: Document | None = None

    async def until_nothing_is_pending(self) -> None:
        """Index every pending paragraph, then mark the document ready in the transaction that sees none.

        Where the base has taken another index meanwhile, what is pending there comes next.
        """
        for _ in range(MAX_PASSES):
            pending = await self._pending_or_ready()
            if not pending:
                return
            async with self._database.transaction() as session:
                document = await self._owned(session)
                index = await base_index(session, self._scope, document.knowledge_base_id)
            embedder = await self._gateway.embedder(self._scope, index.model_id, Purpose("index"))
            batches = IndexBatches(
                self._database, self._scope, index, embedder, self, batch_size=self._batch_size
            )
            try:
                await batches.write(pending)
            except IndexNotFound:  # the former index was dropped: look which one is active now
                continue
        raise RuntimeError("paragraphs stay pending after every pass")

    async def hold(self, session: AsyncSession, document_ids: Sequence[UUID]) -> Mapping[UUID, Document]:
        self._document = await self._owned(session)
        return {self._document.id: self._document}

    async def note(self, session: AsyncSession, written: Written) -> None:
        document = self._document
        if document is not None and self._finishes and document.state != "ready":
            document.progress_done = min(document.progress_done + written.paragraphs, document.progress_total)

    async def _pending_or_ready(self) -> list[UUID]:
        async with self._database.transaction() as session:
            document = await self._owned(session)
            index = await base_index(session, self._scope, document.knowledge_base_id)
            pending = await IndexWriter(session, self._scope, index).pending(self._document_id, MAX_PENDING)
            if self._finishes and document.state != "ready":
                document.progress_total = document.paragraph_count
                document.progress_done = max(document.paragraph_count - len(pending), 0)
            if self._finishes and not pending and document.state != "ready":
                document.state = "ready"
                document.error = None
                document.attempt = None
            if not pending:
                if document.is_reindexing:
                    await note_reindexing(session, self._scope, document.id, False)
                await keep_other_indexes_up(session, self._scope, document.knowledge_base_id)
            return pending
