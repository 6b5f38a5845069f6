"""The record of calls: nobody waits for it, and nothing of it is lost at an orderly stop."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import select
from tests.service.gateway.governed import Governed, eventually, governed

from refdesk.gateway.calls import UsageReport
from refdesk.gateway.controls import Controls
from refdesk.gateway.usage import CallRecord, FailedAttempt, log
from refdesk.gateway.usage.tables import ModelCall
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings


@pytest.fixture
async def desk(database: Database) -> Governed:
    return await governed(database)


@pytest.fixture
async def controls(database: Database) -> AsyncIterator[Controls]:
    made = Controls(Settings(), database)
    yield made
    await made.close()


def call(desk: Governed, **more: Any) -> CallRecord:
    values: dict[str, Any] = {"kind": "LLM", "code": "ok", "latency_ms": 900, "first_token_ms": 120}
    return CallRecord(desk.by(5), desk.purpose, desk.model.id, **(values | more))


async def rows(desk: Governed) -> list[ModelCall]:
    statement = select(ModelCall).where(ModelCall.workspace_id == desk.scope.workspace_id)
    return [row[0] for row in await desk.values(statement.order_by(ModelCall.latency_ms))]


async def test_a_call_is_recorded_with_its_cost_within_a_second(desk: Governed, controls: Controls) -> None:
    await desk.price("2", "8", cached_per_million=Decimal("0.5"))
    controls.usage.record(call(desk, usage=UsageReport(1000, 200, 400), attempts=2))

    async def is_there() -> bool:
        return len(await rows(desk)) == 1

    await eventually(is_there, 2)
    (row,) = await rows(desk)
    assert (row.input_tokens, row.output_tokens, row.cached_tokens) == (1000, 200, 400)
    assert row.cost == Decimal("0.0030")  # 600 at 2, 400 at 0.5 and 200 at 8 for a million
    assert (row.currency, row.code, row.fault, row.attempts) == ("USD", "ok", "none", 2)
    assert (row.user_id, row.application_id) == (UUID(int=5), desk.purpose.application_id)
    assert (row.run_id, row.request_id, row.path) == (desk.purpose.run_id, "r-1", "answer")
    assert (row.first_token_ms, row.latency_ms) == (120, 900)


async def test_prices_hold_from_their_day_on(desk: Governed, controls: Controls) -> None:
    await desk.price("2", "2", valid_from=date(2026, 1, 1))
    await desk.price("4", "4", currency="CNY", valid_from=date(2026, 6, 1))
    book = await controls.prices.get()

    def cost(day: str) -> Any:
        at = datetime.fromisoformat(day).replace(tzinfo=UTC)
        return book.cost(desk.scope.workspace_id, desk.model.id, 1_000_000, 0, at=at)

    assert cost("2025-12-31") is None
    assert (cost("2026-01-01").amount, cost("2026-05-31").amount) == (2, 2)
    assert (cost("2026-06-01").amount, cost("2026-06-01").currency) == (4, "CNY")


async def test_earlier_tries_count_against_their_own_model(desk: Governed, controls: Controls) -> None:
    first = new_id()
    controls.usage.record(
        call(
            desk,
            failed=[FailedAttempt(first, "model-unavailable", 30)],
            switched_from=first,
            usage=UsageReport(1, 1),
        )
    )
    await controls.usage.flush()
    tried, answered = await rows(desk)
    assert (tried.model_id, tried.is_attempt, tried.fault) == (first, True, "model")
    assert (answered.model_id, answered.is_attempt, answered.switched_from) == (desk.model.id, False, first)


async def test_a_stop_writes_what_waits(desk: Governed, database: Database) -> None:
    controls = Controls(Settings(), database)
    for _ in range(2500):
        controls.usage.record(call(desk))
    await controls.close()
    assert len(await rows(desk)) == 2500


async def test_what_the_database_did_not_take_is_written_when_it_is_back(
    desk: Governed, controls: Controls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "RETRY_S", 0.05)
    broken = controls.usage._url
    controls.usage._url = "postgresql://nobody@127.0.0.1:1/nothing"
    controls.usage.record(call(desk))
    with pytest.raises(psycopg.Error):
        await controls.usage.flush()
    controls.usage._url = broken
    await controls.usage.flush()
    assert len(await rows(desk)) == 1


async def test_the_buffer_is_bounded_and_what_is_given_up_is_counted(
    desk: Governed, controls: Controls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "MAX_WAITING", 10)
    for number in range(15):
        controls.usage.record(call(desk, latency_ms=number))
    assert controls.usage.lost == 5
    await controls.usage.flush()
    assert [row.latency_ms for row in await rows(desk)] == list(range(5, 15))


async def test_calls_of_a_workspace_that_is_gone_keep_no_others_back(
    desk: Governed, controls: Controls
) -> None:
    gone = replace(call(desk), scope=replace(desk.scope, workspace_id=new_id()))
    controls.usage.record(gone)
    controls.usage.record(call(desk))
    await controls.usage.flush()
    assert len(await rows(desk)) == 1


async def test_recording_takes_microseconds(desk: Governed, controls: Controls) -> None:
    one = call(desk)
    started = time.perf_counter()
    for _ in range(1000):
        controls.usage.record(one)
    assert time.perf_counter() - started < 0.1
    await asyncio.sleep(0)
