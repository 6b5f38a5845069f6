"""Entities and edges as they are told: names and places from paragraphs that the caller may read."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.knowledge.graph.sight import OF_GRAPHS, VISIBLE, Sight
from refdesk.knowledge.graph.synonyms import Synonyms
from refdesk.knowledge.graph.walking import Edge

EVIDENCE = 5
"""Paragraphs shown of an edge."""
QUOTE_CHARS = 300
OTHER_NAMES = 5

_TOLD = text(f"""
SELECT r.id, r.source_id, r.target_id, s.name, s.kind, t.name, t.kind,
    p.id, d.id, d.name, d.knowledge_base_id, p.title, p.title_chain, p.page,
    substr(p.content, r.start + 1, least(r.end_ - r.start, {QUOTE_CHARS})), r.start, r.end_
FROM graph_relations r {VISIBLE}
JOIN graph_mentions s ON s.graph_id = r.graph_id AND s.paragraph_id = r.paragraph_id
    AND s.entity_id = r.source_id
JOIN graph_mentions t ON t.graph_id = r.graph_id AND t.paragraph_id = r.paragraph_id
    AND t.entity_id = r.target_id
WHERE r.id = ANY(CAST(:rows AS bigint[])) AND {OF_GRAPHS} ORDER BY r.id
""")
_NAMES = text(f"""
SELECT f.id, n.name, n.kind FROM unnest(CAST(:entities AS uuid[])) AS f(id) CROSS JOIN LATERAL (
    SELECT r.name, r.kind FROM graph_mentions r {VISIBLE} WHERE r.entity_id = f.id AND {OF_GRAPHS} LIMIT 50) n
""")


@dataclass(frozen=True, slots=True)
class EntityRef:
    """An entity: what it is mostly called, and what else."""

    id: UUID
    name: str
    kind: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place that tells an edge. `start`, `end` are offsets in the paragraph's content."""

    paragraph_id: UUID
    document_id: UUID
    document_name: str
    knowledge_base_id: UUID
    title: str
    title_chain: tuple[str, ...]
    page: int | None
    quote: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EdgeView:
    """An edge with the first of the paragraphs that tell it; `told` counts all that were read."""

    source: EntityRef
    target: EntityRef
    kind: str
    label: str
    told: int
    paragraphs: tuple[Evidence, ...]


@dataclass(slots=True)
class Described:
    """Names and evidence, gathered."""

    synonyms: Synonyms
    names: dict[UUID, Counter[str]] = field(default_factory=dict[UUID, Counter[str]])
    kinds: dict[UUID, str] = field(default_factory=dict[UUID, str])
    evidence: dict[int, Evidence] = field(default_factory=dict[int, Evidence])

    def name(self, entity: UUID, name: str, kind: str) -> None:
        root = self.synonyms.root(entity)
        self.names.setdefault(root, Counter())[name] += 1
        if self.kinds.get(root, "value") == "value":
            self.kinds[root] = kind

    def entity(self, entity: UUID) -> EntityRef:
        root = self.synonyms.root(entity)
        names = [name for name, _ in self.names.get(root, Counter()).most_common(OTHER_NAMES + 1)]
        return EntityRef(root, names[0] if names else "", self.kinds.get(root, "thing"), tuple(names[1:]))

    def edge(self, edge: Edge) -> EdgeView:
        places: dict[UUID, Evidence] = {}
        for row in sorted(edge.rows):
            place = self.evidence.get(row)
            if place is not None:
                places.setdefault(place.paragraph_id, place)
        return EdgeView(
            source=self.entity(edge.source),
            target=self.entity(edge.target),
            kind=edge.kind,
            label=edge.label,
            told=len({paragraph for _, paragraph in edge.rows.values()}),
            paragraphs=tuple(places.values())[:EVIDENCE],
        )


async def describe(
    session: AsyncSession,
    sight: Sight,
    synonyms: Synonyms,
    edges: Iterable[Edge],
    entities: Sequence[UUID] = (),
) -> Described:
    """What is needed to show these edges, and these entities beside their ends."""
    described = Described(synonyms)
    rows = sorted({row for edge in edges for row in sorted(edge.rows)[:EVIDENCE]})
    if rows:
        found = await session.execute(_TOLD, {**sight.parameters, "rows": rows})
        for row in found:
            described.name(row[1], row[3], row[4])
            described.name(row[2], row[5], row[6])
            described.evidence[row[0]] = Evidence(
                row[7], row[8], row[9], row[10], row[11], tuple(row[12]), row[13], row[14], row[15], row[16]
            )
    nameless = [one for one in entities if synonyms.root(one) not in described.names]
    if nameless:
        members = sorted(synonyms.all_of(nameless))
        for row in await session.execute(_NAMES, {**sight.parameters, "entities": members}):
            described.name(row[0], row[1], row[2])
    return described
