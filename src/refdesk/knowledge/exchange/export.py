"""A knowledge base as one ZIP, sent while it is read: bounded memory, and one moment's state throughout.

Order of the members: manifest, questions, documents, paragraphs, versions, entries, vectors, files. Vectors
wait on disk for their number to be known. Not exported: passwords of protected files, access lists, sources,
and the texts of earlier versions.
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
from refdesk.knowledge.exchange.errors import ExportBusy
from refdesk.knowledge.exchange.records import (
    DOCUMENTS,
    ENTRIES,
    FILES,
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    PARAGRAPHS,
    QUESTIONS,
    VECTORS,
    VERSIONS,
    as_line,
)
from refdesk.knowledge.exchange.repository import DOCUMENTS_AT_ONCE, ExportRepository, StoredEntry
from refdesk.knowledge.exchange.zip_stream import ZipStream, in_pieces
from refdesk.knowledge.indexing import EntryKind, KnowledgeIndex, salt_of, term_of, tokenize
from refdesk.knowledge.tables import Document, DocumentVersion, KnowledgeBase, Paragraph
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
        self._terms = _Terms(self._texts)
        self._salt = 0

    async def run(self) -> AsyncGenerator[bytes]:
        self._ids = await self._repository.document_ids()
        self._numbers = {document_id: number for number, document_id in enumerate(self._ids)}
        index = await self._repository.index(self._base.active_index_id)
        with ZipStream(self._at) as stream:
            await stream.begin(MANIFEST)
            yield await stream.write(as_line(await self._manifest(index)))
            for part in (self._questions, self._documents, self._paragraphs, self._versions):
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
                "settings": {"split": base.settings.get("split", {})},
                "meta": {key: value for key, value in base.meta.items() if key != SUGGESTED},
                "suggested_questions": base.meta.get(SUGGESTED, []),
            },
            "embedder": embedder,
            "average_length": 0.0 if index is None else index.average_length,
        }

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
            rows = await self._repository.documents(ids)
            yield await stream.write(b"".join(as_line(_document(row, digest)) for row, digest in rows))

    async def _paragraphs(self, stream: ZipStream) -> AsyncGenerator[bytes]:
        await stream.begin(PARAGRAPHS)
        for ids in self._batches():
            attached = await self._repository.attached(ids)
            for document_id in ids:
                async for paragraphs in self._repository.paragraphs(document_id):
                    lines = [
                        as_line(
                            _paragraph(
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
            versions = await self._repository.versions(ids)
            yield await stream.write(
                b"".join(as_line(_version(self._numbers[v.document_id], v)) for v in versions)
            )

    async def _index(self, stream: ZipStream, index: KnowledgeIndex) -> AsyncGenerator[bytes]:
        self._salt = salt_of(index.id)
        with tempfile.TemporaryFile(prefix="refdesk-export-") as vectors:
            await stream.begin(ENTRIES)
            count = 0
            for ids in self._batches():
                lines: list[bytes] = []
                async for line, vector in self._entries(index, ids):
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

    async def _entries(
        self, index: KnowledgeIndex, ids: Sequence[UUID]
    ) -> AsyncGenerator[tuple[bytes, bytes]]:
        attached = await self._repository.attached(ids)
        places = {
            paragraph_id: (self._numbers[document_id], place)
            for document_id, paragraphs in (await self._repository.paragraph_ids(ids)).items()
            for place, paragraph_id in enumerate(paragraphs)
        }
        waiting: list[StoredEntry] = []
        async for entry in self._repository.entries(index, ids):
            if waiting and waiting[0].paragraph_id != entry.paragraph_id:
                for line in self._lines(waiting, places, attached):
                    yield line
                waiting = []
            waiting.append(entry)
        for line in self._lines(waiting, places, attached):
            yield line

    def _lines(
        self,
        entries: Sequence[StoredEntry],
        places: dict[UUID, tuple[int, int]],
        attached: dict[UUID, list[UUID]],
    ) -> Iterator[tuple[bytes, bytes]]:
        """Lines of one paragraph's entries, each of a question with the question's number.

        Where it cannot be told which entry is whose there are none, and the paragraph is embedded again.
        """
        if not entries:
            return
        paragraph_id = entries[0].paragraph_id
        whose = self._whose(entries, attached.get(paragraph_id, []))
        if whose is None:
            return
        number, place = places[paragraph_id]
        for entry in entries:
            record = {
                "d": number,
                "p": place,
                "kind": entry.kind,
                "start": entry.start,
                "end": entry.end,
                "q": whose.get(id(entry)),
            }
            halves = np.frombuffer(entry.vector, dtype=">f2", offset=4).astype("<f2")
            yield as_line(record), halves.tobytes()

    def _whose(self, entries: Sequence[StoredEntry], questions: Sequence[UUID]) -> dict[int, int] | None:
        """Numbers of the questions of those entries that are of one, by the entry's `id()`."""
        asked = [entry for entry in entries if entry.kind == EntryKind.QUESTION]
        if len(asked) != len(questions):
            return None
        numbers = [self._question_numbers[question] for question in questions]
        if len(asked) == 1:
            return {id(asked[0]): numbers[0]}
        by_terms = {frozenset(t ^ self._salt for t in self._terms[number]): number for number in numbers}
        found = {id(entry): by_terms[entry.terms] for entry in asked if entry.terms in by_terms}
        return found if len(set(found.values())) == len(questions) else None

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


