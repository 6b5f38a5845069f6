"""Calibrating over HTTP, what then counts as found, and the numbers that every "nothing found" carries."""

from typing import Any
from uuid import UUID

import pytest
from tests.http.asking import answered, events_of, make_base
from tests.http.test_evaluation_runs import events
from tests.http.world import World, ok

from refdesk.accounts import Scope
from refdesk.gateway import Gates, ModelRepository
from refdesk.testing.embedder import HashingEmbedder

API = "/api/v1"
COUNT = 60


@pytest.fixture(scope="module")
async def base(world: World) -> dict[str, Any]:
    return await make_base(
        world, *(f"machine m{n} takes oil grade{n} and filter f{n} every winter" for n in range(COUNT))
    )


@pytest.fixture
async def fitting_embedder(world: World, base: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in with the gates that are stored with its model."""

    async def embedder(scope: Scope, model_id: UUID, purpose: object = None) -> HashingEmbedder:
        made = HashingEmbedder(model_id, 384)
        async with world.database.transaction() as session:
            made.gates = Gates.from_json((await ModelRepository(session, scope).get(model_id)).gates)
        return made

    monkeypatch.setattr(world.app.state.gateway, "embedder", embedder)


async def kept_set(world: World, base: dict[str, Any]) -> dict[str, Any]:
    documents = ok(await world.owner.get(f"{API}/knowledge-bases/{base['id']}/documents"))["items"]
    paragraphs = ok(
        await world.owner.get(f"{API}/documents/{documents[0]['id']}/paragraphs", params={"limit": 100})
    )
    questions: list[dict[str, Any]] = [
        {"question": f"oil and filter of machine m{n}", "paragraph_ids": [one["id"]]}
        for n, one in enumerate(paragraphs["items"])
    ]
    questions += [
        {"question": f"the price of ticket t{n} to town{n}", "expects_nothing": True} for n in range(COUNT)
    ]
    body = {
        "name": world.new_name("set"),
        "knowledge_base_ids": [base["id"]],
        "questions": questions,
    }
    return ok(await world.editor.post(f"{API}/test-sets", json=body))


@pytest.mark.usefixtures("fitting_embedder")
async def test_what_was_fitted_is_shown_with_the_model_and_can_be_taken_back(
    world: World, base: dict[str, Any]
) -> None:
    made = await kept_set(world, base)
    model = f"{API}/models/{base['embedding_model_id']}"
    streamed = events(await world.owner.post(f"{API}/calibrations", json={"test_set_id": made["id"]}))
    assert [name for name, _ in streamed] == ["progress"] * (2 * COUNT) + ["result"]
    assert streamed[0][1] == {"done": 1, "total": 2 * COUNT}
    result = streamed[-1][1]
    assert (result["unanswerable"], result["embedder"]["stored"]) == ("named", True)
    shown = ok(await world.viewer.get(model))["gates"]
    assert shown == result["embedder"]["gates"]
    assert shown["record"]["set_name"] == made["name"]
    assert {fit["gate"] for fit in shown["record"]["fits"]} >= {"both", "meaning"}

    refused = await world.editor.delete(f"{model}/gates")
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert ok(await world.owner.delete(f"{model}/gates"))["gates"] is None
    verbs = [one["action"] for one in ok(await world.owner.get(f"{API}/audit"))["items"]]
    assert {"model.calibrate", "model.reset-gates"} <= set(verbs)


@pytest.mark.usefixtures("fitting_embedder")
async def test_neither_editors_nor_viewers_nor_their_keys_may_calibrate_even_dry(
    world: World, base: dict[str, Any]
) -> None:
    body = {"test_set_id": (await kept_set(world, base))["id"], "dry_run": True}
    for client in (world.editor, world.viewer, await world.make_key(world.owner, "read", "ask")):
        refused = await client.post(f"{API}/calibrations", json=body)
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    streamed = events(await world.owner.post(f"{API}/calibrations", json=body))
    assert streamed[-1][1]["embedder"] | {"name": ""} == {
        "id": base["embedding_model_id"],
        "name": "",
        "stored": False,
        "gates": None,
    }


async def test_a_set_that_is_too_small_or_of_one_kind_is_refused_before_the_stream(
    world: World, base: dict[str, Any]
) -> None:
    def body(*kinds: bool, **more: Any) -> dict[str, Any]:
        questions = [
            {"id": f"q{n}", "question": f"question {n}", "expects_nothing": kind}
            for n, kind in enumerate(kinds)
        ]
        return {"questions": questions, "knowledge_base_ids": [base["id"]]} | more

    small = await world.owner.post(f"{API}/calibrations", json=body(True, True))
    assert (small.status_code, small.json()["code"]) == (422, "calibration-one-sided")
    assert small.json()["details"] == {"answerable": 0, "unanswerable": 2, "left_aside": 0}
    neither = await world.owner.post(f"{API}/calibrations", json={"dry_run": True})
    assert neither.status_code == 422
    keyed = ok(await world.owner.get(f"{API}/knowledge-bases/{base['id']}/documents"))["items"][0]["id"]
    few = body(*[True] * 15)
    few["questions"] += [{"id": f"a{n}", "question": f"m{n}", "documents": [keyed]} for n in range(15)]
    refused = await world.owner.post(f"{API}/calibrations", json=few)
    assert (refused.status_code, refused.json()["code"]) == (422, "calibration-too-small")


async def test_every_way_of_finding_nothing_tells_which_gate_decided(
    world: World, base: dict[str, Any]
) -> None:
    body = {"query": "the winter of machine zeppelin", "knowledge_base_ids": [base["id"]], "similarity": 0.99}
    tested = ok(await world.viewer.post(f"{API}/hit-test", json=body))
    decision = tested["decision"]
    assert not tested["found"]
    assert decision == {
        "gate": "absolute",
        "score": tested["best"],
        "threshold": 0.99,
        "below": tested["candidates"],
    }
    assert decision["below"] > 0
    found = ok(await world.viewer.post(f"{API}/hit-test", json=body | {"similarity": 0.0}))
    assert found["decision"] is None

    asked = {"question": "the price of a ticket to Xanadu", "knowledge_base_ids": [base["id"]]}
    run = await answered(world.viewer, **asked)
    retrieval = run["retrieval"]
    assert not retrieval["found"]
    assert retrieval["decision"]["gate"] == "absolute"
    assert retrieval["decision"]["score"] == retrieval["best"]
    sources = [one for one in await events_of(world.viewer, run["id"]) if one.name == "sources"]
    assert sources[0].json()["decision"] == retrieval["decision"]
    assert f"similarity of {retrieval['best']:.2f}" in run["answer"]

    key = await world.make_key(world.owner, "ask")
    chat = {"model": base["name"], "messages": [{"role": "user", "content": asked["question"]}]}
    told = ok(await key.post("/v1/chat/completions", json=chat))
    assert told["nothing_found"] == retrieval["decision"] | {
        "best": retrieval["best"],
        "candidates": retrieval["candidates"],
    }
    streamed = (await key.post("/v1/chat/completions", json=chat | {"stream": True})).text
    assert '"nothing_found":{"gate":"absolute"' in streamed
