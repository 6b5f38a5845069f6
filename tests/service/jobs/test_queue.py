import asyncio
import contextlib

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from refdesk.jobs import JobContext, enqueue, pending_jobs, run_worker, task
from refdesk.kit.settings import Settings

done: list[str] = []
running: set[str] = set()
most_at_once = 0


@task("test-note")
async def note(context: JobContext, text: str) -> None:
    global most_at_once
    running.add(text)
    most_at_once = max(most_at_once, len(running))
    await asyncio.sleep(0.05)
    running.discard(text)
    done.append(text)


@task("test-flaky")
async def flaky(context: JobContext) -> None:
    done.append("tried")
    if len(done) < 2:
        raise OperationalError("the connection was lost", None, Exception())


@task("test-broken")
async def broken(context: JobContext) -> None:
    done.append("tried")
    raise ValueError("a fault in the job")


@pytest.fixture(autouse=True)
async def clean(database):
    global most_at_once
    done.clear()
    running.clear()
    most_at_once = 0
    async with database.transaction() as session:
        await session.execute(text("TRUNCATE procrastinate_jobs CASCADE"))


@pytest.fixture
def context(database, tmp_path):
    return JobContext(Settings(data_dir=tmp_path), database)


async def test_a_job_runs_once_and_leaves_nothing_behind(database, context):
    async with database.transaction() as session:
        assert await enqueue(session, "test-note", text="合同")
    await run_worker(context, until_idle=True)
    assert done == ["合同"]
    async with database.transaction() as session:
        assert await pending_jobs(session) == {}


async def test_a_job_is_gone_when_its_transaction_rolls_back(database, context):
    with contextlib.suppress(RuntimeError):
        async with database.transaction() as session:
            await enqueue(session, "test-note", text="never")
            raise RuntimeError
    await run_worker(context, until_idle=True)
    assert done == []


async def test_a_unique_job_is_not_added_twice_and_the_transaction_lives_on(database, context):
    async with database.transaction() as session:
        assert await enqueue(session, "test-note", lock="d:1", unique=True, text="first") is not None
        assert await enqueue(session, "test-note", lock="d:1", unique=True, text="twin") is None
        assert await enqueue(session, "test-note", lock="d:2", unique=True, text="other") is not None
    await run_worker(context, until_idle=True)
    assert sorted(done) == ["first", "other"]


async def test_jobs_with_one_lock_never_run_at_once(database, context):
    async with database.transaction() as session:
        for number in range(4):
            await enqueue(session, "test-note", lock="same", text=str(number))
    await run_worker(context, concurrency=4, until_idle=True)
    assert sorted(done) == ["0", "1", "2", "3"]
    assert most_at_once == 1


async def test_jobs_without_a_lock_run_side_by_side(database, context):
    async with database.transaction() as session:
        for number in range(4):
            await enqueue(session, "test-note", text=str(number))
    await run_worker(context, concurrency=4, until_idle=True)
    assert most_at_once > 1


async def test_a_lost_database_is_tried_again(database, context):
    async with database.transaction() as session:
        await enqueue(session, "test-flaky")
    await run_worker(context, until_idle=True)
    assert done == ["tried"]
    async with database.transaction() as session:
        await session.execute(text("UPDATE procrastinate_jobs SET scheduled_at = now()"))
    await run_worker(context, until_idle=True)
    assert done == ["tried", "tried"]


async def test_a_fault_in_a_job_is_not_tried_again(database, context):
    async with database.transaction() as session:
        await enqueue(session, "test-broken")
    await run_worker(context, until_idle=True)
    assert done == ["tried"]


async def test_a_job_of_a_dead_worker_is_taken_over_at_once_by_a_sole_worker(database, context):
    async with database.transaction() as session:
        await enqueue(session, "test-note", text="left behind")
        await session.execute(
            text(
                "WITH dead AS (INSERT INTO procrastinate_workers DEFAULT VALUES RETURNING id)"
                " UPDATE procrastinate_jobs SET status = 'doing', worker_id = (SELECT id FROM dead)"
            )
        )
    await run_worker(context, until_idle=True)
    assert done == []
    await run_worker(context, until_idle=True, sole=True)
    assert done == ["left behind"]


async def test_a_stalled_job_with_a_waiting_twin_gives_way_to_it(database, context):
    async with database.transaction() as session:
        await enqueue(session, "test-note", lock="d:1", unique=True, text="old")
        await session.execute(text("UPDATE procrastinate_jobs SET status = 'doing'"))
        await enqueue(session, "test-note", lock="d:1", unique=True, text="new")
    await run_worker(context, until_idle=True, sole=True)
    assert done == ["new"]


@task("test-watched")
async def watched(context: JobContext) -> None:
    """Its worker's heartbeat seems old and the row has lost its worker while it runs."""
    async with context.database.transaction() as session:
        await session.execute(text("UPDATE procrastinate_jobs SET worker_id = NULL WHERE status = 'doing'"))
    await asyncio.sleep(0.5)
    done.append("watched")


async def test_a_late_heartbeat_does_not_start_a_workers_own_job_again(database, context, monkeypatch):
    monkeypatch.setattr("refdesk.jobs.worker.HEARTBEAT_S", 0.1)
    async with database.transaction() as session:
        await enqueue(session, "test-watched")
    await run_worker(context, concurrency=2, until_idle=True)
    assert done == ["watched"]


async def test_an_unknown_kind_of_job_is_refused(database):
    async with database.transaction() as session:
        with pytest.raises(ValueError, match="no kind of job"):
            await enqueue(session, "no-such-job")
