"""The database goes away and comes back while a run is worked on: at each of its stages, and after."""

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.service.chat.doubles import Desk, FakeCompleter, names, text_of
from tests.service.chat.test_stages_with_tools import MIXED, ORDER, RETURNED, TOOLS, choosing

from refdesk import migrations
from refdesk.accounts import Scope
from refdesk.chat.errors import DatabaseUnavailable
from refdesk.chat.recorder import RunRecorder
from refdesk.kit.embedded_postgres import EmbeddedPostgres
from refdesk.kit.processes import is_alive

QUESTION = "How do I reset the router to factory settings?"
ANSWER = "Hold the reset button for 10 seconds [1]."


class Outage:
    """A PostgreSQL of this module's own, which can be stopped and started again at the same address."""

    def __init__(self, server: EmbeddedPostgres) -> None:
        self.server = server

    async def begin(self) -> None:
        pid = self.server.pid
        assert pid is not None
        os.kill(pid, signal.SIGINT)  # a fast shutdown: connections are cut
        async with asyncio.timeout(30):
            while self.server.is_running():  # noqa: ASYNC110 — a process has no event
                await asyncio.sleep(0.01)
        assert not is_alive(pid)

    async def end(self) -> None:
        if not self.server.is_running():
            await asyncio.to_thread(self.server.restart)


@pytest.fixture(scope="module")
def postgres() -> Iterator[EmbeddedPostgres]:
    folder = Path(tempfile.mkdtemp(prefix="refdesk-restarts-"))
    server = EmbeddedPostgres(folder, durable=False)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
async def database_url(postgres: EmbeddedPostgres) -> str:
    """In place of the test run's server, which other modules need."""
    await migrations.upgrade(postgres.url)
    return postgres.url


@pytest.fixture
async def outage(postgres: EmbeddedPostgres, desk: Desk) -> AsyncIterator[Outage]:
    made = Outage(postgres)
    yield made
    await made.end()


