"""The OpenAI-compatible interface, with keys of every kind."""

import base64
from collections.abc import AsyncIterator
from typing import Any

import httpx
import numpy as np
import orjson
import pytest
from tests.http.asking import QUESTION, RESET, connected, make_base
from tests.http.world import World, ok

from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import ScriptedModel, scripted_model

CHAT = "/v1/chat/completions"


@pytest.fixture(scope="module")
async def base(world: World) -> dict[str, Any]:
    return await make_base(world, RESET)


@pytest.fixture(scope="module")
async def application(world: World, base: dict[str, Any]) -> dict[str, Any]:
    body = {"name": world.new_name("Desk"), "knowledge_base_ids": [base["id"]]}
    return ok(await world.editor.post("/api/v1/applications", json=body))


@pytest.fixture(scope="module")
async def key(world: World) -> httpx.AsyncClient:
    return await world.make_key(world.owner, "ask")


@pytest.fixture
async def model(world: World) -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as server, connected(world, server.base_url):
        yield server


def chat(model: str, *messages: tuple[str, Any], **more: Any) -> dict[str, Any]:
    listed = messages or (("user", QUESTION),)
    return {"model": model, "messages": [{"role": role, "content": text} for role, text in listed], **more}


def error_of(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    body = response.json()
    assert (response.status_code, body["error"]["code"]) == (status, code), response.text
    assert set(body["error"]) == {"message", "type", "param", "code"}
    return body["error"]


async def test_a_completion_has_answer_usage_and_sources(
    key: httpx.AsyncClient, application: dict[str, Any], model: ScriptedModel
) -> None:
    model.then(script.answer("Hold the reset button for 10 seconds [1]."))
    body = ok(await key.post(CHAT, json=chat(application["name"])))
    assert body["object"] == "chat.completion"
    assert body["choices"][0]["message"] == {
        "role": "assistant",
        "content": "Hold the reset button for 10 seconds [1].",
    }
    assert body["choices"][0]["finish_reason"] == "stop"
    assert body["usage"] == {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    assert body["sources"][0]["document"] == "manual.md"
    assert body["sources"][0]["text"] == RESET


async def test_a_stream_ends_with_sources_usage_and_done(
    key: httpx.AsyncClient, base: dict[str, Any], model: ScriptedModel
) -> None:
    model.then(script.answer("Hold the reset button [1]."))
    response = await key.post(
        CHAT, json=chat(base["name"], stream=True, stream_options={"include_usage": True})
    )
    assert response.headers["content-type"].startswith("text/event-stream")
    lines = [line.removeprefix("data: ") for line in response.text.split("\n\n") if line]
    assert lines[-1] == "[DONE]"
    chunks = [orjson.loads(line) for line in lines[:-1]]
    assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    text = "".join(c["choices"][0]["delta"].get("content", "") for c in chunks if c["choices"])
    assert text == "Hold the reset button [1]."
    assert chunks[-2]["choices"][0]["finish_reason"] == "stop"
    assert chunks[-2]["sources"][0]["n"] == 1
    assert chunks[-1]["choices"] == []
    assert chunks[-1]["usage"]["total_tokens"] == 15
    assert len({chunk["id"] for chunk in chunks}) == 1


async def test_system_prompt_and_history_are_honoured(
    key: httpx.AsyncClient, application: dict[str, Any], model: ScriptedModel
) -> None:
    # The first call completes the question, the second writes the answer.
    model.then(script.answer("Where is the router's default password?"), script.answer("On the label [1]."))
    body = chat(
        application["id"],
        ("system", "Answer like a pirate."),
        ("user", "How do I reset it?"),
        ("assistant", "Hold the button."),
        ("user", [{"type": "text", "text": "And the default password of the router?"}]),
        temperature=0.3,
        max_tokens=50,
    )
    assert ok(await key.post(CHAT, json=body))["choices"][0]["message"]["content"] == "On the label [1]."
    sent = model.requests[1].body
    assert sent["messages"][0]["content"].startswith("Answer like a pirate.")
    assert [m["role"] for m in sent["messages"]] == ["system", "user", "assistant", "user"]
    assert (sent["temperature"], sent["max_tokens"]) == (0.3, 50)
    assert "Where is the router's default password?" in sent["messages"][-1]["content"]


async def test_without_a_model_the_documents_are_quoted(key: httpx.AsyncClient, base: dict[str, Any]) -> None:
    body = ok(await key.post(CHAT, json=chat(base["id"])))
    assert body["choices"][0]["message"]["content"].endswith("[1]")
    assert body["sources"][0]["text"] in RESET


async def test_bound_keys_reach_what_they_are_bound_to(
    world: World, base: dict[str, Any], application: dict[str, Any]
) -> None:
    by_base = await world.make_key(world.owner, "ask", resource={"kind": "knowledge_base", "id": base["id"]})
    by_application = await world.make_key(
        world.owner, "ask", resource={"kind": "application", "id": application["id"]}
    )
    for client, own, foreign in (
        (by_base, base["name"], application["name"]),
        (by_application, application["name"], base["name"]),
    ):
        assert ok(await client.post(CHAT, json=chat(own)))["sources"]
        assert ok(await client.post(CHAT, json=chat("default")))["sources"]
        error_of(await client.post(CHAT, json=chat(foreign)), 404, "model_not_found")
        assert [card["id"] for card in ok(await client.get("/v1/models"))["data"]] == [own]


async def test_models_lists_what_may_be_named(
    key: httpx.AsyncClient, base: dict[str, Any], application: dict[str, Any]
) -> None:
    cards = {card["id"]: card["owned_by"] for card in ok(await key.get("/v1/models"))["data"]}
    assert cards[application["name"]] == "application"
    assert cards[base["name"]] == "knowledge_base"
    assert "model" in cards.values()


async def test_errors_come_in_openais_shape(
    world: World, key: httpx.AsyncClient, application: dict[str, Any], model: ScriptedModel
) -> None:
    name = application["name"]
    error_of(await key.post(CHAT, json=chat("no such thing")), 404, "model_not_found")
    error_of(await key.post(CHAT, json={"model": name}), 400, "invalid")
    error_of(await key.post(CHAT, json=chat(name, ("assistant", "hello"))), 422, "messages-invalid")
    error_of(await key.post(CHAT, json=chat(name, ("user", "长" * 100_000))), 422, "question-too-long")
    error_of(await world.nobody.post(CHAT, json=chat(name)), 401, "unauthenticated")
    error_of(await world.read_key.post(CHAT, json=chat(name)), 403, "forbidden")
    model.then(script.error(429, "slow down"))
    limited = error_of(await key.post(CHAT, json=chat(name)), 429, "model-rate-limited")
    assert limited["type"] == "rate_limit_error"
    model.then(script.error(401, "bad key"))
    error_of(await key.post(CHAT, json=chat(name)), 502, "model-authentication")


async def test_an_error_within_a_stream_is_told_in_the_stream(
    key: httpx.AsyncClient, application: dict[str, Any], model: ScriptedModel
) -> None:
    model.then(script.events([script.delta("Hold")], break_off=True))
    response = await key.post(CHAT, json=chat(application["name"], stream=True))
    lines = [line.removeprefix("data: ") for line in response.text.split("\n\n") if line]
    assert lines[-1] == "[DONE]"
    assert orjson.loads(lines[-2])["error"]["code"] == "model-interrupted"


async def test_embeddings_of_the_workspaces_models(
    world: World, key: httpx.AsyncClient, base: dict[str, Any]
) -> None:
    name = next(c["id"] for c in ok(await key.get("/v1/models"))["data"] if c["owned_by"] == "model")
    body = {"model": name, "input": ["a", "b"]}
    plain = ok(await key.post("/v1/embeddings", json=body))
    coded = ok(await key.post("/v1/embeddings", json=body | {"encoding_format": "base64"}))
    assert [item["index"] for item in plain["data"]] == [0, 1]
    decoded = np.frombuffer(base64.b64decode(coded["data"][1]["embedding"]), dtype="<f4")
    assert np.allclose(decoded, plain["data"][1]["embedding"], atol=1e-6)
    # The model of this process counts nothing.
    assert plain["usage"] == {"prompt_tokens": 2, "total_tokens": 2, "estimated": True}
    error_of(await key.post("/v1/embeddings", json=body | {"model": "none"}), 404, "model_not_found")
    error_of(await key.post("/v1/embeddings", json=body | {"input": []}), 400, "invalid")
    bound = await world.make_key(world.owner, "ask", resource={"kind": "knowledge_base", "id": base["id"]})
    error_of(await bound.post("/v1/embeddings", json=body), 403, "key-bound")


async def test_every_error_below_v1_has_openais_shape(key: httpx.AsyncClient, world: World) -> None:
    error_of(await key.get("/v1/nothing/here"), 404, "not-found")
    error_of(await key.delete("/v1/models"), 405, "method-not-allowed")
    broken = await key.post(CHAT, content=b'{"model": ', headers={"Content-Type": "application/json"})
    assert error_of(broken, 400, "malformed-json")["param"] is None
    missing = await key.post(CHAT, json={"messages": [{"role": "user", "content": "x"}]})
    assert error_of(missing, 400, "invalid")["param"] == "model"
    error_of(await world.nobody.get("/v1/models"), 401, "unauthenticated")
