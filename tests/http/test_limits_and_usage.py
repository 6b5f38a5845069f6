"""Limits, prices, usage and caches over HTTP, from setting them to what a refused caller reads."""

import csv
import io
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from tests.http.asking import RESET, make_base
from tests.http.world import World, ok, problem

from refdesk.accounts import Role, Scope
from refdesk.gateway.calls import UsageReport
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.usage import CallRecord, FailedAttempt
from refdesk.testing.scripted_model import ScriptedModel, scripted_model

API = "/api/v1"


@pytest.fixture(scope="module")
async def server(world: World) -> ScriptedModel:
    return await world.stack.enter_async_context(scripted_model())


async def connect(world: World, server: ScriptedModel) -> dict[str, Any]:
    name = world.new_name("model")
    draft = {"kind": "LLM", "name": name, "model_name": "scripted", "base_url": server.base_url}
    made: dict[str, Any] = ok(await world.owner.post(f"{API}/models", json=draft))
    return made


def last_days(days: int = 2) -> dict[str, str]:
    now = datetime.now(UTC)
    return {
        "since": (now - timedelta(days=days)).isoformat(),
        "until": (now + timedelta(hours=1)).isoformat(),
    }


async def test_a_limit_is_set_changed_and_removed_with_before_and_after_in_the_record(
    world: World,
) -> None:
    draft = {"name": "Interns", "measure": "requests", "amount": 5, "window_s": 60, "per": ["user"]}
    made = ok(await world.owner.post(f"{API}/model-limits", json=draft))
    assert (made["amount"], made["per"], made["is_hard"]) == (5, ["user"], True)
    changed = ok(
        await world.owner.put(
            f"{API}/model-limits/{made['id']}", json=draft | {"amount": 8, "is_hard": False}
        )
    )
    assert (changed["amount"], changed["is_hard"]) == (8, False)
    assert ok(await world.owner.get(f"{API}/model-limits"))["items"] == [changed]
    ok(await world.owner.delete(f"{API}/model-limits/{made['id']}"))
    events = ok(await world.owner.get(f"{API}/audit"))["items"]
    (change,) = [event for event in events if event["action"] == "limit.change"]
    assert change["details"]["before"]["amount"] == 5
    assert change["details"]["after"]["amount"] == 8


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"window_kind": "day"}, "window_s goes with"),
        ({"measure": "money"}, "currency goes with"),
        ({"amount": 1.5}, "whole number"),
        ({"per": ["planet"]}, "per"),
        ({"amount": -1}, "amount"),
    ],
)
async def test_a_limit_that_makes_no_sense_is_refused_with_the_reason(
    world: World, more: dict[str, Any], reason: str
) -> None:
    draft = {"name": "Odd", "measure": "requests", "amount": 5, "window_s": 60}
    told = problem(await world.owner.post(f"{API}/model-limits", json=draft | more), 422, "invalid")
    assert reason in told["title"]


async def test_prices_go_out_and_come_in_as_csv(world: World, server: ScriptedModel) -> None:
    model = await connect(world, server)
    price = {
        "model_id": model["id"],
        "valid_from": "2026-01-01",
        "currency": "USD",
        "input_per_million": 2.5,
        "output_per_million": 10,
    }
    made = ok(await world.owner.post(f"{API}/model-prices", json=price))
    problem(await world.owner.post(f"{API}/model-prices", json=price), 409, "price-taken")
    exported = (await world.owner.get(f"{API}/model-prices/export")).content.decode("utf-8-sig")
    assert f"{model['name']},2026-01-01,USD,2.5,,10,0,0" in exported.splitlines()
    unchanged = ok(await world.owner.post(f"{API}/model-prices/import", json={"csv": exported}))
    assert (unchanged["added"], unchanged["changed"]) == (0, 0)
    edited = exported.replace("USD,2.5,,10", "USD,3,1.5,12") + f"{model['name']},2026-07-01,CNY,4,,8,0,0\r\n"
    taken = ok(await world.owner.post(f"{API}/model-prices/import", json={"csv": edited}))
    assert (taken["added"], taken["changed"]) == (1, 1)
    items = ok(await world.owner.get(f"{API}/model-prices"))["items"]
    (now,) = [item for item in items if item["id"] == made["id"]]
    assert (now["input_per_million"], now["cached_per_million"]) == (3, 1.5)


async def test_a_price_file_with_a_fault_changes_nothing_and_names_the_line(
    world: World, server: ScriptedModel
) -> None:
    model = await connect(world, server)
    before = ok(await world.owner.get(f"{API}/model-prices"))["total"]
    lines = ["model,valid_from,currency,input_per_million", f"{model['name']},2026-01-01,USD,1"]
    for fault in (
        "nobody,2026-01-01,USD,1",
        f"{model['name']},soon,USD,1",
        f"{model['name']},2026-02-01,USD,x",
    ):
        text = "\n".join([*lines, fault])
        told = problem(
            await world.owner.post(f"{API}/model-prices/import", json={"csv": text}),
            422,
            "price-file-invalid",
        )
        assert "Line 3" in told["title"]
    # Python's reader of CSV gives up on a cell of more than 131,072 characters.
    huge = "\n".join([*lines, "x" * 200_000])
    problem(
        await world.owner.post(f"{API}/model-prices/import", json={"csv": huge}), 422, "price-file-invalid"
    )
    assert ok(await world.owner.get(f"{API}/model-prices"))["total"] == before


