"""Having the index follow the term base: only paragraphs that hold a changed word are written anew.

Their vectors stay, since the words change nothing that is embedded. The paragraphs are read once to find
them; then batch by batch, each a transaction that keeps the place it has come to. A change of the terms
meanwhile begins it anew. When all are written the new words count in questions.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.jobs import Urgency, enqueue
from refdesk.kit.database import Database
from refdesk.knowledge.indexing import Vocabulary, hold_off_writers, indexes_of_base, prepare_entries, relex
from refdesk.knowledge.paragraph_texts import paragraph_texts
from refdesk.knowledge.queueing import enqueue_indexing
from refdesk.knowledge.terms.repository import ReadParagraph, TermRepository

log = structlog.get_logger(__name__)

READ_AT_ONCE = 500
WRITTEN_AT_ONCE = 50
BATCHES_A_TURN = 40
"""Batches after which the job goes to the end of the queue, so that other workspaces have their turn."""


@dataclass(frozen=True, slots=True)
class _Task:
    """What one run is to bring in. It ends where the base's `version` is another."""

    version: int
    words: Vocabulary
    changed: Vocabulary
    keys: frozenset[str]
    cursor: UUID | None


class TermRun:
    """One run of the job `reindex-terms`."""

    def __init__(self, database: Database, scope: Scope, base_id: UUID) -> None:
        self._database = database
        self._scope = scope
        self._base_id = base_id

    async def run(self) -> None:
        """Bring the index up to the terms, or as far as one turn goes."""
        while (task := await self._begin()) is not None:
            await self._wait_for_writers()
            found = await self._find(task)
            if not await self._note_total(task, len(found)):
                continue
            batches = [found[i : i + WRITTEN_AT_ONCE] for i in range(0, len(found), WRITTEN_AT_ONCE)]
            for batch in batches[:BATCHES_A_TURN]:
                if not await self._write(task, batch):
                    break
            else:
                if len(batches) > BATCHES_A_TURN:
                    await self._take_another_turn(task)
                    return
                await self._finish(task)

    async def _begin(self) -> _Task | None:
        async with self._database.transaction() as session:
            repository = TermRepository(session, self._scope)
            state = await repository.lock_state(self._base_id)
            if state is None or not state.is_pending:
                return None
            wanted = await repository.keys(self._base_id)
            held, traces = frozenset(state.held), frozenset(state.traces)
            state.wanted = sorted(wanted)
            return _Task(
                version=state.version,
                words=Vocabulary(wanted),
                changed=Vocabulary((wanted - held) | (traces - wanted)),
                keys=traces | wanted,
                cursor=state.cursor,
            )

    async def _wait_for_writers(self) -> None:
        """Whoever read the terms before they changed has written by now, and is found by the search."""
        for index_id in await self._indexes():
            async with self._database.transaction() as session:
                await hold_off_writers(session, self._scope, index_id)

    async def _indexes(self) -> Sequence[UUID]:
        async with self._database.transaction() as session:
            return await indexes_of_base(session, self._scope, self._base_id)

    async def _find(self, task: _Task) -> list[UUID]:
        """Paragraphs behind the cursor that hold a changed word."""
        found: list[UUID] = []
        after = task.cursor
        while True:
            async with self._database.transaction() as session:
                repository = TermRepository(session, self._scope)
                paragraphs = await repository.texts(self._base_id, after, READ_AT_ONCE)
            if not paragraphs:
                return found
            found += await asyncio.to_thread(_holding, paragraphs, task.changed)
            after = paragraphs[-1].id

    async def _note_total(self, task: _Task, found: int) -> bool:
        async with self._database.transaction() as session:
            state = await TermRepository(session, self._scope).lock_state(self._base_id)
            if state is None or state.version != task.version:
                return False
            state.progress_total = state.progress_done + found
            return True

    async def _write(self, task: _Task, batch: Sequence[UUID]) -> bool:
        """Write a batch anew in every index of the base; False where the terms have changed meanwhile."""
        indexes = await self._indexes()
        async with self._database.transaction() as session:
            texts = await paragraph_texts(session, self._scope, batch)
        prepared = await asyncio.to_thread(prepare_entries, texts, terms=task.words)
        async with self._database.transaction() as session:
            repository = TermRepository(session, self._scope)
            state = await repository.lock_state(self._base_id)
            if state is None or state.version != task.version:
                return False
            for index_id in indexes:
                done = await relex(session, self._scope, index_id, prepared, task.keys)
                if done.unmatched:
                    await self._embed_anew(session, index_id, sorted(done.unmatched))
            state.cursor = batch[-1]
            state.progress_done += len(batch)
        return True

    async def _embed_anew(self, session: AsyncSession, index_id: UUID, unmatched: Sequence[UUID]) -> None:
        repository = TermRepository(session, self._scope)
        for document_id in await repository.have_indexed_anew(index_id, unmatched):
            await enqueue_indexing(session, self._scope, document_id, urgency=Urgency.BULK)

    async def _take_another_turn(self, task: _Task) -> None:
        async with self._database.transaction() as session:
            await enqueue(
                session,
                "reindex-terms",
                lock=f"terms:{self._base_id}",
                unique=True,
                line=self._base_id,
                workspace_id=str(self._scope.workspace_id),
                knowledge_base_id=str(self._base_id),
            )
        log.info("terms.turn", knowledge_base_id=str(self._base_id), version=task.version)

    async def _finish(self, task: _Task) -> None:
        async with self._database.transaction() as session:
            state = await TermRepository(session, self._scope).lock_state(self._base_id)
            if state is None or state.version != task.version:
                return
            state.held = state.traces = list(state.wanted)
            state.is_pending, state.cursor = False, None
            state.version += 1


def _holding(paragraphs: Sequence[ReadParagraph], changed: Vocabulary) -> list[UUID]:
    return [p.id for p in paragraphs if next(changed.occurrences(p.text), None) is not None]
