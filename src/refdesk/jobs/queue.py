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
    None. Otherwise the job's id is returned. Arguments must be JSON-serialisable. Higher `priority` first.
    """
    if name not in _tasks:
        raise ValueError(f"no kind of job is named {name}")
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
