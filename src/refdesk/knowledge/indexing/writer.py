"""Writing paragraphs into an index and taking them out again.

Everything a call changes (entries, checkpoint, statistics) is in the caller's one transaction, so a batch is
either wholly there or not at all, and doing it twice is the same as doing it once. Owns the rules that keep
that true beside other writers, edits, deletes and a move to another home.

A base may have other indexes beside the active one: one being built with another model, or the former one.
Vectors go into one of them; what needs no vectors (a removal, who may find what) reaches all at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from psycopg import AsyncConnection
from sqlalchemy import delete, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.ids import new_id
from refdesk.knowledge.indexing import bm25, wire
from refdesk.knowledge.indexing.entries import Entry, PreparedEntries
from refdesk.knowledge.indexing.errors import VectorsInvalid, VectorsMismatch
from refdesk.knowledge.indexing.repository import IndexRepository
from refdesk.knowledge.indexing.statistics import Change, StatisticsRepository, note
from refdesk.knowledge.indexing.tables import IndexedParagraph, KnowledgeIndex
from refdesk.knowledge.indexing.terms import salt_of
from refdesk.knowledge.tables import Paragraph

COLUMNS = (
    "home, id, index_id, workspace_id, knowledge_base_id, document_id, paragraph_id, acl_id, start_, end_,"
    " length, weighted_with, kind, script, is_active, embedding, terms, bm25, title_terms"
)

# KEY SHARE holds off a delete of the paragraph (which would otherwise miss entries written meanwhile) but
# not an edit, which the revision takes care of.
_PRESENT = text("""
SELECT p.id FROM paragraphs p JOIN unnest(CAST(:ids AS uuid[]), CAST(:revisions AS integer[]))
    AS g(id, revision) ON p.id = g.id AND p.revision = g.revision
WHERE p.workspace_id = :workspace_id ORDER BY p.id FOR KEY SHARE OF p
""")
# This upsert is also the lock of one paragraph: a second writer of it waits here, before it looks for rows
# to replace, and so cannot miss those of the first.
_MARK = text("""
INSERT INTO indexed_paragraphs AS i (index_id, paragraph_id, document_id, workspace_id, revision)
SELECT :index_id, g.id, g.document_id, :workspace_id, g.revision
FROM unnest(CAST(:ids AS uuid[]), CAST(:documents AS uuid[]), CAST(:revisions AS integer[]))
    AS g(id, document_id, revision) ORDER BY g.id
ON CONFLICT (index_id, paragraph_id) DO UPDATE
    SET revision = excluded.revision, document_id = excluded.document_id
    WHERE i.revision <= excluded.revision
RETURNING paragraph_id
""")
_DELETE = (
    "DELETE FROM index_entries WHERE home = :home AND index_id = :index_id AND {}"
    " RETURNING terms, length, acl_id"
)
_DELETE_PARAGRAPHS = text(_DELETE.format("paragraph_id = ANY(CAST(:ids AS uuid[]))"))
_DELETE_DOCUMENT = text(_DELETE.format("document_id = :document_id"))


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did: paragraphs that were still of the revision they were prepared from, and entries."""

    paragraphs: int
    entries: int


