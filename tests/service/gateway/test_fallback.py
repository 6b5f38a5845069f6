"""What follows a failure: rules of policies over real HTTP, before and after the first token."""

import asyncio
import time

import pytest
import structlog
from tests.service.gateway.routed import QUESTION, listen, routed_workspace, switch

from refdesk.gateway import (
    CompletionRequest,
    Message,
    ModelInterrupted,
    ModelQuota,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    Purpose,
    ToolSpec,
)
from refdesk.gateway.routing.errors import ModelCallRejected, ModelLacksCapability
from refdesk.kit.settings import Settings
from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import scripted_model

DOWN = script.error(503, "overloaded")


@pytest.fixture
async def world(database, tmp_path):
    async with routed_workspace(database, tmp_path) as made:
        yield made


@pytest.fixture
async def primary():
    async with scripted_model() as running:
        yield running


@pytest.fixture
async def backup():
    async with scripted_model() as running:
        running.always(script.answer("From the backup."))
        yield running


async def with_policy(world, primary, backup, *rules, backup_members=None, **members):
    """A primary whose policy has these rules; `TARGET` in a rule is the backup."""
    backup_id = await world.model(backup.base_url, "backup", **(backup_members or {}))
    ready = [
        rule | {"target_model_id": str(backup_id)} if rule.get("target_model_id") == "TARGET" else rule
        for rule in rules
    ]
    policy_id = await world.policy(*ready)
    return await world.model(primary.base_url, fallback_policy_id=policy_id, **members)


async def test_without_a_policy_the_failure_is_the_answer(world, primary):
    primary.always(DOWN)
    model_id = await world.model(primary.base_url)
    heard = await listen(world.gateway(), world.scope, model_id)
    assert isinstance(heard.error, ModelUnavailable)
    assert heard.notices == []


async def test_three_503_in_a_row_switch_to_the_backup(world, primary, backup):
    primary.always(DOWN)
    model_id = await with_policy(
        world, primary, backup, switch("TARGET", "response_code == 503 || latency > 5000", retry_times=2)
    )
    heard = await listen(world.gateway(), world.scope, model_id)
    assert heard.text == "From the backup."
    assert len(primary.requests) == 3
    assert heard.codes == ["retried", "retried", "model-switched"]
    assert heard.notices[-1].detail["reason"] == "503 model-unavailable"


async def test_a_slow_first_token_switches_within_the_limit(world, primary, backup):
    primary.always(script.hang())
    model_id = await with_policy(
        world, primary, backup, switch("TARGET", "response_code == 503 || latency > 200")
    )
    started = time.perf_counter()
    heard = await listen(world.gateway(), world.scope, model_id)
    assert heard.text == "From the backup."
    assert 0.2 <= time.perf_counter() - started < 1.5
    assert heard.codes == ["model-switched"]


async def test_a_late_answer_is_better_than_none_where_nothing_else_is_left(world, primary, backup):
    async def late(request, send):
        await asyncio.sleep(0.4)
        await script.answer("Late, but here.")(request, send)

    primary.always(DOWN)
    backup.always(late)
    rule = switch("TARGET", "response_code == 503 || latency > 100")
    model_id = await with_policy(world, primary, backup, rule)
    heard = await listen(world.gateway(), world.scope, model_id)
    assert heard.text == "Late, but here."


async def test_a_wait_that_no_rule_is_about_is_borne(world, primary, backup):
    primary.always(script.events([script.delta("late"), script.delta(finish="stop")], delay_s=0.0))
    model_id = await with_policy(world, primary, backup, switch("TARGET", 'error == "model-timeout"'))
    heard = await listen(world.gateway(), world.scope, model_id)
    assert (heard.text, heard.notices) == ("late", [])


async def test_an_answer_that_breaks_off_is_a_typed_error(world, primary, backup):
    primary.always(script.events([script.delta("word ")] * 20, break_off=True))
    model_id = await with_policy(world, primary, backup, switch("TARGET"))
    heard = await listen(world.gateway(), world.scope, model_id)
    assert isinstance(heard.error, ModelInterrupted)
    assert heard.text == "word " * 20


async def test_an_answer_that_breaks_off_begins_anew_where_that_is_allowed(world, primary, backup):
    primary.always(script.events([script.delta("word ")] * 20, break_off=True))
    model_id = await with_policy(world, primary, backup, switch("TARGET"))
    heard = await listen(world.gateway(), world.scope, model_id, purpose=Purpose("answer", may_restart=True))
    assert heard.error is None
    assert heard.text == "From the backup."
    assert heard.codes == ["restarted", "model-switched"]


