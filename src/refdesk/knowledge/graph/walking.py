"""Loading the part of a graph that lies around some entities: breadth first, bounded, in SQL.

Two names of one thing (`alias`) are one step of no length; they are edges nevertheless, told in paragraphs
like others, so that what the caller may not see joins nothing for them.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import Row, TextClause, text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.knowledge.graph.keys import entity_key
from refdesk.knowledge.graph.kinds import ALIAS, ATTRIBUTE
from refdesk.knowledge.graph.sight import OF_GRAPHS, VISIBLE, Sight
from refdesk.knowledge.graph.synonyms import Synonyms

SEED_EDGES = 500
"""Rows read of an entity that is asked for, in either direction; of others `STEP_EDGES`."""
STEP_EDGES = 40
ROUND_EDGES = 2_000
"""Rows read in one round; more of them are told as `truncated`."""
FRONTIER = 500
ALIAS_ROUNDS = 3

_COLUMNS = "r.id, r.source_id, r.target_id, r.kind, r.label, r.ends, r.graph_id, r.paragraph_id"
_AROUND = text(f"""
SELECT e.* FROM unnest(CAST(:entities AS uuid[])) AS f(id) CROSS JOIN LATERAL (
    (SELECT {_COLUMNS} FROM graph_relations r {VISIBLE}
        WHERE r.source_id = f.id AND {OF_GRAPHS} LIMIT :degree)
    UNION ALL
    (SELECT {_COLUMNS} FROM graph_relations r {VISIBLE}
        WHERE r.target_id = f.id AND {OF_GRAPHS} LIMIT :degree)
) e LIMIT :most
""")
_ALIASES = text(f"""
SELECT {_COLUMNS} FROM graph_relations r {VISIBLE}
WHERE r.kind = 'alias' AND {OF_GRAPHS}
    AND (r.source_id = ANY(CAST(:entities AS uuid[])) OR r.target_id = ANY(CAST(:entities AS uuid[])))
LIMIT 1000
""")

type EdgeKey = tuple[UUID, str, str, UUID]


@dataclass(slots=True)
class Edge:
    """All rows that tell one relation. `rows` are their ids with graph and paragraph, in order."""

    source: UUID
    target: UUID
    kind: str
    label: str
    ends: bool
    rows: dict[int, tuple[UUID, UUID]] = field(default_factory=dict[int, tuple[UUID, UUID]])

    def other(self, entity: UUID) -> UUID:
        return self.target if entity == self.source else self.source


@dataclass(slots=True)
class Neighbourhood:
    """The loaded part: edges by what makes them one, and by each of their ends."""

    synonyms: Synonyms
    edges: dict[EdgeKey, Edge] = field(default_factory=dict[EdgeKey, Edge])
    at: dict[UUID, list[Edge]] = field(default_factory=dict[UUID, list[Edge]])
    truncated: bool = False

    def add(self, row: Row[Any]) -> Edge | None:
        """Take a row in; returns its edge, None for one between two words of one meaning."""
        source: UUID = row.source_id
        target: UUID = row.target_id
        kind: str = row.kind
        label: str = row.label
        first, second = self.synonyms.root(source), self.synonyms.root(target)
        if first == second:
            return None
        if kind == ALIAS and second < first:  # of two names either may be the first
            first, second = second, first
        key = (first, kind, entity_key(label) if kind == ATTRIBUTE else "", second)
        edge = self.edges.get(key)
        if edge is None:
            edge = self.edges[key] = Edge(first, second, kind, label, bool(row.ends))
            self.at.setdefault(first, []).append(edge)
            self.at.setdefault(second, []).append(edge)
        edge.ends = edge.ends and bool(row.ends)
        edge.rows[row.id] = (row.graph_id, row.paragraph_id)
        return edge


class Walk:
    """Loads what lies around entities, round by round."""

    def __init__(self, session: AsyncSession, sight: Sight, synonyms: Synonyms) -> None:
        self._session = session
        self._sight = sight
        self._synonyms = synonyms
        self._expanded: set[UUID] = set()
        self.found = Neighbourhood(synonyms)

    async def around(self, seeds: Collection[UUID], rounds: int) -> Neighbourhood:
        """All edges within so many steps of the seeds, as far as the bounds allow."""
        frontier = {self._synonyms.root(seed) for seed in seeds}
        for number in range(rounds):
            frontier = await self._with_aliases(frontier) - self._expanded
            if not frontier:
                break
            if len(frontier) > FRONTIER:
                self.found.truncated = True
            chosen = sorted(frontier)[:FRONTIER]
            self._expanded.update(chosen)
            frontier = await self._expand(chosen, SEED_EDGES if number == 0 else STEP_EDGES)
        return self.found

    async def _expand(self, entities: Sequence[UUID], degree: int) -> set[UUID]:
        members = sorted(self._synonyms.all_of(entities))
        rows = await self._rows(_AROUND, members, degree=degree, most=ROUND_EDGES)
        if len(rows) == ROUND_EDGES:
            self.found.truncated = True
        reached: set[UUID] = set()
        for row in rows:
            edge = self.found.add(row)
            if edge is not None:
                reached.add(edge.source)
                if not edge.ends:  # a path may end in a value, not pass through one
                    reached.add(edge.target)
        return reached

    async def _with_aliases(self, entities: set[UUID]) -> set[UUID]:
        known: set[UUID] = set(entities)
        fresh: set[UUID] = set(entities)
        for _ in range(ALIAS_ROUNDS):
            if not fresh:
                break
            rows = await self._rows(_ALIASES, sorted(self._synonyms.all_of(fresh)))
            ends = {
                end for row in rows if (edge := self.found.add(row)) for end in (edge.source, edge.target)
            }
            fresh = ends - known
            known |= fresh
        return known

    async def _rows(
        self, statement: TextClause, entities: Iterable[UUID], **bounds: int
    ) -> Sequence[Row[Any]]:
        parameters = {**self._sight.parameters, "entities": list(entities), **bounds}
        return (await self._session.execute(statement, parameters)).all()
