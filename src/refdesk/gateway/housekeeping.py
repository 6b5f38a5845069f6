"""Background work that keeps the record of calls and the caches within their bounds."""

from datetime import timedelta

import structlog
from sqlalchemy import func, select

from refdesk.accounts import Workspace
from refdesk.gateway.caching.repository import bound_embeddings, drop_expired_answers
from refdesk.gateway.routing.repository import forget_outcomes
from refdesk.gateway.usage.repository import expire_calls
from refdesk.gateway.usage.tables import UsageSettings
from refdesk.jobs import JobContext, task
from refdesk.kit.clock import now

log = structlog.get_logger(__name__)

CALLS_AT_ONCE = 10_000
DEFAULT_KEEP_DAYS = 180
KEEP_OUTCOMES_DAYS = 62


@task("expire-model-calls", cron="23 2 * * *")
async def expire_model_calls(context: JobContext) -> None:
    """Remove calls that are older than their workspace keeps them, some thousands a transaction."""
    async with context.database.transaction() as session:
        statement = select(Workspace.id, func.coalesce(UsageSettings.keep_days, DEFAULT_KEEP_DAYS)).outerjoin(
            UsageSettings, UsageSettings.workspace_id == Workspace.id
        )
        kept = (await session.execute(statement)).all()
    for workspace_id, days in kept:
        if days == 0:
            continue
        before, removed = now() - timedelta(days=days), 0
        while True:
            async with context.database.transaction() as session:
                some = await expire_calls(session, workspace_id, before, CALLS_AT_ONCE)
            removed += some
            if some < CALLS_AT_ONCE:
                break
        if removed:
            log.info("usage.expired", workspace_id=str(workspace_id), calls=removed)


@task("forget-model-outcomes", cron="11 3 * * *")
async def forget_model_outcomes(context: JobContext) -> None:
    """Remove the hourly figures of models' health that no board shows any more."""
    async with context.database.transaction() as session:
        await forget_outcomes(session, now() - timedelta(days=KEEP_OUTCOMES_DAYS))


@task("bound-model-caches", cron="41 * * * *")
async def bound_model_caches(context: JobContext) -> None:
    """Remove answers that are too old and vectors beyond `REFDESK_EMBEDDING_CACHE_BYTES`."""
    async with context.database.transaction() as session:
        answers = await drop_expired_answers(session)
    async with context.database.transaction() as session:
        vectors = await bound_embeddings(session, context.settings.embedding_cache_bytes)
    if answers or vectors:
        log.info("caches.bounded", answers=answers, vectors=vectors)
