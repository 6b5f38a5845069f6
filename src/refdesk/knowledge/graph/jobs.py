"""The background work of knowledge graphs. Each may be started anew at any point and does what is left."""

from uuid import UUID

from refdesk.accounts import Scope
from refdesk.jobs import JobContext, task
from refdesk.knowledge.graph.queueing import BUILD_GRAPH, REMOVE_GRAPH
from refdesk.knowledge.graph.run import GraphRun, remove_readings


@task(BUILD_GRAPH)
async def build_graph(context: JobContext, workspace_id: str, graph_id: str) -> None:
    """Read the paragraphs of a base that its graph has not read as they are."""
    await GraphRun(context, Scope.system(UUID(workspace_id)), UUID(graph_id)).run()


@task(REMOVE_GRAPH)
async def remove_graph(context: JobContext, workspace_id: str, graph_id: str) -> None:
    """Remove the rows of a deleted graph."""
    await remove_readings(context, Scope.system(UUID(workspace_id)), UUID(graph_id))
