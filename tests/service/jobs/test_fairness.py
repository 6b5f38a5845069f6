"""Workspaces take turns in the queue."""

import pytest
from sqlalchemy import text

from refdesk.jobs import JobContext, enqueue, run_worker, task
from refdesk.kit.settings import Settings

done: list[str] = []


@task("test-turn")
async def turn(context: JobContext, workspace_id: str, number: int) -> None:
    done.append(f"{workspace_id}{number}")


@pytest.fixture(autouse=True)
async def clean(database):
    done.clear()
    async with database.transaction() as session:
        await session.execute(text("TRUNCATE procrastinate_jobs CASCADE"))


@pytest.fixture
def context(database, tmp_path):
    return JobContext(Settings(data_dir=tmp_path), database)


async def _add(database, workspace_id: str, *numbers: int, priority: int = 0) -> None:
    async with database.transaction() as session:
        for number in numbers:
            await enqueue(session, "test-turn", priority=priority, workspace_id=workspace_id, number=number)


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


async def test_what_a_person_waits_for_goes_before_all_turns(database, context):
    await _add(database, "a", 0, 1)
    await _add(database, "a", 9, priority=10)
    await run_worker(context, concurrency=1, until_idle=True)
    assert done == ["a9", "a0", "a1"]
