"""Whether there is a graph to ask at all."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge.graph.tables import KnowledgeGraph


async def has_graph(session: AsyncSession, scope: Scope, knowledge_base_ids: Sequence[UUID]) -> bool:
    """Whether any of these bases has one."""
    found = await session.scalar(
        select(KnowledgeGraph.id)
        .where(
            KnowledgeGraph.workspace_id == scope.workspace_id,
            KnowledgeGraph.knowledge_base_id.in_(knowledge_base_ids),
        )
        .limit(1)
    )
    return found is not None
