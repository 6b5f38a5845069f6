"""All SQL that builds a knowledge graph. Bound to the scope's workspace; reading it is `walking`'s."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import delete, insert, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge.graph.extraction.facts import Fact, Passage
from refdesk.knowledge.graph.extraction.names import is_code, is_value
from refdesk.knowledge.graph.keys import MAX_NAME_CHARS, entity_id, entity_key
from refdesk.knowledge.graph.tables import GraphMention, GraphReading, GraphRelation, KnowledgeGraph

FIRST = UUID(int=0)

# Paragraphs that a graph has not read as they are now. Hidden or inactive ones are read when they are shown.
_PENDING = """
FROM paragraphs p
JOIN documents d ON d.id = p.document_id AND d.deleted_at IS NULL AND NOT d.is_draft
LEFT JOIN graph_readings g ON g.graph_id = :graph_id AND g.paragraph_id = p.id
    AND g.revision = p.revision AND g.recipe = :recipe
WHERE p.knowledge_base_id = :base_id AND p.workspace_id = :workspace_id AND p.is_active
    AND g.paragraph_id IS NULL
"""
_SOME = text(f"SELECT p.id {_PENDING} AND p.id > :after ORDER BY p.id LIMIT :limit")
_COUNT = text(f"SELECT count(*) {_PENDING}")
# The estimate of `gateway.tokens`: a Han character (three bytes) counts one, others a third of one.
_SIZE = text(f"""
SELECT count(*), coalesce(sum(chars), 0)::bigint, coalesce(sum(wide + (chars - wide) / 3), 0)::bigint FROM (
    SELECT length(p.content) AS chars, (octet_length(p.content) - length(p.content)) / 2 AS wide {_PENDING}
) sizes
""")
_PASSAGES = text("""
SELECT p.id, p.document_id, d.name, p.title_chain, p.title, p.content, p.revision
FROM paragraphs p JOIN documents d ON d.id = p.document_id
WHERE p.id = ANY(CAST(:ids AS uuid[])) AND p.workspace_id = :workspace_id ORDER BY p.id
""")
_HOLD = text("""
SELECT id FROM paragraphs WHERE id = ANY(CAST(:ids AS uuid[])) AND workspace_id = :workspace_id
ORDER BY id FOR KEY SHARE
""")
_REMOVE = text("""
DELETE FROM graph_readings WHERE graph_id = :graph_id AND workspace_id = :workspace_id AND paragraph_id IN (
    SELECT paragraph_id FROM graph_readings WHERE graph_id = :graph_id LIMIT :limit)