async def test_out_of_memory_switches_like_a_503(world, primary, backup):
    primary.always(script.error(500, "CUDA out of memory. Tried to allocate 2.00 GiB"))
    model_id = await with_policy(world, primary, backup, switch("TARGET", "response_code == 503"))
    assert (await listen(world.gateway(), world.scope, model_id)).text == "From the backup."


async def test_429_waits_as_long_as_the_rule_and_the_vendor_say(world, primary, backup):
    primary.then(script.error(429, "slow down", headers={"Retry-After": "0.3"}))
    model_id = await with_policy(
        world,
        primary,
        backup,
        {"condition": "response_code == 429", "action": "rate_limit", "delay_ms": 50},
    )
    started = time.perf_counter()
    heard = await listen(world.gateway(), world.scope, model_id)
    assert heard.error is None
    assert time.perf_counter() - started >= 0.3
    assert heard.codes == ["retried"]


async def test_a_retry_waits_longer_each_time_and_then_gives_up(world, primary, backup):
    primary.always(DOWN)
    rule = {"condition": "response_code == 503", "action": "retry", "retry_times": 2, "backoff_ms": 40}
    model_id = await with_policy(world, primary, backup, rule, health_check={"failure_threshold": 50})
    started = time.perf_counter()
    heard = await listen(world.gateway(), world.scope, model_id)
    assert isinstance(heard.error, ModelUnavailable)
    assert len(primary.requests) == 3
    assert time.perf_counter() - started >= 0.04 + 0.08


async def test_a_rule_refuses_with_its_own_message(world, primary, backup):
    primary.always(script.error(402, "insufficient_quota"))
    rule = {
        "condition": 'error == "model-quota"',
        "action": "reject",
        "message": "本月额度已用完，请联系管理员。",
    }
    model_id = await with_policy(world, primary, backup, rule)
    heard = await listen(world.gateway(), world.scope, model_id)
    assert isinstance(heard.error, ModelCallRejected)
    assert heard.error.text == "本月额度已用完，请联系管理员。"
    assert isinstance(heard.error.__cause__, ModelQuota)


async def test_a_chain_of_switches_goes_on_where_a_backup_fails_too(world, primary, backup):
    primary.always(DOWN)
    async with scripted_model() as second:
        second.always(script.error(500, "broken"))
        second_id = await world.model(second.base_url, "second")
        model_id = await with_policy(
            world,
            primary,
            backup,
            switch(second_id, "response_code >= 500"),
            switch("TARGET", "response_code >= 500"),
        )
        heard = await listen(world.gateway(), world.scope, model_id)
        assert heard.text == "From the backup."
        assert heard.codes == ["model-switched", "model-switched"]
        assert len(second.requests) == 1


async def test_a_callers_own_fault_is_not_sent_elsewhere(world, primary, backup):
    primary.always(script.error(400, "messages: field required"))
    model_id = await with_policy(world, primary, backup, switch("TARGET"))
    heard = await listen(world.gateway(), world.scope, model_id)
    assert isinstance(heard.error, ModelRefused)
    assert backup.requests == []


async def test_a_demand_that_cannot_be_met_is_refused_before_the_call(world, primary):
    model_id = await world.model(primary.base_url, capabilities={"tool_calling_supported": False})
    request = CompletionRequest([Message("user", "hi")], tools=[ToolSpec("f", "", {"type": "object"})])
    heard = await listen(world.gateway(), world.scope, model_id, request)
    assert isinstance(heard.error, ModelLacksCapability)
    assert "tool_calling_supported" in heard.error.text
    assert primary.requests == []


async def test_a_demand_that_cannot_be_met_goes_to_a_model_that_can(world, primary, backup):
    model_id = await with_policy(
        world,
        primary,
        backup,
        switch("TARGET", 'error == "model-lacks-capability"'),
        capabilities={"tool_calling_supported": False},
    )
    request = CompletionRequest([Message("user", "hi")], tools=[ToolSpec("f", "", {"type": "object"})])
    heard = await listen(world.gateway(), world.scope, model_id, request)
    assert heard.text == "From the backup."
    assert primary.requests == []


async def test_an_input_that_is_surely_too_long_is_refused_with_both_lengths(world, primary):
    model_id = await world.model(primary.base_url, capabilities={"max_context_length": 100})
    request = CompletionRequest([Message("user", "很长的问题" * 100)])
    heard = await listen(world.gateway(), world.scope, model_id, request)
    assert isinstance(heard.error, ModelLacksCapability)
    assert "100 tokens" in heard.error.text
    assert "at least 250" in heard.error.text


async def test_a_model_that_cannot_stream_answers_in_one_part(world, primary):
    primary.always(script.answer("All at once."))
    model_id = await world.model(primary.base_url, capabilities={"supports_streaming": False})
    heard = await listen(world.gateway(), world.scope, model_id)
    assert heard.text == "All at once."
    assert "stream" not in primary.requests[0].body


