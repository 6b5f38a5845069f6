"""The log of runs when a write fails or its acknowledgement is lost; what is shown of a run and to whom."""

import asyncio
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import DBAPIError
from tests.service.chat.doubles import Desk, FakeCompleter, eventually

from refdesk.accounts import Scope
from refdesk.chat import leases
from refdesk.chat.events import RunEvent
from refdesk.chat.journal import RunJournal
from refdesk.chat.log_writer import LogWriter
from refdesk.chat.repository import RunRepository
from refdesk.chat.service import ConversationService, RunService
from refdesk.chat.tables import Run

QUESTION = "How do I reset the router to factory settings?"


async def owned_run(desk: Desk, scope: Scope) -> UUID:
    """A finished run whose log is empty and belongs to "tester"."""
    run = await desk.ask(scope, QUESTION)
    await desk.events(scope, run)
    await eventually(lambda: run.id not in desk.runs._active)  # pyright: ignore[reportPrivateUsage]
    async with desk.database.transaction() as session:
        await session.execute(update(Run).where(Run.id == run.id).values(lease_owner="tester"))
    return run.id


async def logged(desk: Desk, scope: Scope, run_id: UUID, after: int) -> list[int]:
    async with desk.database.transaction() as session:
        return [event.seq for event in await RunRepository(session, scope).events(run_id, after)]


def events(first: int, last: int) -> list[RunEvent]:
    return [RunEvent(seq, "delta", b'{"text":"x"}') for seq in range(first, last + 1)]


async def test_a_batch_whose_acknowledgement_was_lost_is_written_once(desk: Desk, scope: Scope) -> None:
    run_id = await owned_run(desk, scope)
    for first, last in ((1001, 1003), (1001, 1003), (1001, 1005), (1004, 1006)):
        async with desk.database.transaction() as session:
            held = await leases.write_events(session, "tester", {run_id: events(first, last)})
        assert held == {run_id}
    assert await logged(desk, scope, run_id, 1000) == list(range(1001, 1007))


async def test_one_bad_run_does_not_block_the_log_of_others(desk: Desk, scope: Scope) -> None:
    bad, good = await owned_run(desk, scope), await owned_run(desk, scope)
    writer = LogWriter(desk.database, "tester", lambda run_id: None)
    journals = {run_id: RunJournal(run_id) for run_id in (bad, good)}
    for journal in journals.values():
        journal._last_seq = 1000  # pyright: ignore[reportPrivateUsage]
        writer.add(journal)
    journals[bad]._append("delta", b"no json")  # pyright: ignore[reportPrivateUsage]
    journals[good].emit("delta", {"text": "x"})
    with pytest.raises(DBAPIError):
        await writer.flush()
    assert await logged(desk, scope, good, 1000) == [1001]
    assert len(journals[bad].take_unwritten()) == 1


async def test_prompts_stay_in_the_row_and_threads_are_small(desk: Desk, scope: Scope) -> None:
    desk.connect(FakeCompleter("Hold the reset button for 10 seconds [1]."))
    run = await desk.ask(scope, QUESTION)
    told = b"".join(event.data for event in await desk.events(scope, run))
    async with desk.database.transaction() as session:
        stages = await session.scalar(select(Run.stages).where(Run.id == run.id))
        shown = await RunService(session, scope).get(run.id)
        thread = await ConversationService(session, scope).detail(run.conversation_id)
    recorded: Any = stages
    assert any("prompt" in stage["detail"] for stage in recorded)
    assert b'"prompt"' not in told
    assert all("prompt" not in stage.detail for stage in shown.stages)
    assert any(stage.detail for stage in shown.stages)
    assert not any(stage.detail for stage in thread.runs[0].stages)
    assert all(len(hit.text) <= 200 for hit in thread.runs[0].retrieval.hits)


async def test_a_cancelled_answer_is_marked_as_not_checked(desk: Desk, scope: Scope) -> None:
    completer = desk.connect(FakeCompleter("Hold the button. ", "It takes 99 hours ", 60.0))
    run = await desk.ask(scope, QUESTION)
    await asyncio.wait_for(completer.started.wait(), 5)
    await asyncio.sleep(0.05)
    cancelled = await desk.runs.cancel(scope, run.id)
    assert cancelled.answer
    assert {(s.supported, s.reason) for s in cancelled.sentences} == {(False, "not-checked")}


async def test_a_listener_that_is_no_longer_admitted_is_cut_off(
    desk: Desk, scope: Scope, monkeypatch: Any
) -> None:
    monkeypatch.setattr("refdesk.kit.sse.HEARTBEAT_INTERVAL_S", 0.1)
    desk.connect(FakeCompleter("Hold ", 60.0))
    run = await desk.ask(scope, QUESTION)
    answers = iter([True, False])

    async def admitted() -> bool:
        return next(answers)

    async with asyncio.timeout(10):
        frames = [frame async for frame in await desk.runs.frames(scope, run.id, admitted=admitted)]
    assert b"run.started" in frames[0]
    assert not any(b"run.finished" in frame for frame in frames)
