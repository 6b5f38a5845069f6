"""The record of calls and the caches stay within their bounds."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from sqlalchemy import func, insert, select
from tests.service.gateway.governed import Governed, governed

from refdesk.gateway import housekeeping
from refdesk.gateway.caching.repository import bound_embeddings
from refdesk.gateway.caching.tables import CachedEmbedding
from refdesk.gateway.controls import Controls
from refdesk.gateway.usage import CallRecord, UsageSettings
from refdesk.gateway.usage.tables import ModelCall
from refdesk.jobs import JobContext
from refdesk.kit.clock import now
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings


@pytest.fixture
async def controls(database: Database) -> AsyncIterator[Controls]:
    made = Controls(Settings(), database)
    yield made
    await made.close()


async def calls(desk: Governed) -> int:
    statement = select(func.count()).where(ModelCall.workspace_id == desk.scope.workspace_id)
    return (await desk.values(statement))[0][0]


async def test_calls_go_after_as_many_days_as_their_workspace_keeps_them(
    database: Database, controls: Controls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(housekeeping, "CALLS_AT_ONCE", 2)
    usual, short, ever = [await governed(database) for _ in range(3)]
    async with database.transaction() as session:
        session.add(UsageSettings(workspace_id=short.scope.workspace_id, time_zone="UTC", keep_days=10))
        session.add(UsageSettings(workspace_id=ever.scope.workspace_id, time_zone="UTC", keep_days=0))
    for desk in (usual, short, ever):
        for days in (1, 11, 12, 13, 181):
            at = now() - timedelta(days=days)
            controls.usage.record(CallRecord(desk.scope, desk.purpose, desk.model.id, "LLM", "ok", 1, at=at))
    await controls.usage.flush()
    await housekeeping.expire_model_calls(JobContext(Settings(), database, {}))
    assert [await calls(desk) for desk in (usual, short, ever)] == [4, 1, 5]


async def test_vectors_that_were_not_asked_for_longest_go_first(database: Database) -> None:
    desk = await governed(database)
    async with database.transaction() as session:
        await session.execute(
            insert(CachedEmbedding),
            [
                {
                    "model_id": desk.model.id,
                    "workspace_id": desk.scope.workspace_id,
                    "digest": bytes([number]),
                    "vector": bytes(100),
                    "used_on": number // 3,
                }
                for number in range(9)
            ],
        )
    async with database.transaction() as session:
        assert await bound_embeddings(session, 900) == 0
        assert await bound_embeddings(session, 450) == 5
        left = await session.execute(
            select(CachedEmbedding.used_on).where(CachedEmbedding.model_id == desk.model.id)
        )
        assert sorted(left.scalars()) == [1, 2, 2, 2]
