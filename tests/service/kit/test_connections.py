"""Connections of the pool: which is used, and what becomes of those that died while they lay idle."""

import pytest
from sqlalchemy import text

from refdesk.kit import database as module
from refdesk.kit.database import Database

_OWN = text("SELECT pg_backend_pid()")


async def test_the_connection_used_last_is_used_next(database: Database) -> None:
    async with database.transaction() as first, database.transaction() as second:
        pids = [await session.scalar(_OWN) for session in (first, second)]
    # The second was returned before the first.
    for _ in range(3):
        async with database.transaction() as session:
            assert await session.scalar(_OWN) == pids[0]


async def test_connections_that_died_while_idle_are_replaced(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_IDLE_S", 0.0)
    async with database.transaction() as first, database.transaction() as second:
        pids = [await session.scalar(_OWN) for session in (first, second)]
    killer = Database(database.url, pool_size=1)
    try:
        async with killer.transaction() as session:
            for pid in pids:
                await session.execute(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})
    finally:
        await killer.close()
    async with database.transaction() as first, database.transaction() as second:
        assert not {await session.scalar(_OWN) for session in (first, second)} & set(pids)
