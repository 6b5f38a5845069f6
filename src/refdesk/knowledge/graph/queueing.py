"""What knowledge graphs ask the queue for, and having a graph follow its base."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.jobs import enqueue
from refdesk.knowledge.graph.tables import KnowledgeGraph

BUILD_GRAPH = "build-graph"
REMOVE_GRAPH = "remove-graph"


async def enqueue_build(session: AsyncSession, scope: Scope, graph: KnowledgeGraph) -> None:
    """Have what is pending read; never twice at once, waiting once at most."""
    await enqueue(
        session,
        BUILD_GRAPH,
        lock=f"graph:{graph.id}",
        unique=True,
        line=graph.knowledge_base_id,
        workspace_id=str(scope.workspace_id),
        graph_id=str(graph.id),
    )


async def enqueue_removal(session: AsyncSession, scope: Scope, graph: KnowledgeGraph) -> None:
    """Have the rows of a deleted graph removed, after a run that still works on it."""
    await enqueue(
        session,
        REMOVE_GRAPH,
        lock=f"graph:{graph.id}",
        line=graph.knowledge_base_id,
        workspace_id=str(scope.workspace_id),
        graph_id=str(graph.id),
    )


async def keep_graph_up(session: AsyncSession, scope: Scope, base_id: UUID) -> None:
    """Have the graph of a base read what was just indexed; nothing for a base without one that follows."""
    graph = await session.scalar(
        select(KnowledgeGraph).where(
            KnowledgeGraph.workspace_id == scope.workspace_id,
            KnowledgeGraph.knowledge_base_id == base_id,
            KnowledgeGraph.follows,
            KnowledgeGraph.state.in_(("ready", "building", "queued")),
        )
    )
    if graph is not None:
        await enqueue_build(session, scope, graph)