class IndexWriter:
    """Writes one index within the caller's transaction, which must be READ COMMITTED (the default)."""

    def __init__(self, session: AsyncSession, scope: Scope, index: KnowledgeIndex) -> None:
        self._session = session
        self._scope = scope
        self._index_id = index.id
        self._base_id = index.knowledge_base_id
        self._salt = salt_of(index.id)
        self._indexes = IndexRepository(session, scope)
        self._statistics = StatisticsRepository(session, scope)

    async def hold(self) -> None:
        """Keep the index's home, and whoever waits for its writers, until the transaction ends."""
        await self._indexes.lock_shared(self._index_id)

    async def write(self, prepared: PreparedEntries, vectors: NDArray[np.float32]) -> Written:
        """Replace the entries of the prepared paragraphs.

        `vectors` is [entries, dimensions], in the order of `prepared.texts`; its rows are normalised here.
        A paragraph that was deleted or edited since it was read is left out: it is pending, or gone.
        Raises `IndexNotFound`, `VectorsMismatch`, `VectorsInvalid`.
        """
        index = await self._indexes.lock_shared(self._index_id)
        unit = _normalised(vectors, len(prepared.entries), index.dimensions)
        kept = await self._mark(prepared)
        change = Change()
        await self._delete(change, _DELETE_PARAGRAPHS, index.home, ids=sorted(kept))
        chosen = [(entry, unit[i]) for i, entry in enumerate(prepared.entries) if entry.paragraph.id in kept]
        if chosen:
            mean = sum(entry.length for entry, _ in chosen) / len(chosen)
            average = await self._statistics.start_average(self._index_id, mean)
            await self._copy(self._row(index, average, entry, vector) for entry, vector in chosen)
        for entry, _ in chosen:
            change.add(entry.counts, entry.length, entry.paragraph.acl_id)
        await self._note(change)
        return Written(len(kept), len(chosen))

    async def remove_paragraphs(self, paragraph_ids: Sequence[UUID]) -> None:
        """Take paragraphs out, with their checkpoints; before or after their own rows are deleted."""
        await self._remove(
            Paragraph.id.in_(paragraph_ids),
            IndexedParagraph.paragraph_id.in_(paragraph_ids),
            _DELETE_PARAGRAPHS,
            ids=list(paragraph_ids),
        )

    async def remove_document(self, document_id: UUID) -> None:
        """Take a document's paragraphs out, with their checkpoints; before or after its row is deleted."""
        await self._remove(
            Paragraph.document_id == document_id,
            IndexedParagraph.document_id == document_id,
            _DELETE_DOCUMENT,
            document_id=document_id,
        )

    async def set_active(self, paragraph_ids: Sequence[UUID], is_active: bool) -> None:
        """Let searches find these paragraphs, or not, without indexing anything anew."""
        for index in await self._all_held():
            await self._session.execute(
                text(
                    "UPDATE index_entries SET is_active = :is_active WHERE home = :home"
                    " AND index_id = :index_id AND paragraph_id = ANY(CAST(:ids AS uuid[]))"
                ),
                {
                    "is_active": is_active,
                    "home": index.home,
                    "index_id": index.id,
                    "ids": list(paragraph_ids),
                },
            )

    async def set_document_active(self, document_id: UUID, is_active: bool) -> None:
        """Let searches find a document's paragraphs, but for those that are inactive themselves, or none."""
        for index in await self._all_held():
            await self._session.execute(
                text(
                    "UPDATE index_entries e SET is_active = p.is_active AND :is_active FROM paragraphs p"
                    " WHERE e.home = :home AND e.index_id = :index_id AND e.document_id = :document_id"
                    " AND p.id = e.paragraph_id AND p.workspace_id = :workspace_id"
                ),
                {
                    "is_active": is_active,
                    "home": index.home,
                    "index_id": index.id,
                    "document_id": document_id,
                    "workspace_id": self._scope.workspace_id,
                },
            )

    async def pending(self, document_id: UUID, limit: int) -> list[UUID]:
        """Paragraphs of a document whose present revision is not the indexed one, in reading order."""
        query = (
            select(Paragraph.id)
            .outerjoin(
                IndexedParagraph,
                (IndexedParagraph.index_id == self._index_id)
                & (IndexedParagraph.paragraph_id == Paragraph.id)
                & (IndexedParagraph.revision == Paragraph.revision),
            )
            .where(
                Paragraph.document_id == document_id,
                Paragraph.workspace_id == self._scope.workspace_id,
                IndexedParagraph.paragraph_id.is_(None),
            )
            .order_by(Paragraph.position, Paragraph.id)
            .limit(limit)
        )
        return list((await self._session.execute(query)).scalars())

    async def _all_held(self) -> list[KnowledgeIndex]:
        """All indexes of the base, in their homes until the transaction ends."""
        return await self._indexes.lock_shared_of_base(self._base_id)

    async def _remove(self, rows: Any, checkpoints: Any, statement: Any, **condition: Any) -> None:
        await self._all_held()
        await self._session.execute(
            select(Paragraph.id)
            .where(rows, Paragraph.workspace_id == self._scope.workspace_id)
            .order_by(Paragraph.id)
            .with_for_update()
        )
        # Looked up again: whoever wrote these paragraphs into an index made meanwhile has ended by now.
        for index in await self._all_held():
            writer = IndexWriter(self._session, self._scope, index)
            change = Change()
            await writer._delete(change, statement, index.home, **condition)
            await writer._forget(checkpoints)
            await writer._note(change)

    async def _mark(self, prepared: PreparedEntries) -> set[UUID]:
        given = {paragraph.id: paragraph for paragraph in prepared.paragraphs}
        parameters = {
            "ids": list(given),
            "revisions": [paragraph.revision for paragraph in given.values()],
            "workspace_id": self._scope.workspace_id,
        }
        present = (await self._session.execute(_PRESENT, parameters)).scalars().all()
        parameters = {
            "index_id": self._index_id,
            "workspace_id": self._scope.workspace_id,
            "ids": list(present),
            "documents": [given[key].document_id for key in present],
            "revisions": [given[key].revision for key in present],
        }
        return set((await self._session.execute(_MARK, parameters)).scalars())

    async def _delete(self, change: Change, statement: Any, home: int, **condition: Any) -> None:
        parameters = {"home": home, "index_id": self._index_id, **condition}
        for row in await self._session.execute(statement, parameters):
            salted, length, acl_id = cast(tuple[list[int], int, int], tuple(row))
            change.remove((term ^ self._salt for term in salted), length, acl_id)

    async def _forget(self, condition: Any) -> None:
        await self._session.execute(
            delete(IndexedParagraph).where(
                condition,
                IndexedParagraph.index_id == self._index_id,
                IndexedParagraph.workspace_id == self._scope.workspace_id,
            )
        )

    async def _copy(self, rows: Any) -> None:
        connection = await (await self._session.connection()).get_raw_connection()
        driver = cast(AsyncConnection[Any], connection.driver_connection)
        statement = f"COPY index_entries ({COLUMNS}) FROM STDIN (FORMAT BINARY)"
        async with driver.cursor() as cursor, cursor.copy(statement.encode()) as copy:
            for chunk in wire.stream(rows):
                await copy.write(chunk)

    def _row(self, index: KnowledgeIndex, average: float, entry: Entry, vector: NDArray[np.float32]) -> bytes:
        terms = np.fromiter(entry.counts.keys(), dtype=np.int64, count=len(entry.counts))
        counts = np.fromiter(entry.counts.values(), dtype=np.float64, count=len(entry.counts))
        in_title = np.fromiter((term in entry.title_terms for term in entry.counts), np.bool_, len(terms))
        # Title terms lead, so that their number tells which they are when weights are computed anew.
        lexical = np.concatenate((terms[in_title], terms[~in_title]))
        # The column is `real`: weights must come from the very value it keeps, or they cannot be undone.
        kept_average = float(np.float32(average))
        return wire.row(
            (
                wire.integer(index.home),
                wire.uuid(new_id()),
                wire.uuid(index.id),
                wire.uuid(index.workspace_id),
                wire.uuid(index.knowledge_base_id),
                wire.uuid(entry.paragraph.document_id),
                wire.uuid(entry.paragraph.id),
                wire.big(entry.paragraph.acl_id),
                wire.integer(entry.start),
                wire.integer(entry.end),
                wire.integer(entry.length),
                wire.real(kept_average),
                wire.small(entry.kind),
                wire.small(entry.script),
                wire.boolean(entry.paragraph.is_active),
                wire.halfvec(vector),
                wire.integers(lexical ^ self._salt),
                wire.sparsevec(terms, bm25.weights(counts, in_title, entry.length, kept_average)),
                wire.small(len(entry.title_terms)),
            )
        )

    async def _note(self, change: Change) -> None:
        await note(self._session, self._statistics, self._scope, self._index_id, change)


def _normalised(vectors: NDArray[np.float32], entries: int, dimensions: int) -> NDArray[np.float32]:
    if entries == 0:
        return np.zeros((0, dimensions), dtype=np.float32)
    if vectors.shape != (entries, dimensions):
        raise VectorsMismatch(expected=[entries, dimensions], received=list(vectors.shape))
    norms = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    if not np.isfinite(norms).all() or (norms < 1e-12).any():
        raise VectorsInvalid()
    return (vectors / norms).astype(np.float32)
