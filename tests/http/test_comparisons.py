"""Comparisons over HTTP: one test set asked of several modes, judged, costed, stopped, and kept private."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from uuid import UUID

import httpx
import pytest
from sqlalchemy import func, select
from tests.http.asking import QUESTION, RESET, connected, make_base
from tests.http.test_agent import searches
from tests.http.world import World, ok

from refdesk.chat import RunManager
from refdesk.chat.tables import Conversation, Run
from refdesk.evaluation.comparing import compare_test_set
from refdesk.evaluation.comparing.tables import Comparison
from refdesk.jobs import JobContext
from refdesk.kit.clock import now
from refdesk.testing.scripted_model import ScriptedModel, hang, refuses, says, scripted_model

API = "/api/v1"
NOWHERE = "Wieviele Pinguine leben am Nordpol?"
ANSWER = "Hold the reset button for 10 seconds [1]."


@pytest.fixture(scope="module")
async def base(world: World) -> dict[str, Any]:
    return await make_base(world, RESET, "The warranty of a router is two years from the day of purchase.")


@pytest.fixture
async def model(world: World) -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as server, connected(world, server.base_url):
        yield server


async def set_of(world: World, base: dict[str, Any], *questions: dict[str, Any]) -> dict[str, Any]:
    """A test set with one question that has an answer and one that has none, unless others are given."""
    listed = ok(await world.editor.get(f"{API}/knowledge-bases/{base['id']}/documents"))
    document_id = listed["items"][0]["id"]
    body = {
        "name": world.new_name("set"),
        "knowledge_base_ids": [base["id"]],
        "questions": list(questions)
        or [
            {"question": QUESTION, "documents": [document_id]},
            {"question": NOWHERE, "expects_nothing": True},
        ],
    }
    return ok(await world.editor.post(f"{API}/test-sets", json=body))


async def begun(client: httpx.AsyncClient, test_set: dict[str, Any], *variants: dict[str, Any]) -> Any:
    body = {"variants": list(variants)}
    return ok(await client.post(f"{API}/test-sets/{test_set['id']}/comparisons", json=body))


async def work_on(world: World, comparison: dict[str, Any]) -> None:
    """What a worker does for a comparison; none runs here."""
    runs: RunManager = world.app.state.runs
    context = JobContext(world.app.state.settings, world.database, {RunManager: runs})
    await compare_test_set(context, str(world.workspace_id), comparison["id"])


async def until(holds: Callable[[], Awaitable[object]]) -> None:
    async with asyncio.timeout(10):
        while not await holds():  # noqa: ASYNC110 — it shows in the database only
            await asyncio.sleep(0.02)


async def _asked(model: ScriptedModel) -> int:
    return len(model.requests)


async def _done(world: World, comparison: dict[str, Any]) -> int:
    return ok(await world.editor.get(f"{API}/comparisons/{comparison['id']}"))["done"]


async def count(world: World, column: Any, *conditions: Any) -> int:
    async with world.database.transaction() as session:
        return (await session.scalar(select(func.count(column)).where(*conditions))) or 0


async def test_three_modes_are_judged_side_by_side(
    world: World, base: dict[str, Any], model: ScriptedModel
) -> None:
    price = {"input_per_million": 2, "output_per_million": 10}
    models = ok(await world.owner.get(f"{API}/models"))["items"]
    model_id = next(one["id"] for one in models if one["kind"] == "LLM" and one["is_default"])
    body = {"model_id": model_id, "currency": "USD", "valid_from": "2020-01-01", **price}
    priced = await world.owner.post(f"{API}/model-prices", json=body)
    assert priced.is_success, priced.text
    model.then(
        says(ANSWER),  # the pipeline: one request
        searches("reset router factory settings"),
        says(f"According to manual.md: {ANSWER}"),  # the agent: two
        searches("Pinguine Nordpol"),
        says("Nothing relevant was found in the knowledge base."),
    )
    test_set = await set_of(world, base)
    made = await begun(
        world.editor,
        test_set,
        {"name": "quoted", "answering": "quoting"},
        {"name": "written", "answering": "pipeline", "stages_off": ["rewrite"]},
        {"name": "agent", "answering": "agent"},
    )
    assert (made["state"], made["done"], made["total"]) == ("queued", 0, 6)
    await work_on(world, made)
    shown = ok(await world.editor.get(f"{API}/comparisons/{made['id']}"))
    assert (shown["state"], shown["done"], shown["error"]) == ("finished", 6, None)
    figures = {one["settings"]["name"]: one["figures"] for one in shown["variants"]}
    for name, one in figures.items():
        assert (one["right"], one["recall"], one["missed"]) == (1.0, 1.0, 0.0), name
        assert (one["answerable"], one["unanswerable"], one["failed"]) == (1, 1, 0), name
        assert one["refused_when_not"] == 1.0, name
        assert 0 < one["p50_ms"] <= one["p95_ms"], name
    assert (figures["quoted"]["input_tokens"], figures["quoted"]["costs"]) == (0, {})
    assert 0 < figures["written"]["input_tokens"] < figures["agent"]["input_tokens"]
    for name in ("written", "agent"):
        one = figures[name]
        cost = (one["input_tokens"] * 2.0 + one["output_tokens"] * 10.0) / 1_000_000
        assert one["costs"]["USD"] == pytest.approx(cost), name
        assert one["uncosted"] == 0
    assert len(model.requests) == 5

    page = ok(await world.editor.get(f"{API}/comparisons/{made['id']}/answers"))
    first, second = page["items"]
    assert (page["total"], first["question"], second["question"]) == (2, QUESTION, NOWHERE)
    assert first["expected"]["documents"][0]["name"] == "manual.md"
    assert [one["outcome"] for one in first["answers"]] == ["right"] * 3
    assert [one["outcome"] for one in second["answers"]] == ["refused"] * 3
    assert first["answers"][1]["answer"] == ANSWER
    assert [one["is_expected"] for one in first["answers"][1]["citations"]] == [True]
    trace = ok(await world.editor.get(f"{API}/runs/{first['answers'][2]['run_id']}/trace"))
    assert [stage["name"] for stage in trace["stages"]].count("decide") == 2
    differing = await world.editor.get(f"{API}/comparisons/{made['id']}/answers?differing=true")
    assert ok(differing)["total"] == 0
    # What was asked for a comparison is not among what the editor asked.
    mine = ok(await world.editor.get(f"{API}/conversations"))["items"]
    assert QUESTION not in [one["title"] for one in mine]


async def test_wrong_answers_count_as_what_they_are(
    world: World, base: dict[str, Any], model: ScriptedModel
) -> None:
    model.then(
        says("Press the blue button for 99 minutes."),  # a claim without a source
        refuses(400, "no"),  # the question has no answer, and the model fails
    )
    listed = ok(await world.editor.get(f"{API}/knowledge-bases/{base['id']}/documents"))
    document = listed["items"][0]["id"]
    test_set = await set_of(
        world,
        base,
        {"question": QUESTION, "documents": [document]},
        {"question": "How long is the warranty of a router?", "expects_nothing": True},
    )
    made = await begun(
        world.editor,
        test_set,
        {"name": "written", "stages_off": ["rewrite"]},
        {"name": "strict", "answering": "quoting", "similarity": 1.0, "mode": "embedding"},
    )
    await work_on(world, made)
    shown = ok(await world.editor.get(f"{API}/comparisons/{made['id']}"))
    written, strict = (one["figures"] for one in shown["variants"])
    assert (written["right"], written["recall"], written["unsupported"]) == (0.0, 0.0, 1)
    assert (written["failed"], sum(written["errors"].values())) == (1, 1)
    assert (strict["right"], strict["missed"], strict["refused_when_not"]) == (0.0, 1.0, 1.0)
    page = ok(await world.editor.get(f"{API}/comparisons/{made['id']}/answers?differing=true"))
    outcomes = [[one["outcome"] for one in item["answers"]] for item in page["items"]]
    assert outcomes == [["elsewhere", "missed"], ["failed", "refused"]]


async def test_an_agent_without_a_model_is_refused_with_the_reason(
    world: World, base: dict[str, Any]
) -> None:
    test_set = await set_of(world, base)
    body = {"variants": [{"name": "quoted", "answering": "quoting"}, {"name": "a", "answering": "agent"}]}
    path = f"{API}/test-sets/{test_set['id']}/comparisons"
    refused = await world.editor.post(path, json=body)
    assert (refused.status_code, refused.json()["code"]) == (409, "comparison-model-missing")
    assert refused.json()["details"] == {"variant": "a"}
    assert ok(await world.editor.get(path))["total"] == 0


@pytest.mark.parametrize(
    "variants",
    [
        [{"name": "one"}],
        [{"name": "same"}, {"name": "same"}],
        [{"name": str(n)} for n in range(7)],
        [{"name": "a"}, {"name": "b", "magic": True}],
        [{"name": "a"}, {"name": "b", "strategy": "magic"}],
    ],
)
async def test_what_cannot_be_compared_is_refused(
    world: World, base: dict[str, Any], variants: list[dict[str, Any]]
) -> None:
    test_set = await set_of(world, base)
    path = f"{API}/test-sets/{test_set['id']}/comparisons"
    assert (await world.editor.post(path, json={"variants": variants})).status_code == 422


async def test_a_comparison_is_cancelled_in_the_midst_of_a_call_of_the_model(
    world: World, base: dict[str, Any], model: ScriptedModel
) -> None:
    model.always(hang())
    since = now()
    test_set = await set_of(world, base)
    made = await begun(world.editor, test_set, {"name": "q", "answering": "quoting"}, {"name": "w"})
    again = await world.editor.post(
        f"{API}/test-sets/{test_set['id']}/comparisons", json={"variants": [{"name": "a"}, {"name": "b"}]}
    )
    assert (again.status_code, again.json()["code"]) == (409, "comparison-under-way")
    working = asyncio.create_task(work_on(world, made))
    await until(lambda: _asked(model))
    cancelled = ok(await world.owner.post(f"{API}/comparisons/{made['id']}/cancel"))
    assert cancelled["state"] == "cancelled"
    await asyncio.wait_for(working, 10)
    assert model.open_connections == 0
    shown = ok(await world.editor.get(f"{API}/comparisons/{made['id']}"))
    assert (shown["state"], shown["done"]) == ("cancelled", 1)
    unlisted = (Conversation.listed.is_(False), Conversation.created_at >= since)
    assert await count(world, Conversation.id, *unlisted) == 1  # of the one that came to its end
    await work_on(world, made)  # a job that comes late finds nothing to do
    assert ok(await world.editor.get(f"{API}/comparisons/{made['id']}"))["done"] == 1


async def test_a_job_started_anew_asks_what_is_left(world: World, base: dict[str, Any]) -> None:
    test_set = await set_of(world, base)
    made = await begun(
        world.editor, test_set, {"name": "a", "answering": "quoting"}, {"name": "b", "answering": "quoting"}
    )
    working = asyncio.create_task(work_on(world, made))
    await until(lambda: _done(world, made))
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    left = ok(await world.editor.get(f"{API}/comparisons/{made['id']}"))
    assert (left["state"], left["done"] < 4) == ("running", True)
    await work_on(world, made)
    page = ok(await world.editor.get(f"{API}/comparisons/{made['id']}/answers"))
    runs = [answer["run_id"] for item in page["items"] for answer in item["answers"]]
    assert len(set(runs)) == 4
    assert [answer["outcome"] for item in page["items"] for answer in item["answers"]] == [
        *("right", "right"),
        *("refused", "refused"),
    ]


async def test_answers_are_for_whoever_ran_it_and_go_with_the_test_set(
    world: World, base: dict[str, Any]
) -> None:
    test_set = await set_of(world, base)
    made = await begun(
        world.editor, test_set, {"name": "a", "answering": "quoting"}, {"name": "b", "answering": "quoting"}
    )
    await work_on(world, made)
    path = f"{API}/comparisons/{made['id']}"
    runs = [
        UUID(answer["run_id"])
        for item in ok(await world.editor.get(f"{path}/answers"))["items"]
        for answer in item["answers"]
    ]
    assert await count(world, Run.id, Run.id.in_(runs)) == 4
    others = ok(await world.owner.get(path))
    assert (others["is_yours"], others["variants"][0]["figures"]["right"]) == (False, 1.0)
    private = await world.owner.get(f"{path}/answers")
    assert (private.status_code, private.json()["code"]) == (403, "comparison-answers-private")
    assert (await world.viewer.get(path)).status_code == 403
    assert (await world.editor.delete(f"{API}/test-sets/{test_set['id']}")).status_code == 204
    assert (await world.editor.get(path)).json()["code"] == "comparison-not-found"
    assert await count(world, Run.id, Run.id.in_(runs)) == 0
    assert await count(world, Comparison.id, Comparison.id == UUID(made["id"])) == 0


async def test_who_lost_the_right_meanwhile_asks_nothing(world: World, base: dict[str, Any]) -> None:
    test_set = await set_of(world, base)
    made = await begun(
        world.editor, test_set, {"name": "a", "answering": "quoting"}, {"name": "b", "answering": "quoting"}
    )
    async with world.database.transaction() as session:
        row = await session.get(Comparison, UUID(made["id"]))
        assert row is not None
        row.asker = {**row.asker, "user_id": str(UUID(int=7))}
    await work_on(world, made)
    shown = ok(await world.owner.get(f"{API}/comparisons/{made['id']}"))
    assert (shown["state"], shown["error"]["code"], shown["done"]) == ("failed", "forbidden", 0)
