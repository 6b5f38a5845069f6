"""Breakers over several processes, active probes, and what a person reads of both (X12, X47, X48)."""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import select
from tests.service.gateway.routed import listen, routed_workspace
from tests.service.gateway.test_routing_freshness import listening, until

from refdesk.gateway import ModelUnavailable
from refdesk.gateway.routing.breaker import DEFAULT_BREAKER
from refdesk.gateway.routing.probes import check_health
from refdesk.gateway.routing.tables import ModelHealth, ModelOutcomes
from refdesk.gateway.tables import Model
from refdesk.kit.clock import now
from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import scripted_model

DOWN = script.error(503, "overloaded")
QUICK = {"open_ms": 300}


@pytest.fixture
async def world(database, tmp_path):
    async with routed_workspace(database, tmp_path) as made:
        yield made


@pytest.fixture
async def server():
    async with scripted_model() as running:
        yield running


def state(gateway, model_id):
    return gateway.routing.health.state(model_id).state


async def test_three_failures_open_the_breaker_in_every_process(world, server):
    server.always(DOWN)
    model_id = await world.model(server.base_url)
    first, second = await listening(world), await listening(world)
    for gateway in (first, second, first):  # counted together
        await listen(gateway, world.scope, model_id)
        await until(lambda g=gateway: not g.routing.health._kept[model_id].pending)
    await until(lambda: state(second, model_id) == "open")
    asked = len(server.requests)
    heard = await listen(second, world.scope, model_id)
    assert len(server.requests) == asked
    assert isinstance(heard.error, ModelUnavailable)
    assert "failed 3 times in a row (503 model-unavailable)" in heard.error.text
    assert heard.error.details["retry_after_s"] >= 1


async def test_one_call_over_all_processes_tries_a_model_again(world, server):
    server.always(DOWN)
    model_id = await world.model(server.base_url, health_check=QUICK)
    gateways = [await listening(world) for _ in range(3)]
    for _ in range(3):
        await listen(gateways[0], world.scope, model_id)
    for gateway in gateways:
        await until(lambda g=gateway: state(g, model_id) == "open")
    await asyncio.sleep(0.35)
    asked = len(server.requests)
    server.always(script.answer("Well again.", delay_s=0.05))
    heard = await asyncio.gather(*(listen(g, world.scope, model_id) for g in gateways for _ in range(10)))
    assert len(server.requests) == asked + 1
    assert [one.text for one in heard if one.error is None] == ["Well again."]
    for gateway in gateways:
        await until(lambda g=gateway: state(g, model_id) == "closed")


async def test_a_try_whose_caller_leaves_gives_the_lease_back(world, server):
    server.always(DOWN)
    model_id = await world.model(server.base_url, health_check=QUICK)
    gateway = await listening(world)
    for _ in range(3):
        await listen(gateway, world.scope, model_id)
    await until(lambda: not gateway.routing.health._kept[model_id].pending)
    await asyncio.sleep(0.35)
    server.always(script.hang())
    task = asyncio.create_task(listen(gateway, world.scope, model_id))
    await until(lambda: state(gateway, model_id) == "half_open")
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    server.always(script.answer("Well again."))
    await until(lambda: not gateway.routing.health._kept[model_id].pending)
    assert (await listen(gateway, world.scope, model_id)).text == "Well again."


@pytest.mark.parametrize(
    "reply",
    [
        script.error(400, "bad request"),
        script.error(401, "bad key"),
        script.error(400, "maximum context length is 10", code="context_length_exceeded"),
        script.error(429, "slow down"),
    ],
)
async def test_what_is_the_callers_fault_trips_nothing(world, server, reply):
    server.always(reply)
    model_id = await world.model(server.base_url)
    gateway = await listening(world)
    for _ in range(5):
        await listen(gateway, world.scope, model_id)
    assert state(gateway, model_id) == "closed"
    assert len(server.requests) == 5


async def test_answers_that_are_late_by_the_threshold_count_as_failures(world, server):
    server.always(script.events([script.delta("a"), script.delta("b", finish="stop")], delay_s=0.0))
    model_id = await world.model(server.base_url, health_check={"latency_threshold": 1})
    gateway = await listening(world)
    for _ in range(3):
        assert (await listen(gateway, world.scope, model_id)).text == "ab"
    assert state(gateway, model_id) == "open"


