"""Rows of the access table: tools over the Model Context Protocol, skills, working directories."""

import httpx
from tests.http.access_asking import CONVERSATION, application, conversation
from tests.http.access_calls import Call, Row
from tests.http.world import World, ok

API = "/api/v1"


async def tools_of_application(world: World, client: httpx.AsyncClient) -> Call:
    return Call(
        path=(await application(world, client)).path,
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}},
        headers={"Host": "127.0.0.1", "Accept": "application/json, text/event-stream"},
    )


async def new_skill(world: World, _client: httpx.AsyncClient) -> Call:
    name = world.new_name("skill").replace(" ", "-")
    return Call(content=f"---\nname: {name}\ndescription: {name}\n---\n\nDo it.\n".encode())


async def skill(world: World, _client: httpx.AsyncClient) -> Call:
    made = await new_skill(world, _client)
    added = ok(await world.owner.post(f"{API}/skills", content=made.content))
    return Call(path={"name": added["name"]})


async def skill_shown(world: World, client: httpx.AsyncClient) -> Call:
    return Call(shows=((await skill(world, client)).path["name"],))


async def file_of_skill(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await skill(world, client)).path, query={"path": "SKILL.md"})


async def working_file(world: World, client: httpx.AsyncClient) -> Call:
    at = (await conversation(world, client)).path
    path = f"{API}/conversations/{at['conversation_id']}/files/content"
    await client.put(path, params={"path": "note.txt"}, content=b"x")
    return Call(path=at, query={"path": "note.txt"})


async def new_working_file(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await conversation(world, client)).path, query={"path": "new.txt"}, content=b"x")


FILES = f"{CONVERSATION}/files"

AGENT = (
    Row("POST", "/apps/{application_id}/mcp", "viewer", tools_of_application, 404),
    Row("GET", f"{API}/skills", "viewer", skill_shown, key=True),
    Row("POST", f"{API}/skills", "editor", new_skill),
    Row("GET", f"{API}/skills/{{name}}", "viewer", skill, 404, key=True),
    Row("GET", f"{API}/skills/{{name}}/file", "viewer", file_of_skill, 404, key=True),
    Row("DELETE", f"{API}/skills/{{name}}", "editor", skill, 404),
    Row("GET", FILES, "viewer", conversation, 404, private=True),
    Row("PUT", f"{FILES}/content", "viewer", new_working_file, 404, private=True),
    Row("GET", f"{FILES}/content", "viewer", working_file, 404, private=True),
    Row("DELETE", f"{FILES}/content", "viewer", working_file, 404, private=True),
)
