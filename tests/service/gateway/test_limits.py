"""Limits count exactly, all or nothing, and say when they open again."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

import pytest
from sqlalchemy import delete, update
from tests.service.gateway.governed import Governed, eventually, governed

from refdesk.gateway.calls import UsageReport
from refdesk.gateway.controls import Controls
from refdesk.gateway.limits import Estimate, LimitReached
from refdesk.gateway.limits.tables import ModelLimit
from refdesk.gateway.usage.tables import UsageSettings
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings


@pytest.fixture
async def desk(database: Database) -> Governed:
    return await governed(database)


@pytest.fixture(params=["postgresql", "redis"])
async def controls(request: pytest.FixtureRequest, database: Database) -> AsyncIterator[Controls]:
    """Both stores must do all of this."""
    redis_url = request.getfixturevalue("redis_url") if request.param == "redis" else None
    made = Controls(Settings(redis_url=redis_url), database)
    yield made
    await made.close()


async def used(desk: Governed, controls: Controls, limit: UUID) -> list[Decimal]:
    rules = (await controls.rules.refresh())[desk.scope.workspace_id]
    (rule,) = [one for one in rules if one.id == limit]
    return [one.used for one in await controls.counters.standing(rule)]


async def settled(desk: Governed, controls: Controls, limit: UUID, expected: Decimal | int) -> None:
    async def is_so() -> bool:
        return await used(desk, controls, limit) == [expected]

    await eventually(is_so)


async def test_a_call_beyond_the_limit_is_refused_with_its_name_and_when_it_opens(
    desk: Governed, controls: Controls
) -> None:
    await desk.limit(2)
    for _ in range(2):
        await controls.limits.admit(desk.scope, desk.purpose, desk.model, 10)
    with pytest.raises(LimitReached) as refused:
        await controls.limits.admit(desk.scope, desk.purpose, desk.model, 10)
    error = refused.value
    assert "“Interns” allows 2 requests per hour. It opens again in" in error.text
    assert error.status == 429
    assert 0 < error.details["retry_after_s"] <= 3600
    opens = datetime.fromisoformat(error.details["opens_at"])
    assert opens.minute == 0
    assert (opens - datetime.now(UTC)).total_seconds() <= error.details["retry_after_s"]


async def test_a_call_is_counted_in_all_limits_or_in_none(desk: Governed, controls: Controls) -> None:
    wide, narrow = await desk.limit(100), await desk.limit(1, name="Narrow")
    await controls.limits.admit(desk.scope, desk.purpose, desk.model, 10)
    with pytest.raises(LimitReached, match="Narrow"):
        await controls.limits.admit(desk.scope, desk.purpose, desk.model, 10)
    assert (await used(desk, controls, wide), await used(desk, controls, narrow)) == ([1], [1])


async def test_each_user_and_model_is_counted_apart(desk: Governed, controls: Controls) -> None:
    limit = await desk.limit(1, per=["user", "path", "model"], model_id=desk.model.id)
    for user in (1, 2):
        await controls.limits.admit(desk.by(user), desk.purpose, desk.model, 10)
        with pytest.raises(LimitReached):
            await controls.limits.admit(desk.by(user), desk.purpose, desk.model, 10)
    await controls.limits.admit(desk.scope, desk.purpose, desk.model, 10)  # nobody's call: not each user's
    assert await used(desk, controls, limit) == [1, 1]


async def test_a_limit_of_another_path_or_workspace_does_not_apply(
    desk: Governed, controls: Controls, database: Database
) -> None:
    other = await governed(database)
    await other.limit(0)
    await desk.limit(0, path="index")
    await controls.limits.admit(desk.scope, desk.purpose, desk.model, 10)


async def test_tokens_are_taken_as_estimated_and_settled_as_used(desk: Governed, controls: Controls) -> None:
    limit = await desk.limit(1000, measure="tokens")
    admission = await controls.limits.admit(desk.scope, desk.purpose, desk.model, Estimate(300, 500))
    with pytest.raises(LimitReached):
        await controls.limits.admit(desk.scope, desk.purpose, desk.model, 300)
    await admission.settle(UsageReport(310, 20))
    await settled(desk, controls, limit, 330)
    await admission.settle(UsageReport(9, 9))  # only the first counts
    await admission.release()
    await controls.limits.admit(desk.scope, desk.purpose, desk.model, 670)
    assert await used(desk, controls, limit) == [1000]


async def test_a_call_that_never_happened_is_given_back(desk: Governed, controls: Controls) -> None:
    limit = await desk.limit(1)
    admission = await controls.limits.admit(desk.scope, desk.purpose, desk.model, 10)
    await admission.release()
    await controls.limits.admit(desk.scope, desk.purpose, desk.model, 10)
    assert await used(desk, controls, limit) == [1]


async def test_money_is_counted_by_the_price_list(desk: Governed, controls: Controls) -> None:
    await desk.price("2", "8")
    limit = await desk.limit(0.01, measure="money", currency="USD", window_kind="month", window_s=None)
    admission = await controls.limits.admit(desk.scope, desk.purpose, desk.model, Estimate(1000, 1000))
    with pytest.raises(LimitReached, match=r"0\.01 USD per month"):
        await controls.limits.admit(desk.scope, desk.purpose, desk.model, Estimate(1, 1))
    await admission.settle(UsageReport(1000, 500))
    await settled(desk, controls, limit, Decimal("0.006"))


async def test_a_soft_limit_warns_and_lets_pass(desk: Governed, controls: Controls) -> None:
    limit = await desk.limit(1, is_hard=False)
    first = await controls.limits.admit(desk.scope, desk.purpose, desk.model, 10)
    second = await controls.limits.admit(desk.scope, desk.purpose, desk.model, 10)
    assert list(first.notices) == []
    (notice,) = second.notices
    assert (notice.code, notice.detail["limit"], notice.detail["used"]) == ("limit-passed", "Interns", 2)
    assert await used(desk, controls, limit) == [2]


async def test_a_window_that_is_over_counts_anew_and_takes_no_late_settlement(
    desk: Governed, controls: Controls
) -> None:
    limit = await desk.limit(1, measure="tokens", window_s=1)
    admission = await controls.limits.admit(desk.scope, desk.purpose, desk.model, 1)
    async with asyncio.timeout(5):
        while True:
            try:
                await controls.limits.admit(desk.scope, desk.purpose, desk.model, 1)
                break
            except LimitReached as error:
                await asyncio.sleep(error.details["retry_after_s"] / 20)
    await admission.settle(UsageReport(500, 500))
    await asyncio.sleep(0.2)
    assert await used(desk, controls, limit) in ([1], [])


async def test_days_begin_in_the_workspace_s_time_zone(desk: Governed, controls: Controls) -> None:
    async with desk.database.transaction() as session:
        session.add(UsageSettings(workspace_id=desk.scope.workspace_id, time_zone="Asia/Shanghai"))
    await desk.limit(0, window_kind="day", window_s=None)
    with pytest.raises(LimitReached) as refused:
        await controls.limits.admit(desk.scope, desk.purpose, desk.model, 1)
    assert datetime.fromisoformat(refused.value.details["opens_at"]).hour == 16  # midnight in Shanghai
    assert "per day" in refused.value.text


async def test_a_new_limit_and_a_changed_one_apply_within_a_second(
    desk: Governed, controls: Controls
) -> None:
    await controls.limits.admit(desk.scope, desk.purpose, desk.model, 1)
    await asyncio.sleep(0.3)  # the connection that listens is made in the background
    limit = await desk.limit(0)
    await asyncio.sleep(1)
    with pytest.raises(LimitReached):
        await controls.limits.admit(desk.scope, desk.purpose, desk.model, 1)
    async with desk.database.transaction() as session:
        await session.execute(update(ModelLimit).where(ModelLimit.id == limit).values(amount=1))
    await asyncio.sleep(1)
    await controls.limits.admit(desk.scope, desk.purpose, desk.model, 1)
    async with desk.database.transaction() as session:
        await session.execute(delete(ModelLimit).where(ModelLimit.id == limit))
    await asyncio.sleep(1)
    await controls.limits.admit(desk.scope, desk.purpose, desk.model, 1)


async def test_many_callers_at_once_get_exactly_the_limit(desk: Governed, controls: Controls) -> None:
    limit = await desk.limit(37)

    async def call() -> bool:
        try:
            await controls.limits.admit(desk.scope, desk.purpose, desk.model, 1)
        except LimitReached:
            return False
        return True

    assert sum(await asyncio.gather(*(call() for _ in range(200)))) == 37
    assert await used(desk, controls, limit) == [37]


async def test_a_caller_who_leaves_while_waiting_leaves_nothing_counted(
    desk: Governed, controls: Controls
) -> None:
    limit = await desk.limit(10)
    await controls.limits.admit(desk.scope, desk.purpose, desk.model, 1)
    waiting = asyncio.create_task(controls.limits.admit(desk.scope, desk.purpose, desk.model, 1))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await settled(desk, controls, limit, 1)


async def test_nothing_is_asked_of_the_database_where_nothing_is_limited(
    desk: Governed, controls: Controls
) -> None:
    await controls.limits.admit(desk.scope, desk.purpose, desk.model, 1)
    statements = controls._statements._pool
    started = asyncio.get_running_loop().time()
    for _ in range(1000):
        await controls.limits.admit(desk.scope, desk.purpose, desk.model, 1)
    assert asyncio.get_running_loop().time() - started < 0.5
    assert statements is None
