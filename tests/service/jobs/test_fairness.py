"""Workspaces and their knowledge bases take turns, and what a person waits for is not held up."""

import asyncio
import contextlib
from uuid import UUID

import pytest
from sqlalchemy import text

from refdesk.jobs import JobContext, Urgency, enqueue, run_worker, task
from refdesk.jobs.queue import _TURN
from refdesk.kit.settings import Settings

MANY, FEW = UUID(int=1), UUID(int=2)

done: list[str] = []
gate = asyncio.Event()


@task("test-turn")
async def turn(context: JobContext, workspace_id: str, number: int) -> None:
    done.append(f"{workspace_id}{number}")


@task("test-long")
async def long(context: JobContext, workspace_id: str, number: int) -> None:
    await gate.wait()
    done.append(f"{workspace_id}{number}")


@pytest.fixture(autouse=True)
async def clean(database):
    done.clear()
    gate.clear()
    async with database.transaction() as session:
        await session.execute(text("TRUNCATE procrastinate_jobs CASCADE"))


@pytest.fixture
def context(database, tmp_path):
    return JobContext(Settings(data_dir=tmp_path), database)


async def _add(database, workspace_id: str, *numbers: int, name: str = "test-turn", **options) -> None:
    async with database.transaction() as session:
        for number in numbers:
            await enqueue(session, name, workspace_id=workspace_id, number=number, **options)


@contextlib.asynccontextmanager
async def _working(context):
    worker = asyncio.create_task(run_worker(context, concurrency=2))
    try:
        yield
    finally:
        worker.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await worker


async def _until(condition) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - what is looked at is a list that jobs fill
            await asyncio.sleep(0.02)


async def test_one_file_does_not_wait_for_a_thousand_of_another_workspace(database, context):
    await _add(database, "a", *range(1000))
    await _add(database, "b", 0)
    await run_worker(context, concurrency=1, until_idle=True)
    assert done.index("b0") <= 1
    assert [entry for entry in done if entry[0] == "a"] == [f"a{number}" for number in range(1000)]


async def test_workspaces_take_turns(database, context):
    await _add(database, "a", 0, 1, 2, 3)
    await _add(database, "b", 0, 1)
    await _add(database, "c", 0)
    await run_worker(context, concurrency=1, until_idle=True)
    assert done == ["a0", "b0", "c0", "a1", "b1", "a2", "a3"]


async def test_a_workspace_that_comes_again_and_again_does_not_push_the_others_back(database, context):
    await _add(database, "a", *range(6))
    async with database.transaction() as session:  # the queue has come to the fourth of them
        await session.execute(text("DELETE FROM procrastinate_jobs WHERE (args ->> 'number')::int < 3"))
    await _add(database, "b", 0, 1)
    await run_worker(context, concurrency=1, until_idle=True)
    assert done == ["a3", "b0", "a4", "b1", "a5"]


async def test_a_file_does_not_wait_for_a_mass_upload_to_another_base(database, context):
    await _add(database, "a", *range(83), line=MANY)
    await _add(database, "a", 900, line=FEW)
    await run_worker(context, concurrency=1, until_idle=True)
    assert done.index("a900") <= 2
    assert len(done) == 84


async def test_bases_take_turns_however_much_each_adds(database, context):
    await _add(database, "a", *range(6), line=MANY)
    await _add(database, "a", 90, 91, 92, line=FEW)
    await run_worker(context, concurrency=1, until_idle=True)
    assert [one for one in done if one < "a6"] == [f"a{number}" for number in range(6)]
    assert [done.index(one) for one in ("a90", "a91", "a92")] == [2, 5, 8]


async def test_a_workspace_gets_no_more_turns_by_spreading_its_files_over_many_bases(database, context):
    for number in range(50):
        await _add(database, "a", number, line=UUID(int=100 + number))
    await _add(database, "b", *range(10))
    await run_worker(context, concurrency=1, until_idle=True)
    assert [done.index(f"b{number}") for number in range(10)] == list(range(1, 20, 2))


@pytest.mark.parametrize("urgency", [Urgency.AWAITED, Urgency.SMALL])
async def test_what_a_person_waits_for_runs_while_long_documents_take_all_slots(database, context, urgency):
    await _add(database, "a", *range(5), name="test-long", line=MANY)
    async with _working(context):
        await _until(lambda: not done)
        await asyncio.sleep(0.3)
        await _add(database, "a", 9, line=MANY, urgency=urgency)
        await _until(lambda: done == ["a9"])
        gate.set()
        await _until(lambda: len(done) == 6)


async def test_an_edit_runs_while_long_previews_take_all_slots_that_they_may_have(database, context):
    await _add(database, "a", *range(5), name="test-long", urgency=Urgency.AWAITED)
    async with _working(context):
        await asyncio.sleep(0.3)
        await _add(database, "a", 9, urgency=Urgency.SMALL)
        await _until(lambda: done == ["a9"])
        gate.set()


async def test_bulk_work_goes_on_while_ever_more_urgent_work_comes(database, context):
    await _add(database, "a", *range(20), line=MANY)
    async with _working(context):
        number = 1000
        while sum(int(one[1:]) < 1000 for one in done) < 20:
            assert number < 3000, "the bulk work does not get on"
            for urgency in (Urgency.AWAITED, Urgency.SMALL):
                await _add(database, "a", *range(number, number + 5), urgency=urgency, line=MANY)
                number += 5


async def test_a_waiting_twin_is_moved_up_and_still_runs_once(database, context):
    await _add(database, "a", *range(5), name="test-long", line=MANY)
    await _add(database, "a", 8, lock="d:8", unique=True, line=MANY)
    async with _working(context):
        await asyncio.sleep(0.3)
        await _add(database, "a", 8, lock="d:8", unique=True, line=MANY, urgency=Urgency.AWAITED)
        await _until(lambda: done == ["a8"])
        gate.set()
        await _until(lambda: len(done) == 6)
        await asyncio.sleep(0.2)
    assert done.count("a8") == 1


async def test_a_turn_is_found_by_the_index_of_lines(database):
    waiting = "SELECT 'default', 'test-turn', jsonb_build_object('workspace_id', 'w' || n % 50), -n, 'todo'"
    async with database.transaction() as session:
        await session.execute(
            text(
                "INSERT INTO procrastinate_jobs (queue_name, task_name, args, priority, status)"
                f" {waiting} FROM generate_series(1, 5000) n"
            )
        )
        await session.execute(text("ANALYZE procrastinate_jobs"))
        values = {"workspace_id": "w7", "line": "default:", "together": ["default", "awaited"]}
        plan = "\n".join(await session.scalars(text(f"EXPLAIN (ANALYZE) {_TURN}"), values))
    assert "Seq Scan" not in plan
    assert plan.count("using ix_procrastinate_jobs_lines") == 3, plan