async def record(world: World, model: str, user: UUID | None, **more: Any) -> None:
    usage = world.app.state.gateway.controls.usage
    scope = Scope(world.workspace_id, user, Role.VIEWER, "session")
    values: dict[str, Any] = {"kind": "LLM", "code": "ok", "latency_ms": 100, "first_token_ms": 40}
    usage.record(CallRecord(scope, Purpose("answer"), UUID(model), **(values | more)))


async def test_figures_tell_calls_tokens_cost_latency_errors_and_availability(
    world: World, server: ScriptedModel
) -> None:
    first, second = await connect(world, server), await connect(world, server)
    price = {"model_id": first["id"], "valid_from": "2020-01-01", "currency": "USD", "per_call": "0.5"}
    ok(await world.owner.post(f"{API}/model-prices", json=price))
    viewer = UUID(ok(await world.viewer.get(f"{API}/session"))["user"]["id"])
    for number in range(1, 21):
        await record(world, first["id"], viewer, latency_ms=number * 100, usage=UsageReport(10, 2, 4))
    await record(world, first["id"], None, code="model-timeout", latency_ms=9_000)
    tried = [FailedAttempt(UUID(first["id"]), "model-unavailable", 5)]
    await record(world, second["id"], viewer, failed=tried, switched_from=UUID(first["id"]))
    await record(world, second["id"], viewer, code="cancelled", latency_ms=1)
    await world.app.state.gateway.controls.usage.flush()

    whole = ok(await world.owner.get(f"{API}/usage/figures", params=last_days() | {"by": "model"}))
    assert whole["is_own"] is False
    one, two = ({item["key"]: item for item in whole["items"]}[model["id"]] for model in (first, second))
    assert one["name"] == first["name"]
    assert (one["calls"], one["errors"], one["input_tokens"], one["cached_tokens"]) == (21, 1, 200, 80)
    assert one["costs"] == [{"currency": "USD", "amount": 10.0}]
    assert one["p50_ms"] == pytest.approx(1000, rel=0.05)
    assert one["p95_ms"] == pytest.approx(1900, rel=0.05)
    assert one["first_token_ms"] == 40
    assert one["availability"] == pytest.approx(20 / 22)  # a timeout of its own, and a try that was switched
    assert (two["calls"], two["errors"], two["availability"]) == (2, 0, 1.0)
    assert whole["total"]["calls"] == 23

    own = ok(await world.viewer.get(f"{API}/usage/figures", params=last_days() | {"by": "day"}))
    assert own["is_own"] is True
    assert (own["total"]["calls"], len(own["items"])) == (22, len(own["items"]))
    assert len(own["items"]) >= 3  # days without calls too
    assert ok(await world.editor.get(f"{API}/usage/figures", params=last_days()))["total"]["calls"] == 0
    hours = ok(await world.owner.get(f"{API}/usage/figures", params=last_days(1) | {"by": "hour"}))
    assert sum(item["calls"] for item in hours["items"]) == 23
    failed = ok(await world.owner.get(f"{API}/usage/calls", params=last_days() | {"failed": True}))
    assert {item["code"] for item in failed["items"]} == {"model-timeout", "model-unavailable"}


