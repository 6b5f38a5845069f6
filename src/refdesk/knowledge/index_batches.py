"""Writing paragraphs into one index, batch by batch, each batch a checkpoint.

While one batch is embedded the next is prepared and the one before written, so that the embedder, the
slowest of the three, never waits. Which paragraphs, and who may write, is the caller's business.
"""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol
from uuid import UUID

import numpy as np
import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway import Embedder, ModelRateLimited, ModelTimeout, ModelUnavailable, Vectors
from refdesk.kit.database import Database
from refdesk.knowledge.indexing import IndexWriter, PreparedEntries, Written, prepare_entries
from refdesk.knowledge.indexing.tables import KnowledgeIndex
from refdesk.knowledge.paragraph_texts import paragraph_texts
from refdesk.knowledge.tables import Document
from refdesk.knowledge.terms.term_base import term_base

log = structlog.get_logger(__name__)

# Seconds before each repetition of a call that a busy or restarting model server refused.
RETRY_DELAYS_S = (2.0, 8.0, 30.0)


class BatchOwner(Protocol):
    """On whose behalf batches are written."""

    async def hold(self, session: AsyncSession, document_ids: Sequence[UUID]) -> Mapping[UUID, Document]:
        """Lock what must not change until the transaction ends, or raise if it is not ours to write.

        Returns those of the documents that are there; paragraphs of others are left out.
        """
        ...

    async def note(self, session: AsyncSession, written: Written) -> None:
        """Take down how far it has come, in the transaction of the batch."""
        ...


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A batch, and the version of the term base that its words were read with."""

    entries: PreparedEntries
    terms_version: int


class IndexBatches:
    """Indexes paragraphs of one base into `index` with `embedder`."""

    def __init__(
        self,
        database: Database,
        scope: Scope,
        index: KnowledgeIndex,
        embedder: Embedder,
        owner: BatchOwner,
        *,
        batch_size: int,
    ) -> None:
        self._database = database
        self._scope = scope
        self._index = index
        self._embedder = embedder
        self._owner = owner
        self._batch_size = batch_size

    async def write(self, paragraph_ids: Sequence[UUID]) -> None:
        """Index these paragraphs. Stopped half-way, what was committed stays and is not pending any more."""
        if not paragraph_ids:
            return
        size = self._batch_size
        batches = [paragraph_ids[i : i + size] for i in range(0, len(paragraph_ids), size)]
        preparing = asyncio.create_task(self._prepare(batches[0]))
        writing: asyncio.Task[None] | None = None
        try:
            for number in range(len(batches)):
                prepared = await preparing
                if number + 1 < len(batches):
                    preparing = asyncio.create_task(self._prepare(batches[number + 1]))
                vectors = await _embed(self._embedder, prepared.entries.texts)
                if writing is not None:
                    await writing
                writing = asyncio.create_task(self._write(prepared, vectors))
            if writing is not None:
                await writing
        finally:
            await _stop(preparing, writing)

    async def _prepare(self, paragraph_ids: Sequence[UUID]) -> _Prepared:
        async with self._database.transaction() as session:
            texts = await paragraph_texts(session, self._scope, paragraph_ids)
            terms = await term_base(session, self._scope, self._index.knowledge_base_id)
        return _Prepared(await asyncio.to_thread(prepare_entries, texts, terms=terms.words), terms.version)

    async def _write(self, prepared: _Prepared, vectors: Vectors) -> None:
        entries = prepared.entries
        async with self._database.transaction() as session:
            ids = sorted({paragraph.document_id for paragraph in entries.paragraphs})
            documents = await self._owner.hold(session, ids)
            writer = IndexWriter(session, self._scope, self._index)
            await writer.hold()
            # Held off from here on, a change of the terms waits for this writer and finds what it wrote.
            terms = await term_base(session, self._scope, self._index.knowledge_base_id)
            if terms.version != prepared.terms_version:  # the words are others; the pieces are the same
                entries = await asyncio.to_thread(prepare_entries, entries.paragraphs, terms=terms.words)
            entries, vectors = _as_documents_say(entries, vectors, documents)
            await self._owner.note(session, await writer.write(entries, vectors))


def _as_documents_say(
    prepared: PreparedEntries, vectors: Vectors, documents: Mapping[UUID, Document]
) -> tuple[PreparedEntries, Vectors]:
    """Who may find the paragraphs, as their documents have it now that they are locked."""
    current = {
        paragraph.id: replace(
            paragraph,
            is_active=paragraph.is_active and document.is_active,
            acl_id=document.acl_id,
        )
        for paragraph in prepared.paragraphs
        if (document := documents.get(paragraph.document_id)) is not None
    }
    kept = [n for n, entry in enumerate(prepared.entries) if entry.paragraph.id in current]
    entries = [prepared.entries[n] for n in kept]
    return (
        PreparedEntries(
            tuple(current.values()),
            tuple(replace(entry, paragraph=current[entry.paragraph.id]) for entry in entries),
        ),
        vectors[kept],
    )


async def _embed(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    step = max(embedder.max_batch, 1)
    parts = [await _embed_patiently(embedder, texts[i : i + step]) for i in range(0, len(texts), step)]
    if not parts:
        return np.zeros((0, embedder.dimensions), dtype=np.float32)
    return np.concatenate(parts)


async def _embed_patiently(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    for delay_s in RETRY_DELAYS_S:
        try:
            return await embedder.embed_passages(texts)
        except (ModelRateLimited, ModelTimeout, ModelUnavailable) as error:
            log.info("index.model_busy", code=error.code, wait_s=delay_s)
            await asyncio.sleep(delay_s)
    return await embedder.embed_passages(texts)


async def _stop(*tasks: asyncio.Task[Any] | None) -> None:
    """Cancel what still runs and wait for its end, so that no transaction of ours outlives the run."""
    for task in tasks:
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task
