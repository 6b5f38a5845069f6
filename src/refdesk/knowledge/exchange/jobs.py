"""The background work of imports."""

from uuid import UUID

from refdesk.accounts import Scope
from refdesk.jobs import JobContext, task
from refdesk.knowledge.exchange.importing import ImportRun
from refdesk.knowledge.exchange.service import IMPORT_BASE


@task(IMPORT_BASE)
async def import_knowledge_base(context: JobContext, workspace_id: str, knowledge_base_id: str) -> None:
    """Fill a new base from an archive that was checked."""
    await ImportRun(context, Scope.system(UUID(workspace_id)), UUID(knowledge_base_id)).run()
