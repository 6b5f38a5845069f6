"""Rows of the access table: the intents of an application."""

import httpx
from tests.http.access_calls import Call, Row
from tests.http.world import World, ok

API = "/api/v1"
TREE = f"{API}/applications/{{application_id}}/intents"
INTENT = f"{TREE}/{{intent_id}}"


async def _application(world: World) -> str:
    made = ok(await world.owner.post(f"{API}/applications", json={"name": world.new_name("application")}))
    return str(made["id"])


async def tree(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"application_id": await _application(world)})


async def new_intent(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await tree(world, client)).path, json={"code": "a", "name": "A"})


async def a_file(world: World, client: httpx.AsyncClient) -> Call:
    content = '{"intents": [{"code": "a", "name": "A"}]}'
    return Call(path=(await tree(world, client)).path, json={"content": content})


async def a_try(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await tree(world, client)).path, json={"question": "What?"})


async def intent(world: World, client: httpx.AsyncClient) -> Call:
    call = await new_intent(world, client)
    made = ok(await world.owner.post(TREE.format_map(call.path), json=call.json))
    return Call(path={**call.path, "intent_id": made["id"]})


async def renamed(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await intent(world, client)).path, json={"name": "B"})


async def moved(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await intent(world, client)).path, json={})


async def deleted(world: World, client: httpx.AsyncClient) -> Call:
    call = await intent(world, client)
    ok(await world.owner.delete(INTENT.format_map(call.path)))
    return call


INTENTS = (
    Row("GET", TREE, "viewer", tree, 404, key=True),
    Row("POST", TREE, "editor", new_intent, 404),
    Row("GET", f"{TREE}/export", "viewer", tree, 404, key=True),
    Row("POST", f"{TREE}/import", "editor", a_file, 404),
    Row("POST", f"{TREE}/try", "editor", a_try, 404),
    Row("PATCH", INTENT, "editor", renamed, 404),
    Row("DELETE", INTENT, "editor", intent, 404),
    Row("POST", f"{INTENT}/move", "editor", moved, 404),
    Row("POST", f"{INTENT}/restore", "editor", deleted, 404),
)
