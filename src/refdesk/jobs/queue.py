"""Declaring and enqueueing jobs."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from procrastinate import App
from procrastinate.exceptions import AlreadyEnqueued
from procrastinate.psycopg_connector import PsycopgConnector
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

type JobFunction = Callable[..., Awaitable[None]]

QUEUE = "default"


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


# Workspaces take turns: a job's turn is one after the last that waits of its workspace, but never before the
# turn the queue has come to. So a thousand files of one workspace do not stand before one of another, and a
# workspace that always has one job waiting does not stand before the thousand either. Turns are negative
# priorities. The second look reads the waiting jobs from the last turn on: 0.1 ms for the workspace that has
# many, and as many rows as wait in all for one that has none.
_TURN = text(
    "SELECT coalesce("
    "  (SELECT -max(priority) FROM procrastinate_jobs WHERE status = 'todo' AND priority <= 0), 0),"
    " (SELECT -priority FROM procrastinate_jobs WHERE status = 'todo' AND priority <= 0"
    "  AND args ->> 'workspace_id' = :workspace_id ORDER BY priority, id DESC LIMIT 1)"
)


async def _turn(session: AsyncSession, workspace_id: str) -> int:
    """The priority that gives each workspace its turn."""
    reached, own = (await session.execute(_TURN, {"workspace_id": workspace_id})).one()
    return -max(int(reached), -1 if own is None else int(own) + 1)


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
    priority: int = 0,
    **arguments: Any,
) -> int | None:
    """Add a job in the session's transaction; it is gone if that rolls back.

    Jobs with the same `lock` never run at once. `unique` adds none where one with the same name and lock
    already waits (one that runs does not count: it may have read what has changed since) and returns
    None. Otherwise the job's id is returned. Arguments must be JSON-serialisable. Higher `priority` first;
    without one, jobs with a `workspace_id` take turns by workspace.
    """
    if name not in _tasks:
        raise ValueError(f"no kind of job is named {name}")
    if not priority and arguments.get("workspace_id"):
        priority = await _turn(session, str(arguments["workspace_id"]))
    connection = await session.connection()
    raw = (await connection.get_raw_connection()).driver_connection
    deferrer = _deferring_app().configure_task(
        name=name,
        allow_unknown=True,
        queue=QUEUE,
        lock=lock,
        queueing_lock=f"{name}:{lock}" if unique else None,
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
