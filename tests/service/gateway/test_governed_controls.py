"""Calls through the whole gateway: what they cost limits, the record, the queue, the caches, the vendor."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import func, select
from tests.service.gateway.governed import eventually
from tests.service.gateway.routed import QUESTION, Routed, listen, routed_workspace

from refdesk.gateway import Purpose
from refdesk.gateway.caching.tables import ResponseCachePolicy
from refdesk.gateway.limits.tables import ModelLimit, PermitTicket
from refdesk.gateway.usage.tables import ModelCall
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import ScriptedModel, scripted_model


@pytest.fixture
async def world(database: Database, tmp_path: Path) -> AsyncIterator[Routed]:
    async with routed_workspace(database, tmp_path) as made:
        yield made


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as running:
        yield running


async def calls_of(world: Routed) -> list[ModelCall]:
    async with world.database.transaction() as session:
        statement = select(ModelCall).where(ModelCall.workspace_id == world.scope.workspace_id)
        return list((await session.scalars(statement.order_by(ModelCall.at))).all())


async def store(world: Routed, *rows: Any) -> None:
    async with world.database.transaction() as session:
        session.add_all(rows)


def limit_of(world: Routed, amount: int, measure: str = "requests") -> ModelLimit:
    return ModelLimit(
        workspace_id=world.scope.workspace_id,
        name="Trial",
        measure=measure,
        amount=Decimal(amount),
        window_kind="seconds",
        window_s=3600,
        per=[],
    )


async def test_a_stream_is_recorded_with_its_tokens_times_and_run(
    world: Routed, server: ScriptedModel
) -> None:
    gateway, model = world.gateway(), await world.model(server.base_url)
    purpose = Purpose("answer", application_id=new_id(), run_id=new_id(), request_id="req-7")
    heard = await listen(gateway, world.scope, model, purpose=purpose)
    assert heard.error is None
    await gateway.controls.usage.flush()
    (call,) = await calls_of(world)
    assert (call.model_id, call.code, call.kind, call.path) == (model, "ok", "LLM", "answer")
    assert (call.run_id, call.application_id, call.request_id) == (
        purpose.run_id,
        purpose.application_id,
        "req-7",
    )
    assert call.input_tokens > 0
    assert call.first_token_ms is not None
    assert call.first_token_ms <= call.latency_ms


async def test_a_call_beyond_the_limit_never_reaches_the_vendor(world: Routed, server: ScriptedModel) -> None:
    gateway, model = world.gateway(), await world.model(server.base_url)
    await store(world, limit_of(world, 1))
    first, second = [await listen(gateway, world.scope, model) for _ in range(2)]
    assert first.error is None
    assert "“Trial” allows 1 request per hour" in str(second.error)
    assert len(server.requests) == 1


async def test_a_call_that_fails_gives_its_tokens_back(world: Routed, server: ScriptedModel) -> None:
    gateway, model = world.gateway(), await world.model(server.base_url)
    limit = limit_of(world, 100_000, "tokens")
    await store(world, limit)
    server.always(script.error(401, "no such key"))
    assert (await listen(gateway, world.scope, model)).error is not None
    (rule,) = (await gateway.controls.rules.get())[world.scope.workspace_id]

    async def is_given_back() -> bool:
        return [one.used for one in await gateway.controls.counters.standing(rule)] == [0]

    await eventually(is_given_back, 5)


async def test_a_permit_is_held_until_the_last_token_and_who_waits_hears_the_place(
    world: Routed, server: ScriptedModel
) -> None:
    gateway, model = world.gateway(), await world.model(server.base_url, concurrency=1)
    server.always(script.answer("One answer, slowly.", delay_s=0.4))
    both = await asyncio.gather(*(listen(gateway, world.scope, model) for _ in range(2)))
    assert [heard.error for heard in both] == [None, None]
    assert sorted("queued" in heard.codes for heard in both) == [False, True]

    async def is_empty() -> bool:
        async with world.database.transaction() as session:
            return not await session.scalar(select(func.count()).where(PermitTicket.model_id == model))

    await eventually(is_empty, 5)


async def test_the_same_request_of_an_application_that_keeps_answers_is_asked_once(
    world: Routed, server: ScriptedModel
) -> None:
    gateway, model = world.gateway(), await world.model(server.base_url)
    application: UUID = new_id()
    workspace = world.scope.workspace_id
    await store(
        world,
        ResponseCachePolicy(
            application_id=application, workspace_id=workspace, ttl_s=60, max_bytes=10**6, hits=0, misses=0
        ),
    )
    purpose = Purpose("answer", application_id=application)
    first = await listen(gateway, world.scope, model, purpose=purpose)
    await asyncio.gather(*gateway.controls.responses._tasks)
    second = await listen(gateway, world.scope, model, purpose=purpose)
    other = await listen(gateway, world.scope, model, replace(QUESTION, temperature=0.9), purpose)
    assert (first.text, first.error, second.error, other.error) == (second.text, None, None, None)
    assert len(server.requests) == 2
    await gateway.controls.usage.flush()
    assert sorted(call.is_cached for call in await calls_of(world)) == [False, False, True]


async def test_indexing_equal_text_again_asks_the_vendor_nothing(
    world: Routed, server: ScriptedModel
) -> None:
    model = await world.model(server.base_url, kind="EMBEDDING", dimensions=64)
    texts = ["The lamp is lit.", "The bell rings."]
    made = []
    for _ in range(2):  # two processes
        embedder = await world.gateway().embedder(world.scope, model, Purpose("index"))
        made.append(await embedder.embed_passages(texts))
    assert len(server.requests) == 1
    np.testing.assert_array_equal(made[0], made[1])
