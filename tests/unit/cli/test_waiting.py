"""Waiting on the command line: what was begun is said at once, and the server is not asked too often."""

import asyncio
from typing import Any, cast

import pytest

from refdesk.cli import _indexing
from refdesk.cli._client import Client

BASE = "/api/v1/knowledge-bases/b/documents"


class Server:
    """Two documents of which one is ready after five questions; other documents of the base never are."""

    as_json = False
    in_process = False

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    async def all(self, path: str, **query: Any) -> list[Any]:
        assert path == BASE
        self.asked.append(query)
        states = {"one": "ready", "two": "indexing" if len(self.asked) < 5 else "failed", "other": "queued"}
        items = [
            {"id": key, "state": state, "progress_done": 0, "progress_total": 0}
            for key, state in states.items()
        ]
        return [item for item in items if "state" not in query or item["state"] in query["state"]]


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    pauses: list[float] = []

    async def at_once(delay: float) -> None:
        pauses.append(delay)

    monkeypatch.setattr(asyncio, "sleep", at_once)
    return pauses


async def test_only_what_is_unfinished_is_asked_for_and_less_and_less_often(
    slept: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    server = Server()
    found = await _indexing.wait_for(cast(Client, server), "b", ["one", "two"], show=True)
    assert [(item["id"], item["state"]) for item in found] == [("one", "ready"), ("two", "failed")]
    assert [bool(query) for query in server.asked] == [True] * 5 + [False]
    assert slept == sorted(slept)
    assert (slept[0], _indexing.LONGEST_POLL_S) == (0.5, 2.0)
    told = capsys.readouterr().err
    assert told.startswith("Indexing documents one, two. Ctrl-C ends the waiting only; the server goes on.")


async def test_pauses_grow_to_two_seconds(slept: list[float]) -> None:
    pace = _indexing.Pace()
    for _ in range(8):
        await pace.rest()
    assert slept[-1] == 2.0


async def test_nothing_is_said_where_only_the_result_is_wanted(
    slept: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    server = Server()
    server.as_json = True
    await _indexing.wait_for(cast(Client, server), "b", ["one", "two"], show=False)
    assert capsys.readouterr().err == ""


def test_lines_tell_only_what_is_new(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter((0.0, 1.0, 6.0, 6.0, 12.0, 18.0, 18.0))
    monkeypatch.setattr(_indexing.time, "monotonic", lambda: next(clock))
    lines = _indexing.Lines(True)
    for text in ("1 of 3", "2 of 3", "2 of 3", "3 of 3"):
        lines.tell(text)
    assert capsys.readouterr().err == "2 of 3\n3 of 3\n"
