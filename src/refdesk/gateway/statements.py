"""Single statements of the gateway's controls, each its own transaction, over a few connections of their own.

The pool of the requests is not used: an admission must not wait behind them, and a checked-out session costs
three round trips where one is enough. Commits are not waited for (`synchronous_commit` off): what a crash of
the database server may lose is the last fraction of a second of counting.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
from psycopg_pool import AsyncConnectionPool

from refdesk.kit.database import libpq_url

MAX_CONNECTIONS = 3
WAIT_S = 10.0


class Statements:
    """Runs single statements; connections are made at the first."""

    def __init__(self, database_url: str) -> None:
        self._url = libpq_url(database_url)
        self._pool: AsyncConnectionPool[Any] | None = None
        self._opening = asyncio.Lock()
        self._is_closed = False

    async def fetch(
        self, statement: str, parameters: Sequence[Any] | Mapping[str, Any]
    ) -> list[tuple[Any, ...]]:
        """The rows. Raises `psycopg.Error`, which covers that no connection came in time."""
        pool = await self._opened()
        async with pool.connection() as connection:
            cursor = await connection.execute(statement.encode(), parameters)
            return await cursor.fetchall()

    async def close(self) -> None:
        """No statement runs after this."""
        self._is_closed = True
        async with self._opening:
            if self._pool is not None:
                await self._pool.close()
                self._pool = None

    async def _opened(self) -> AsyncConnectionPool[Any]:
        if self._pool is not None:
            return self._pool
        async with self._opening:
            if self._is_closed:
                raise psycopg.OperationalError("the gateway's controls are closed")
            if self._pool is None:
                pool = AsyncConnectionPool[Any](
                    self._url,
                    min_size=0,
                    max_size=MAX_CONNECTIONS,
                    timeout=WAIT_S,
                    open=False,
                    kwargs={
                        "autocommit": True,
                        "application_name": "refdesk-gateway-controls",
                        "options": "-c synchronous_commit=off -c timezone=UTC",
                    },
                )
                await pool.open()
                self._pool = pool
            return self._pool
