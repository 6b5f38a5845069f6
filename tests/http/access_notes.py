"""Rows of the access table: a person's notes with an application."""

import httpx
from tests.http.access_calls import Call, Row
from tests.http.world import World, ok

NOTES = "/api/v1/applications/{application_id}/notes"
NOTE = f"{NOTES}/{{note_id}}"


async def kept(world: World, _client: httpx.AsyncClient) -> Call:
    draft = {"name": world.new_name("application"), "settings": {"notes": True}}
    made = ok(await world.owner.post("/api/v1/applications", json=draft))
    return Call(path={"application_id": made["id"]})


async def choice(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await kept(world, client)).path, json={"agreed": True})


async def agreed(world: World, client: httpx.AsyncClient) -> Call:
    call = await choice(world, client)
    await client.put(NOTES.format_map(call.path), json=call.json)
    return Call(path=call.path, json={"text": "Works in purchasing."})


async def note(world: World, client: httpx.AsyncClient) -> Call:
    call = await agreed(world, client)
    made = await client.post(NOTES.format_map(call.path), json=call.json)
    # Who may not note anything asks for one of nobody's.
    note_id = made.json().get("id") or call.path["application_id"]
    return Call(path={**call.path, "note_id": note_id}, json=call.json)


async def erased(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await note(world, client)).path)


NOTES_ROWS = (
    Row("GET", NOTES, "viewer", kept, 404),
    Row("PUT", NOTES, "viewer", choice, 404),
    Row("POST", NOTES, "viewer", agreed, 404),
    Row("DELETE", NOTES, "viewer", kept, 404),
    Row("PATCH", NOTE, "viewer", note, 404, private=True),
    Row("DELETE", NOTE, "viewer", erased, 404, private=True),
)
