"""Computing stored BM25 weights anew when the average length they were computed with is no longer true.

An entry tells which average it was weighted with, so its counts are recovered from its weights, batch by
batch, without its text, and an interrupted run goes on where it stopped.
"""

from uuid import UUID

import numpy as np
from sqlalchemy import text

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.knowledge.indexing import bm25, wire
from refdesk.knowledge.indexing.repository import IndexRepository
from refdesk.knowledge.indexing.tables import KnowledgeIndex
from refdesk.knowledge.indexing.terms import salt_of

DRIFT = 0.10
"""Relative change of the average length from which entries are weighted anew."""

_BATCH = 500
_SELECT = text("""
SELECT id, length, weighted_with, terms[1:title_terms], bm25::text FROM index_entries
WHERE home = :home AND index_id = :index_id AND weighted_with <> CAST(:average AS real) AND id > :after
ORDER BY id LIMIT :batch FOR UPDATE
""")
_UPDATE = text("""
UPDATE index_entries e SET bm25 = CAST(v.bm25 AS sparsevec), weighted_with = CAST(:average AS real)
FROM unnest(CAST(:ids AS uuid[]), CAST(:vectors AS text[])) AS v(id, bm25)
WHERE e.home = :home AND e.id = v.id
""")


def has_drifted(index: KnowledgeIndex) -> bool:
    """Whether the folded average length is more than `DRIFT` from the one weights are computed with."""
    if index.entry_count <= 0 or index.average_length <= 0:
        return False
    return abs(index.total_length / index.entry_count / index.average_length - 1) > DRIFT


async def reweight(database: Database, scope: Scope, index_id: UUID) -> int:
    """Bring every entry to the present average length. Returns how many were changed.

    Raises `IndexNotFound`.
    """
    async with database.transaction() as session:
        index = await IndexRepository(session, scope).get(index_id)
        if has_drifted(index):
            index.average_length = float(np.float32(index.total_length / index.entry_count))
        average = index.average_length
    changed, after, salt = 0, UUID(int=0), salt_of(index_id)
    while True:
        async with database.transaction() as session:
            home = (await IndexRepository(session, scope).lock_shared(index_id)).home
            parameters = {"home": home, "index_id": index_id, "average": average}
            rows = (await session.execute(_SELECT, {**parameters, "after": after, "batch": _BATCH})).all()
            if not rows:
                return changed
            vectors = [
                _reweighted(vector, {term ^ salt for term in titles}, length, was, average)
                for _, length, was, titles, vector in rows
            ]
            await session.execute(
                _UPDATE, {**parameters, "ids": [row[0] for row in rows], "vectors": vectors}
            )
        changed, after = changed + len(rows), rows[-1][0]


def _reweighted(vector: str, title_terms: set[int], length: int, weighted_with: float, average: float) -> str:
    cells = [cell.split(":") for cell in vector[1 : vector.index("}")].split(",") if cell]
    terms = [int(term) for term, _ in cells]
    old = np.array([float(weight) for _, weight in cells], dtype=np.float64)
    in_title = np.array([term in title_terms for term in terms], dtype=np.bool_)
    counts = bm25.counts_of(old, in_title, length, weighted_with)
    new = bm25.weights(counts, in_title, length, float(np.float32(average)))
    return wire.sparsevec_text(dict(zip(terms, new.tolist(), strict=True)))
