"""The job that asks a comparison's questions. Started anew, it asks what has no outcome yet."""

from uuid import UUID

from refdesk.chat import RunManager
from refdesk.evaluation.comparing.asking import ComparisonRun
from refdesk.evaluation.comparing.service import COMPARE
from refdesk.jobs import JobContext, task


@task(COMPARE)
async def compare_test_set(context: JobContext, workspace_id: str, comparison_id: str) -> None:
    """Ask every question of every variant, one after another."""
    runs = context.service(RunManager)
    await ComparisonRun(context.database, runs, UUID(workspace_id), UUID(comparison_id)).run()
