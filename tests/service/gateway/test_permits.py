"""A model that takes so many calls at once: never more, in a fair order, and nothing is left behind."""

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from sqlalchemy import func, select
from tests.service.gateway.governed import Governed, eventually, governed

from refdesk.gateway.calls import Notice
from refdesk.gateway.controls import Controls
from refdesk.gateway.limits import ModelQueueTimeout, permits
from refdesk.gateway.limits.tables import PermitTicket
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings


@pytest.fixture
async def desk(database: Database) -> Governed:
    return await governed(database, concurrency=1)


@pytest.fixture
async def controls(database: Database) -> AsyncIterator[Controls]:
    made = Controls(Settings(model_queue_timeout_s=10), database)
    yield made
    await made.close()


async def tickets(desk: Governed) -> int:
    rows = await desk.values(select(func.count()).where(PermitTicket.model_id == desk.model.id))
    return rows[0][0]


async def until_tickets(desk: Governed, number: int) -> None:
    async def is_so() -> bool:
        return await tickets(desk) == number

    await eventually(is_so)


class Line:
    """Calls that note when they hold their permit, one after the other."""

    def __init__(self, desk: Governed, controls: Controls) -> None:
        self.desk = desk
        self.controls = controls
        self.served: list[str] = []
        self.open = asyncio.Event()
        self.now = 0
        self.most = 0
        self.tasks: list[asyncio.Task[None]] = []

    async def call(self, name: str, user: int, path: str = "answer", hold_s: float = 0.0) -> None:
        scope, purpose = self.desk.by(user), replace(self.desk.purpose, path=path)
        async with self.controls.permits.permit(scope, purpose, self.desk.model):
            self.now += 1
            self.most = max(self.most, self.now)
            if name == "first":
                await self.open.wait()
            self.served.append(name)
            await asyncio.sleep(hold_s)
            self.now -= 1

    async def enter(self, name: str, user: int, path: str = "answer", hold_s: float = 0.0) -> None:
        """Start a call and wait until its ticket is there, so that the order of arrival is known."""
        before = await tickets(self.desk)
        self.tasks.append(asyncio.create_task(self.call(name, user, path, hold_s)))
        await until_tickets(self.desk, before + 1)


async def test_never_more_calls_than_the_model_takes(desk: Governed, controls: Controls) -> None:
    await desk.set_concurrency(3)
    line = Line(desk, controls)
    await asyncio.gather(*(line.call(str(number), number % 5, hold_s=0.01) for number in range(60)))
    assert line.most == 3
    assert len(line.served) == 60
    await until_tickets(desk, 0)


async def test_parties_take_turns_and_within_each_the_first_is_first(
    desk: Governed, controls: Controls
) -> None:
    line = Line(desk, controls)
    await line.enter("first", 1)
    for name, user in (("a1", 2), ("a2", 2), ("a3", 2), ("b1", 3), ("c1", 4), ("b2", 3)):
        await line.enter(name, user)
    line.open.set()
    await asyncio.gather(*line.tasks)
    assert line.served == ["first", "a1", "b1", "c1", "a2", "b2", "a3"]


async def test_indexing_never_overtakes_people(desk: Governed, controls: Controls) -> None:
    line = Line(desk, controls)
    await line.enter("first", 1)
    await line.enter("index", 9, "index")
    await line.enter("a1", 2)
    await line.enter("a2", 2)
    line.open.set()
    await asyncio.gather(*line.tasks)
    assert line.served == ["first", "a1", "a2", "index"]


async def test_who_waits_hears_of_every_place(desk: Governed, controls: Controls) -> None:
    heard: asyncio.Queue[Notice] = asyncio.Queue()
    holders = [controls.permits.permit(desk.by(user), desk.purpose, desk.model) for user in (1, 2)]
    await holders[0].__aenter__()
    second = asyncio.create_task(holders[1].__aenter__())
    await until_tickets(desk, 2)

    async def third() -> None:
        async with controls.permits.permit(desk.by(3), desk.purpose, desk.model, heard.put_nowait):
            pass

    waiting = asyncio.create_task(third())
    assert (await asyncio.wait_for(heard.get(), 5)).detail == {"place": 2}
    await holders[0].__aexit__(None, None, None)
    await second
    assert (await asyncio.wait_for(heard.get(), 5)) == Notice("queued", {"place": 1})
    await holders[1].__aexit__(None, None, None)
    await waiting


