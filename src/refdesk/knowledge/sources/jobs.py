"""The background work of sources: reading web sites, by schedule and when asked, and removing sources."""

from datetime import timedelta
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.jobs import JobContext, task
from refdesk.kit.clock import now
from refdesk.knowledge.sources.repository import SourceRepository, due_sources, forgotten_sources
from refdesk.knowledge.sources.schedule import SYNC_SOURCE
from refdesk.knowledge.sources.service import (
    REMOVE_SOURCE,
    Sources,
    enqueue_source_removal,
    enqueue_sync,
)
from refdesk.knowledge.sources.website import WebsiteRun

FORGOTTEN_AFTER = timedelta(minutes=15)


@task(SYNC_SOURCE)
async def sync_source(
    context: JobContext,
    workspace_id: str,
    source_id: str,
    allow_mass_removal: bool = False,
    restore_deleted: bool = False,
) -> None:
    """Read a web site and bring its documents up to date."""
    run = WebsiteRun(
        context,
        Scope.system(UUID(workspace_id)),
        UUID(source_id),
        allow_mass_removal=allow_mass_removal,
        restore_deleted=restore_deleted,
    )
    await run.run()


@task(REMOVE_SOURCE)
async def remove_source(context: JobContext, workspace_id: str, source_id: str) -> None:
    """Remove a deleted source with its documents, in bounded batches."""
    scope = Scope.system(UUID(workspace_id))
    done = False
    while not done:
        async with context.database.transaction() as session:
            done = await Sources(session, scope).remove_some(UUID(source_id))


@task("schedule-sources", cron="*/5 * * * *")
async def schedule_sources(context: JobContext) -> None:
    """Have those sources read whose time has come, and take up what no job works on any more."""
    async with context.database.transaction() as session:
        for workspace_id, source_id in await due_sources(session, now()):
            scope = Scope.system(workspace_id)
            source = await SourceRepository(session, scope).find(source_id, lock=True)
            if source is not None and source.state not in ("queued", "running"):
                source.state = "queued"
                source.cancel_requested = False
                source.attempt = None
                source.next_run_at = None
                await enqueue_sync(session, workspace_id, source_id)
        for workspace_id, source_id, is_deleted in await forgotten_sources(session, now() - FORGOTTEN_AFTER):
            if is_deleted:
                await enqueue_source_removal(session, workspace_id, source_id)
            else:
                await enqueue_sync(session, workspace_id, source_id)
