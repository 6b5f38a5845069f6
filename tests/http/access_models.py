"""Rows of the access table: trying models out, and the films that come of it."""

import httpx
from tests.http.access_calls import Call, Row
from tests.http.world import World, ok

from refdesk.testing.scripted_model import scripted_model

API = "/api/v1"
MODEL = f"{API}/models/{{model_id}}"
FILM = f"{API}/model-films/{{film_id}}"


async def connected_model(world: World, kind: str) -> dict[str, str]:
    if world.model_url is None:
        world.model_url = (await world.stack.enter_async_context(scripted_model())).base_url
    name = world.new_name("model")
    draft = {"kind": kind, "name": name, "model_name": "scripted", "base_url": world.model_url}
    return {"model_id": ok(await world.owner.post(f"{API}/models", json=draft))["id"]}


async def question(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path=await connected_model(world, "LLM"), json={"text": "Hello"})


async def text(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path=await connected_model(world, "TTS"), json={"text": "Hello"})


async def prompt(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path=await connected_model(world, "TTI"), json={"prompt": "A lighthouse"})


async def scene(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path=await connected_model(world, "TTV"), json={"prompt": "Waves"})


async def filming(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await scene(world, client)).path)


async def film(world: World, client: httpx.AsyncClient) -> Call:
    path = (await scene(world, client)).path
    made = ok(await world.owner.post(f"{API}/models/{path['model_id']}/try/film", json={"prompt": "Waves"}))
    return Call(path={"film_id": made["id"]})


async def finished_film(world: World, client: httpx.AsyncClient) -> Call:
    call = await film(world, client)
    assert ok(await world.owner.get(f"{API}/model-films/{call.path['film_id']}"))["stage"] == "finished"
    return call


MODELS = (
    Row("POST", f"{MODEL}/try", "owner", question, 404),
    Row("POST", f"{MODEL}/try/stream", "owner", question, 404),
    Row("POST", f"{MODEL}/try/speech", "owner", text, 404),
    Row("POST", f"{MODEL}/try/pictures", "owner", prompt, 404),
    Row("POST", f"{MODEL}/try/film", "owner", scene, 404),
    Row("GET", f"{MODEL}/films", "owner", filming, 404),
    Row("GET", FILM, "owner", film, 404),
    Row("POST", f"{FILM}/cancel", "owner", film, 404),
    Row("GET", f"{FILM}/file", "owner", finished_film, 404),
)