async def test_failures_count_against_the_figure_and_the_callers_faults_do_not(world, server, database):
    server.then(DOWN, DOWN, script.error(400, "bad"), script.answer("fine"))
    model_id = await world.model(server.base_url)
    gateway = world.gateway()
    for _ in range(4):
        await listen(gateway, world.scope, model_id)
    await gateway.routing.health.close()
    async with database.transaction() as session:
        row = (await session.scalars(select(ModelOutcomes).where(ModelOutcomes.model_id == model_id))).one()
    assert (row.calls, row.failures) == (3, 2)


async def probe(world, server, path="/health", **members):
    model_id = await world.model(server.base_url, health_check={"path": path} | members)
    gateway = await listening(world)
    return await gateway.routing.probes.probe(gateway.routing.snapshot.get(world.scope, model_id))


async def test_a_health_endpoint_that_is_missing_is_reported_as_such(world, server):
    server.always(script.error(404, "not found"))
    found = await probe(world, server)
    assert found.finding == "missing"
    assert "The health endpoint is missing" in found.message
    assert "/health answered 404" in found.message
    assert not found.trips


async def test_a_health_endpoint_slower_than_100_ms_is_reported_as_such(world, server):
    async def slow(request, send):
        await asyncio.sleep(0.15)
        await script.body({"status": "ok"})(request, send)

    server.always(slow)
    found = await probe(world, server)
    assert (found.finding, found.ok) == ("slow", True)
    assert "The health endpoint is slow" in found.message
    assert "more than 100 ms" in found.message


async def test_probes_that_fail_open_the_breaker_and_one_that_is_good_lets_a_call_try(world, server):
    server.always(DOWN)
    check = {"path": "/health", "interval_ms": 250, "open_ms": 60_000}
    model_id = await world.model(server.base_url, health_check=check)
    gateway = await listening(world)
    await until(lambda: state(gateway, model_id) == "open", 3.0)
    server.always(script.answer("Well again."))
    await until(lambda: gateway.routing.health.state(model_id).retry_at <= now().timestamp(), 2.0)
    assert (await listen(gateway, world.scope, model_id)).text == "Well again."
    assert state(gateway, model_id) == "closed"


async def test_one_process_at_a_time_probes(world, server):
    server.always(script.body({"status": "ok"}))
    await world.model(server.base_url, health_check={"path": "/health", "interval_ms": 400})
    for _ in range(3):
        await listening(world)
    await asyncio.sleep(2.0)
    assert 3 <= len(server.requests) <= 7


async def test_a_failure_between_two_checks_names_the_settings_that_find_it_sooner(world, server):
    server.always(script.body({"status": "ok"}))
    model_id = await world.model(server.base_url, health_check={"path": "/health"})
    gateway = await listening(world)
    await until(lambda: gateway.routing.health.probes.get(model_id, {}).get("ok"), 3.0)
    server.always(DOWN)
    heard = await listen(gateway, world.scope, model_id)
    assert isinstance(heard.error, ModelUnavailable)
    hint = heard.error.hint_text or ""
    assert "latency_threshold" in hint
    assert "interval_ms 30000" in hint
    assert "5000" in hint


async def test_a_model_that_is_removed_while_it_fails_stops_nothing(world, server, database):
    server.always(DOWN)
    gone, stays = await world.model(server.base_url, "gone"), await world.model(server.base_url, "stays")
    gateway = await listening(world)
    health = gateway.routing.health
    ticket = await health.admit(gone, DEFAULT_BREAKER)
    async with database.transaction() as session:
        await session.delete(await session.get_one(Model, gone))
    for _ in range(3):
        health.report(ticket, "failure", failure={"response_code": 503, "code": "x", "at": 0.0})
    for _ in range(3):
        await listen(gateway, world.scope, stays)
    await until(lambda: not health._kept[stays].pending)
    assert state(gateway, stays) == "open"


async def test_the_health_of_a_model_is_kept_for_the_next_process(world, server, database):
    server.always(DOWN)
    model_id = await world.model(server.base_url)
    gateway = world.gateway()
    for _ in range(3):
        await listen(gateway, world.scope, model_id)
    await gateway.close()
    world.gateways.clear()
    assert state(await listening(world), model_id) == "open"
    async with database.transaction() as session:
        row = await session.get_one(ModelHealth, model_id)
    assert row.retry_at is not None
    assert row.retry_at > now() - timedelta(seconds=10)


async def test_a_path_is_one_of_the_server_or_stands_behind_the_base_url(world, server):
    server.always(script.body({}))
    model_id = await world.model(server.base_url, health_check={"path": "models"})
    gateway = await listening(world)
    model = gateway.routing.snapshot.get(world.scope, model_id)
    await check_health(gateway._http, model)
    assert server.requests[-1].path == "/v1/models"
