"""What routing reads: centroids and term counts, for a caller who may see these access lists."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge.indexing import Statistics, StatisticsRepository, halfvec_text
from refdesk.retrieval.routing.choice import Nearness

# One number for a base's restricted documents and their lists, read from a partial index.
ACCESS_PRINT = """
coalesce((
    SELECT md5(string_agg(d.id::text || ':' || d.acl_id, ',' ORDER BY d.id)) FROM documents d
    WHERE d.knowledge_base_id = b.id AND d.acl_id <> 0
), '')
"""

_PROFILED = text(f"""
SELECT p.index_id, p.access_print, {ACCESS_PRINT} AS present
FROM route_profiles p JOIN indexes i ON i.id = p.index_id JOIN knowledge_bases b ON b.id = i.knowledge_base_id
WHERE p.index_id = ANY(CAST(:ids AS uuid[])) AND p.workspace_id = :workspace_id
""")
_NEAR = text("""
SELECT c.index_id, max(c.near), sum(c.near * c.size), sum(c.size) FROM (
    SELECT index_id, size, -(centroid <#> CAST(:vector AS halfvec)) AS near FROM route_centroids
    WHERE index_id = ANY(CAST(:ids AS uuid[])) AND workspace_id = :workspace_id
        AND (CAST(:lists AS bigint[]) IS NULL OR acl_id = ANY(CAST(:lists AS bigint[])))
) c GROUP BY c.index_id
""")
_TERMS = text("""
SELECT index_id, term, sum(frequency)::integer FROM route_terms
WHERE index_id = ANY(CAST(:ids AS uuid[])) AND workspace_id = :workspace_id
    AND term = ANY(CAST(:terms AS integer[])) AND acl_id = ANY(CAST(:lists AS bigint[]))
GROUP BY index_id, term
""")


@dataclass(frozen=True, slots=True)
class Profiled:
    """Indexes that can be judged for the caller: by all they hold, or by the caller's lists apart."""

    whole: tuple[UUID, ...]
    parted: tuple[UUID, ...]

    @property
    def ids(self) -> tuple[UUID, ...]:
        return (*self.whole, *self.parted)


class RouteRepository:
    """Reads within a workspace. `lists` are the access lists the caller is on, None for all there are."""

    def __init__(self, session: AsyncSession, scope: Scope, lists: frozenset[int] | None) -> None:
        self._session = session
        self._scope = scope
        self._lists = None if lists is None else sorted({0, *lists})

    async def profiled(self, index_ids: Sequence[UUID]) -> Profiled:
        """Those with a profile that is of use for the caller."""
        parameters = {"ids": list(index_ids), "workspace_id": self._scope.workspace_id}
        whole: list[UUID] = []
        parted: list[UUID] = []
        for index_id, made_with, present in await self._session.execute(_PROFILED, parameters):
            if self._lists is None or (made_with == "" and present == ""):
                whole.append(index_id)
            elif made_with == present:
                parted.append(index_id)
        return Profiled(tuple(whole), tuple(parted))

    async def nearness(self, index_ids: Sequence[UUID], vector: NDArray[np.float32]) -> dict[UUID, Nearness]:
        """Of indexes of one embedding model, by index id."""
        parameters = {
            "ids": list(index_ids),
            "workspace_id": self._scope.workspace_id,
            "vector": halfvec_text(vector),
            "lists": self._lists,
        }
        return {
            index_id: Nearness(float(best), float(total) / size, int(size))
            for index_id, best, total, size in await self._session.execute(_NEAR, parameters)
        }

    async def statistics(self, profiled: Profiled, terms: Sequence[int]) -> Statistics:
        """Term counts as `StatisticsRepository.read` gives them, of what the caller may see."""
        live = await StatisticsRepository(self._session, self._scope).read(profiled.whole, terms)
        if not profiled.parted:
            return live
        parameters = {
            "ids": list(profiled.parted),
            "workspace_id": self._scope.workspace_id,
            "terms": [0, *terms],
            "lists": self._lists,
        }
        entries = live.entries
        frequencies = dict(live.frequencies)
        for index_id, term, frequency in await self._session.execute(_TERMS, parameters):
            if term == 0:
                entries += frequency
            else:
                frequencies.setdefault(index_id, {})[term] = frequency
        return Statistics(entries, frequencies)
