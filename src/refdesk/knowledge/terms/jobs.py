"""The background work of term bases."""

from uuid import UUID

from refdesk.accounts import Scope
from refdesk.jobs import JobContext, task
from refdesk.knowledge.terms.reindexing import TermRun
from refdesk.knowledge.terms.service import REINDEX_TERMS


@task(REINDEX_TERMS)
async def reindex_terms(context: JobContext, workspace_id: str, knowledge_base_id: str) -> None:
    """Write the paragraphs anew that hold words of a term base that changed."""
    await TermRun(context.database, Scope.system(UUID(workspace_id)), UUID(knowledge_base_id)).run()
