"""The background work of index builds. Each may be started again at any point and finishes what is left."""

from uuid import UUID

from refdesk.accounts import Scope
from refdesk.jobs import JobContext, task
from refdesk.knowledge.queueing import BUILD_INDEX
from refdesk.knowledge.rebuilding import run


@task(BUILD_INDEX)
async def build_index(context: JobContext, workspace_id: str, build_id: str) -> None:
    """Bring the index that is not active up to the active one."""
    await run.BuildRun(context, Scope.system(UUID(workspace_id)), UUID(build_id)).run()


@task(run.FINISH_BUILD)
async def finish_index_build(context: JobContext, workspace_id: str, build_id: str) -> None:
    """Give a built index its home, its graph and its weights, and let it be switched to."""
    await run.finish_build(context, Scope.system(UUID(workspace_id)), UUID(build_id))
