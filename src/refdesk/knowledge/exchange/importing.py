"""One import: an archive that was checked becomes a new base, group by group of documents, then the rest.

Each group is a few transactions, each of which leaves a state that a second run of the job can take up: ids
of documents follow from the base's id and their number in the archive, so nothing is made twice. Vectors of
the same embedding model are written as they come, and what has none is embedded by the ordinary jobs.
"""

import asyncio
import tempfile
from collections.abc import Sequence
from typing import IO, Any
from uuid import UUID

import numpy as np
import structlog
from sqlalchemy import func, select, update
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway import Gateway, ModelRepository, Purpose
from refdesk.jobs import JobContext
from refdesk.kit.errors import AppError
from refdesk.kit.ids import new_id
from refdesk.knowledge import blobs
from refdesk.knowledge.documents import enqueue_processing
from refdesk.knowledge.errors import ContentLost
from refdesk.knowledge.exchange.archive import Archive, opened
from refdesk.knowledge.exchange.checking import archived_terms
from refdesk.knowledge.exchange.errors import ImportStopped
from refdesk.knowledge.exchange.groups import Item, groups
from refdesk.knowledge.exchange.past import PastVersions
from refdesk.knowledge.exchange.placing import document_id
from refdesk.knowledge.exchange.progress import Progress
from refdesk.knowledge.exchange.records import (
    QUESTIONS,
    EmbedderRecord,
    QuestionLine,
)
from refdesk.knowledge.exchange.rows import DocumentRows, stored_files
from refdesk.knowledge.exchange.source_rows import SourceRows
from refdesk.knowledge.exchange.split_guard import SplitGuard
from refdesk.knowledge.exchange.vectors import VectorRows
from refdesk.knowledge.graph import Graphs
from refdesk.knowledge.indexing import (
    KnowledgeIndex,
    StatisticsRepository,
    prepare_entries,
)
from refdesk.knowledge.indexing.tables import IndexedParagraph
from refdesk.knowledge.processing import unexpected_failure
from refdesk.knowledge.question_repository import QuestionRepository
from refdesk.knowledge.repository import KnowledgeBaseRepository
from refdesk.knowledge.tables import Blob, Document, KnowledgeBase, Paragraph, Question
from refdesk.knowledge.terms import bring_in

log = structlog.get_logger(__name__)

QUESTIONS_AT_ONCE = 2_000
# Cosine from which two vectors of one text count as made by the same model, rounding aside.
SAME_MODEL = 0.98