async def test_a_cancelled_call_leaves_no_ticket(desk: Governed, controls: Controls) -> None:
    line = Line(desk, controls)
    await line.enter("first", 1)
    await line.enter("second", 2)
    for delay in (0, 0.001, 0.01):
        leaving = asyncio.create_task(line.call("leaving", 3))
        await asyncio.sleep(delay)
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
    line.open.set()
    await asyncio.gather(*line.tasks)
    assert line.served == ["first", "second"]
    await until_tickets(desk, 0)


async def test_who_waits_too_long_is_told_so(desk: Governed, database: Database) -> None:
    controls = Controls(Settings(model_queue_timeout_s=0.2), database)
    try:
        async with controls.permits.permit(desk.by(1), desk.purpose, desk.model):
            with pytest.raises(ModelQueueTimeout):
                async with controls.permits.permit(desk.by(2), desk.purpose, desk.model):
                    raise AssertionError("there was no permit")
            await until_tickets(desk, 1)
    finally:
        await controls.close()
    await until_tickets(desk, 0)


async def test_two_processes_share_the_permits(
    desk: Governed, controls: Controls, database: Database
) -> None:
    other = Controls(Settings(), database)  # its own connections and memory, as another process has
    here, there = Line(desk, controls), Line(desk, other)
    both = [line.call(str(n), n, hold_s=0.005) for n in range(10) for line in (here, there)]
    started = asyncio.get_running_loop().time()
    await asyncio.gather(*both)
    took = asyncio.get_running_loop().time() - started
    await other.close()
    assert len(here.served) + len(there.served) == 20
    assert took < 3.9  # woken by notifications: the heartbeat alone would take 4 seconds for one hand-over


HOLDER = """
import asyncio, sys
from types import SimpleNamespace
from uuid import UUID
from refdesk.accounts import Role, Scope
from refdesk.gateway.controls import Controls
from refdesk.gateway.limits import permits
from refdesk.gateway.purpose import Purpose
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings

permits.LEASE_S = 2.0
permits.HEARTBEAT_S = 0.5

async def main():
    controls = Controls(Settings(), Database(sys.argv[1]))
    model = SimpleNamespace(id=UUID(sys.argv[2]), concurrency=1)
    scope = Scope(UUID(sys.argv[3]), None, Role.OWNER, "session")
    async with controls.permits.permit(scope, Purpose("answer"), model):
        print("held", flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


async def test_permits_of_a_killed_process_come_back(
    desk: Governed, controls: Controls, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permits, "HEARTBEAT_S", 0.5)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOLDER, database.url, str(desk.model.id), str(desk.scope.workspace_id)),
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        assert (await asyncio.wait_for(process.stdout.readline(), 30)).strip() == b"held"
        waiting = asyncio.create_task(Line(desk, controls).call("second", 2))
        await until_tickets(desk, 2)
        await asyncio.sleep(3)  # longer than the lease: the heartbeat keeps it
        assert not waiting.done()
        process.kill()
        async with asyncio.timeout(5):
            await waiting
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        process._transport.close()  # type: ignore[attr-defined]
    await until_tickets(desk, 0)


async def test_a_changed_concurrency_holds_for_who_waits(desk: Governed, controls: Controls) -> None:
    line = Line(desk, controls)
    await line.enter("first", 1)
    await line.enter("second", 2, hold_s=0.5)
    await desk.set_concurrency(2)
    await line.enter("third", 3)  # its arrival hands out what became free

    async def is_served() -> bool:
        return "second" in line.served

    await eventually(is_served)
    line.open.set()
    await asyncio.gather(*line.tasks)


async def test_a_model_without_a_limit_has_no_queue(desk: Governed, controls: Controls) -> None:
    await desk.set_concurrency(None)
    async with controls.permits.permit(desk.scope, desk.purpose, desk.model):
        assert await tickets(desk) == 0
    assert controls._statements._pool is None
