"""One engine a process, and the unit of work.

Transactions are opened at the edge (a request, a job, a command), never inside a service: services and
repositories get an open `AsyncSession`. `Database.transaction()` commits when its block ends and rolls
back when it raises.
"""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

import psycopg
from sqlalchemy import MetaData, event
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase

_IDLE_S = 1.0
_CONNECT_WITHIN_S = 10


class Base(DeclarativeBase):
    """Root of all mapped classes; one naming convention so that migrations can name constraints."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_N_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


def async_url(url: str) -> str:
    """`postgresql://…` as SQLAlchemy's psycopg dialect wants it."""
    for prefix in ("postgresql+psycopg://", "postgresql://", "postgres://"):
        if url.startswith(prefix):
            return "postgresql+psycopg://" + url[len(prefix) :]
    raise ValueError("a database URL starts with postgresql://")


def libpq_url(url: str) -> str:
    """The same address as psycopg itself wants it."""
    return "postgresql://" + async_url(url).split("://", 1)[1]


async def _connect(*given: Any, **options: Any) -> psycopg.AsyncConnection:
    """A connection, whole or not at all: a cancel waits until it is made and closes it.

    Cut short, what is left of it stays open until garbage is collected, and the server keeps its half for the
    60 s that signing in may take; meanwhile the database cannot be dropped.
    """
    connecting = asyncio.ensure_future(psycopg.AsyncConnection.connect(*given, **options))
    try:
        return await asyncio.shield(connecting)
    except asyncio.CancelledError:
        with suppress(psycopg.Error, OSError):
            await (await connecting).close()
        raise


async def connect_apart(
    url: str, *, application_name: str, options: str | None = None
) -> psycopg.AsyncConnection:
    """A connection beside the pool, in autocommit, to listen or to write by. Raises `psycopg.Error`."""
    return await _connect(
        libpq_url(url),
        autocommit=True,
        application_name=application_name,
        options=options,
        connect_timeout=_CONNECT_WITHIN_S,
    )


class Database:
    """The engine and its sessions. `url` is a `postgresql://` address."""

    def __init__(self, url: str, *, pool_size: int = 10, application_name: str = "refdesk") -> None:
        self.url = url
        connect_args: dict[str, Any] = {
            # A generic plan over a partitioned table locks every partition; custom plans cost 0.1–0.4 ms.
            "options": "-c plan_cache_mode=force_custom_plan -c timezone=UTC",
            "application_name": application_name,
            "async_creator_fn": _connect,
        }
        self.engine: AsyncEngine = create_async_engine(
            async_url(url),
            pool_size=pool_size,
            max_overflow=pool_size,
            # The last one used knows the tables' pages and holds the prepared statements.
            pool_use_lifo=True,
            connect_args=connect_args,
        )
        _ask_after_the_idle(self.engine)
        self.sessions = async_sessionmaker(self.engine, expire_on_commit=False)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[AsyncSession]:
        """A session in one transaction: committed at the end of the block, rolled back if it raises."""
        async with self.sessions() as session, session.begin():
            yield session

    async def close(self) -> None:
        await self.engine.dispose()


def _ask_after_the_idle(engine: AsyncEngine) -> None:
    """Find out before its use whether a connection that lay idle still lives, and take another if not.

    A server needs longer than `_IDLE_S` to come back, so one that was used a moment ago is not asked: that
    would be a round trip more for every transaction.
    """
    dialect = engine.sync_engine.dialect

    @event.listens_for(engine.sync_engine, "checkin")
    def returned(_connection: Any, record: Any) -> None:
        record.info["returned_at"] = time.monotonic()

    @event.listens_for(engine.sync_engine, "checkout")
    def taken(connection: Any, record: Any, _proxy: Any) -> None:
        returned_at = record.info.pop("returned_at", None)
        if returned_at is None or time.monotonic() - returned_at < _IDLE_S:
            return
        try:
            alive = dialect.do_ping(connection)
        except dialect.loaded_dbapi.Error as error:
            if not dialect.is_disconnect(error, connection, None):
                raise
            alive = False
        if not alive:
            raise InvalidatePoolError
