"""Paths between entities: shortest first, each edge with the paragraphs that tell it.

Two entities or more: the paths that join any two of them. One: what is told of it, nearest to the question
first. Rounds of loading meet in the middle, so a path of three steps needs two.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge.graph.describing import EdgeView, EntityRef, describe
from refdesk.knowledge.graph.errors import GraphQuestionEmpty
from refdesk.knowledge.graph.kinds import ALIAS, KIND_WORDS
from refdesk.knowledge.graph.lookup import in_question, named
from refdesk.knowledge.graph.sight import sight_of
from refdesk.knowledge.graph.synonyms import synonyms
from refdesk.knowledge.graph.walking import Edge, Neighbourhood, Walk
from refdesk.knowledge.indexing import tokenize

MAX_HOPS = 4
MAX_PATHS = 50
MAX_TRIED = 5_000
"""Steps tried in search of paths; reached only where hubs are joined many times over."""
MAX_ALIASES = 2
"""Steps of no length in one path."""


@dataclass(frozen=True, slots=True)
class GraphPath:
    """A path: its entities in order, and the edges between them (an edge may run either way)."""

    entities: tuple[EntityRef, ...]
    edges: tuple[EdgeView, ...]


@dataclass(frozen=True, slots=True)
class FoundPaths:
    """Paths, and the entities they were looked for from. `truncated`: hubs had more edges than were read."""

    entities: tuple[EntityRef, ...]
    paths: tuple[GraphPath, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class _Way:
    """A path as ids. `steps` leaves out what has no length."""

    nodes: tuple[UUID, ...]
    edges: tuple[Edge, ...]
    steps: int


async def find_paths(
    session: AsyncSession,
    scope: Scope,
    knowledge_base_ids: Sequence[UUID],
    *,
    entities: Sequence[str] = (),
    question: str | None = None,
    max_hops: int = 3,
    limit: int = 10,
) -> FoundPaths:
    """Paths between the entities named, or those that a question names, that the caller may see.

    Bases without a graph have none. Raises `NotFound` for an unknown base, `GraphQuestionEmpty`.
    """
    asked = (question or "").strip()
    names = [name for name in entities if name.strip()]
    if not asked and not names:
        raise GraphQuestionEmpty
    sight = await sight_of(session, scope, knowledge_base_ids)
    same = await synonyms(session, scope, knowledge_base_ids)
    if not sight.graph_ids:
        return FoundPaths((), (), False)
    seeds = await (named(session, sight, same, names) if names else in_question(session, sight, same, asked))
    hops = min(max(max_hops, 1), MAX_HOPS)
    # Two steps of one entity; more would tell of everything.
    rounds = min(hops, 2) if len(seeds) == 1 else (hops + 1) // 2
    around = await Walk(session, sight, same).around(seeds, rounds)
    ways = list(_joining(around, seeds, hops)) if len(seeds) > 1 else []
    if not ways:
        ways = [way for seed in seeds for way in _from(around, seed, min(hops, 2))]
    chosen = _best(ways, seeds, asked, around, min(max(limit, 1), MAX_PATHS))
    described = await describe(session, sight, same, [edge for way in chosen for edge in way.edges], seeds)
    paths = tuple(
        GraphPath(
            tuple(described.entity(node) for node in way.nodes),
            tuple(described.edge(edge) for edge in way.edges),
        )
        for way in chosen
    )
    return FoundPaths(tuple(described.entity(seed) for seed in seeds), paths, around.truncated)


def _joining(around: Neighbourhood, seeds: Sequence[UUID], hops: int) -> Iterator[_Way]:
    tried = [0]
    for first, second in combinations(seeds, 2):
        distance = _distances(around, first, second, hops)
        if first in distance:
            yield from _search(around, first, second, hops, distance, tried)


def _distances(around: Neighbourhood, start: UUID, goal: UUID, hops: int) -> dict[UUID, int]:
    """Steps from each entity to the goal, by edges that a path may take; aliases have no length."""
    distance = {goal: 0}
    queue: deque[UUID] = deque([goal])
    while queue:
        entity = queue.popleft()
        for edge in around.at.get(entity, ()):
            other = edge.other(entity)
            far = distance[entity] + (edge.kind != ALIAS)
            if far > hops or far >= distance.get(other, hops + 1):
                continue
            if edge.ends and other == edge.target and other not in (start, goal):
                continue  # nothing goes on from a value
            distance[other] = far
            (queue.append if edge.kind != ALIAS else queue.appendleft)(other)
    return distance


def _search(
    around: Neighbourhood,
    start: UUID,
    goal: UUID,
    hops: int,
    distance: dict[UUID, int],
    tried: list[int],
) -> Iterator[_Way]:
    """All simple paths from start to goal, the shorter first."""
    for length in range(distance[start], hops + 1):
        stack: list[tuple[tuple[UUID, ...], tuple[Edge, ...], int]] = [((start,), (), 0)]
        while stack:
            nodes, edges, steps = stack.pop()
            entity = nodes[-1]
            if entity == goal:
                if steps == length:
                    yield _Way(nodes, edges, steps)
                continue
            for edge in around.at.get(entity, ()):
                tried[0] += 1
                if tried[0] > MAX_TRIED:
                    return
                other = edge.other(entity)
                far = steps + (edge.kind != ALIAS)
                if other in nodes or other not in distance or far + distance[other] > length:
                    continue
                if edge.ends and other == edge.target and other != goal:
                    continue
                if len(edges) + 1 > length + MAX_ALIASES:
                    continue
                stack.append(((*nodes, other), (*edges, edge), far))


def _from(around: Neighbourhood, seed: UUID, hops: int) -> Iterator[_Way]:
    """Paths that begin at an entity, up to so many steps."""
    stack: list[tuple[tuple[UUID, ...], tuple[Edge, ...], int]] = [((seed,), (), 0)]
    tried = 0
    while stack:
        nodes, edges, steps = stack.pop()
        if (edges and edges[-1].kind != ALIAS) or len(edges) == 1:
            yield _Way(nodes, edges, steps)
        if edges and edges[-1].ends and nodes[-1] == edges[-1].target:
            continue
        for edge in around.at.get(nodes[-1], ()):
            tried += 1
            if tried > MAX_TRIED:
                return
            other, far = edge.other(nodes[-1]), steps + (edge.kind != ALIAS)
            if other not in nodes and far <= hops and len(edges) < hops + MAX_ALIASES:
                stack.append(((*nodes, other), (*edges, edge), far))


def _best(
    ways: Sequence[_Way], seeds: Sequence[UUID], question: str, around: Neighbourhood, limit: int
) -> list[_Way]:
    """The paths to show: near the question's words, then short, then often told. No edge set twice."""
    words = set(tokenize(question)) if question else set[str]()
    scored = sorted(
        ways,
        key=lambda way: (
            -_overlap(way, words) if len(seeds) == 1 else 0,
            way.steps,
            -_overlap(way, words),
            -sum(min(len(edge.rows), 5) for edge in way.edges),
            tuple(node.bytes for node in way.nodes),
        ),
    )
    found: list[_Way] = []
    seen: set[frozenset[int]] = set()
    for way in scored:
        mark = frozenset(map(id, way.edges))
        if mark not in seen:
            seen.add(mark)
            found.append(way)
        if len(found) == limit:
            break
    return found


def _overlap(way: _Way, words: set[str]) -> int:
    """How many words of the question a path's edges speak of."""
    if not words:
        return 0
    told = {token for edge in way.edges for token in tokenize(f"{edge.label} {KIND_WORDS[edge.kind]}")}
    return len(words & told)
