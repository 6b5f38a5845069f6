"""What of which graphs a caller may see: the one condition that every read of a graph passes.

A row counts while its paragraph is as it was read, active, and in a document that is active and that the
caller may see. So an edge told only in hidden documents is not there, not even in a count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge.access import visible_lists
from refdesk.knowledge.graph.tables import KnowledgeGraph
from refdesk.knowledge.repository import KnowledgeBaseRepository

VISIBLE = """
JOIN documents d ON d.id = r.document_id AND d.workspace_id = :workspace_id
    AND d.deleted_at IS NULL AND NOT d.is_draft AND d.is_active
    AND (CAST(:lists AS bigint[]) IS NULL OR d.acl_id = ANY(CAST(:lists AS bigint[])))
JOIN paragraphs p ON p.id = r.paragraph_id AND p.is_active AND p.revision = r.revision
"""
"""To be joined to rows `r` of relations or mentions; gives `d` and `p`."""

OF_GRAPHS = "r.graph_id = ANY(CAST(:graphs AS uuid[])) AND r.workspace_id = :workspace_id"


@dataclass(frozen=True, slots=True)
class Sight:
    """Graphs, and the access lists that the caller is on (None: no list matters)."""

    workspace_id: UUID
    graph_ids: tuple[UUID, ...]
    base_ids: tuple[UUID, ...]
    lists: frozenset[int] | None

    @property
    def parameters(self) -> Mapping[str, object]:
        return {
            "workspace_id": self.workspace_id,
            "graphs": list(self.graph_ids),
            "lists": None if self.lists is None else sorted(self.lists),
        }


async def sight_of(session: AsyncSession, scope: Scope, base_ids: Sequence[UUID]) -> Sight:
    """The graphs of these bases; a base without one adds none. Raises `NotFound` for an unknown base."""
    bases = KnowledgeBaseRepository(session, scope)
    for base_id in base_ids:
        await bases.get(base_id)
    rows = await session.scalars(
        select(KnowledgeGraph.id).where(
            KnowledgeGraph.workspace_id == scope.workspace_id,
            KnowledgeGraph.knowledge_base_id.in_(base_ids),
        )
    )
    return Sight(
        scope.workspace_id,
        tuple(sorted(rows)),
        tuple(base_ids),
        await visible_lists(session, scope, base_ids),
    )
