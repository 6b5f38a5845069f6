"""Fallback policies over HTTP: kept, checked, tried without a call, and what people see when they apply."""

import asyncio
import json
from typing import Any

import pytest
from tests.http.asking import QUESTION, RESET, answered, make_base
from tests.http.world import World, ok, problem

from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import ScriptedModel, scripted_model

POLICIES = "/api/v1/fallback-policies"
DOWN = script.error(503, "overloaded")


@pytest.fixture
async def primary():
    async with scripted_model() as running:
        yield running


@pytest.fixture
async def backup():
    async with scripted_model() as running:
        running.always(script.answer("Hold the reset button for 10 seconds [1]."))
        yield running


async def connect(world: World, server: ScriptedModel, **more: Any) -> dict[str, Any]:
    draft = {"kind": "LLM", "name": world.new_name("m"), "model_name": "m", "base_url": server.base_url}
    made: dict[str, Any] = ok(await world.owner.post("/api/v1/models", json=draft | more))
    return made


def switch(
    target: str, condition: str = "response_code == 503 || latency > 5000", **more: Any
) -> dict[str, Any]:
    return {"condition": condition, "action": "switch_to_model", "target_model_id": target} | more


async def policy(world: World, *rules: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = ok(
        await world.owner.post(POLICIES, json={"policy_id": world.new_name("p"), "rules": list(rules)})
    )
    return made


async def assign(world: World, model: dict[str, Any], policy_id: str | None) -> Any:
    return await world.owner.patch(f"/api/v1/models/{model['id']}", json={"fallback_policy_id": policy_id})


async def test_a_policy_is_kept_with_targets_by_name_and_shown_with_who_uses_it(world, primary, backup):
    first, second = await connect(world, primary), await connect(world, backup)
    made = await policy(world, switch(second["name"], retry_times=2))
    assert made["rules"][0]["target_model_id"] == second["id"]
    assert ok(await assign(world, first, made["id"]))["fallback_policy_id"] == made["id"]
    shown = ok(await world.owner.get(f"{POLICIES}/{made['id']}"))
    assert shown["models"] == [{"id": first["id"], "name": first["name"]}]
    assert shown["targets"] == [{"id": second["id"], "name": second["name"]}]
    problem(await world.owner.delete(f"{POLICIES}/{made['id']}"), 409, "policy-in-use")


async def test_what_cannot_be_kept_says_which_rule_and_why(world, primary):
    model = await connect(world, primary)
    unknown = {"policy_id": "x", "rules": [switch("no-such-model")]}
    told = problem(await world.owner.post(POLICIES, json=unknown), 422, "policy-invalid")
    assert told["title"] == "Rule 1: There is no model no-such-model in this workspace."
    wrong = {"policy_id": "x", "rules": [switch(model["id"], "respons_code == 503")]}
    told = problem(await world.owner.post(POLICIES, json=wrong), 422, "condition-invalid")
    assert "there is no variable or function respons_code" in told["title"]
    checked = ok(
        await world.owner.post(f"{POLICIES}/check", json={"rules": unknown["rules"] + wrong["rules"]})
    )
    assert [(fault["rule"], fault["code"]) for fault in checked["faults"]] == [
        (1, "policy-invalid"),
        (2, "condition-invalid"),
    ]
    assert "response_code" in checked["variables"]


async def test_models_cannot_fall_back_in_a_circle_or_to_themselves(world, primary, backup):
    first, second = await connect(world, primary), await connect(world, backup)
    to_second, to_first = await policy(world, switch(second["id"])), await policy(world, switch(first["id"]))
    ok(await assign(world, first, to_second["id"]))
    told = problem(await assign(world, second, to_first["id"]), 422, "policy-invalid")
    assert "in a circle" in told["title"]
    told = problem(await assign(world, second, to_second["id"]), 422, "policy-invalid")
    assert "to itself" in told["title"]
    change = {"rules": [switch(first["id"])]}
    problem(await world.owner.patch(f"{POLICIES}/{to_second['id']}", json=change), 422, "policy-invalid")


async def test_a_policy_of_another_kind_of_model_is_refused(world, primary):
    model = await connect(world, primary)
    made = await policy(world, switch(model["id"]))
    embedder = ok(await world.owner.get("/api/v1/models", params={"kind": "EMBEDDING"}))["items"][0]
    problem(await assign(world, embedder, made["id"]), 409, "embedded-model-fixed")


async def test_a_model_that_others_fall_back_to_cannot_be_removed(world, primary, backup):
    target = await connect(world, backup)
    made = await policy(world, switch(target["name"]))
    path = f"/api/v1/models/{target['id']}"
    refused = problem(await world.owner.delete(path), 409, "model-in-use")
    assert refused["title"] == f"Fallback policies switch to this model: {made['policy_id']}."
    assert refused["hint"] == "Let those policies switch to another model first."
    ok(await world.owner.delete(f"{POLICIES}/{made['id']}"))
    ok(await world.owner.delete(path))


async def test_changes_are_in_the_record_with_before_and_after(world, primary, backup):
    first, second = await connect(world, primary), await connect(world, backup)
    made = await policy(world, switch(second["id"]))
    ok(await world.owner.patch(f"{POLICIES}/{made['id']}", json={"description": "Nights and weekends"}))
    ok(await assign(world, first, made["id"]))
    events = ok(await world.owner.get("/api/v1/audit"))["items"]
    changed = next(one for one in events if one["action"] == "fallback-policy.change")
    assert changed["details"]["before"]["description"] == ""
    assert changed["details"]["after"]["description"] == "Nights and weekends"
    model = next(one for one in events if one["action"] == "model.change")
    assert model["details"]["before"] == {"fallback_policy_id": None}
    assert model["details"]["after"] == {"fallback_policy_id": made["id"]}


async def dry_run(world: World, model: dict[str, Any], **happening: Any) -> Any:
    body = {"model_id": model["id"], "happening": happening}
    return ok(await world.owner.post(f"{POLICIES}/dry-run", json=body))


async def test_a_dry_run_shows_each_step_of_what_would_happen(world, primary, backup):
    first, second = await connect(world, primary), await connect(world, backup)
    made = await policy(
        world,
        switch(second["id"], retry_times=2),
        {"condition": 'error == "model-context-exceeded"', "action": "reject", "message": "问题太长。"},
    )
    ok(await assign(world, first, made["id"]))
    down = await dry_run(world, first, response_code=503)
    assert [step["next"] for step in down["steps"]] == ["again", "again", "switch", "answer"]
    assert down["steps"][0]["happened"] == "fails with 503 model-unavailable after 100 ms"
    assert down["answered_by"]["id"] == second["id"]
    slow = await dry_run(world, first, latency_ms=7000)
    assert slow["steps"][0]["happened"] == "has not begun after 5001 ms, which the policy allows"
    assert slow["ok"]
    long = await dry_run(world, first, response_code=400, error="model-context-exceeded")
    assert (long["ok"], long["code"], long["message"]) == (False, "model-call-rejected", "问题太长。")
    refused = await dry_run(world, first, response_code=401)
    assert refused["steps"][-1]["next"] == "give-up"
    assert "refused the key" in refused["message"]
    assert primary.requests == []


async def test_a_person_reads_that_another_model_answered(world, primary, backup):
    first, second = await connect(world, primary, is_default=True), await connect(world, backup)
    primary.always(DOWN)
    ok(await assign(world, first, (await policy(world, switch(second["id"])))["id"]))
    base = await make_base(world, RESET)
    run = await answered(world.viewer, question=QUESTION, knowledge_base_ids=[base["id"]])
    assert run["state"] == "finished"
    assert "Hold the reset button" in run["answer"]
    told = next(one for one in run["warnings"] if one["code"] == "model-switched")
    assert told["message"] == (
        f"The model {first['name']} did not answer (503 model-unavailable); {second['name']} did."
    )


async def test_the_health_board_tells_state_figure_and_probe(world, primary):
    primary.always(DOWN)
    model = await connect(world, primary, health_check={"path": "/health", "interval_ms": 3_600_000})
    found = ok(await world.owner.post(f"/api/v1/model-health/{model['id']}/probe"))
    assert found["finding"] == "failing"
    assert "says the server is not well" in found["message"]
    board = ok(await world.owner.get("/api/v1/model-health"))["items"]
    row = next(one for one in board if one["model"]["id"] == model["id"])
    assert row["last_probe"]["finding"] == "failing"
    assert row["failures_in_a_row"] >= 1
    plain = await connect(world, primary)
    problem(await world.owner.post(f"/api/v1/model-health/{plain['id']}/probe"), 422, "nothing-to-probe")


async def test_a_purpose_is_routed_and_released(world, primary, backup):
    usual, quotes = await connect(world, primary), await connect(world, backup)
    path = "/api/v1/purpose-routes/LLM/live quotes"
    ok(await world.owner.put(path, json={"model_id": usual["id"]}))
    ok(await world.owner.put(path, json={"model_id": quotes["id"]}))
    routes = ok(await world.owner.get("/api/v1/purpose-routes"))["items"]
    assert [(one["purpose"], one["model"]["id"]) for one in routes] == [("live quotes", quotes["id"])]
    ok(await world.owner.delete(path))
    problem(await world.owner.delete(path), 404, "purpose-route-not-found")


async def test_an_application_is_served_by_the_model_of_the_purpose_it_names(world, primary, backup):
    usual, checked = await connect(world, primary, is_default=True), await connect(world, backup)
    primary.always(script.answer("The usual model: hold the reset button [1]."))
    base = await make_base(world, RESET)
    body = {"name": world.new_name("Desk"), "knowledge_base_ids": [base["id"]]}
    desk = ok(await world.editor.post("/api/v1/applications", json=body))
    settings = {"settings": {"purpose": " 合规检查 "}}
    desk = ok(await world.editor.patch(f"/api/v1/applications/{desk['id']}", json=settings))
    assert desk["settings"]["purpose"] == "合规检查"
    path = "/api/v1/purpose-routes/LLM/合规检查"
    ok(await world.owner.put(path, json={"model_id": checked["id"]}))
    run = await answered(world.viewer, application_id=desk["id"], question=QUESTION)
    assert run["model_id"] == checked["id"]
    ok(await world.owner.delete(path))  # nobody serves the purpose: the workspace's default does
    run = await answered(world.viewer, application_id=desk["id"], question=QUESTION)
    assert run["model_id"] == usual["id"]
    ok(await world.owner.delete(f"/api/v1/models/{usual['id']}"))


async def test_many_who_set_one_purpose_at_once_all_succeed(world, primary):
    model = await connect(world, primary)
    path, draft = "/api/v1/purpose-routes/LLM/at once", {"model_id": model["id"]}
    for answer in await asyncio.gather(*(world.owner.put(path, json=draft) for _ in range(6))):
        ok(answer)
    left = await asyncio.gather(*(world.owner.delete(path) for _ in range(3)))
    assert sorted(answer.status_code for answer in left) == [204, 404, 404]


async def test_a_purpose_without_a_name_is_refused(world, primary):
    model = await connect(world, primary)
    for name in ("%20", "%20live", "a%0Ab"):
        draft = {"model_id": model["id"]}
        problem(await world.owner.put(f"/api/v1/purpose-routes/LLM/{name}", json=draft), 422, "invalid")


async def test_what_a_model_can_do_is_set_by_hand_and_shown_whole(world, primary):
    model = await connect(world, primary, capabilities={"supports_streaming": False})
    assert model["capabilities"]["supports_streaming"] is False
    assert model["abilities"]["tool_calling_supported"] is True
    assert model["abilities"]["max_context_length"] == 8192
    change = {"capabilities": {"max_context_length": 2048}}
    changed = ok(await world.owner.patch(f"/api/v1/models/{model['id']}", json=change))
    assert changed["abilities"]["max_context_length"] == 2048
    assert changed["abilities"]["supports_streaming"] is True


async def completion(world: World, model: str, text: str, **more: Any) -> Any:
    body = {"model": model, "messages": [{"role": "user", "content": text}]} | more
    return await world.viewer.post("/v1/chat/completions", json=body)


async def test_a_chat_model_is_asked_by_itself_by_id_or_name(world, primary):
    primary.always(script.answer("I am the model."))
    model = await connect(world, primary)
    for name in (model["id"], model["name"]):
        told = ok(await completion(world, name, "Who are you?"))
        assert told["choices"][0]["message"]["content"] == "I am the model."
        assert told["usage"]["total_tokens"] == 15
    streamed = await completion(world, model["id"], "Who are you?", stream=True)
    assert (
        "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks(streamed.text))
        == "I am the model."
    )
    assert streamed.text.rstrip().endswith("data: [DONE]")
    listed = ok(await world.viewer.get("/v1/models"))["data"]
    assert model["name"] in [card["id"] for card in listed]


def chunks(text: str) -> list[Any]:
    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: {")]
    return [json.loads(line) for line in lines]


async def test_an_answer_of_a_smaller_backup_says_so_in_its_header(world, primary, backup):
    primary.always(DOWN)
    first = await connect(world, primary)
    second = await connect(world, backup, capabilities={"max_context_length": 2048})
    ok(await assign(world, first, (await policy(world, switch(second["id"])))["id"]))
    long = "\n\n".join(["A paragraph of the manual. " * 20] * 60 + ["How do I reset the router?"])
    for stream in (False, True):
        answer = await completion(world, first["id"], long, stream=stream)
        assert answer.status_code == 200
        told = answer.headers["X-MCP-Warning"].split(", ")
        assert [one.partition("_to_")[0] for one in told] == ["model_switched", "context_truncated"]
        assert told[1] == "context_truncated_to_2048"


async def test_a_failure_before_the_first_token_has_its_own_status(world, primary):
    primary.always(DOWN)
    model = await connect(world, primary)
    answer = await completion(world, model["id"], "hello", stream=True)
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "model-unavailable"


async def test_a_bound_key_cannot_ask_a_model_by_itself(world, primary):
    model = await connect(world, primary)
    base = await make_base(world, RESET)
    key = await world.make_key(world.owner, "ask", resource={"kind": "knowledge_base", "id": base["id"]})
    body = {"model": model["id"], "messages": [{"role": "user", "content": "hello"}]}
    answer = await key.post("/v1/chat/completions", json=body)
    assert answer.status_code in (403, 404)
