"""Declaring and enqueueing jobs."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any
from uuid import UUID

from procrastinate import App
from procrastinate.exceptions import AlreadyEnqueued
from procrastinate.psycopg_connector import PsycopgConnector
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession
from structlog.contextvars import get_contextvars

type JobFunction = Callable[..., Awaitable[None]]


class Urgency(StrEnum):
    """Who waits for a job. Each has its queue, by whose name it is kept, and slots of its own in a worker.

    `SMALL`: a person waits for a change of a few seconds, as an edited paragraph. `AWAITED`: a person waits
    for one document: its preview, a retry, another file or version for it. `BULK`: everything else.
    """

    SMALL = "small"
    AWAITED = "awaited"
    BULK = "default"


# Short of these, a job is due later than with the urgency: a waiting twin is moved up from them.
_LESS_URGENT = {
    Urgency.SMALL: (Urgency.BULK, Urgency.AWAITED),
    Urgency.AWAITED: (Urgency.BULK,),
    Urgency.BULK: (),
}
# Queues that one slot serves together, so that their turns are counted together.
_TOGETHER = {
    Urgency.SMALL: (Urgency.SMALL,),
    Urgency.AWAITED: (Urgency.BULK, Urgency.AWAITED),
    Urgency.BULK: (Urgency.BULK, Urgency.AWAITED),
}
# An argument of the queue's own, which no job sees: what takes turns within the workspace.
LINE = "line"
# Another one: the id of the request that caused the job, so that its log lines and calls carry it on.
CAUSE = "request_id"


@dataclass(frozen=True, slots=True)
class Task:
    """A kind of job: its stable name, the coroutine that does it, and when it runs by itself (cron)."""

    name: str
    function: JobFunction
    cron: str | None


_tasks: dict[str, Task] = {}


def task(name: str, *, cron: str | None = None) -> Callable[[JobFunction], JobFunction]:
    """Declare a kind of job. The function gets a `JobContext` and the job's arguments by keyword.

    With `cron` it is also started by that schedule (UTC), once for all workers together; a scheduled
    start brings no arguments.
    """

    def declare(function: JobFunction) -> JobFunction:
        if name in _tasks and _tasks[name].function.__qualname__ != function.__qualname__:
            raise ValueError(f"two kinds of job are named {name}")
        _tasks[name] = Task(name, function, cron)
        return function

    return declare


def registered_tasks() -> tuple[Task, ...]:
    """All kinds of job that the imported rooms have declared."""
    return tuple(_tasks.values())


# Workspaces take turns, and so do the lines of each, which are its knowledge bases by urgency: a thousand
# files of one do not stand before one of another. A job's turn is as many after the last that waits of its
# line as the workspace has lines waiting, so that many bases have hardly more turns than one; but never
# before the turn the queue has come to, so that whoever always has one job waiting does not stand before the
# thousand either. Turns are negative priorities. All looks go over an index of the waiting jobs (migration
# 0004), one step a line; its expressions are these.
_GROUP = "(queue_name || ':' || coalesce(args ->> 'line', ''))"
_WAITING = "FROM procrastinate_jobs WHERE status = 'todo' AND priority <= 0"
_OWN = f"{_WAITING} AND args ->> 'workspace_id' = :workspace_id"
_TURN = text(
    f"WITH RECURSIVE lines(line) AS ((SELECT min({_GROUP}) {_OWN})"
    f" UNION ALL SELECT (SELECT min({_GROUP}) {_OWN} AND {_GROUP} > line) FROM lines WHERE line IS NOT NULL)"
    f" SELECT coalesce((SELECT -max(priority) {_WAITING} AND queue_name = ANY(:together)), 0),"
    f" (SELECT -min(priority) {_OWN} AND {_GROUP} = :line),"
    " (SELECT count(line) FROM lines)"
)
_MOVE_UP = text(
    "UPDATE procrastinate_jobs SET queue_name = :queue, priority = :priority"
    " WHERE queueing_lock = :lock AND status = 'todo' AND queue_name = ANY(:slower)"
)


async def _priority(session: AsyncSession, workspace_id: str, urgency: Urgency, line: str) -> int:
    """The priority that gives each workspace, and each line in it, its turn."""
    values = {
        "workspace_id": workspace_id,
        "line": f"{urgency}:{line}",
        "together": [str(queue) for queue in _TOGETHER[urgency]],
    }
    reached, own, lines = (await session.execute(_TURN, values)).one()
    return -(int(reached) + int(lines) if own is None else max(int(reached), int(own) + int(lines)))


@lru_cache(maxsize=1)
def _deferring_app() -> App:
    # Never opened: every insert goes over the caller's own connection.
    return App(connector=PsycopgConnector())


async def enqueue(
    session: AsyncSession,
    name: str,
    *,
    lock: str | None = None,
    unique: bool = False,
    urgency: Urgency = Urgency.BULK,
    line: UUID | None = None,
    **arguments: Any,
) -> int | None:
    """Add a job in the session's transaction; it is gone if that rolls back.

    Jobs with the same `lock` never run at once. `unique` adds none where one with the same name and lock
    already waits (one that runs does not count: it may have read what has changed since) and returns
    None; one that waits with less urgency gets this one's. Otherwise the job's id is returned. Arguments
    must be JSON-serialisable. Jobs with a `workspace_id` take turns by workspace, and within it by `line`,
    the knowledge base they work on.
    """
    if name not in _tasks:
        raise ValueError(f"no kind of job is named {name}")
    priority = 0
    if arguments.get("workspace_id"):
        own = "" if line is None else str(line)
        priority = await _priority(session, str(arguments["workspace_id"]), urgency, own)
    if line is not None:
        arguments[LINE] = str(line)
    cause = get_contextvars().get("request_id")
    if cause is not None:
        arguments[CAUSE] = str(cause)
    queueing_lock = f"{name}:{lock}" if unique else None
    connection = await session.connection()
    raw = (await connection.get_raw_connection()).driver_connection
    deferrer = _deferring_app().configure_task(
        name=name,
        allow_unknown=True,
        queue=urgency,
        lock=lock,
        queueing_lock=queueing_lock,
        priority=priority,
        connection=raw,
    )
    if not unique:
        return await deferrer.defer_async(**arguments)
    # A duplicate aborts the transaction it happens in, hence the savepoint.
    try:
        async with session.begin_nested():
            await session.connection()  # only this sends the SAVEPOINT
            return await deferrer.defer_async(**arguments)
    except AlreadyEnqueued:
        slower = [str(queue) for queue in _LESS_URGENT[urgency]]
        if slower:
            values = {"queue": str(urgency), "priority": priority, "lock": queueing_lock, "slower": slower}
            await session.execute(_MOVE_UP, values)
        return None


async def pending_jobs(session: AsyncSession) -> dict[str, int]:
    """How many jobs are due or run, by state (`todo`, `doing`)."""
    rows = await session.execute(
        text(
            "SELECT status::text, count(*) FROM procrastinate_jobs"
            " WHERE status = 'doing' OR (status = 'todo' AND coalesce(scheduled_at, now()) <= now())"
            " GROUP BY status"
        )
    )
    return dict(rows.all())
