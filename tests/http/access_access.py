"""Rows of the access table: folders, and who may see documents and folders."""

import httpx
from tests.http.access_calls import Call, Row
from tests.http.access_knowledge import API, base, base_of, document_of
from tests.http.world import World, ok


async def _folder(world: World) -> dict[str, str]:
    base_id = await base_of(world, world.owner)
    body = {"name": world.new_name("folder")}
    return ok(await world.owner.post(f"{API}/knowledge-bases/{base_id}/folders", json=body))


async def shown_folders(world: World, _client: httpx.AsyncClient) -> Call:
    made = await _folder(world)
    return Call(path={"knowledge_base_id": made["knowledge_base_id"]}, shows=(made["name"],))


async def new_folder(world: World, client: httpx.AsyncClient) -> Call:
    call = await base(world, client)
    return Call(path=call.path, json={"name": world.new_name("folder")})


async def folder(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"folder_id": (await _folder(world))["id"]})


async def changed_folder(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await folder(world, client)).path, json={"name": world.new_name("folder")})


async def document(world: World, _client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.owner)
    return Call(path={"document_id": await document_of(world, world.owner, base_id)})


async def listed_document(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await document(world, client)).path, json={"restricted": True})


async def listed_folder(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await folder(world, client)).path, json={"restricted": True})


BASE = f"{API}/knowledge-bases/{{knowledge_base_id}}"
ACCESS = [
    Row("GET", f"{BASE}/folders", "viewer", shown_folders, 404, key=True),
    Row("POST", f"{BASE}/folders", "editor", new_folder, 404),
    Row("PATCH", f"{API}/folders/{{folder_id}}", "editor", changed_folder, 404),
    Row("DELETE", f"{API}/folders/{{folder_id}}", "editor", folder, 404),
    Row("GET", f"{API}/documents/{{document_id}}/access", "editor", document, 404),
    Row("PUT", f"{API}/documents/{{document_id}}/access", "editor", listed_document, 404),
    Row("GET", f"{API}/folders/{{folder_id}}/access", "editor", folder, 404),
    Row("PUT", f"{API}/folders/{{folder_id}}/access", "editor", listed_folder, 404),
]
