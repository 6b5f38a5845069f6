"""A knowledge base as one ZIP, sent while it is read: bounded memory, and one moment's state throughout.

Order of the members: manifest, terms, questions, sources, documents, paragraphs, versions, snapshots, source
items, entries, vectors, files. Vectors wait on disk for their number to be known. Not exported: passwords of
protected files and access lists.
"""

import tempfile
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import IO, Any
from uuid import UUID

import numpy as np
import structlog

from refdesk import __version__
from refdesk.accounts import Scope
from refdesk.gateway import ModelRepository
from refdesk.kit.clock import now
from refdesk.kit.database import Database
from refdesk.knowledge.errors import ContentLost
from refdesk.knowledge.exchange.entry_lines import EntryLines
from refdesk.knowledge.exchange.errors import ExportBusy
from refdesk.knowledge.exchange.lines import (
    document_line,
    paragraph_line,
    snapshot_line,
    source_item_line,
    source_line,
    version_line,
)
from refdesk.knowledge.exchange.records import (
    DOCUMENTS,
    ENTRIES,
    FILES,
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    PARAGRAPHS,
    QUESTIONS,
    SNAPSHOTS,
    SOURCE_ITEMS,
    SOURCES,
    TERMS,
    VECTORS,
    VERSIONS,
    as_line,
)
from refdesk.knowledge.exchange.repository import DOCUMENTS_AT_ONCE, ExportRepository
from refdesk.knowledge.exchange.zip_stream import ZipStream, in_pieces
from refdesk.knowledge.graph import GraphRepository
from refdesk.knowledge.indexing import KnowledgeIndex
from refdesk.knowledge.tables import KnowledgeBase
from refdesk.knowledge.terms import TermRepository
from refdesk.knowledge.views import SUGGESTED

log = structlog.get_logger(__name__)

# Each holds a connection and a snapshot of the database for as long as its client takes.
AT_ONCE = 2
LONGEST_S = 6 * 3600.0
_sending = 0


async def export_base(
    database: Database, scope: Scope, base: KnowledgeBase, only: Sequence[UUID] | None = None
) -> AsyncGenerator[bytes]:
    """The archive's bytes. Raises `ExportBusy` before the first of them."""
    global _sending
    if _sending >= AT_ONCE:
        raise ExportBusy(retry_after_s=30)
    _sending += 1
    try:
        began = time.monotonic()
        async with database.sessions() as session:
            await session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
            repository = ExportRepository(session, scope, base.id, only)
            async for data in _Export(repository, base).run():
                yield data
                # Not `asyncio.timeout`: a generator may be continued from another task than it began in.
                if time.monotonic() - began > LONGEST_S:
                    raise TimeoutError("the client takes too long for its export")
            await session.rollback()
    finally:
        _sending -= 1


