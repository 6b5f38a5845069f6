"""One import: an archive that was checked becomes the documents of a new base, group by group.

Each group is a few transactions, each of which leaves a state that a second run of the job can take up: ids
of documents follow from the base's id and their number in the archive, so nothing is made twice. Vectors of
the same embedding model are written as they come, and what has none is embedded by the ordinary jobs.
"""

import asyncio
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import IO, Any
from uuid import UUID

import numpy as np
import structlog
from sqlalchemy import func, insert, select, update
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway import Gateway, ModelRepository
from refdesk.jobs import JobContext
from refdesk.kit.clock import now
from refdesk.kit.errors import AppError
from refdesk.kit.ids import new_id
from refdesk.knowledge import blobs
from refdesk.knowledge.blobs import IncomingFile
from refdesk.knowledge.documents import enqueue_processing
from refdesk.knowledge.errors import ContentLost
from refdesk.knowledge.exchange.archive import Archive, opened
from refdesk.knowledge.exchange.errors import ImportStopped
from refdesk.knowledge.exchange.groups import EntryKey, Item, Vector, groups
from refdesk.knowledge.exchange.records import (
    FILES,
    QUESTIONS,
    EmbedderRecord,
    QuestionLine,
)
from refdesk.knowledge.filenames import display_name
from refdesk.knowledge.indexing import (
    EntryKind,
    IndexWriter,
    KnowledgeIndex,
    ParagraphText,
    PreparedEntries,
    StatisticsRepository,
    prepare_entries,
)
from refdesk.knowledge.indexing.tables import IndexedParagraph
from refdesk.knowledge.processing import unexpected_failure
from refdesk.knowledge.question_repository import QuestionRepository
from refdesk.knowledge.repository import KnowledgeBaseRepository
from refdesk.knowledge.tables import Blob, Document, DocumentVersion, KnowledgeBase, Paragraph, Question

log = structlog.get_logger(__name__)

STATE = "import"
INDEX_AT_ONCE = 500
QUESTIONS_AT_ONCE = 2_000
# Cosine from which two vectors of one text count as made by the same model, rounding aside.
SAME_MODEL = 0.98


