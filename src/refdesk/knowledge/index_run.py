"""Bringing a document's pending paragraphs into the index, batch by batch, each batch a checkpoint.

While one batch is embedded the next is prepared and the one before written, so that the embedder, the
slowest of the three, never waits. Owns the batches and their order; who may write is the caller's business.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from uuid import UUID

import numpy as np
import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway import Embedder, Gateway, ModelRateLimited, ModelTimeout, ModelUnavailable, Vectors
from refdesk.kit.database import Database
from refdesk.knowledge.indexing import IndexWriter, ParagraphText, PreparedEntries, prepare_entries
from refdesk.knowledge.indexing.tables import KnowledgeIndex
from refdesk.knowledge.paragraph_repository import ParagraphRepository
from refdesk.knowledge.question_repository import QuestionRepository
from refdesk.knowledge.repository import KnowledgeBaseRepository
from refdesk.knowledge.tables import Document

log = structlog.get_logger(__name__)

# Seconds before each repetition of a call that a busy or restarting model server refused.
RETRY_DELAYS_S = (2.0, 8.0, 30.0)
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

    async def until_nothing_is_pending(self) -> None:
        """Index every pending paragraph, then mark the document ready in the transaction that sees none."""
        for _ in range(MAX_PASSES):
            pending = await self._pending_or_ready()
            if not pending:
                return
            index, embedder = await self._index_and_embedder()
            await self._index(pending, index, embedder)
        raise RuntimeError("paragraphs stay pending after every pass")

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
            return pending

    async def _index_and_embedder(self) -> tuple[KnowledgeIndex, Embedder]:
        async with self._database.transaction() as session:
            document = await self._owned(session)
            index = await base_index(session, self._scope, document.knowledge_base_id)
        return index, await self._gateway.embedder(self._scope, index.model_id)

    async def _index(self, pending: Sequence[UUID], index: KnowledgeIndex, embedder: Embedder) -> None:
        size = self._batch_size
        batches = [pending[i : i + size] for i in range(0, len(pending), size)]
        preparing = asyncio.create_task(self._prepare(batches[0]))
        writing: asyncio.Task[None] | None = None
        try:
            for number in range(len(batches)):
                prepared = await preparing
                if number + 1 < len(batches):
                    preparing = asyncio.create_task(self._prepare(batches[number + 1]))
                vectors = await self._embed(embedder, prepared.texts)
                if writing is not None:
                    await writing
                writing = asyncio.create_task(self._write(index, prepared, vectors))
            if writing is not None:
                await writing
        finally:
            await _stop(preparing, writing)

    async def _prepare(self, paragraph_ids: Sequence[UUID]) -> PreparedEntries:
        async with self._database.transaction() as session:
            paragraphs = await ParagraphRepository(session, self._scope).by_ids(paragraph_ids)
            questions = await QuestionRepository(session, self._scope).of_paragraphs(paragraph_ids)
        texts = [
            ParagraphText(
                id=paragraph.id,
                document_id=paragraph.document_id,
                title_chain=[*paragraph.title_chain, paragraph.title],
                content=paragraph.content,
                revision=paragraph.revision,
                is_active=paragraph.is_active,
                questions=[question.content for question in questions.get(paragraph.id, ())],
            )
            for paragraph in paragraphs
        ]
        return await asyncio.to_thread(prepare_entries, texts)

    async def _embed(self, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        step = max(embedder.max_batch, 1)
        parts = [
            await self._embed_patiently(embedder, texts[i : i + step]) for i in range(0, len(texts), step)
        ]
        if not parts:
            return np.zeros((0, embedder.dimensions), dtype=np.float32)
        return np.concatenate(parts)

    async def _embed_patiently(self, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        for delay_s in RETRY_DELAYS_S:
            try:
                return await embedder.embed_passages(texts)
            except (ModelRateLimited, ModelTimeout, ModelUnavailable) as error:
                log.info("index.model_busy", code=error.code, wait_s=delay_s)
                await asyncio.sleep(delay_s)
        return await embedder.embed_passages(texts)

    async def _write(self, index: KnowledgeIndex, prepared: PreparedEntries, vectors: Vectors) -> None:
        async with self._database.transaction() as session:
            document = await self._owned(session)
            writer = IndexWriter(session, self._scope, index)
            written = await writer.write(prepared, vectors)
            if not document.is_active:
                await writer.set_active([paragraph.id for paragraph in prepared.paragraphs], False)
            if self._finishes and document.state != "ready":
                document.progress_done = min(
                    document.progress_done + written.paragraphs, document.progress_total
                )


async def _stop(*tasks: asyncio.Task[Any] | None) -> None:
    """Cancel what still runs and wait for its end, so that no transaction of ours outlives the run."""
    for task in tasks:
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task