class _Export:
    def __init__(self, repository: ExportRepository, base: KnowledgeBase) -> None:
        self._repository = repository
        self._base = base
        self._at = now()
        self._ids: list[UUID] = []
        self._numbers: dict[UUID, int] = {}
        self._question_numbers: dict[UUID, int] = {}
        self._texts: list[str] = []
        self._words: list[str] = []
        self._source_numbers: dict[UUID, int] = {}

    async def run(self) -> AsyncGenerator[bytes]:
        self._ids = await self._repository.document_ids()
        self._numbers = {document_id: number for number, document_id in enumerate(self._ids)}
        index = await self._repository.index(self._base.active_index_id)
        with ZipStream(self._at) as stream:
            await stream.begin(MANIFEST)
            yield await stream.write(as_line(await self._manifest(index)))
            for part in (
                self._terms,
                self._questions,
                self._sources,
                self._documents,
                self._paragraphs,
                self._versions,
                self._snapshots,
                self._source_items,
            ):
                async for data in part(stream):
                    yield data
            if index is not None:
                async for data in self._index(stream, index):
                    yield data
            async for data in self._files(stream):
                yield data
            yield stream.finish()

    def _batches(self) -> Iterator[list[UUID]]:
        for start in range(0, len(self._ids), DOCUMENTS_AT_ONCE):
            yield self._ids[start : start + DOCUMENTS_AT_ONCE]

    async def _manifest(self, index: KnowledgeIndex | None) -> dict[str, Any]:
        base = self._base
        embedder = None
        if index is not None:
            repository = self._repository
            model = await ModelRepository(repository.session, repository.scope).get(index.model_id)
            embedder = {
                "provider": model.provider,
                "model_name": model.model_name,
                "dimensions": index.dimensions,
            }
        settings: dict[str, Any] = {"split": base.settings.get("split", {})}
        graph = await GraphRepository(self._repository.session, self._repository.scope).of_base(base.id)
        if graph is not None:
            settings["graph"] = {"method": graph.method, "follows": graph.follows}
        return {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "refdesk": __version__,
            "created_at": self._at,
            "base": {
                "name": base.name,
                "description": base.description,
                "max_file_bytes": base.max_file_bytes,
                "max_documents": base.max_documents,
                "settings": settings,
                "meta": {key: value for key, value in base.meta.items() if key != SUGGESTED},
                "suggested_questions": base.meta.get(SUGGESTED, []),
            },
            "embedder": embedder,
            "average_length": 0.0 if index is None else index.average_length,
        }

    async def _terms(self, stream: ZipStream) -> AsyncGenerator[bytes]:
        await stream.begin(TERMS)
        repository = TermRepository(self._repository.session, self._repository.scope)
        state = await repository.state(self._base.id)
        self._words = [] if state is None else state.traces
        terms = await repository.all(self._base.id)
        yield await stream.write(
            b"".join(as_line({"word": term.word, "synonyms": term.synonyms}) for term in terms)
        )

    async def _questions(self, stream: ZipStream) -> AsyncGenerator[bytes]:
        await stream.begin(QUESTIONS)
        questions = await self._repository.questions()
        self._question_numbers = {question.id: number for number, question in enumerate(questions)}
        self._texts.extend(question.content for question in questions)
        for start in range(0, len(questions), 1_000):
            lines = (
                as_line({"content": question.content, "hit_count": question.hit_count})
                for question in questions[start : start + 1_000]
            )
            yield await stream.write(b"".join(lines))

    async def _documents(self, stream: ZipStream) -> AsyncGenerator[bytes]:
        await stream.begin(DOCUMENTS)
        for ids in self._batches():
            pending = await self._repository.being_made_anew(ids)
            lines = [
                as_line(
                    document_line(
                        row,
                        digest,
                        self._source_numbers.get(row.source_id) if row.source_id else None,
                        is_made_anew=row.id in pending,
                    )
                )
                for row, digest in await self._repository.documents(ids)
            ]
            yield await stream.write(b"".join(lines))

    async def _paragraphs(self, stream: ZipStream) -> AsyncGenerator[bytes]:
        await stream.begin(PARAGRAPHS)
        for ids in self._batches():
            attached = await self._repository.attached(ids)
            for document_id in ids:
                async for paragraphs in self._repository.paragraphs(document_id):
                    lines = [
                        as_line(
                            paragraph_line(
                                self._numbers[document_id],
                                paragraph,
                                [self._question_numbers[q] for q in attached.get(paragraph.id, ())],
                            )
                        )
                        for paragraph in paragraphs
                    ]
                    yield await stream.write(b"".join(lines))

    async def _versions(self, stream: ZipStream) -> AsyncGenerator[bytes]:
        await stream.begin(VERSIONS)
        for ids in self._batches():
            documents = {row.id: row for row, _ in await self._repository.documents(ids)}
            for version, digest in await self._repository.versions(ids):
                held = await self._repository.snapshot(version)
                document = documents[version.document_id]
                line = version_line(self._numbers[document.id], version, digest, held, document)
                yield await stream.write(as_line(line))

    async def _snapshots(self, stream: ZipStream) -> AsyncGenerator[bytes]:
        await stream.begin(SNAPSHOTS)
        for ids in self._batches():
            for version, _ in await self._repository.versions(ids):
                held = await self._repository.snapshot(version)
                if held is None:
                    continue
                past = await self._repository.past_paragraphs(version)
                number = self._numbers[version.document_id]
                for start in range(0, len(held.paragraphs), 1_000):
                    lines = [
                        as_line(snapshot_line(number, version.number, record, is_past=record.id in past))
                        for record in held.paragraphs[start : start + 1_000]
                    ]
                    yield await stream.write(b"".join(lines))

    async def _sources(self, stream: ZipStream) -> AsyncGenerator[bytes]:
        await stream.begin(SOURCES)
        sources = await self._repository.sources()
        self._source_numbers = {source.id: number for number, source in enumerate(sources)}
        yield await stream.write(b"".join(as_line(source_line(source)) for source in sources))

    async def _source_items(self, stream: ZipStream) -> AsyncGenerator[bytes]:
        await stream.begin(SOURCE_ITEMS)
        for source_id, number in self._source_numbers.items():
            async for items in self._repository.source_items(source_id):
                lines = [
                    as_line(
                        source_item_line(
                            number, item, self._numbers.get(item.document_id) if item.document_id else None
                        )
                    )
                    for item in items
                ]
                yield await stream.write(b"".join(lines))

    async def _index(self, stream: ZipStream, index: KnowledgeIndex) -> AsyncGenerator[bytes]:
        entries = EntryLines(
            self._repository, index, self._numbers, self._question_numbers, self._texts, self._words
        )
        with tempfile.TemporaryFile(prefix="refdesk-export-") as vectors:
            await stream.begin(ENTRIES)
            count = 0
            for ids in self._batches():
                lines: list[bytes] = []
                async for line, vector in entries.of(ids):
                    lines.append(line)
                    vectors.write(vector)
                    count += 1
                    if len(lines) >= 2_000:
                        yield await stream.write(b"".join(lines))
                        lines.clear()
                yield await stream.write(b"".join(lines))
            await stream.begin(VECTORS, packed=False)
            yield await stream.write(_npy_header(count, index.dimensions))
            async for data in in_pieces(vectors):
                yield await stream.write(data)

    async def _files(self, stream: ZipStream) -> AsyncGenerator[bytes]:
        sent: set[bytes] = set()
        for ids in self._batches():
            for blob in await self._repository.blobs(ids):
                if blob.sha256 in sent:
                    continue
                sent.add(blob.sha256)
                await stream.begin(f"{FILES}{blob.sha256.hex()}", packed=False)
                size = 0
                async for data in self._repository.chunks(blob):
                    size += len(data)
                    yield await stream.write(data)
                if size != blob.size:
                    raise ContentLost


def _npy_header(rows: int, dimensions: int) -> bytes:
    header: IO[bytes]
    with tempfile.SpooledTemporaryFile() as header:
        np.lib.format.write_array_header_1_0(
            header, {"descr": "<f2", "fortran_order": False, "shape": (rows, dimensions)}
        )
        header.seek(0)
        return header.read()