@dataclass(frozen=True, slots=True)
class Progress:
    """How an import stands; kept in the base's settings while it lasts, and after."""

    state: str
    documents: int
    done: int
    blob_id: str
    entries: int
    attempt: str | None = None
    reused_vectors: bool = False
    error: dict[str, Any] | None = None

    @classmethod
    def of(cls, base: KnowledgeBase) -> "Progress | None":
        stored = base.settings.get(STATE)
        return None if stored is None else cls(**stored)

    def save(self, base: KnowledgeBase, **changes: Any) -> "Progress":
        values = {name: getattr(self, name) for name in self.__slots__} | changes
        base.settings = {**base.settings, STATE: values}
        return Progress(**values)


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
        self._question_numbers: dict[str, int] = {}
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
            return progress.save(base, state="running", attempt=self._attempt)

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
                await self._questions(archive)
                index = await self._index()
                reuse = await self._is_same_model(archive, index, progress)
                every = groups(
                    archive, entries=progress.entries, dimensions=index.dimensions if reuse else None
                )
                while (group := await asyncio.to_thread(next, every, None)) is not None:
                    if group[-1].number < progress.done:
                        continue
                    await self._group(archive, index if reuse else None, group)
        async with self._database.transaction() as session:
            base, progress = await self._owned(session)
            progress.save(base, state="finished", attempt=None)
            await blobs.remove_unreferenced(session, self._scope, blob_id)

    async def _index(self) -> KnowledgeIndex:
        async with self._database.transaction() as session:
            base, _ = await self._owned(session)
            index = await session.get(KnowledgeIndex, base.active_index_id)
            if index is None:
                raise ImportStopped
            return index

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
        for group in groups(archive, entries=entries, dimensions=index.dimensions):
            for item in group:
                for place, vectors in item.vectors.items():
                    prepared = prepare_entries([self._text(new_id(), new_id(), item, place)])
                    for entry in prepared.entries:
                        known = vectors.get((int(entry.kind), entry.start, entry.end, None))
                        if known is None:
                            continue
                        embedder = await self._context.service(Gateway).embedder(self._scope, index.model_id)
                        (fresh,) = await embedder.embed_passages([entry.text])
                        return float(fresh @ known / np.linalg.norm(known)) >= SAME_MODEL
        return False

    async def _questions(self, archive: Archive) -> None:
        lines = list(archive.lines(QUESTIONS, QuestionLine))
        self._question_texts = [line.content for line in lines]
        self._question_numbers = {text: number for number, text in enumerate(self._question_texts)}
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
            await self._save_vectors(index, group, ids)
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
        incoming = await self._incoming(archive, {item.document.file for item, _ in missing})
        try:
            async with self._database.transaction() as session:
                await self._owned(session)
                files: dict[str, UUID] = {}
                for digest, file in incoming.items():
                    files[digest] = (await file.finish(session)).id
                for item, key in missing:
                    self._add_document(session, item, key, files)
                await session.flush()
                for item, key in missing:
                    await self._add_paragraphs(session, item, key)
        finally:
            for file in incoming.values():
                await file.discard()

    async def _incoming(self, archive: Archive, digests: Iterable[str | None]) -> dict[str, IncomingFile]:
        """The originals, stored but for the last step, in one order for all writers."""
        files: dict[str, IncomingFile] = {}
        for digest in sorted(digest for digest in digests if digest is not None):
            file = IncomingFile(self._database, self._scope, self._max_bytes, "REFDESK_MAX_IMPORT_BYTES")
            files[digest] = file
            with archive.member(FILES + digest) as member:
                while data := await asyncio.to_thread(member.read, blobs.CHUNK_BYTES):
                    await file.write(data)
        return files

    def _add_document(self, session: AsyncSession, item: Item, key: UUID, files: dict[str, UUID]) -> None:
        record = item.document
        blob_id = None if record.file is None else files[record.file]
        error = None if record.error is None else record.error.model_dump(mode="json")
        state = "indexing" if record.is_split else record.state
        if not record.is_split and state not in ("failed", "cancelled"):
            state = "queued"
            if blob_id is None:
                lost = ContentLost()
                state = "failed"
                error = {"code": lost.code, "stage": "parsing", "reason": lost.text, "hint": lost.hint_text}
        split_settings = record.split_settings.model_dump(exclude_defaults=True)
        warnings = [warning.model_dump(mode="json") for warning in record.warnings]
        common: dict[str, Any] = {
            "workspace_id": self._scope.workspace_id,
            "name": "/".join(display_name(part) for part in record.name.split("/"))[:500],
            "kind": record.kind,
            "blob_id": blob_id,
            "found_meta": record.found_meta,
            "warnings": warnings,
            "split_settings": split_settings,
            "character_count": record.character_count,
            "paragraph_count": len(item.paragraphs),
            "coverage": record.coverage,
            "created_by": self._created_by,
            "created_at": record.created_at,
        }
        session.add(
            Document(
                id=key,
                knowledge_base_id=self._base_id,
                state=state,
                error=error if state == "failed" else None,
                meta=record.meta,
                report=record.report.model_dump(exclude_none=True),
                hit_handling=record.hit_handling,
                direct_return_similarity=record.direct_return_similarity,
                is_active=record.is_active,
                version=record.version,
                removed_origins=record.removed_origins,
                progress_total=len(item.paragraphs),
                split_at=now() if record.is_split else None,
                **common,
            )
        )
        session.add(
            DocumentVersion(id=new_id(), document_id=key, number=record.version, reason="upload", **common)
        )

    async def _add_paragraphs(self, session: AsyncSession, item: Item, key: UUID) -> None:
        pairs: list[tuple[UUID, UUID]] = []
        for start in range(0, len(item.paragraphs), 1_000):
            rows: list[dict[str, Any]] = []
            for position, line in enumerate(item.paragraphs[start : start + 1_000], start):
                paragraph_id = new_id()
                pairs += [(paragraph_id, self._question_ids[q]) for q in line.questions]
                rows.append(
                    {
                        "id": paragraph_id,
                        "workspace_id": self._scope.workspace_id,
                        "knowledge_base_id": self._base_id,
                        "document_id": key,
                        "position": position,
                        **line.model_dump(exclude={"d", "questions"}),
                    }
                )
            await session.execute(insert(Paragraph), rows)
        if pairs:
            await QuestionRepository(session, self._scope).attach(pairs)

    async def _save_vectors(self, index: KnowledgeIndex, group: Sequence[Item], ids: Sequence[UUID]) -> None:
        """Write the entries of all paragraphs whose vectors are complete."""
        async with self._database.transaction() as session:
            rows = await session.execute(
                select(Paragraph.document_id, Paragraph.id)
                .where(Paragraph.document_id.in_(ids), Paragraph.workspace_id == self._scope.workspace_id)
                .order_by(Paragraph.document_id, Paragraph.position, Paragraph.id)
            )
            places: dict[UUID, list[UUID]] = {}
            for document, paragraph in rows:
                places.setdefault(document, []).append(paragraph)
        texts: list[ParagraphText] = []
        vectors: dict[UUID, dict[EntryKey, Vector]] = {}
        for item, key in zip(group, ids, strict=True):
            if not item.document.is_split or len(places.get(key, ())) != len(item.paragraphs):
                continue  # edited since an earlier part of this run; its own jobs see to it
            for place, paragraph_id in enumerate(places.get(key, ())):
                texts.append(self._text(paragraph_id, key, item, place))
                vectors[paragraph_id] = item.vectors.get(place, {})
        for start in range(0, len(texts), INDEX_AT_ONCE):
            await self._write(index, texts[start : start + INDEX_AT_ONCE], vectors, group, ids)

    def _text(self, paragraph_id: UUID, key: UUID, item: Item, place: int) -> ParagraphText:
        line = item.paragraphs[place]
        return ParagraphText(
            id=paragraph_id,
            document_id=key,
            title_chain=[*line.title_chain, line.title],
            content=line.content,
            revision=line.revision,
            is_active=line.is_active,
            questions=[self._question_texts[q] for q in line.questions],
        )

    async def _write(
        self,
        index: KnowledgeIndex,
        texts: Sequence[ParagraphText],
        vectors: dict[UUID, dict[EntryKey, Vector]],
        group: Sequence[Item],
        ids: Sequence[UUID],
    ) -> None:
        prepared = await asyncio.to_thread(prepare_entries, texts)
        found: dict[UUID, list[Vector | None]] = {text.id: [] for text in texts}
        for entry in prepared.entries:
            question = self._question_numbers[entry.text] if entry.kind == EntryKind.QUESTION else None
            key = (int(entry.kind), entry.start, entry.end, question)
            found[entry.paragraph.id].append(vectors[entry.paragraph.id].get(key))
        complete = {key for key, some in found.items() if all(vector is not None for vector in some)}
        chosen = PreparedEntries(
            tuple(text for text in prepared.paragraphs if text.id in complete),
            tuple(entry for entry in prepared.entries if entry.paragraph.id in complete),
        )
        if not chosen.paragraphs:
            return
        # Entries of a paragraph stand together and in the order of `found`.
        flat = [vector for text in chosen.paragraphs for vector in found[text.id] if vector is not None]
        matrix = np.stack(flat) if flat else np.zeros((0, index.dimensions), dtype=np.float32)
        inactive = {key for item, key in zip(group, ids, strict=True) if not item.document.is_active}
        async with self._database.transaction() as session:
            await self._owned(session)
            writer = IndexWriter(session, self._scope, index)
            await writer.write(chosen, matrix)
            hidden = [text.id for text in chosen.paragraphs if text.document_id in inactive]
            if hidden:
                await writer.set_active(hidden, False)

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
                await blobs.remove_unreferenced(session, self._scope, UUID(progress.blob_id))
        except ImportStopped:
            return


def document_id(base_id: UUID, number: int) -> UUID:
    """A UUIDv7 that follows from the base and the number, in the order of the numbers.

    36 bits of the random part count, the others are the base's own.
    """
    own = base_id.int & ((1 << 38) - 1)
    tail = (number << 38) | own
    value = (base_id.int >> 80) << 80
    value |= 0x7 << 76 | (tail >> 62) << 64 | 0b10 << 62 | (tail & ((1 << 62) - 1))
    return UUID(int=value)


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