async def test_calls_are_listed_in_pages_and_exported_as_csv(world: World, server: ScriptedModel) -> None:
    model = await connect(world, server)
    for number in range(7):
        await record(world, model["id"], None, latency_ms=number + 1, units=Decimal("1.5"))
    await world.app.state.gateway.controls.usage.flush()
    query = last_days() | {"model_id": model["id"]}
    seen: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(4):
        page = ok(await world.owner.get(f"{API}/usage/calls", params=query | cursor | {"limit": 3}))
        assert page["total"] == 7
        seen += [item["id"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert len(set(seen)) == len(seen) == 7
    problem(
        await world.owner.get(f"{API}/usage/calls", params=query | {"cursor": "x"}), 422, "cursor-invalid"
    )
    exported = await world.owner.get(f"{API}/usage/export", params=query)
    rows = list(csv.DictReader(io.StringIO(exported.content.decode("utf-8-sig"))))
    assert [row["latency_ms"] for row in rows] == [str(number) for number in range(7, 0, -1)]
    assert rows[0]["model"] == model["name"]
    assert rows[0]["units"] == "1.5"


async def test_a_range_that_makes_no_sense_is_refused(world: World) -> None:
    for since, until, by in (
        ("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z", "day"),
        ("2000-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "day"),
        ("2026-01-01T00:00:00Z", "2026-01-15T00:00:00Z", "hour"),
    ):
        query = {"since": since, "until": until, "by": by}
        answer = await world.owner.get(f"{API}/usage/figures", params=query)
        problem(answer, 422, "usage-range-invalid")


async def test_the_time_zone_must_be_one(world: World) -> None:
    wanted = {"time_zone": "Mars/Olympus", "keep_days": 10}
    problem(await world.owner.put(f"{API}/usage/settings", json=wanted), 422, "time-zone-unknown")
    wanted["time_zone"] = "Asia/Shanghai"
    assert ok(await world.owner.put(f"{API}/usage/settings", json=wanted)) == wanted
    assert ok(await world.viewer.get(f"{API}/usage/settings")) == wanted
    figures = ok(await world.owner.get(f"{API}/usage/figures", params=last_days()))
    assert figures["items"][0]["key"].endswith("T16:00:00Z")  # midnight in Shanghai
    ok(await world.owner.put(f"{API}/usage/settings", json={"time_zone": "UTC", "keep_days": 180}))


async def test_an_api_caller_beyond_a_limit_gets_429_and_when_to_come_back(
    world: World, server: ScriptedModel
) -> None:
    model = await connect(world, server)
    draft = {
        "name": "Trial",
        "measure": "requests",
        "amount": 0,
        "window_s": 3600,
        "model_id": model["id"],
    }
    limit = ok(await world.owner.post(f"{API}/model-limits", json=draft))
    base = await make_base(world, RESET)
    application = {
        "name": world.new_name("app"),
        "model_id": model["id"],
        "knowledge_base_ids": [base["id"]],
    }
    made = ok(await world.owner.post(f"{API}/applications", json=application))
    await world.app.state.gateway.controls.rules.refresh()
    question = {"model": made["id"], "messages": [{"role": "user", "content": "How do I reset the router?"}]}
    answer = await world.owner.post("/v1/chat/completions", json=question)
    assert answer.status_code == 429, answer.text
    assert 0 < int(answer.headers["Retry-After"]) <= 3600
    assert "“Trial” allows 0 requests per hour" in answer.json()["error"]["message"]
    ok(await world.owner.delete(f"{API}/model-limits/{limit['id']}"))


async def test_an_application_keeps_answers_only_when_it_is_told_to(world: World) -> None:
    made = ok(await world.owner.post(f"{API}/applications", json={"name": world.new_name("app")}))
    path = f"{API}/response-caches/{made['id']}"
    problem(await world.owner.delete(path), 404, "unknown-cache")
    cache = ok(await world.owner.put(path, json={"ttl_s": 60}))
    assert (cache["ttl_s"], cache["hits"], cache["answers"], cache["with_tools"]) == (60, 0, 0, False)
    ok(await world.owner.delete(f"{path}/answers"))
    ok(await world.owner.delete(path))
    assert ok(await world.owner.get(f"{API}/response-caches"))["items"] == []


async def test_what_is_set_for_an_application_alone_goes_with_it(world: World) -> None:
    made = ok(await world.owner.post(f"{API}/applications", json={"name": world.new_name("app")}))
    ok(await world.owner.put(f"{API}/response-caches/{made['id']}", json={"ttl_s": 60}))
    draft = {"measure": "requests", "amount": 5, "window_kind": "day"}
    own = ok(
        await world.owner.post(
            f"{API}/model-limits", json=draft | {"name": "Own", "application_id": made["id"]}
        )
    )
    all_ = ok(
        await world.owner.post(f"{API}/model-limits", json=draft | {"name": "All", "per": ["application"]})
    )
    ok(await world.owner.delete(f"{API}/applications/{made['id']}"))
    left = [one["id"] for one in ok(await world.owner.get(f"{API}/model-limits"))["items"]]
    assert own["id"] not in left
    assert all_["id"] in left
    assert made["id"] not in [
        one["application_id"] for one in ok(await world.owner.get(f"{API}/response-caches"))["items"]
    ]
    verbs = [one["action"] for one in ok(await world.owner.get(f"{API}/audit"))["items"]]
    assert "limit.delete" in verbs
    ok(await world.owner.delete(f"{API}/model-limits/{all_['id']}"))


async def test_a_model_that_takes_so_many_calls_at_once_is_listed_with_its_queue(
    world: World, server: ScriptedModel
) -> None:
    model = await connect(world, server)
    assert ok(await world.owner.get(f"{API}/model-queues"))["items"] == []
    ok(await world.owner.patch(f"{API}/models/{model['id']}", json={"concurrency": 2}))
    (queue,) = ok(await world.owner.get(f"{API}/model-queues"))["items"]
    assert queue == {"model_id": model["id"], "concurrency": 2, "held": 0, "waiting": 0}
