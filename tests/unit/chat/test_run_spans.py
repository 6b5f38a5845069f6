"""Stages and their parts: nesting by where code runs, times, tokens, secrets."""

import asyncio
from uuid import uuid4

import pytest

from refdesk.chat.journal import RunJournal
from refdesk.chat.recorder import RunRecorder, shown_stage
from refdesk.chat.redaction import HIDDEN, redacted


def recorder() -> RunRecorder:
    return RunRecorder(RunJournal(uuid4()))


async def test_what_is_started_together_in_a_stage_becomes_its_overlapping_spans() -> None:
    trace = recorder()
    both = asyncio.Barrier(2)

    async def part(name: str, tokens: int) -> None:
        async with trace.span(name) as detail:
            await both.wait()
            trace.add_usage(tokens, 1)
            detail["name"] = name

    async with trace.stage("retrieve"), asyncio.TaskGroup() as group:
        group.create_task(part("channel:global", 10))
        group.create_task(part("tool:order_query", 20))
    async with trace.stage("answer"):
        trace.add_usage(100, 50)

    retrieve, answer = trace.stages
    first, second = retrieve["spans"]
    assert {first["name"], second["name"]} == {"channel:global", "tool:order_query"}
    assert second["started_ms"] < first["started_ms"] + first["elapsed_ms"]
    assert first["usage"] == {"input_tokens": 10, "output_tokens": 1}
    assert retrieve["usage"] == {"input_tokens": 30, "output_tokens": 2}
    assert answer["usage"] == {"input_tokens": 100, "output_tokens": 50}
    assert answer["started_ms"] >= retrieve["started_ms"] + retrieve["elapsed_ms"] - 0.02
    assert trace.usage == {"input_tokens": 130, "output_tokens": 52}
    assert "spans" not in shown_stage(retrieve)


async def test_a_run_asked_from_within_another_keeps_its_parts_to_itself() -> None:
    outer, inner = recorder(), recorder()
    async with outer.stage("retrieve"), inner.stage("memory"):
        inner.add_usage(5, 5)
    assert "usage" not in outer.stages[0]
    assert [stage["name"] for stage in inner.stages] == ["memory"]
    assert "parent" not in inner.stages[0]


async def test_a_part_that_fails_says_with_what_and_the_rest_is_kept() -> None:
    trace = recorder()
    async with trace.stage("retrieve"):
        with pytest.raises(TimeoutError):
            async with trace.span("tool:slow"), asyncio.timeout(0.001):
                await asyncio.sleep(5)
        trace.skipped("rerank", "no reranker is chosen")
    slow, rerank = trace.stages[0]["spans"]
    assert (slow["state"], slow["error"]) == ("failed", "timeout")
    assert (rerank["state"], rerank["detail"]) == ("skipped", {"reason": "no reranker is chosen"})
    assert trace.stages[0]["state"] == "finished"


async def test_secrets_are_in_no_event_and_in_no_record() -> None:
    trace = recorder()
    async with trace.stage("retrieve"), trace.span("tool:pay") as detail:
        detail["arguments"] = {"order": "A-1", "api_key": "hunter2hunter2"}
        trace.tool_call({"id": "1", "tool": "pay", "title": "Pay", "arguments": detail["arguments"]})
        text = "sent with Authorization: Bearer abcdef1234567890"
        trace.tool_result({"id": "1", "tool": "pay", "ok": True, "text": text, "fault": None})
    trace.form({"kind": "approval", "call": {"tool": "pay", "arguments": {"password": "hunter2hunter2"}}})
    call = trace.stages[0]["spans"][0]["spans"][0]
    assert (call["name"], call["state"]) == ("tool:pay", "finished")
    assert call["detail"]["arguments"] == {"order": "A-1", "api_key": HIDDEN}
    told = b"".join(event.data for event in trace.journal.since(0))
    assert b"hunter2" not in told
    assert b"abcdef1234567890" not in told
    assert "hunter2" not in str(trace.stages)
    assert "hunter2" not in str(trace.form_asked)


def test_redaction_leaves_what_is_no_secret() -> None:
    kept = {"max_tokens": 5, "tokens": 7, "note": "the token is in the drawer", "order_id": "RD-2026-0042"}
    assert redacted(kept) == kept
    assert redacted({"headers": [{"X-Api-Key": "abc"}], "密码": "abc"}) == {
        "headers": [{"X-Api-Key": HIDDEN}],
        "密码": HIDDEN,
    }
