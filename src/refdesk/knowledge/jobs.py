"""The room's background work: processing documents, indexing edits, removing what was deleted."""

from datetime import timedelta
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.jobs import JobContext, task
from refdesk.kit.clock import now
from refdesk.knowledge import blobs
from refdesk.knowledge.bases import REMOVE_BASE, enqueue_base_removal
from refdesk.knowledge.drafts import expire_drafts
from refdesk.knowledge.processing import DocumentRun, ParagraphRun
from refdesk.knowledge.queueing import (
    INDEX_PARAGRAPHS,
    PROCESS_DOCUMENT,
    REMOVE_DOCUMENT,
    enqueue_processing,
    enqueue_removal,
)
from refdesk.knowledge.removal import remove_base, remove_document
from refdesk.knowledge.repository import forgotten_documents, unremoved_bases, unremoved_documents

UPLOAD_GIVEN_UP_AFTER = timedelta(hours=24)
FORGOTTEN_AFTER = timedelta(minutes=15)


@task(PROCESS_DOCUMENT)
async def process_document(context: JobContext, workspace_id: str, document_id: str) -> None:
    """Parse, split and index a document, from where it stands."""
    await DocumentRun(context, Scope.system(UUID(workspace_id)), UUID(document_id)).run()


@task(INDEX_PARAGRAPHS)
async def index_paragraphs(context: JobContext, workspace_id: str, document_id: str) -> None:
    """Index the edited paragraphs of a document."""
    await ParagraphRun(context, Scope.system(UUID(workspace_id)), UUID(document_id)).run()


@task(REMOVE_DOCUMENT)
async def remove_document_job(context: JobContext, workspace_id: str, document_id: str) -> None:
    """Remove the rows of a deleted document."""
    await remove_document(context.database, Scope.system(UUID(workspace_id)), UUID(document_id))


@task(REMOVE_BASE)
async def remove_base_job(context: JobContext, workspace_id: str, knowledge_base_id: str) -> None:
    """Remove the rows of a deleted knowledge base."""
    await remove_base(context.database, Scope.system(UUID(workspace_id)), UUID(knowledge_base_id))


@task("tidy-knowledge", cron="7,22,37,52 * * * *")
async def tidy_knowledge(context: JobContext) -> None:
    """Remove uploads that broke off and previews that expired, and take up what no job works on any more.

    Documents stand still only where the database was out of reach for longer than the queue repeats a job;
    a removal that failed once would stay undone. One that still runs gets a successor that finds nothing.
    """
    async with context.database.transaction() as session:
        await blobs.remove_abandoned(session, now() - UPLOAD_GIVEN_UP_AFTER)
        await expire_drafts(session, now())
        for workspace_id, document_id in await forgotten_documents(session, now() - FORGOTTEN_AFTER):
            await enqueue_processing(session, Scope.system(workspace_id), document_id)
        for workspace_id, base_id in await unremoved_bases(session, now() - FORGOTTEN_AFTER):
            await enqueue_base_removal(session, workspace_id, base_id)
        for workspace_id, document_id in await unremoved_documents(session, now() - FORGOTTEN_AFTER):
            await enqueue_removal(session, workspace_id, document_id)