""")


@dataclass(frozen=True, slots=True)
class Size:
    """How much text is to be read."""

    paragraphs: int
    characters: int
    tokens: int


class GraphRepository:
    """Graphs of one workspace, and what is read into them."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope

    async def of_base(self, base_id: UUID, *, lock: bool = False) -> KnowledgeGraph | None:
        return await self._one(KnowledgeGraph.knowledge_base_id == base_id, lock)

    async def find(self, graph_id: UUID, *, lock: bool = False) -> KnowledgeGraph | None:
        return await self._one(KnowledgeGraph.id == graph_id, lock)

    async def pending(self, graph: KnowledgeGraph, after: UUID, limit: int) -> list[UUID]:
        """Ids of paragraphs that are to be read, behind `after`."""
        parameters = self._of(graph.knowledge_base_id, graph.id, graph.recipe)
        rows = await self.session.execute(_SOME, {**parameters, "after": after, "limit": limit})
        return list(rows.scalars())

    async def count_pending(self, graph: KnowledgeGraph) -> int:
        parameters = self._of(graph.knowledge_base_id, graph.id, graph.recipe)
        return int((await self.session.execute(_COUNT, parameters)).scalar_one())

    async def size(self, base_id: UUID, graph_id: UUID | None, recipe: str) -> Size:
        """What a build by this recipe would have to read."""
        row = (await self.session.execute(_SIZE, self._of(base_id, graph_id or FIRST, recipe))).one()
        return Size(int(row[0]), int(row[1]), int(row[2]))

    async def passages(self, ids: Sequence[UUID]) -> list[Passage]:
        """Those of these paragraphs that are there, by id."""
        rows = await self.session.execute(
            _PASSAGES, {"ids": list(ids), "workspace_id": self.scope.workspace_id}
        )
        return [Passage(row[0], row[1], row[2], [*row[3], row[4]], row[5], row[6]) for row in rows]

    async def write(self, graph: KnowledgeGraph, found: Sequence[tuple[Passage, Sequence[Fact]]]) -> int:
        """Put what was read in place of what was read before; returns how many paragraphs were there."""
        held = await self._hold([passage.id for passage, _ in found])
        await self.session.execute(
            delete(GraphReading).where(
                GraphReading.workspace_id == self.scope.workspace_id,
                GraphReading.graph_id == graph.id,
                GraphReading.paragraph_id.in_(held),
            )
        )
        readings: list[dict[str, object]] = []
        mentions: list[dict[str, object]] = []
        relations: list[dict[str, object]] = []
        for passage, facts in found:
            if passage.id not in held:
                continue
            common = {
                "graph_id": graph.id,
                "paragraph_id": passage.id,
                "workspace_id": self.scope.workspace_id,
                "revision": passage.revision,
            }
            readings.append({**common, "recipe": graph.recipe})
            common["document_id"] = passage.document_id
            named: dict[UUID, dict[str, object]] = {}
            for fact in facts:
                source = _mention(named, fact.source, is_a_value=False)
                target = _mention(named, fact.target, is_a_value=fact.target_is_value)
                if source is None or target is None or source == target:
                    continue
                relations.append(
                    {
                        **common,
                        "source_id": source,
                        "target_id": target,
                        "kind": fact.kind,
                        "label": fact.label,
                        "start": fact.start,
                        "end": fact.end,
                        "ends": fact.target_is_value,
                    }
                )
            mentions += [{**common, **mention} for mention in named.values()]
        for table, rows in ((GraphReading, readings), (GraphMention, mentions), (GraphRelation, relations)):
            if rows:
                await self.session.execute(insert(table), rows)
        return len(readings)

    async def remove_some(self, graph_id: UUID, limit: int) -> int:
        """Remove what was read for a graph from so many paragraphs; returns how many."""
        parameters = {"graph_id": graph_id, "workspace_id": self.scope.workspace_id, "limit": limit}
        result = await self.session.execute(_REMOVE, parameters)
        return int(getattr(result, "rowcount", 0))

    async def _hold(self, ids: Sequence[UUID]) -> set[UUID]:
        """Those of these paragraphs that are there, and stay until the transaction ends."""
        rows = await self.session.execute(_HOLD, {"ids": list(ids), "workspace_id": self.scope.workspace_id})
        return set(rows.scalars())

    async def _one(self, condition: object, lock: bool) -> KnowledgeGraph | None:
        query = select(KnowledgeGraph).where(
            KnowledgeGraph.workspace_id == self.scope.workspace_id,
            condition,  # type: ignore[arg-type]
        )
        if lock:
            query = query.with_for_update(key_share=True)
        return await self.session.scalar(query.execution_options(populate_existing=True))

    def _of(self, base_id: UUID, graph_id: UUID, recipe: str) -> Mapping[str, object]:
        return {
            "base_id": base_id,
            "graph_id": graph_id,
            "recipe": recipe,
            "workspace_id": self.scope.workspace_id,
        }


def _mention(named: dict[UUID, dict[str, object]], name: str, *, is_a_value: bool) -> UUID | None:
    """The id of the entity of this name, which is taken down; None for a name of marks alone."""
    key = entity_key(name)
    if not key:
        return None
    key_id = entity_id(key)
    kind = "value" if is_a_value or is_value(name) else "code" if is_code(name) else "thing"
    present = named.get(key_id)
    if present is None or present["kind"] == "value":
        named[key_id] = {
            "entity_id": key_id,
            "name": " ".join(name.split())[:MAX_NAME_CHARS],
            "key": key,
            "kind": kind,
        }
    return key_id
