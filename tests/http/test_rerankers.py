"""Rerankers over HTTP: connected, tested, chosen, and what happens when one fails."""

from typing import Any
from uuid import UUID

import pytest
from tests.http.asking import RESET, answered, make_base
from tests.http.world import World, ok, problem

from refdesk.gateway.tables import Model
from refdesk.testing.scripted_model import ScriptedModel, body, error, hang, scripted_model
from refdesk.testing.scripted_reranker import reranks

QUESTION = "How do I reset the router to factory settings?"
OTHER = "The router reset button is blue. Reset the router settings to reset them to factory settings."


@pytest.fixture(scope="module")
async def base(world: World) -> dict[str, Any]:
    return await make_base(world, RESET, OTHER)


async def connect(world: World, server: ScriptedModel, **more: Any) -> dict[str, Any]:
    root = server.base_url.removesuffix("/v1")
    draft = {"kind": "RERANKER", "name": world.new_name("reranker"), "model_name": "bge", "base_url": root}
    made: dict[str, Any] = ok(await world.owner.post("/api/v1/models", json=draft | more))
    return made


async def forget(world: World, model_id: str) -> None:
    async with world.database.transaction() as session:
        await session.delete(await session.get_one(Model, UUID(model_id)))


@pytest.mark.parametrize("shape", ["tei", "cohere", "vllm"])
async def test_the_dialect_is_found_out_when_a_reranker_is_added_and_tested(world: World, shape: Any) -> None:
    async with scripted_model() as server:
        server.always(reranks(shape))
        made = await connect(world, server, api_key="sk-hidden-12345")
        assert made["kind"] == "RERANKER"
        assert made["parameters"]["shape"] == shape
        assert "sk-hidden" not in str(made)
        checked = ok(await world.owner.post(f"/api/v1/models/{made['id']}/check"))
        assert (checked["ok"], checked["shape"]) == (True, shape)
        server.always(error(401, "no such key"))
        checked = ok(await world.owner.post(f"/api/v1/models/{made['id']}/check"))
        assert (checked["ok"], checked["error"]["code"]) == (False, "model-authentication")
        await forget(world, made["id"])


async def test_what_is_no_rerank_server_is_refused_with_its_own_words(world: World) -> None:
    async with scripted_model() as server:
        server.always(body(b"<html>Welcome</html>", content_type="text/html"))
        draft = {"kind": "RERANKER", "name": "none", "model_name": "bge", "base_url": server.base_url}
        told = problem(await world.owner.post("/api/v1/models", json=draft), 502, "model-bad-response")
        assert "Welcome" in told["details"]["vendor_message"]


async def test_a_hit_test_is_reranked_and_tells_when_it_could_not_be(
    world: World, base: dict[str, Any]
) -> None:
    ask = {"query": QUESTION, "knowledge_base_ids": [base["id"]], "similarity": 0}
    async with scripted_model() as server:
        server.always(reranks("tei", lambda _query, text: 1.0 if "10 seconds" in text else 0.0))
        model = await connect(world, server)
        plain = ok(await world.viewer.post("/api/v1/hit-test", json=ask))
        assert [hit["rerank_score"] for hit in plain["hits"]] == [None, None]
        assert plain["reranked"] is False
        chosen = ask | {"rerank": {"model_id": model["id"], "timeout_s": 0.5}}
        done = ok(await world.viewer.post("/api/v1/hit-test", json=chosen))
        assert done["reranked"] is True
        assert [hit["rerank_score"] for hit in done["hits"]] == [1.0, 0.0]
        assert done["hits"][0]["content"] == RESET
        for reply in (hang(), error(500, "broken"), body([{"index": 0, "score": 1.0}])):
            server.always(reply)
            failed = ok(await world.viewer.post("/api/v1/hit-test", json=chosen))
            assert [hit["content"] for hit in failed["hits"]] == [hit["content"] for hit in plain["hits"]]
            assert failed["reranked"] is False
            assert [warning["code"] for warning in failed["warnings"]] == ["rerank-failed"]
        await forget(world, model["id"])


async def test_an_application_answers_with_its_reranker_and_without_it(
    world: World, base: dict[str, Any]
) -> None:
    async with scripted_model() as server:
        server.always(reranks("vllm"))
        model = await connect(world, server)
        draft = {
            "name": world.new_name("app"),
            "knowledge_base_ids": [base["id"]],
            "settings": {"rerank": {"model_id": model["id"], "candidates": 20}},
        }
        made = ok(await world.editor.post("/api/v1/applications", json=draft))
        assert made["settings"]["rerank"]["timeout_s"] == 3.0
        server.requests.clear()
        run = await answered(world.editor, question=QUESTION, application_id=made["id"])
        assert len(server.requests) == 1
        assert not [w for w in run["warnings"] if w["code"] == "rerank-failed"]
        server.always(error(503, "loading"))
        run = await answered(world.editor, question=QUESTION, application_id=made["id"])
        assert [w["code"] for w in run["warnings"] if w["code"].startswith("rerank")] == ["rerank-failed"]
        assert run["state"] == "finished"
        assert run["answer"]
        changed = ok(
            await world.editor.patch(
                f"/api/v1/applications/{made['id']}", json={"settings": {"rerank": None}}
            )
        )
        assert changed["settings"]["rerank"] is None
        await forget(world, model["id"])


async def test_only_a_reranker_can_be_one(world: World) -> None:
    models = ok(await world.owner.get("/api/v1/models"))["items"]
    embedding = next(item for item in models if item["kind"] == "EMBEDDING")
    draft = {"name": world.new_name("app"), "settings": {"rerank": {"model_id": embedding["id"]}}}
    problem(
        await world.editor.post("/api/v1/applications", json=draft), 422, "application-reranker-unsuitable"
    )
