"""Numbering, coalescing and delivery of a run's events; the line of waiting runs; event frames."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any
from uuid import UUID

import orjson
import pytest

from refdesk.chat.errors import RunQueueFull
from refdesk.chat.events import RunEvent, encode
from refdesk.chat.journal import RunJournal
from refdesk.chat.recorder import RunRecorder
from refdesk.chat.slots import RunSlots
from refdesk.chat.verification import unchecked
from refdesk.kit.ids import new_id
from refdesk.kit.sse import EventReader, EventStreamResponse, ServerSentEvent, frame, parse_event_id


def journal(**more: Any) -> RunJournal:
    return RunJournal(new_id(), **more)


async def test_the_first_text_goes_out_at_once_and_the_next_within_40_ms() -> None:
    log = journal()
    log.text("a")
    log.text("b")
    log.text("c")
    assert [event.json() for event in log.since(0)] == [{"text": "a"}]
    await asyncio.sleep(0.06)
    assert [event.json() for event in log.since(0)] == [{"text": "a"}, {"text": "bc"}]


async def test_other_events_keep_their_place_among_text() -> None:
    log = journal()
    log.text("a")
    log.text("b")
    log.emit("citation", {"n": 1})
    log.text("r", "reasoning")
    log.text("c")
    log.close()
    assert [event.name for event in log.since(0)] == ["delta", "delta", "citation", "reasoning", "delta"]
    assert [event.seq for event in log.since(0)] == [1, 2, 3, 4, 5]


async def test_a_cursor_older_than_what_is_kept_gets_a_snapshot() -> None:
    log = journal(kept=5)
    for n in range(30):
        log.emit("stage", {"n": n})
        log.text("x")
    (snapshot,) = log.since(1)
    assert snapshot.name == "snapshot"
    assert snapshot.json()["answer"] == "x" * 30
    assert log.since(snapshot.seq) == []
    log.emit("stage", {"n": 99})
    assert [event.json() for event in log.since(snapshot.seq)] == [{"n": 99}]


async def test_what_was_not_written_is_given_back_in_order() -> None:
    log = journal()
    log.emit("stage", {"n": 1})
    taken = log.take_unwritten()
    log.emit("stage", {"n": 2})
    log.give_back(taken)
    assert [event.seq for event in log.take_unwritten()] == [1, 2]


async def test_silence_gives_an_empty_batch() -> None:
    log = journal()
    async for batch in log.follow(0, patience_s=0.01):
        assert batch == []
        break


async def test_a_stage_that_fails_is_recorded_as_failed() -> None:
    recorder = RunRecorder(journal())

    async def fail() -> None:
        async with recorder.stage("retrieve") as detail:
            detail["query"] = "q"
            raise ValueError

    with pytest.raises(ValueError):
        await fail()
    assert recorder.stages[0]["state"] == "failed"
    assert recorder.stages[0]["detail"] == {"query": "q"}


@pytest.mark.parametrize("text", ["\x00", "a\x00b", "\ud800", "\\u0000", "plain", "中\x00文"])
def test_any_text_becomes_json_that_the_database_takes(text: str) -> None:
    encoded = encode({"text": text, "list": [text], text: 1})
    decoded = orjson.loads(encoded)
    assert "\x00" not in decoded["text"]
    if text == "\\u0000":
        assert decoded["text"] == text
    else:
        assert b"\\u0000" not in encoded


def test_frames_are_read_as_they_were_written() -> None:
    written = RunEvent(7, "delta", encode({"text": "一\n二"})).frame() + b": heartbeat\n\n"
    reader = EventReader()
    events = [event for line in written.decode().split("\n") for event in reader.feed(line)]
    assert events == [ServerSentEvent("delta", '{"text":"一\\n二"}', "7")]
    assert frame("x", b"{}") == b"event: x\ndata: {}\n\n"


@pytest.mark.parametrize(
    ("header", "expected"),
    [("5", 5), (None, 3), ("", 3), ("x", 3), ("-1", 3), ("9" * 40, 2**31 - 1), ("٣", 3)],
)
def test_event_ids(header: str | None, expected: int) -> None:
    assert parse_event_id(header, 3) == expected


async def test_a_stream_ends_its_source_when_the_client_leaves() -> None:
    closed = asyncio.Event()
    sent: list[Any] = []
    left = asyncio.Event()

    async def source() -> AsyncGenerator[bytes]:
        try:
            yield b"data: 1\n\n"
            await asyncio.Event().wait()
        finally:
            closed.set()

    async def receive() -> Any:
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)
        if len(sent) == 2:
            left.set()

    async with asyncio.timeout(2):
        await EventStreamResponse(source())({"type": "http"}, receive, send)
    assert closed.is_set()
    assert sent[1]["body"] == b"data: 1\n\n"
    headers = dict(sent[0]["headers"])
    assert headers[b"content-type"] == b"text/event-stream; charset=utf-8"
    assert b"content-length" not in headers


async def test_slots_go_in_turn_and_the_line_has_an_end() -> None:
    slots = RunSlots(1, 2)
    order: list[UUID] = []
    gate = asyncio.Event()

    async def work(log: RunJournal, *, reserved: bool) -> None:
        async with slots.slot(log, reserved=reserved):
            order.append(log.run_id)
            await gate.wait()

    logs = [journal() for _ in range(3)]
    tasks = [asyncio.create_task(work(log, reserved=slots.reserve())) for log in logs]
    await asyncio.sleep(0)
    assert [event.json() for event in logs[2].since(0)] == [{"position": 2}]
    with pytest.raises(RunQueueFull):
        slots.reserve()
    tasks[1].cancel()
    gate.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert order == [logs[0].run_id, logs[2].run_id]
    assert slots.reserve()


async def test_a_slot_is_taken_when_it_is_asked_for_and_can_be_given_back() -> None:
    slots = RunSlots(1, 1)
    first, second = slots.reserve(), slots.reserve()
    assert (first, second) == (True, False)
    with pytest.raises(RunQueueFull):
        slots.reserve()  # though neither of the two has been stored yet
    slots.give_back(reserved=second)
    assert slots.reserve() is False
    slots.give_back(reserved=False)
    slots.give_back(reserved=first)
    assert slots.reserve() is True


async def test_each_removed_citation_is_told_and_other_warnings_once() -> None:
    recorder = RunRecorder(journal())
    for number in (7, 8):
        recorder.warning("citation-removed", f"{number}", each=True)
        recorder.warning("answer-truncated", f"{number}")
    told = [event.json()["message"] for event in recorder.journal.since(0)]
    assert told == ["7", "7", "8"]


async def test_the_prompt_is_recorded_and_not_told() -> None:
    recorder = RunRecorder(journal())
    async with recorder.stage("answer") as detail:
        detail |= {"prompt": [{"role": "system", "content": "secret"}], "sources": 2}
    assert recorder.stages[0]["detail"]["prompt"][0]["content"] == "secret"
    events = recorder.journal.since(0)
    assert events[-1].json()["detail"] == {"sources": 2}
    assert all(b"secret" not in event.data for event in events)


def test_sentences_that_were_never_compared_say_so() -> None:
    found = unchecked("Hold the button. It takes 99 hours")
    assert [(s["supported"], s["reason"]) for s in found] == [(False, "not-checked")] * 2
