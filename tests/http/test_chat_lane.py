"""The short way of programs that ask models by id: the same answers as the route, and for nobody else."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from tests.http.asking import connected
from tests.http.world import World, ok

from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import ScriptedModel, scripted_model

CHAT = "/v1/chat/completions"


@pytest.fixture
async def model(world: World) -> AsyncIterator[tuple[ScriptedModel, str]]:
    async with scripted_model() as server, connected(world, server.base_url) as model_id:
        yield server, model_id


def asking(model_id: str, **more: Any) -> dict[str, Any]:
    return {"model": model_id, "messages": [{"role": "user", "content": "hello"}], **more}


def plain(response: httpx.Response) -> dict[str, Any]:
    return {name: value for name, value in ok(response).items() if name not in ("id", "created")}


async def test_the_second_call_answers_as_the_first(world: World, model: tuple[ScriptedModel, str]) -> None:
    server, model_id = model
    key = await world.make_key(world.owner, "ask")
    server.then(script.answer("Good morning."), script.answer("Good morning."))
    first, second = [await key.post(CHAT, json=asking(model_id)) for _ in range(2)]
    assert plain(first) == plain(second)
    assert plain(second)["choices"][0]["message"]["content"] == "Good morning."
    assert second.headers["X-Content-Type-Options"] == "nosniff"
    arrived = [request.headers["x-request-id"] for request in server.requests[-2:]]
    assert arrived == [first.headers["X-Request-ID"], second.headers["X-Request-ID"]]


async def test_what_is_malformed_or_fails_is_told_as_the_route_tells_it(
    world: World, model: tuple[ScriptedModel, str]
) -> None:
    server, model_id = model
    key = await world.make_key(world.owner, "ask")
    server.then(script.answer("hi"), script.error(401, "wrong key"), script.answer("hi"))
    ok(await key.post(CHAT, json=asking(model_id)))
    failed = await key.post(CHAT, json=asking(model_id))
    assert failed.json()["error"]["code"] == "model-authentication"
    warm = await world.make_key(world.owner, "ask")
    for body, status, code in (
        (asking(model_id, temperature="hot"), 400, "invalid"),
        (asking("no-such-thing"), 404, "model_not_found"),
    ):
        told = await warm.post(CHAT, json=body)
        assert (told.status_code, told.json()["error"]["code"]) == (status, code), told.text
    assert len(server.requests) == 2


async def test_a_model_of_another_workspace_and_a_key_that_may_not_ask_are_not_let_through(
    world: World, model: tuple[ScriptedModel, str]
) -> None:
    server, model_id = model
    reader = await world.make_key(world.owner, "read")
    stranger = await world.make_key(world.stranger, "ask")
    server.then(script.answer("hi"), script.answer("hi"))
    for _ in range(2):
        assert (await reader.post(CHAT, json=asking(model_id))).status_code == 403
        assert (await stranger.post(CHAT, json=asking(model_id))).status_code == 404
    assert server.requests == []