class _Terms:
    """Terms of questions by number, looked at only where a paragraph has several."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._found: dict[int, frozenset[int]] = {}

    def __getitem__(self, number: int) -> frozenset[int]:
        if number not in self._found:
            self._found[number] = frozenset(term_of(token) for token in tokenize(self._texts[number]))
        return self._found[number]


def _npy_header(rows: int, dimensions: int) -> bytes:
    header: IO[bytes]
    with tempfile.SpooledTemporaryFile() as header:
        np.lib.format.write_array_header_1_0(
            header, {"descr": "<f2", "fortran_order": False, "shape": (rows, dimensions)}
        )
        header.seek(0)
        return header.read()


def _document(document: Document, digest: bytes | None) -> dict[str, Any]:
    return {
        "name": document.name,
        "kind": document.kind,
        "state": document.state,
        "error": document.error,
        "is_split": document.split_at is not None,
        # Ids of paragraphs mean nothing elsewhere.
        "warnings": [{**warning, "paragraph_ids": []} for warning in document.warnings],
        "meta": document.meta,
        "found_meta": document.found_meta,
        "report": document.report,
        "split_settings": document.split_settings,
        "character_count": document.character_count,
        "coverage": document.coverage,
        "hit_handling": document.hit_handling,
        "direct_return_similarity": document.direct_return_similarity,
        "is_active": document.is_active,
        "version": document.version,
        "removed_origins": document.removed_origins,
        "file": None if digest is None else digest.hex(),
        "created_at": document.created_at,
    }


def _paragraph(number: int, paragraph: Paragraph, questions: list[int]) -> dict[str, Any]:
    return {
        "d": number,
        "title": paragraph.title,
        "title_chain": paragraph.title_chain,
        "content": paragraph.content,
        "page": paragraph.page,
        "boxes": paragraph.boxes,
        "start": paragraph.start,
        "end": paragraph.end,
        "is_active": paragraph.is_active,
        "is_edited": paragraph.is_edited,
        "hit_count": paragraph.hit_count,
        "revision": paragraph.revision,
        "origins": paragraph.origins,
        "source_title": paragraph.source_title,
        "source_content": paragraph.source_content,
        "meta": paragraph.meta,
        "questions": questions,
    }


def _version(number: int, version: DocumentVersion) -> dict[str, Any]:
    return {
        "d": number,
        "number": version.number,
        "reason": version.reason,
        "name": version.name,
        "kind": version.kind,
        "character_count": version.character_count,
        "paragraph_count": version.paragraph_count,
        "coverage": version.coverage,
        "created_at": version.created_at,
        "replaced_at": version.replaced_at,
    }
