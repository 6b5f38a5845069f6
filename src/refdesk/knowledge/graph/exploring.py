"""Looking around in a graph: entities by name, one with its edges, a part to be drawn, how much there is."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.errors import CursorInvalid
from refdesk.kit.like import containing
from refdesk.knowledge.graph.describing import EdgeView, EntityRef, describe
from refdesk.knowledge.graph.errors import GraphEntityNotFound
from refdesk.knowledge.graph.keys import entity_key
from refdesk.knowledge.graph.sight import OF_GRAPHS, VISIBLE, sight_of
from refdesk.knowledge.graph.synonyms import synonyms
from refdesk.knowledge.graph.walking import Edge, Walk

MAX_NODES = 150
MAX_EDGES = 400
TOP_ENTITIES = 12
"""Entities that a drawing without a chosen one begins with."""

_COUNTS = text(f"""
SELECT (SELECT count(DISTINCT r.entity_id) FROM graph_mentions r {VISIBLE} WHERE {OF_GRAPHS}),
    (SELECT count(*) FROM (SELECT DISTINCT r.source_id, r.kind, r.target_id,
        CASE WHEN r.kind = 'attribute' THEN lower(r.label) END
        FROM graph_relations r {VISIBLE} WHERE {OF_GRAPHS}) edges),
    (SELECT count(DISTINCT r.paragraph_id) FROM graph_relations r {VISIBLE} WHERE {OF_GRAPHS})
""")
# By how many places name them; the name is the one that most of them use.
_ENTITIES = f"""
SELECT r.entity_id, count(*) AS places, mode() WITHIN GROUP (ORDER BY r.name) AS name,
    CASE WHEN bool_and(r.kind = 'value') THEN 'value' ELSE max(r.kind) FILTER (WHERE r.kind <> 'value') END
FROM graph_mentions r {VISIBLE} WHERE {OF_GRAPHS} AND (CAST(:pattern AS text) IS NULL OR r.key LIKE :pattern)
    AND (:values OR r.kind <> 'value')
