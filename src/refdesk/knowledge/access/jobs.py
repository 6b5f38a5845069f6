"""The background work of access lists."""

from uuid import UUID

from refdesk.accounts import Scope
from refdesk.jobs import JobContext, task
from refdesk.knowledge.access.following import FOLLOW_ACCESS, follow_base


@task(FOLLOW_ACCESS)
async def follow_access(context: JobContext, workspace_id: str, knowledge_base_id: str) -> None:
    """Put the entries of a base under the access lists of their documents."""
    await follow_base(context.database, Scope.system(UUID(workspace_id)), UUID(knowledge_base_id))