async def test_a_backup_with_a_smaller_context_gets_whole_messages_and_paragraphs(world, primary, backup):
    primary.always(DOWN)
    model_id = await with_policy(
        world,
        primary,
        backup,
        switch("TARGET"),
        backup_members={"capabilities": {"max_context_length": 2048}},
    )
    paragraphs = [f"Paragraph {n} " + "with words " * 60 for n in range(30)]
    request = CompletionRequest(
        [
            Message("system", "Answer from the sources."),
            Message("user", "old question"),
            Message("assistant", "old answer"),
            Message("user", "\n\n".join([*paragraphs, "How long is the warranty?"])),
        ]
    )
    heard = await listen(world.gateway(), world.scope, model_id, request)
    assert heard.codes == ["model-switched", "context-truncated"]
    assert heard.notices[-1].detail["tokens"] == 2048
    sent = backup.requests[0].body["messages"]
    assert [message["role"] for message in sent] == ["system", "user"]
    kept = sent[1]["content"].split("\n\n")
    assert kept[-1] == "How long is the warranty?"
    assert kept[:-1] == paragraphs[: len(kept) - 1]
    assert 0 < len(kept) - 1 < 30


async def test_a_whole_answer_tells_its_notices(world, primary, backup):
    primary.always(DOWN)
    model_id = await with_policy(world, primary, backup, switch("TARGET"))
    completion = await (await world.gateway().completer(world.scope, model_id)).complete(QUESTION)
    assert completion.text == "From the backup."
    assert [notice.code for notice in completion.notices] == ["model-switched"]


async def test_embeddings_and_rerankings_fall_back_too(world, primary, backup):
    primary.always(DOWN)
    kinds = {"kind": "EMBEDDING", "model_name": "same", "dimensions": 64}
    backup.always(script.embeddings(script.hashed_vector))
    model_id = await with_policy(world, primary, backup, switch("TARGET"), backup_members=kinds, **kinds)
    purpose = Purpose("search", request_id="req-8")
    embedder = await world.gateway().embedder(world.scope, model_id, purpose)
    assert (await embedder.embed_queries(["warranty"])).shape == (1, 64)
    assert [server.requests[0].headers.get("x-request-id") for server in (primary, backup)] == ["req-8"] * 2
    assert len(primary.requests) == 1, "the policy decides at the first failure"


async def test_the_request_id_arrives_at_every_model(world, primary, backup):
    primary.always(DOWN)
    model_id = await with_policy(world, primary, backup, switch("TARGET"))
    await listen(world.gateway(), world.scope, model_id, purpose=Purpose("answer", request_id="req-7"))
    assert [server.requests[0].headers.get("x-request-id") for server in (primary, backup)] == ["req-7"] * 2


async def test_every_log_line_of_a_call_has_its_request_id_and_model(world, primary, backup):
    primary.always(DOWN)
    model_id = await with_policy(world, primary, backup, switch("TARGET", retry_times=2))
    with structlog.testing.capture_logs() as lines:
        await listen(world.gateway(), world.scope, model_id, purpose=Purpose("answer", request_id="req-9"))
    told = [line for line in lines if line["event"].startswith(("model.", "routing.breaker"))]
    assert [line["event"] for line in told].count("model.attempt-failed") == 3
    assert {line["event"] for line in told} == {"model.attempt-failed", "routing.breaker", "model.call"}
    assert all(line["request_id"] == "req-9" and line["model_id"] for line in told)


async def test_a_full_queue_sends_the_call_elsewhere(world, primary, backup, tmp_path):
    world.settings = Settings(data_dir=tmp_path, model_queue_timeout_s=0.3)
    primary.always(script.events([script.delta("slow ")] * 40, delay_s=0.05))
    rule = switch("TARGET", 'error == "model-queue-timeout"')
    model_id = await with_policy(world, primary, backup, rule, concurrency=1)
    gateway = world.gateway()
    first = asyncio.create_task(listen(gateway, world.scope, model_id))
    await asyncio.sleep(0.3)
    heard = await listen(gateway, world.scope, model_id)
    assert heard.text == "From the backup."
    assert heard.codes == ["queued", "model-switched"]
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)


async def test_a_timeout_names_its_limit(world, primary):
    primary.always(script.hang())
    model_id = await world.model(primary.base_url)
    request = CompletionRequest([Message("user", "hi")], timeout_s=0.2)
    heard = await listen(world.gateway(), world.scope, model_id, request)
    assert isinstance(heard.error, ModelTimeout)
    assert heard.error.details["timeout_s"] == 0.2
