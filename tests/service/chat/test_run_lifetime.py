"""A run outlives who asked: it is followed, resumed, cancelled and saved from any process."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import delete, select, update
from tests.service.chat.conftest import add_member
from tests.service.chat.doubles import Desk, FakeCompleter, eventually, names, text_of

from refdesk.accounts import Scope
from refdesk.chat.errors import RunNotFound, RunQueueFull
from refdesk.chat.tables import Conversation, Run, RunEvents
from refdesk.kit.clock import now
from refdesk.testing.library import Library

QUESTION = "How do I reset the router to factory settings?"


async def row(desk: Desk, run_id: Any) -> Run:
    async with desk.database.transaction() as session:
        found = await session.get(Run, run_id)
        assert found is not None
        return found


async def settled(desk: Desk, run_id: Any) -> Run:
    """The row once the run is over and its log written."""
    await eventually(lambda: run_id not in desk.runs._active)  # pyright: ignore[reportPrivateUsage]
    return await row(desk, run_id)


async def test_answer_is_saved_when_the_client_leaves(desk: Desk, scope: Scope) -> None:
    go_on = asyncio.Event()
    desk.connect(FakeCompleter("Hold the reset ", go_on, "button for 10 seconds [1]."))
    run = await desk.ask(scope, QUESTION)
    follower = desk.runs.follow(scope, run.id)
    async for event in follower:
        if event.name == "delta":
            break
    await follower.aclose()  # pyright: ignore[reportAttributeAccessIssue] — a generator
    go_on.set()
    saved = await settled(desk, run.id)
    assert (saved.state, saved.answer) == ("finished", "Hold the reset button for 10 seconds [1].")


async def test_the_first_event_is_there_when_the_question_is_accepted(desk: Desk, scope: Scope) -> None:
    desk.connect(FakeCompleter(30.0))
    run = await desk.ask(scope, QUESTION)
    async with asyncio.timeout(0.1):
        first = await anext(aiter(desk.runs.follow(scope, run.id)))
    assert first.name == "run.started"
    assert first.json() == {
        "run_id": str(run.id),
        "conversation_id": str(run.conversation_id),
        "question": QUESTION,
    }


async def test_a_listener_resumes_where_it_left_off(desk: Desk, scope: Scope) -> None:
    desk.connect(FakeCompleter("Hold ", 0.06, "the ", 0.06, "button."))
    run = await desk.ask(scope, QUESTION)
    everything = await desk.events(scope, run)
    for after in range(len(everything)):
        assert await desk.events(scope, run, after) == everything[after:]


async def test_another_process_follows_while_the_run_lives(desk: Desk, scope: Scope) -> None:
    desk.connect(FakeCompleter("Hold ", 0.5, "the ", 0.5, "button [1]."))
    other = await desk.another()
    run = await desk.ask(scope, QUESTION)
    there: list[Any] = []
    arrived_early = False
    async with asyncio.timeout(20):
        async for event in other.follow(scope, run.id):
            there.append(event)
            arrived_early |= event.name == "delta" and (await row(desk, run.id)).state == "running"
    assert names(there)[0] == "run.started"
    assert text_of(there) == "Hold the button [1]."
    assert [event.seq for event in there] == list(range(1, len(there) + 1))
    assert arrived_early


async def test_a_run_whose_log_is_gone_comes_as_a_snapshot(desk: Desk, scope: Scope) -> None:
    desk.connect(FakeCompleter("Hold the button [1]."))
    run = await desk.ask(scope, QUESTION)
    await settled(desk, run.id)
    async with desk.database.transaction() as session:
        await session.execute(delete(RunEvents).where(RunEvents.run_id == run.id))
    events = await desk.events(scope, run, 3)
    assert names(events) == ["snapshot", "run.finished"]
    snapshot = events[0].json()
    assert snapshot["answer"] == "Hold the button [1]."
    assert snapshot["state"] == "finished"
    assert snapshot["citations"][0]["n"] == 1


async def test_cancel_keeps_the_text_and_closes_the_models_stream(desk: Desk, scope: Scope) -> None:
    completer = desk.connect(FakeCompleter("Hold the ", 60.0, "button"))
    run = await desk.ask(scope, QUESTION)
    await eventually(lambda: completer.started.is_set())
    await asyncio.sleep(0.05)
    cancelled = await desk.runs.cancel(scope, run.id)
    assert completer.closed.is_set()
    assert (cancelled.state, cancelled.answer) == ("cancelled", "Hold the ")
    events = await desk.events(scope, run)
    assert events[-1].json()["state"] == "cancelled"


async def test_cancel_reaches_the_model_from_another_process(desk: Desk, scope: Scope) -> None:
    completer = desk.connect(FakeCompleter("Hold the ", 60.0))
    other = await desk.another()
    await asyncio.sleep(0.3)  # its LISTEN connection
    run = await desk.ask(scope, QUESTION)
    await asyncio.wait_for(completer.started.wait(), 5)
    await other.cancel(scope, run.id)
    await asyncio.wait_for(completer.closed.wait(), 5)
    events = await desk.events(scope, run)
    assert events[-1].json()["state"] == "cancelled"


async def test_a_cancel_that_comes_at_once_is_not_lost(desk: Desk, scope: Scope) -> None:
    desk.connect(FakeCompleter(60.0))
    run = await desk.ask(scope, QUESTION)
    assert (await desk.runs.cancel(scope, run.id)).state == "cancelled"


async def test_cancelling_what_is_over_changes_nothing(desk: Desk, scope: Scope) -> None:
    desk.connect(FakeCompleter("Hold."))
    run = await desk.ask(scope, QUESTION)
    await desk.events(scope, run)
    assert (await desk.runs.cancel(scope, run.id)).state == "finished"


async def test_shutdown_ends_runs_as_interrupted_with_their_text(desk: Desk, scope: Scope) -> None:
    completer = desk.connect(FakeCompleter("Hold the ", 60.0))
    process = await desk.another()
    here, desk.runs = desk.runs, process
    run = await desk.ask(scope, QUESTION)
    await asyncio.wait_for(completer.started.wait(), 5)
    await asyncio.sleep(0.05)
    await process.stop()
    desk.runs = here
    saved = await row(desk, run.id)
    assert (saved.state, saved.answer) == ("interrupted", "Hold the ")
    events = await desk.events(scope, run)
    assert names(events)[-1] == "run.finished"
    assert text_of(events) == "Hold the "


async def test_a_lapsed_lease_ends_the_run_with_the_text_of_its_log(desk: Desk, scope: Scope) -> None:
    completer = desk.connect(FakeCompleter("Hold the button [1]", 60.0))
    dying = await desk.another()
    here, desk.runs = desk.runs, dying
    run = await desk.ask(scope, QUESTION)
    desk.runs = here
    await asyncio.wait_for(completer.started.wait(), 5)
    await asyncio.sleep(0.5)  # one batch of the log
    async with desk.database.transaction() as session:
        lapsed = now() - timedelta(seconds=1)
        await session.execute(update(Run).where(Run.id == run.id).values(lease_expires_at=lapsed))
    await here._sweep()  # pyright: ignore[reportPrivateUsage]
    saved = await row(desk, run.id)
    assert saved.state == "interrupted"
    assert saved.answer == "Hold the button"
    assert [stage["state"] for stage in saved.stages if stage["name"] == "retrieve"] == ["finished"]
    assert saved.retrieval["hits"]
    events = await desk.events(scope, run)
    assert events[-1].json()["state"] == "interrupted"
    # The process that lost it notices and ends its model call.
    await dying._renew()  # pyright: ignore[reportPrivateUsage]
    await asyncio.wait_for(completer.closed.wait(), 5)
    assert (await row(desk, run.id)).state == "interrupted"


async def test_leases_are_renewed(desk: Desk, scope: Scope) -> None:
    desk.connect(FakeCompleter(60.0))
    run = await desk.ask(scope, QUESTION)
    before = (await row(desk, run.id)).lease_expires_at
    await asyncio.sleep(0.02)
    await desk.runs._renew()  # pyright: ignore[reportPrivateUsage]
    after = (await row(desk, run.id)).lease_expires_at
    assert before is not None
    assert after is not None
    assert after > before


async def test_waiting_runs_are_told_their_place_and_answered_in_turn(desk: Desk, scope: Scope) -> None:
    go_on = asyncio.Event()
    desk.connect(FakeCompleter(go_on, "Hold."))
    desk.runs = await desk.another(run_concurrency=1, run_queue_length=2)
    first = await desk.ask(scope, QUESTION)
    waiting = [await desk.ask(scope, QUESTION) for _ in range(2)]
    assert [run.state for run in waiting] == ["queued", "queued"]
    with pytest.raises(RunQueueFull):
        await desk.ask(scope, QUESTION)
    go_on.set()
    for place, run in enumerate(waiting, 1):
        events = await desk.events(scope, run)
        positions = [event.json()["position"] for event in events if event.name == "queue"]
        assert positions[0] == place
        assert events[-1].json()["state"] == "finished"
    assert (await desk.events(scope, first))[-1].json()["state"] == "finished"


async def test_a_waiting_run_can_be_cancelled(desk: Desk, scope: Scope) -> None:
    go_on = asyncio.Event()
    desk.connect(FakeCompleter(go_on, "Hold."))
    desk.runs = await desk.another(run_concurrency=1)
    first, second, third = [await desk.ask(scope, QUESTION) for _ in range(3)]
    assert (await desk.runs.cancel(scope, second.id)).state == "cancelled"
    go_on.set()
    for run in (first, third):
        assert (await desk.events(scope, run))[-1].json()["state"] == "finished"


async def test_a_run_that_takes_too_long_is_ended(desk: Desk, scope: Scope) -> None:
    desk.connect(FakeCompleter("Hold ", 60.0))
    desk.runs = await desk.another(run_timeout_s=1.5)
    events = await desk.events(scope, await desk.ask(scope, QUESTION))
    run = events[-1].json()["run"]
    assert (run["state"], run["error"]["code"], run["answer"]) == ("failed", "run-timeout", "Hold ")


async def test_deleting_the_conversation_ends_its_run(desk: Desk, scope: Scope) -> None:
    completer = desk.connect(FakeCompleter("Hold ", 0.4, "the ", 60.0))
    run = await desk.ask(scope, QUESTION)
    await asyncio.wait_for(completer.started.wait(), 5)
    async with desk.database.transaction() as session:
        await session.execute(delete(Conversation).where(Conversation.id == run.conversation_id))
    await asyncio.wait_for(completer.closed.wait(), 5)
    async with desk.database.transaction() as session:
        assert (await session.scalars(select(Run.id).where(Run.id == run.id))).all() == []


async def test_a_run_is_its_owners_alone(desk: Desk, scope: Scope, library: Library) -> None:
    desk.connect(FakeCompleter("Hold."))
    run = await desk.ask(scope, QUESTION)
    colleague = await add_member(library)
    for act in (desk.runs.cancel(colleague, run.id), desk.runs.frames(colleague, run.id)):
        with pytest.raises(RunNotFound):
            await act


async def test_a_fast_model_makes_few_events(desk: Desk, scope: Scope) -> None:
    desk.connect(FakeCompleter(*["x "] * 500))
    events = await desk.events(scope, await desk.ask(scope, QUESTION))
    assert text_of(events) == "x " * 500
    assert names(events).count("delta") < 30