def stopping_at(outage: Outage, stage: str, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Stop the database as the stage begins, once; the event tells that it happened."""
    begin, happened = RunRecorder.stage, asyncio.Event()

    @asynccontextmanager
    async def stopping(self: RunRecorder, name: str) -> AsyncIterator[dict[str, Any]]:
        if name == stage and not happened.is_set():
            happened.set()
            await outage.begin()
        async with begin(self, name) as detail:
            yield detail

    monkeypatch.setattr(RunRecorder, "stage", stopping)
    return happened


async def finished(desk: Desk, scope: Scope, outage: Outage, happened: asyncio.Event, **asked: Any) -> Any:
    """The run that was caught by an outage of a second, as it is stored in the end."""
    run = await desk.ask(scope, asked.pop("question", QUESTION), **asked)
    await asyncio.wait_for(happened.wait(), 20)
    await asyncio.sleep(1.0)
    await outage.end()
    events = await desk.events(scope, run)
    assert names(events)[-1] == "run.finished"
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    return events


async def works(desk: Desk, scope: Scope) -> None:
    """Later runs are as before."""
    desk.connect(FakeCompleter(ANSWER))
    async with asyncio.timeout(30):
        run = await desk.answer(scope, QUESTION)
    assert (run["state"], run["answer"], run["warnings"]) == ("finished", ANSWER, [])
    assert desk.runs.active_runs <= 1


async def test_an_answer_being_written_is_finished_and_kept(desk: Desk, scope: Scope, outage: Outage) -> None:
    down, go_on = asyncio.Event(), asyncio.Event()
    desk.connect(FakeCompleter("Hold the reset ", down, go_on, "button for 10 seconds [1]."))
    run = await desk.ask(scope, QUESTION)
    followed = desk.runs.follow(scope, run.id)
    async for event in followed:
        if event.name == "delta":
            break
    await outage.begin()
    down.set()
    go_on.set()
    await asyncio.sleep(1.0)  # the answer is written and cannot be saved yet
    assert desk.runs.active_runs == 1
    await outage.end()
    async with asyncio.timeout(30):
        rest = [event async for event in followed]
    assert rest[-1].json()["state"] == "finished"
    again = await desk.events(scope, run)
    assert text_of(again) == ANSWER
    assert again[-1].json()["run"]["answer"] == ANSWER
    await works(desk, scope)


@pytest.mark.parametrize("stage", ["memory", "rewrite", "answer"])
async def test_a_stage_without_the_database_ends_in_an_answer_or_one_error(
    desk: Desk, scope: Scope, outage: Outage, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    desk.connect(FakeCompleter(ANSWER, completion=QUESTION))
    first = await desk.answer(scope, QUESTION)
    happened = stopping_at(outage, stage, monkeypatch)
    events = await finished(desk, scope, outage, happened, conversation_id=first["conversation_id"])
    run = events[-1].json()["run"]
    if stage == "answer":
        assert (run["state"], run["answer"]) == ("finished", ANSWER)
    else:  # the search finds no database either
        assert run["state"] == "failed"
        assert names(events).count("error") == 1
        assert run["error"]["code"] == "database-unavailable"
    await works(desk, scope)


async def test_a_search_without_the_database_leaves_what_a_tool_said(
    desk: Desk, scope: Scope, outage: Outage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer(_: Mapping[str, Any]) -> str:
        return RETURNED

    desk.tools.add("order_query", answer, parameters=ORDER, required=["return_id"], title="退货查询")
    chosen = choosing(order_query={"return_id": "RMA-20417"})
    desk.connect(FakeCompleter("已签收，待质检。", completion=chosen))
    happened = stopping_at(outage, "retrieve", monkeypatch)
    events = await finished(desk, scope, outage, happened, question=MIXED, overrides=TOOLS)
    run = events[-1].json()["run"]
    assert (run["state"], run["answer"]) == ("finished", "已签收，待质检。")
    assert "search-incomplete" in {warning["code"] for warning in run["warnings"]}
    assert "error" not in names(events)
    await works(desk, scope)


async def test_a_search_alone_without_the_database_is_one_clear_error(
    desk: Desk, scope: Scope, outage: Outage, monkeypatch: pytest.MonkeyPatch
) -> None:
    completer = desk.connect(FakeCompleter(ANSWER))
    happened = stopping_at(outage, "retrieve", monkeypatch)
    events = await finished(desk, scope, outage, happened)
    assert names(events).count("error") == 1
    assert events[-1].json()["run"]["error"]["code"] == "database-unavailable"
    assert completer.requests == []
    await works(desk, scope)


async def test_a_restart_between_two_stages_costs_nothing(
    desk: Desk, scope: Scope, outage: Outage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Connections of the pool are dead then; nobody may be told of it."""
    desk.connect(FakeCompleter(ANSWER))
    begin, restarted = RunRecorder.stage, asyncio.Event()

    @asynccontextmanager
    async def restarting(self: RunRecorder, name: str) -> AsyncIterator[dict[str, Any]]:
        if name == "retrieve" and not restarted.is_set():
            restarted.set()
            await outage.begin()
            await outage.end()
        async with begin(self, name) as detail:
            yield detail

    monkeypatch.setattr(RunRecorder, "stage", restarting)
    run = await desk.answer(scope, QUESTION)
    assert restarted.is_set()
    assert (run["state"], run["answer"], run["warnings"]) == ("finished", ANSWER, [])
    await works(desk, scope)


async def test_a_question_asked_meanwhile_is_refused_at_once(
    desk: Desk, scope: Scope, outage: Outage
) -> None:
    await outage.begin()
    with pytest.raises(DatabaseUnavailable):
        async with asyncio.timeout(10):
            await desk.ask(scope, QUESTION)
    assert desk.runs.active_runs == 0
    await outage.end()
    await works(desk, scope)
