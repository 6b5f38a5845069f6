"""The gateway by itself: its health, its doors, and that its callers are who they are elsewhere."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.routing import Mount
from tests.http.test_access_matrix import operations
from tests.http.test_model_descriptors import connect
from tests.http.world import BASE_URL, World, ok, problem

from refdesk.kit.settings import Settings
from refdesk.server import create_gateway_app
from refdesk.testing.scripted_model import Call, ScriptedModel, Turn, body, cut, refuses, says, scripted_model

CHAT = "/v1/chat/completions"
OPEN = {
    *(("GET", "/health"), ("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/api/v1/openapi.json")),
    *(("HEAD", "/api/v1/openapi.json"), ("GET", "/api/v1/setup"), ("POST", "/api/v1/setup")),
    *(("POST", "/api/v1/session"), ("GET", "/api/v1/invitations/{token}")),
    ("POST", "/api/v1/invitations/{token}/redeem"),
}


@pytest.fixture(scope="module")
async def alone(world: World, settings: Settings, database_url: str) -> AsyncIterator[FastAPI]:
    app = create_gateway_app(settings, database_url=database_url)
    async with app.router.lifespan_context(app):
        yield app


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as running:
        yield running


@pytest.fixture
async def caller(world: World, alone: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    key = await world.make_key(world.viewer, "ask", "read")
    transport = httpx.ASGITransport(app=alone)
    headers = {"Authorization": key.headers["Authorization"]}
    async with httpx.AsyncClient(transport=transport, base_url=BASE_URL, headers=headers) as client:
        yield client


async def model_of(world: World, server: ScriptedModel, **more: Any) -> str:
    return str((await connect(world, base_url=server.base_url, **more))["name"])


def asked(model: str, **more: Any) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": "Hello"}]} | more


async def test_health_tells_what_it_stands_on(caller: httpx.AsyncClient) -> None:
    told = ok(await caller.get("/health", headers={"Authorization": ""}))
    assert (told["status"], told["database"]) == ("ok", "ok")


async def test_every_operation_but_the_open_ones_asks_who_calls(alone: FastAPI) -> None:
    transport = httpx.ASGITransport(app=alone, raise_app_exceptions=False)
    seen = 0
    async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as nobody:
        for method, path in set(operations(alone.routes)) - OPEN:
            path = path.replace("{kind}", "LLM").replace("{purpose}", "answer")
            filled = "/".join("x" if part.startswith("{") else part for part in path.split("/"))
            response = await nobody.request(method, filled, json={})
            assert response.status_code == 401, f"{method} {path}: {response.status_code} {response.text}"
            seen += 1
    assert seen > 40
    assert not any(isinstance(route, Mount) for route in alone.routes)


async def test_a_model_answers_over_both_doors(
    world: World, server: ScriptedModel, caller: httpx.AsyncClient
) -> None:
    name = await model_of(world, server)
    response = await caller.post(CHAT, json=asked(name), headers={"X-Request-ID": "r-1"})
    told = ok(response)
    assert told["choices"][0]["message"] == {"role": "assistant", "content": "Hello"}
    assert told["usage"]["total_tokens"] > 0
    assert server.requests[-1].headers["x-request-id"] == response.headers["x-request-id"] == "r-1"
    body = {"model_id": name, "input": {"prompt": "Hi"}}
    assert ok(await caller.post("/mcp/invoke", json=body))["content"] == "Hi"
    cards = ok(await caller.get("/v1/models"))["data"]
    assert name in [card["id"] for card in cards]
    listed = ok(await caller.get("/mcp/models", params={"q": "scripted"}))["items"]
    assert name in [one["model_id"] for one in listed]


async def test_tools_pictures_and_forms_go_through(
    world: World, server: ScriptedModel, caller: httpx.AsyncClient
) -> None:
    name = await model_of(world, server, model_name="gpt-4o")
    made = Call("look_up", '{"q":"x"}')
    server.then(says(Turn(calls=(made,), finish="tool_calls")))
    pixel = "data:image/gif;base64,R0lGODlhAQABAAAAACw="
    content = [{"type": "text", "text": "What?"}, {"type": "image_url", "image_url": {"url": pixel}}]
    earlier = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    messages = [
        {"role": "developer", "content": "Be short."},
        {"role": "user", "content": content},
        {"role": "assistant", "content": None, "tool_calls": [earlier]},
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
    ]
    tool = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}
    form = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}}
    choice = {"type": "function", "function": {"name": "look_up"}}
    body = asked(name, messages=messages, tools=[tool], tool_choice=choice, response_format=form, stop="END")
    told = ok(await caller.post(CHAT, json=body))["choices"][0]
    assert told["finish_reason"] == "tool_calls"
    assert told["message"]["tool_calls"][0]["function"] == {"name": "look_up", "arguments": '{"q":"x"}'}
    sent = server.requests[-1].body
    assert [one["role"] for one in sent["messages"]] == ["system", "user", "assistant", "tool"]
    assert sent["messages"][1]["content"][1]["image_url"]["url"] == pixel
    assert sent["messages"][2]["tool_calls"][0]["id"] == sent["messages"][3]["tool_call_id"] == "c1"
    assert (sent["tool_choice"], sent["stop"]) == (choice, ["END"])
    assert sent["response_format"]["json_schema"]["schema"] == {"type": "object"}


async def test_a_stream_has_openais_form(
    world: World, server: ScriptedModel, caller: httpx.AsyncClient
) -> None:
    name = await model_of(world, server)
    server.then(says(Turn(text="One two", calls=(Call("f", "{}"),), finish="tool_calls")))
    body = asked(name, stream=True, stream_options={"include_usage": True})
    response = await caller.post(CHAT, json=body)
    lines = [line.removeprefix("data: ") for line in response.text.split("\n\n") if line]
    assert lines[-1] == "[DONE]"
    chunks = [httpx.Response(200, text=line).json() for line in lines[:-1]]
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks if chunk["choices"]]
    assert "".join(delta.get("content") or "" for delta in deltas) == "One two"
    [call] = [delta["tool_calls"][0] for delta in deltas if "tool_calls" in delta]
    assert (call["index"], call["function"]["name"]) == (0, "f")
    assert [c["choices"][0]["finish_reason"] for c in chunks if c["choices"]][-1] == "tool_calls"
    assert chunks[-1]["usage"]["prompt_tokens"] > 0
    server.then(cut(says("One two three"), 420))
    broken = (await caller.post(CHAT, json=body)).text.split("\n\n")
    assert '"code":"model-interrupted"' in broken[-3]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"temperature": "0.7"}, "temperature"),
        ({"max_tokens": 1.5}, "max_tokens"),
        ({"messages": [{"role": "usr", "content": "x"}]}, "messages.0.role"),
        ({"messages": []}, "messages"),
    ],
)
async def test_what_is_malformed_is_never_sent_on(
    world: World, server: ScriptedModel, caller: httpx.AsyncClient, wrong: dict[str, Any], told: str
) -> None:
    name = await model_of(world, server)
    response = await caller.post(CHAT, json=asked(name) | wrong)
    assert response.status_code == 422
    assert response.json()["error"]["message"].startswith(told)
    assert server.requests == []


async def test_errors_have_openais_shape(
    world: World, server: ScriptedModel, caller: httpx.AsyncClient
) -> None:
    name = await model_of(world, server)
    server.then(refuses(429, "slow down", headers={"Retry-After": "7"}))
    limited = await caller.post(CHAT, json=asked(name))
    assert (limited.status_code, limited.headers["retry-after"]) == (503, "7")
    assert limited.json()["error"]["code"] == "model-rate-limited"
    unknown = await caller.post(CHAT, json=asked("nobody"))
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "unknown-model")
    embedding = ok(await caller.get("/mcp/models", params={"q": "provider:embedded"}))["items"][0]["model_id"]
    wrong = await caller.post(CHAT, json=asked(embedding))
    assert wrong.json()["error"]["code"] == "wrong-model-kind"


async def test_texts_are_embedded(world: World, server: ScriptedModel, caller: httpx.AsyncClient) -> None:
    name = await model_of(world, server, kind="EMBEDDING")
    told = ok(await caller.post("/v1/embeddings", json={"model": name, "input": ["a", "b"]}))["data"]
    assert [len(one["embedding"]) for one in told] == [64, 64]
    coded = {"model": name, "input": "a", "encoding_format": "base64"}
    assert isinstance(ok(await caller.post("/v1/embeddings", json=coded))["data"][0]["embedding"], str)


async def test_the_tokens_of_vectors_are_the_vendors_or_estimated(
    world: World, server: ScriptedModel, caller: httpx.AsyncClient
) -> None:
    name = await model_of(world, server, kind="EMBEDDING")
    server.then(body(vectors_of(2) | {"usage": {"prompt_tokens": 9, "total_tokens": 9}}))
    asked = {"model": name, "input": ["counted by the vendor", "as this one"], "input_type": "query"}
    assert ok(await caller.post("/v1/embeddings", json=asked))["usage"] == {
        "prompt_tokens": 9,
        "total_tokens": 9,
    }
    server.then(body(vectors_of(1)))
    silent = {"model": name, "input": "nobody counts these words", "input_type": "query"}
    estimated = {"prompt_tokens": 9, "total_tokens": 9, "estimated": True}
    assert ok(await caller.post("/v1/embeddings", json=silent))["usage"] == estimated
    # Kept from before: no call is made, and the texts are still as long as they are.
    before = len(server.requests)
    assert ok(await caller.post("/v1/embeddings", json=silent))["usage"] == estimated
    assert len(server.requests) == before
    given = {"texts": ["nobody counts"], "input_type": "query"}
    told = ok(await caller.post("/mcp/invoke", json={"model_id": name, "input": given}))
    assert told["metadata"]["input_tokens"] == 1  # the scripted server's own count


def vectors_of(count: int) -> dict[str, Any]:
    return {"data": [{"index": at, "embedding": [1.0] + [0.0] * 63} for at in range(count)]}


async def test_knowledge_is_not_served(caller: httpx.AsyncClient) -> None:
    problem(await caller.get("/api/v1/knowledge-bases"), 404, "not-found")


async def test_a_key_that_is_revoked_is_refused_within_a_second(
    world: World, server: ScriptedModel, alone: FastAPI
) -> None:
    name = await model_of(world, server)
    made = ok(await world.viewer.post("/api/v1/api-keys", json={"name": "short-lived", "scopes": ["ask"]}))
    transport = httpx.ASGITransport(app=alone)
    headers = {"Authorization": f"Bearer {made['secret']}"}
    async with httpx.AsyncClient(transport=transport, base_url=BASE_URL, headers=headers) as client:
        ok(await client.post(CHAT, json=asked(name)))
        ok(await world.viewer.delete(f"/api/v1/api-keys/{made['api_key']['id']}"))
        async with asyncio.timeout(1.5):
            while (await client.post(CHAT, json=asked(name))).status_code != 401:  # noqa: ASYNC110 - it asks
                await asyncio.sleep(0.05)