GROUP BY r.entity_id
"""
_SOME = text(f"SELECT * FROM ({_ENTITIES}) e ORDER BY places DESC, name, entity_id OFFSET :skip LIMIT :limit")
_HOW_MANY = text(f"SELECT count(*) FROM ({_ENTITIES}) e")


@dataclass(frozen=True, slots=True)
class Counts:
    """How much of a graph the caller may see."""

    entities: int
    relations: int
    paragraphs: int


@dataclass(frozen=True, slots=True)
class ListedEntity:
    """An entity of a list, and in how many paragraphs it is named."""

    id: UUID
    name: str
    kind: str
    paragraphs: int


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of entities."""

    items: tuple[ListedEntity, ...]
    next_cursor: str | None
    total: int


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a graph: `centre` is the entity asked for. `truncated`: there is more around it."""

    centre: EntityRef | None
    entities: tuple[EntityRef, ...]
    edges: tuple[EdgeView, ...]
    truncated: bool


class Explorer:
    """Reads the graph of one base as the caller may see it, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope, base_id: UUID) -> None:
        self._session = session
        self._scope = scope
        self._base_id = base_id

    async def counts(self) -> Counts:
        sight = await sight_of(self._session, self._scope, [self._base_id])
        row = (await self._session.execute(_COUNTS, sight.parameters)).one()
        return Counts(int(row[0]), int(row[1]), int(row[2]))

    async def entities(self, q: str | None, *, values: bool, limit: int, cursor: str | None) -> Listed:
        """Entities by how often they are named; `q` is a part of a name in any spelling."""
        sight = await sight_of(self._session, self._scope, [self._base_id])
        key = entity_key(q) if q else ""
        if q and not key:
            return Listed((), None, 0)
        skip = _decoded(cursor)
        parameters = {
            **sight.parameters,
            "pattern": containing(key) if key else None,
            "values": values,
        }
        rows = await self._session.execute(_SOME, {**parameters, "skip": skip, "limit": limit + 1})
        items = [ListedEntity(row[0], row[2], row[3], int(row[1])) for row in rows]
        total = int((await self._session.execute(_HOW_MANY, parameters)).scalar_one())
        following = _encoded(skip + limit) if len(items) > limit else None
        return Listed(tuple(items[:limit]), following, total)

    async def around(self, entity_id: UUID, *, limit: int, hops: int = 1) -> Part:
        """An entity with its edges, nearest first. Raises `GraphEntityNotFound`."""
        sight = await sight_of(self._session, self._scope, [self._base_id])
        same = await synonyms(self._session, self._scope, [self._base_id])
        centre = same.root(entity_id)
        found = await Walk(self._session, sight, same).around([centre], hops)
        edges = _nearest(found.at.get(centre, []), list(found.edges.values()), limit)
        described = await describe(self._session, sight, same, edges, [centre])
        ref = described.entity(centre)
        if not ref.name:
            raise GraphEntityNotFound(entity_id=str(entity_id))
        ids = dict.fromkeys([centre, *(end for edge in edges for end in (edge.source, edge.target))])
        return Part(
            ref,
            tuple(described.entity(one) for one in ids),
            tuple(described.edge(edge) for edge in edges),
            found.truncated or len(edges) < len(found.edges),
        )

    async def overview(self, *, limit: int) -> Part:
        """The most named entities and what joins them and is around them."""
        top = await self.entities(None, values=False, limit=TOP_ENTITIES, cursor=None)
        sight = await sight_of(self._session, self._scope, [self._base_id])
        same = await synonyms(self._session, self._scope, [self._base_id])
        seeds = {same.root(one.id) for one in top.items}
        found = await Walk(self._session, sight, same).around(seeds, 1) if seeds else None
        edges = [] if found is None else _spread(found.at, seeds, limit)
        described = await describe(self._session, sight, same, edges, sorted(seeds))
        ids = dict.fromkeys([*sorted(seeds), *(end for edge in edges for end in (edge.source, edge.target))])
        return Part(
            None,
            tuple(described.entity(one) for one in ids),
            tuple(described.edge(edge) for edge in edges),
            top.next_cursor is not None or (found is not None and len(edges) < len(found.edges)),
        )


def _nearest(own: Sequence[Edge], every: Sequence[Edge], limit: int) -> list[Edge]:
    """Edges of the centre first, the often told before others."""
    ranked = sorted(own, key=lambda edge: (-len(edge.rows), edge.ends, edge.kind, edge.label))
    held = set(map(id, ranked))
    others = [edge for edge in every if id(edge) not in held]
    return [*ranked, *sorted(others, key=lambda edge: (-len(edge.rows), edge.ends))][:limit]


def _spread(at: dict[UUID, list[Edge]], seeds: set[UUID], limit: int) -> list[Edge]:
    """Edges in turns of the seeds, those between two of them first, so that no hub takes all the room."""

    def outward(edge: Edge) -> tuple[bool, bool]:
        return edge.source not in seeds or edge.target not in seeds, edge.ends

    queues = [sorted(at.get(seed, []), key=outward) for seed in sorted(seeds)]
    found: dict[int, Edge] = {}
    place = 0
    while len(found) < limit and any(place < len(queue) for queue in queues):
        for queue in queues:
            if place < len(queue) and len(found) < limit:
                found[id(queue[place])] = queue[place]
        place += 1
    return list(found.values())


def _encoded(place: int) -> str:
    return base64.urlsafe_b64encode(str(place).encode()).decode()


def _decoded(cursor: str | None) -> int:
    if cursor is None:
        return 0
    try:
        place = int(base64.urlsafe_b64decode(cursor.encode()).decode())
    except (ValueError, binascii.Error, UnicodeDecodeError):
        raise CursorInvalid from None
    if not 0 <= place <= 10_000_000:
        raise CursorInvalid
    return place
