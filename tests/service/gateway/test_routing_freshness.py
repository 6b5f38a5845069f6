"""What changes is known everywhere: two gateways on one database are two processes as far as this goes."""

import asyncio
import os
import signal
import time

import psycopg
import pytest
from sqlalchemy import event
from tests.service.gateway.routed import listen, routed_workspace, switch

from refdesk.accounts import Role, Scope
from refdesk.gateway import UnknownModel
from refdesk.gateway import listening as listening_room
from refdesk.gateway.routing.tables import PurposeRoute
from refdesk.gateway.tables import Model
from refdesk.kit.ids import new_id
from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import scripted_model


@pytest.fixture
async def world(database, tmp_path):
    async with routed_workspace(database, tmp_path) as made:
        yield made


@pytest.fixture
async def server():
    async with scripted_model() as running:
        yield running


async def until(holds, within_s=1.0):
    """Wait until a condition holds; what the second in the requirement is measured with."""
    started = time.perf_counter()
    async with asyncio.timeout(within_s):
        while not holds():  # noqa: ASYNC110 — another process would not tell us either
            await asyncio.sleep(0.005)
    return time.perf_counter() - started


async def listening(world):
    gateway = world.gateway()
    await gateway.start()
    await until(lambda: gateway.routing.snapshot.is_fresh, 5.0)
    return gateway


async def written_elsewhere(database, statement, *parameters):
    """A change that no session of this process makes."""
    async with await psycopg.AsyncConnection.connect(database.url, autocommit=True) as connection:
        await connection.execute(statement.encode(), parameters)


async def test_a_change_is_in_every_process_within_a_second(world, server, database):
    model_id = await world.model(server.base_url)
    first, second = await listening(world), await listening(world)
    await written_elsewhere(database, "UPDATE models SET name = 'renamed' WHERE id = %s", model_id)
    for gateway in (first, second):
        await until(lambda g=gateway: g.routing.snapshot.get(world.scope, model_id).row.name == "renamed")


async def test_a_removed_model_is_gone_and_a_new_policy_applies(world, server, database):
    async with scripted_model() as backup:
        backup.always(script.answer("From the backup."))
        server.always(script.error(503, "down"))
        model_id, backup_id = await world.model(server.base_url), await world.model(backup.base_url, "backup")
        gateway = await listening(world)
        assert (await listen(gateway, world.scope, model_id)).error is not None
        await world.change(model_id, fallback_policy_id=await world.policy(switch(backup_id)))
        assert (await listen(gateway, world.scope, model_id)).text == "From the backup."
        await written_elsewhere(database, "DELETE FROM models WHERE id = %s", model_id)
        await until(lambda: gateway.routing.snapshot.find(model_id) is None)
        with pytest.raises(UnknownModel):
            await gateway.completer(world.scope, model_id)


async def test_a_call_reads_nothing_from_the_database_while_all_is_well(world, server, database):
    model_id = await world.model(server.base_url)
    gateway = await listening(world)
    await listen(gateway, world.scope, model_id)
    await asyncio.sleep(1.5)  # limits and prices are read once, when they are first needed
    statements = []

    def note(_connection, _cursor, statement, *_rest):
        statements.append(statement)

    event.listen(database.engine.sync_engine, "before_cursor_execute", note)
    try:
        assert (await listen(gateway, world.scope, model_id)).error is None
        await gateway.default_model(world.scope, "LLM")
    finally:
        event.remove(database.engine.sync_engine, "before_cursor_execute", note)
    assert [one for one in statements if "model_outcomes" not in one] == []


async def test_what_was_missed_while_the_connection_was_lost_is_read_then(world, server, database):
    model_id = await world.model(server.base_url)
    gateway = await listening(world)
    await written_elsewhere(
        database,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'refdesk-gateway-signals' AND datname = current_database()",
    )
    await written_elsewhere(database, "UPDATE models SET name = 'meanwhile' WHERE id = %s", model_id)
    await gateway.completer(world.scope, model_id)
    assert gateway.routing.snapshot.get(world.scope, model_id).row.name == "meanwhile"
    await until(lambda: gateway.routing.snapshot.is_fresh, 5.0)
    await written_elsewhere(database, "UPDATE models SET name = 'after' WHERE id = %s", model_id)
    await until(lambda: gateway.routing.snapshot.get(world.scope, model_id).row.name == "after")


