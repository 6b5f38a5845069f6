"""What the trace of a run tells, to whom, and asking again with other settings."""

import asyncio
from typing import Any

import pytest
from tests.http.asking import QUESTION, RESET, answered, connected, events_of, make_base
from tests.http.world import World, ok, problem

from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import Turn, says, scripted_model

OTHER = "The router has two antennas, which can be turned."


@pytest.fixture(scope="module")
async def base(world: World) -> dict[str, Any]:
    return await make_base(world, RESET, OTHER)


async def _trace(client: Any, run_id: str, *, calls: int = 0) -> dict[str, Any]:
    """The trace, once as many calls of models are in it: they are recorded in the background."""
    async with asyncio.timeout(10):
        while True:
            trace = ok(await client.get(f"/api/v1/runs/{run_id}/trace"))
            if len(trace["calls"]) >= calls:
                return trace
            await asyncio.sleep(0.1)


def _stage(trace: dict[str, Any], name: str) -> dict[str, Any]:
    return next(stage for stage in trace["stages"] if stage["name"] == name)


async def test_an_editor_sees_prompt_candidates_tokens_and_cost(world: World, base: dict[str, Any]) -> None:
    async with scripted_model() as model, connected(world, model.base_url) as model_id:
        price = {
            "model_id": model_id,
            "valid_from": "2020-01-01",
            "currency": "CNY",
            "input_per_million": 1_000_000,
            "output_per_million": 2_000_000,
        }
        ok(await world.owner.post("/api/v1/model-prices", json=price))
        model.always(
            says(Turn("Hold the reset button for 10 seconds [1].", input_tokens=100, output_tokens=20))
        )
        run = await answered(world.editor, question=QUESTION, knowledge_base_ids=[base["id"]])
        trace = await _trace(world.editor, run["id"], calls=1)
        sent = model.requests[-1].body["messages"]

    answer, retrieve = _stage(trace, "answer"), _stage(trace, "retrieve")
    assert [(one["role"], one["content"]) for one in answer["prompt"]] == [
        (one["role"], one["content"]) for one in sent
    ]
    assert all(one["tokens"] > 0 for one in answer["prompt"])
    assert answer["usage"] == {"input_tokens": 100, "output_tokens": 20}
    assert answer["costs"] == [{"currency": "CNY", "amount": 140.0}]
    assert trace["costs"] == answer["costs"]
    assert answer["started_ms"] >= retrieve["started_ms"] + retrieve["elapsed_ms"] - 0.02
    candidates = [one for span in _walk(trace["stages"]) for one in span["candidates"] or ()]
    kept = [one for one in candidates if one["dropped"] is None]
    assert kept[0]["text"].startswith("To reset the router")
    assert kept[0]["dense"]["rank"] == 1
    assert {one["dropped"] for one in candidates} - {None}
    call = trace["calls"][0]
    assert (call["path"], call["code"], call["stage"]) == ("answer", "ok", trace["stages"].index(answer))
    assert trace["total_ms"] >= answer["started_ms"] + answer["elapsed_ms"] - 0.02
    assert trace["settings"]["mode"] == "blend"


def _walk(spans: list[dict[str, Any]]) -> Any:
    for span in spans:
        yield span
        yield from _walk(span["spans"])


async def test_whoever_only_asks_sees_what_was_done_and_no_prompts(
    world: World, base: dict[str, Any]
) -> None:
    async with scripted_model() as model, connected(world, model.base_url):
        model.always(says("Hold the reset button for 10 seconds [1]."))
        run = await answered(world.viewer, question=QUESTION, knowledge_base_ids=[base["id"]])
        trace = await _trace(world.viewer, run["id"], calls=1)
    assert _stage(trace, "answer")["detail"]["sources"] >= 1
    assert trace["is_whole"] is False
    assert trace["settings"] is None
    assert all(span["prompt"] is None and span["candidates"] is None for span in _walk(trace["stages"]))
    problem(await world.editor.get(f"/api/v1/runs/{run['id']}/trace"), 404, "run-not-found")
    again = await world.viewer.post(f"/api/v1/runs/{run['id']}/again", json={"top_n": 1})
    assert again.status_code == 403


async def test_a_document_hidden_later_is_in_no_trace(world: World, base: dict[str, Any]) -> None:
    run = await answered(world.viewer, question=QUESTION, knowledge_base_ids=[base["id"]])
    document_id = run["citations"][0]["document_id"]
    path = f"/api/v1/documents/{document_id}/access"
    ok(await world.owner.put(path, json={"restricted": True}))
    try:
        trace = await _trace(world.viewer, run["id"])
    finally:
        ok(await world.owner.put(path, json={"restricted": False}))
    assert trace["is_hidden"] is True
    assert all(span["detail"] == {} for span in _walk(trace["stages"]))
    assert "manual.md" not in str(trace)


async def test_a_run_asked_again_with_other_settings_is_another_answer(
    world: World, base: dict[str, Any]
) -> None:
    async with scripted_model() as model, connected(world, model.base_url) as model_id:
        model.always(script.answer("Hold the reset button for 10 seconds [1]."))
        run = await answered(world.editor, question=QUESTION, knowledge_base_ids=[base["id"]])
        changes = {
            "top_n": 1,
            "similarity": 0.2,
            "mode": "keywords",
            "model_id": model_id,
            "prompts": {"system": "Answer like a pirate.", "knowledge": "{data} -- {question}"},
            "stages_off": ["memory", "rewrite"],
        }
        again = ok(await world.editor.post(f"/api/v1/runs/{run['id']}/again", json=changes))
        await events_of(world.editor, again["id"])
        trace = await _trace(world.editor, again["id"], calls=1)
    assert trace["retry_of"] == run["id"]
    assert trace["question"] == QUESTION
    assert trace["settings"]["top_n"] == 1
    prompt = _stage(trace, "answer")["prompt"]
    assert prompt[0]["content"].startswith("Answer like a pirate.")
    assert prompt[-1]["content"].endswith(f" -- {QUESTION}")
    embeddings = ok(await world.owner.get("/api/v1/models", params={"kind": "EMBEDDING"}))["items"]
    refused = await world.editor.post(
        f"/api/v1/runs/{run['id']}/again", json={"model_id": embeddings[0]["id"]}
    )
    problem(refused, 422, "run-model-unsuitable")
