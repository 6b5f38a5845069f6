"""The index's background jobs. Each may be started again at any point and then finishes what is left."""

from typing import Any
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.jobs import JobContext, enqueue, task
from refdesk.knowledge.indexing import homes, maintenance, reweighting
from refdesk.knowledge.indexing.errors import IndexNotFound
from refdesk.knowledge.indexing.repository import HOMES_LOCK
from refdesk.knowledge.indexing.shared_graph import build_shared_graph, needs_shared_graph


@task("fold-lexical-deltas")
async def fold_lexical_deltas(context: JobContext, workspace_id: str, index_id: str) -> None:
    """Fold the deltas, then ask for what the new totals call for."""
    scope = Scope.system(UUID(workspace_id))
    try:
        index = await maintenance.fold(context.database, scope, UUID(index_id))
    except IndexNotFound:
        return  # dropped since the job was asked for
    arguments: dict[str, Any] = {"workspace_id": workspace_id, "index_id": index_id}
    async with context.database.transaction() as session:
        if reweighting.has_drifted(index):
            await enqueue(session, "reweight-index", lock=f"reweight:{index_id}", unique=True, **arguments)
        if maintenance.needs_own_home(index, context.settings.exact_scan_limit):
            # The lock is common to all homes, hence a name for "already waiting" by index is not to be had:
            # a second move of the same index finds it moved and ends.
            await enqueue(session, "move-index-home", lock=HOMES_LOCK, **arguments)
        elif await needs_shared_graph(session, index.dimensions, context.settings.exact_scan_limit):
            await enqueue(session, "build-shared-graph", lock=HOMES_LOCK, dimensions=index.dimensions)


@task("reweight-index")
async def reweight_index(context: JobContext, workspace_id: str, index_id: str) -> None:
    """Weight the entries with the present average length."""
    try:
        await reweighting.reweight(context.database, Scope.system(UUID(workspace_id)), UUID(index_id))
    except IndexNotFound:
        return


@task("move-index-home")
async def move_index_home(context: JobContext, workspace_id: str, index_id: str) -> None:
    """Give a large index a home of its own."""
    try:
        await homes.move_to_own_home(context.database, Scope.system(UUID(workspace_id)), UUID(index_id))
    except IndexNotFound:
        return


@task("build-shared-graph")
async def build_shared_graph_job(context: JobContext, dimensions: int) -> None:
    """Index the vectors of the shared home."""
    await build_shared_graph(context.database, dimensions)


@task("sweep-index-homes", cron="17 3 * * *")
async def sweep_index_homes(context: JobContext) -> None:
    """Drop homes whose index is gone, and what an interrupted move left behind."""
    await homes.sweep_homes(context.database)