async def test_a_process_listens_on_one_connection_and_finds_out_that_it_is_dead(
    world, server, database, monkeypatch
):
    """A connection that a firewall dropped says nothing: without a question it is waited on for ever. Takes
    the five seconds that psycopg waits for a query to be cancelled."""
    monkeypatch.setattr(listening_room, "ASKED_EVERY_S", 0.1)
    monkeypatch.setattr(listening_room, "ANSWER_WITHIN_S", 0.2)
    model_id = await world.model(server.base_url)
    gateway = await listening(world)
    await listen(gateway, world.scope, model_id)  # limits and prices listen too now
    ours = (
        " FROM pg_stat_activity WHERE application_name LIKE 'refdesk-%signals'"
        " AND datname = current_database()"
    )
    async with await psycopg.AsyncConnection.connect(database.url, autocommit=True) as connection:
        found = await (await connection.execute(f"SELECT pid{ours}".encode())).fetchall()
        assert len(found) == 1
        [(pid,)] = found
        os.kill(pid, signal.SIGSTOP)
        try:
            await until(lambda: not gateway.controls.listener.is_listening, 10.0)
        finally:
            os.kill(pid, signal.SIGCONT)
    await written_elsewhere(database, "UPDATE models SET name = 'meanwhile' WHERE id = %s", model_id)
    await gateway.completer(world.scope, model_id)
    assert gateway.routing.snapshot.get(world.scope, model_id).row.name == "meanwhile"
    await until(lambda: gateway.routing.snapshot.is_fresh, 5.0)


async def test_whoever_asks_while_all_is_read_again_waits_for_it(world, server, monkeypatch):
    """A change of one's own holds for the next call, also where another call has begun to read it."""
    model_id = await world.model(server.base_url)
    gateway = await listening(world)
    snapshot = gateway.routing.snapshot
    reading, may_go_on = asyncio.Event(), asyncio.Event()
    read = snapshot._read

    async def slowly(session, changed):
        reading.set()
        await may_go_on.wait()
        await read(session, changed)

    monkeypatch.setattr(snapshot, "_read", slowly)
    await world.change(model_id, name="renamed")
    first = asyncio.create_task(snapshot.ready())
    await reading.wait()
    second = asyncio.create_task(gateway.completer(world.scope, model_id))
    await asyncio.sleep(0.05)
    assert not second.done()
    may_go_on.set()
    await asyncio.gather(first, second)
    assert snapshot.get(world.scope, model_id).row.name == "renamed"


async def test_a_workspace_sees_its_own_models_only(world, server):
    model_id = await world.model(server.base_url)
    other = Scope(new_id(), None, Role.OWNER, "session")
    gateway = await listening(world)
    with pytest.raises(UnknownModel):
        await gateway.completer(other, model_id)
    assert await gateway.default_model(other, "LLM") is None


async def test_a_purpose_has_its_own_model(world, server, database):
    usual = await world.model(server.base_url, is_default=True)
    quotes = await world.model(server.base_url, "quotes")
    gateway = await listening(world)
    assert await gateway.default_model(world.scope, "LLM", "live quotes") == usual
    async with database.transaction() as session:
        session.add(
            PurposeRoute(
                workspace_id=world.scope.workspace_id, purpose="live quotes", kind="LLM", model_id=quotes
            )
        )
    assert await gateway.default_model(world.scope, "LLM", "live quotes") == quotes
    assert await gateway.default_model(world.scope, "LLM") == usual


async def test_a_model_that_is_not_understood_does_not_hide_the_others(world, server, database):
    model_id = await world.model(server.base_url)
    odd = await world.model(server.base_url, "odd", capabilities={"supports_streaming": "sometimes"})
    gateway = await listening(world)
    for each in (model_id, odd):
        assert (await listen(gateway, world.scope, each)).error is None
    async with database.transaction() as session:
        assert await session.get(Model, odd) is not None