class ImportRun:
    """One run of the job `import-knowledge-base`."""

    def __init__(self, context: JobContext, scope: Scope, base_id: UUID) -> None:
        self._context = context
        self._database = context.database
        self._scope = scope
        self._base_id = base_id
        self._attempt = str(new_id())
        self._question_ids: list[UUID] = []
        self._question_texts: list[str] = []
        self._created_by: UUID | None = None
        self._max_bytes = context.settings.max_import_bytes

    async def run(self) -> None:
        """Bring the import to its end, or note why it failed."""
        progress = await self._claim()
        if progress is None:
            return
        try:
            await self._work(progress)
        except ImportStopped:
            log.info("import.stopped", knowledge_base_id=str(self._base_id))
        except (OperationalError, InterfaceError):
            raise  # the database is out of reach: the queue tries again
        except AppError as error:
            await self._fail({"code": error.code, "reason": error.text, "hint": error.hint_text})
        except Exception:  # noqa: BLE001 - the edge of a job: recorded with an id, shown to the person
            await self._fail(unexpected_failure("importing", self._base_id))

    async def _claim(self) -> Progress | None:
        async with self._database.transaction() as session:
            base = await KnowledgeBaseRepository(session, self._scope).find(self._base_id, lock=True)
            progress = None if base is None else Progress.of(base)
            if base is None or progress is None or progress.state not in ("queued", "running"):
                return None
            self._created_by = base.created_by
            return progress.save(base, state="running", attempt=self._attempt, error=None)

    async def _owned(self, session: AsyncSession) -> tuple[KnowledgeBase, Progress]:
        base = await KnowledgeBaseRepository(session, self._scope).find(self._base_id, lock=True)
        progress = None if base is None else Progress.of(base)
        if base is None or progress is None or progress.attempt != self._attempt:
            raise ImportStopped
        return base, progress

    async def _work(self, progress: Progress) -> None:
        blob_id = UUID(progress.blob_id)
        with tempfile.TemporaryFile(prefix="refdesk-import-") as file:
            await fetch(self._database, self._scope, blob_id, file)
            with opened(file, self._max_bytes) as archive:
                graph = archive.manifest().base.settings.graph
                await self._terms(archive)
                await self._questions(archive)
                index, guard = await self._index()
                reuse = await self._is_same_model(archive, index, progress)
                every = groups(
                    archive, entries=progress.entries, dimensions=index.dimensions if reuse else None
                )
                while (group := await asyncio.to_thread(next, every, None)) is not None:
                    if group[-1].number < progress.done:
                        continue
                    for item in group:
                        await guard.document(item)
                    await self._group(archive, index if reuse else None, group)
                await PastVersions(
                    self._database, self._scope, self._base_id, self._owned, self._max_bytes, guard
                ).save(archive)
                await SourceRows(
                    self._database, self._scope, self._base_id, self._created_by, self._owned, guard
                ).save(archive)
        async with self._database.transaction() as session:
            base, progress = await self._owned(session)
            progress.save(base, state="finished", attempt=None)
            if graph is not None and graph.method == "rules":  # by a model it costs: people are asked first
                await Graphs(session, self._scope).begin_by_rules(self._base_id, follows=graph.follows)
            await session.flush()
            await blobs.remove_unreferenced(session, self._scope, blob_id)

    async def _index(self) -> tuple[KnowledgeIndex, SplitGuard]:
        async with self._database.transaction() as session:
            base, _ = await self._owned(session)
            index = await session.get(KnowledgeIndex, base.active_index_id)
            if index is None:
                raise ImportStopped
            return index, SplitGuard.of(base)

    async def _is_same_model(self, archive: Archive, index: KnowledgeIndex, progress: Progress) -> bool:
        """Whether the archive's vectors are of the base's model: by name, and for remote ones by a sample."""
        embedder = archive.manifest().embedder
        async with self._database.transaction() as session:
            model = await ModelRepository(session, self._scope).get(index.model_id)
        same = embedder == EmbedderRecord(
            provider=model.provider, model_name=model.model_name, dimensions=index.dimensions
        )
        if same and model.provider != "embedded" and progress.entries:
            same = await self._sample_agrees(archive, index, progress.entries)
        async with self._database.transaction() as session:
            base, progress = await self._owned(session)
            progress.save(base, reused_vectors=same)
            if same and (average := archive.manifest().average_length) > 0:
                # Then the lexical weights come out as they were, not as the first batch would have them.
                await StatisticsRepository(session, self._scope).start_average(index.id, average)
        return same

    async def _sample_agrees(self, archive: Archive, index: KnowledgeIndex, entries: int) -> bool:
        rows = self._vectors(index)
        for group in groups(archive, entries=entries, dimensions=index.dimensions):
            for item in group:
                for place, vectors in item.vectors.items():
                    prepared = prepare_entries([rows.text_of(new_id(), new_id(), item, place)])
                    for entry in prepared.entries:
                        known = vectors.get((int(entry.kind), entry.start, entry.end, None))
                        if known is None:
                            continue
                        embedder = await self._context.service(Gateway).embedder(
                            self._scope, index.model_id, Purpose("index")
                        )
                        (fresh,) = await embedder.embed_passages([entry.text])
                        return float(fresh @ known / np.linalg.norm(known)) >= SAME_MODEL
        return False

    async def _terms(self, archive: Archive) -> None:
        terms = archived_terms(archive)
        async with self._database.transaction() as session:
            await self._owned(session)
            await bring_in(session, self._scope, self._base_id, terms)

    async def _questions(self, archive: Archive) -> None:
        lines = list(archive.lines(QUESTIONS, QuestionLine))
        self._question_texts = [line.content for line in lines]
        for start in range(0, len(lines), QUESTIONS_AT_ONCE):
            some = lines[start : start + QUESTIONS_AT_ONCE]
            async with self._database.transaction() as session:
                await self._owned(session)
                ids = await QuestionRepository(session, self._scope).ensure(
                    self._base_id, (line.content for line in some)
                )
                self._question_ids += [ids[line.content] for line in some]
                asked: dict[int, list[UUID]] = {}
                for line in some:
                    if line.hit_count:
                        asked.setdefault(line.hit_count, []).append(ids[line.content])
                for hits, question_ids in asked.items():
                    await session.execute(
                        update(Question).where(Question.id.in_(question_ids)).values(hit_count=hits)
                    )

    # One group of documents.

    async def _group(self, archive: Archive, index: KnowledgeIndex | None, group: Sequence[Item]) -> None:
        ids = [document_id(self._base_id, item.number) for item in group]
        await self._save_rows(archive, group, ids)
        if index is not None:
            await self._vectors(index).save(group, ids)
        async with self._database.transaction() as session:
            base, progress = await self._owned(session)
            await self._settle(session, index, ids)
            progress.save(base, done=group[-1].number + 1)

    async def _save_rows(self, archive: Archive, group: Sequence[Item], ids: Sequence[UUID]) -> None:
        async with self._database.transaction() as session:
            present = set(await session.scalars(select(Document.id).where(Document.id.in_(ids))))
        missing = [(item, key) for item, key in zip(group, ids, strict=True) if key not in present]
        if not missing:
            return
        digests = {item.document.file for item, _ in missing}
        incoming = await stored_files(self._database, self._scope, archive, digests, self._max_bytes)
        try:
            async with self._database.transaction() as session:
                base, _ = await self._owned(session)
                files: dict[str, UUID] = {}
                for digest, file in incoming.items():
                    files[digest] = (await file.finish(session)).id
                await DocumentRows(session, self._scope, base, self._question_ids).add(missing, files)
        finally:
            for file in incoming.values():
                await file.discard()

    def _vectors(self, index: KnowledgeIndex) -> VectorRows:
        return VectorRows(self._database, self._scope, index, self._question_texts, self._owned)

    async def _settle(self, session: AsyncSession, index: KnowledgeIndex | None, ids: Sequence[UUID]) -> None:
        """Documents that are wholly indexed are ready; the others get a job."""
        pending: set[UUID] = set()
        if index is not None:
            rows = await session.scalars(
                select(Paragraph.document_id)
                .outerjoin(
                    IndexedParagraph,
                    (IndexedParagraph.index_id == index.id)
                    & (IndexedParagraph.paragraph_id == Paragraph.id)
                    & (IndexedParagraph.revision == Paragraph.revision),
                )
                .where(
                    Paragraph.document_id.in_(ids),
                    Paragraph.workspace_id == self._scope.workspace_id,
                    IndexedParagraph.paragraph_id.is_(None),
                )
                .distinct()
            )
            pending = set(rows)
            ready = [key for key in ids if key not in pending]
            await session.execute(
                update(Document)
                .where(Document.id.in_(ready), Document.state == "indexing", Document.attempt.is_(None))
                .values(state="ready", progress_done=Document.progress_total, updated_at=func.now())
            )
        unfinished = await session.scalars(
            select(Document.id).where(Document.id.in_(ids), Document.state.in_(("indexing", "queued")))
        )
        for key in unfinished.all():
            await enqueue_processing(session, self._scope, key)

    async def _fail(self, error: dict[str, Any]) -> None:
        try:
            async with self._database.transaction() as session:
                base, progress = await self._owned(session)
                progress.save(base, state="failed", attempt=None, error=error)
        except ImportStopped:
            return


async def fetch(database: Any, scope: Scope, blob_id: UUID, file: IO[bytes]) -> None:
    """Copy a stored file into a file of this machine. Raises `ContentLost`."""
    async with database.transaction() as session:
        blob = await session.scalar(
            select(Blob).where(Blob.id == blob_id, Blob.workspace_id == scope.workspace_id)
        )
    if blob is None:
        raise ContentLost
    async for data in blobs.read(database, scope, blob.id, blob.size):
        await asyncio.to_thread(file.write, data)
    file.seek(0)
