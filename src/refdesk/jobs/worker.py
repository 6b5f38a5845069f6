"""Running jobs: one asyncio worker, its heartbeat, and the search for jobs of dead workers."""

import asyncio
import contextlib
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast

import structlog
from procrastinate import App, RetryDecision
from procrastinate import JobContext as QueueContext
from procrastinate.exceptions import ConnectorException, JobAborted, UniqueViolation
from procrastinate.jobs import Job, Status
from procrastinate.psycopg_connector import PsycopgConnector
from procrastinate.retry import BaseRetryStrategy
from sqlalchemy.exc import InterfaceError, OperationalError

from refdesk.jobs.queue import CAUSE, LINE, Task, Urgency, pending_jobs, registered_tasks
from refdesk.kit.clock import now
from refdesk.kit.database import Database, libpq_url
from refdesk.kit.settings import Settings

log = structlog.get_logger(__name__)

HEARTBEAT_S = 10.0
STALLED_AFTER_S = 30.0
MAX_RETRIES = 5
LOCKED_WAIT_S = 0.1

# Long documents in all slots must not hold up what a person waits for: these are further slots that take
# nothing else, one for documents and one for edits of a few seconds. None waits for another, so none starves;
# in the common slots, previews and the mass take turns.
_COMMON = (Urgency.BULK, Urgency.AWAITED)
_RESERVED = ((Urgency.AWAITED,), (Urgency.SMALL,))


@dataclass(frozen=True, slots=True)
class JobContext:
    """What a job gets: the settings, the database, and the process's services by their class."""

    settings: Settings
    database: Database
    services: Mapping[type, object] = field(default_factory=dict[type, object])
    job_id: int | None = None

    def service[T](self, kind: type[T]) -> T:
        """The process-wide object of class `kind`. Raises `LookupError` where it was not provided."""
        found = self.services.get(kind)
        if not isinstance(found, kind):
            raise LookupError(f"this worker was started without a {kind.__name__}")
        return found


class _Retry(BaseRetryStrategy):
    """Again after a shutdown, and after the database was out of reach; everything else stays failed."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if isinstance(exception, JobAborted | asyncio.CancelledError):
            return RetryDecision(retry_at=now())
        if isinstance(exception, OperationalError | InterfaceError) and job.attempts < MAX_RETRIES:
            return RetryDecision(retry_at=now() + timedelta(seconds=2**job.attempts))
        return None


def _register(app: App, task: Task, context: JobContext, running: set[int | None]) -> None:
    async def run(queue_context: QueueContext, **arguments: Any) -> None:
        arguments.pop("timestamp", None)  # what the schedule adds
        arguments.pop(LINE, None)
        cause = arguments.pop(CAUSE, None) or f"job-{queue_context.job.id}"
        own = JobContext(context.settings, context.database, context.services, queue_context.job.id)
        running.add(own.job_id)
        try:
            with structlog.contextvars.bound_contextvars(job=task.name, job_id=own.job_id, request_id=cause):
                await task.function(own, **arguments)
        finally:
            running.discard(own.job_id)

    registered = app.task(name=task.name, queue=Urgency.BULK, pass_context=True, retry=_Retry())(run)
    if task.cron is not None:
        # procrastinate wants `timestamp: int` in the signature; ours takes it among its keyword arguments.
        app.periodic(cron=task.cron, periodic_id=task.name)(cast(Any, registered))


async def _requeue_stalled(app: App, running: Container[int | None], *, older_than_s: float) -> None:
    """Start jobs of dead workers again. `running` are this worker's own: on a starved machine its heartbeat
    comes late, but it is the one to know that it lives."""
    for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=older_than_s):
        if job.id in running:
            continue
        log.warning("job.stalled", task=job.task_name, id=job.id)
        try:
            await app.job_manager.retry_job(job)
        except UniqueViolation:
            # A twin with the same queueing lock already waits; it will do this one's work too.
            assert job.id is not None
            await app.job_manager.finish_job_by_id_async(job.id, Status.ABORTED, delete_job=True)
        except ConnectorException as error:
            # It ended, or another worker's sweep was quicker; the other jobs still need their turn.
            log.info("job.no_longer_stalled", id=job.id, reason=str(error))


async def _sweep(app: App, running: Container[int | None]) -> None:
    while True:
        await asyncio.sleep(HEARTBEAT_S)
        try:
            await _requeue_stalled(app, running, older_than_s=STALLED_AFTER_S)
        except Exception:
            log.exception("job.sweep_failed")


async def _due(database: Database) -> bool:
    async with database.transaction() as session:
        return bool((await pending_jobs(session)).get("todo"))


async def _serve(app: App, queues: Sequence[Urgency], slots: int, *, until_idle: bool) -> None:
    await app.run_worker_async(
        name="-".join(queues),
        queues=[str(queue) for queue in queues],
        concurrency=slots,
        wait=not until_idle,
        install_signal_handlers=False,
        update_heartbeat_interval=HEARTBEAT_S,
        stalled_worker_timeout=STALLED_AFTER_S,
        shutdown_graceful_timeout=5.0,
        delete_jobs="successful",
    )


async def _serve_all(app: App, concurrency: int, *, until_idle: bool) -> None:
    """Serve every queue until cancelled, until nothing waits, or until one of them cannot be served."""
    slots = [(_COMMON, concurrency), *((queues, 1) for queues in _RESERVED)]
    serving = [asyncio.create_task(_serve(app, *each, until_idle=until_idle)) for each in slots]
    try:
        await asyncio.wait(
            serving, return_when=asyncio.ALL_COMPLETED if until_idle else asyncio.FIRST_COMPLETED
        )
    finally:
        for one in serving:
            one.cancel()
        ends = await asyncio.gather(*serving, return_exceptions=True)
    for end in ends:
        if isinstance(end, Exception):
            raise end


async def run_worker(
    context: JobContext, *, concurrency: int = 2, until_idle: bool = False, sole: bool = False
) -> None:
    """Run jobs until cancelled, or until none is left with `until_idle`.

    `concurrency` jobs at once, and beside them one that a person waits for and one small one.

    `sole` says that no other worker can be alive (the embedded database has one): jobs that are marked
    as running are then taken over at once instead of after 30 seconds without a heartbeat.
    """
    slots = concurrency + len(_RESERVED)
    app = App(
        connector=PsycopgConnector(conninfo=libpq_url(context.database.url), min_size=1, max_size=slots + 3)
    )
    running: set[int | None] = set()
    for task in registered_tasks():
        _register(app, task, context, running)
    async with app.open_async():
        if sole:
            await _requeue_stalled(app, running, older_than_s=0)
        sweeper = asyncio.create_task(_sweep(app, running))
        try:
            while True:
                await _serve_all(app, concurrency, until_idle=until_idle)
                # It also ends when all that waits is behind the lock of a job that still runs.
                if not until_idle or not await _due(context.database):
                    return
                await asyncio.sleep(LOCKED_WAIT_S)
        finally:
            sweeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await sweeper
