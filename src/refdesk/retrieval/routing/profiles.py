"""Making an index's routing profile: its vectors' centroids and, where access is restricted, its terms.

Entries are counted under the list of their document, not their own, which may lag behind a change.
"""

import asyncio
from typing import Any
from uuid import UUID

import numpy as np
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.clock import now
from refdesk.kit.database import Database
from refdesk.knowledge.indexing import halfvec_text, salt_of, table_of
from refdesk.retrieval.routing.clustering import Vectors, centroids_of
from refdesk.retrieval.routing.repository import ACCESS_PRINT

SAMPLE = 10_000
"""Vectors of a list that are looked at: their clustering takes half a second."""

_STATE = text(f"""
SELECT i.home, {ACCESS_PRINT} AS access_print, i.entry_count + d.entries, i.total_length + d.length
FROM indexes i JOIN knowledge_bases b ON b.id = i.knowledge_base_id, LATERAL (
    SELECT coalesce(sum(w.entries), 0)::bigint AS entries, coalesce(sum(w.length), 0)::bigint AS length
    FROM lexical_deltas w WHERE w.index_id = i.id
) d
WHERE i.id = :index_id AND i.workspace_id = :workspace_id
""")

STALE = text(f"""
SELECT s.workspace_id, s.id FROM (
    SELECT i.workspace_id, i.id, b.id AS base_id,
        i.entry_count + coalesce(sum(d.entries), 0) AS entries,
        i.total_length + coalesce(sum(d.length), 0) AS length
    FROM knowledge_bases b JOIN indexes i ON i.id = b.active_index_id
    LEFT JOIN lexical_deltas d ON d.index_id = i.id
    WHERE b.deleted_at IS NULL AND b.workspace_id IN (
        SELECT workspace_id FROM knowledge_bases WHERE deleted_at IS NULL
        GROUP BY workspace_id HAVING count(*) > :few
    )
    GROUP BY i.workspace_id, i.id, b.id
) s JOIN knowledge_bases b ON b.id = s.base_id LEFT JOIN route_profiles p ON p.index_id = s.id
WHERE p.index_id IS NULL
    OR abs(s.entries - p.entry_count) > :share * p.entry_count
    OR p.access_print <> {ACCESS_PRINT}
    OR ((s.entries <> p.entry_count OR s.length <> p.total_length) AND p.refreshed_at < :before)
ORDER BY p.refreshed_at NULLS FIRST LIMIT :most
""")


async def refresh_profile(database: Database, scope: Scope, index_id: UUID) -> None:
    """Look at the index anew. Nothing for one that is gone. Clusters outside any transaction."""
    async with database.transaction() as session:
        await session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
        parameters = {"index_id": index_id, "workspace_id": scope.workspace_id}
        state = (await session.execute(_STATE, parameters)).one_or_none()
        if state is None:
            return
        home, access_print, entries, length = state
        # Rows of the shared home have many owners: only a home of its own can be sampled by its pages.
        share = min(100.0, 300.0 * SAMPLE / max(entries, 1)) if home and not access_print else 100.0
        vectors = await _vectors(session, index_id, home, share)
        terms = await _terms(session, index_id, home) if access_print else []
    clusters = {list_: await asyncio.to_thread(centroids_of, found) for list_, found in vectors.items()}
    async with database.transaction() as session:
        for table in ("route_centroids", "route_terms", "route_profiles"):
            await session.execute(text(f"DELETE FROM {table} WHERE index_id = :index_id"), parameters)
        present = text("SELECT id FROM indexes WHERE id = :index_id FOR KEY SHARE")
        if (await session.execute(present, parameters)).one_or_none() is None:
            return
        rows = [
            {**parameters, "acl_id": list_, "size": int(size), "centroid": halfvec_text(centroid)}
            for list_, (centroids, sizes) in clusters.items()
            for centroid, size in zip(centroids, sizes, strict=True)
        ]
        if rows:
            await session.execute(_INSERT_CENTROID, rows)
        if terms:
            await session.execute(_INSERT_TERMS, {**parameters, **_columns(terms)})
        profile = {"entries": entries, "length": length, "access_print": access_print, "at": now()}
        await session.execute(_INSERT_PROFILE, {**parameters, **profile})


_INSERT_CENTROID = text(
    "INSERT INTO route_centroids (index_id, workspace_id, acl_id, size, centroid)"
    " VALUES (:index_id, :workspace_id, :acl_id, :size, CAST(:centroid AS halfvec))"
)
_INSERT_TERMS = text(
    "INSERT INTO route_terms (index_id, workspace_id, acl_id, term, frequency)"
    " SELECT :index_id, :workspace_id, l, t, n FROM unnest(CAST(:lists AS bigint[]),"
    " CAST(:terms AS integer[]), CAST(:counts AS integer[])) AS u(l, t, n)"
)
_INSERT_PROFILE = text("""
INSERT INTO route_profiles (index_id, workspace_id, entry_count, total_length, access_print, refreshed_at)
VALUES (:index_id, :workspace_id, :entries, :length, :access_print, :at)
""")


async def _vectors(session: AsyncSession, index_id: UUID, home: int, share: float) -> dict[int, Vectors]:
    """At most `SAMPLE` vectors of each access list, in an order that depends on nothing but themselves: the
    same texts give the same centroids, whatever ids their entries have."""
    sampled = f" TABLESAMPLE SYSTEM ({share:.4f}) REPEATABLE (1)" if share < 100.0 else ""
    statement = text(
        "SELECT acl_id, halfvec_send(embedding) FROM ("
        " SELECT d.acl_id, e.embedding, row_number() OVER ("
        " PARTITION BY d.acl_id ORDER BY md5(halfvec_send(e.embedding)), e.id)"
        f" AS place FROM {table_of(home)} e{sampled} JOIN documents d ON d.id = e.document_id"
        " WHERE e.index_id = :index_id AND e.is_active) s WHERE place <= :most ORDER BY acl_id, place"
    )
    found: dict[int, list[bytes]] = {}
    for list_, sent in await session.execute(statement, {"index_id": index_id, "most": SAMPLE}):
        found.setdefault(list_, []).append(bytes(sent))
    # halfvec_send: dimensions and a reserved number, two bytes each, then big-endian halves.
    return {
        list_: np.stack([np.frombuffer(sent, dtype=">f2", offset=4) for sent in rows]).astype(np.float32)
        for list_, rows in found.items()
    }


async def _terms(session: AsyncSession, index_id: UUID, home: int) -> list[tuple[int, int, int]]:
    """List, term and in how many of the list's entries; term 0 for all of them."""
    statement = text(
        f"WITH seen AS (SELECT d.acl_id, e.terms FROM {table_of(home)} e JOIN documents d"
        " ON d.id = e.document_id WHERE e.index_id = :index_id AND e.is_active)"
        " SELECT acl_id, t # CAST(:salt AS integer), count(*) FROM seen, unnest(terms) AS t GROUP BY 1, 2"
        " UNION ALL SELECT acl_id, 0, count(*) FROM seen GROUP BY 1"
    )
    rows = await session.execute(statement, {"index_id": index_id, "salt": salt_of(index_id)})
    return [(list_, term, count) for list_, term, count in rows]


def _columns(terms: list[tuple[int, int, int]]) -> dict[str, Any]:
    lists, of_list, counts = zip(*terms, strict=True)
    return {"lists": list(lists), "terms": list(of_list), "counts": list(counts)}
