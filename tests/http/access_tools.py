"""Rows of the access table: tool servers and tools."""

import hashlib
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import httpx
from tests.http.access_calls import Call, Row
from tests.http.world import World, ok

from refdesk.testing.scripted_mcp import scripted_mcp
from refdesk.tools import Tool, ToolCaller, ToolResult, ToolService, ToolSpec
from refdesk.tools.tables import ToolSignIn

API = "/api/v1/tool-servers"
ONE = f"{API}/{{server_id}}"
TOOLS = "/api/v1/tools"


def _draft(world: World) -> dict[str, Any]:
    config = {"url": "http://127.0.0.1:9/mcp", "headers": {"X-Own": "${OWN}"}}
    variables = [{"name": "OWN", "is_per_user": True}]
    return {"name": world.new_name("tools"), "transport": "http", "config": config, "variables": variables}


async def drafted(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json=_draft(world))


async def pasted(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(
        json={"text": f'{{"mcpServers": {{"{world.new_name("tools")}": {{"url": "http://127.0.0.1:9"}}}}}}'}
    )


async def shown(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(shows=(str(ok(await world.owner.post(API, json=_draft(world)))["id"]),))


async def kept(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"server_id": ok(await world.owner.post(API, json=_draft(world)))["id"]})


async def changed(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await kept(world, client)).path, json={"timeout_s": 5})


async def own(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await kept(world, client)).path, json={"values": {"OWN": "mine"}})


async def signing_in(world: World, _client: httpx.AsyncClient) -> Call:
    if world.mcp_url is None:
        mcp = await world.stack.enter_async_context(scripted_mcp())
        mcp.want_sign_in()
        world.mcp_url = mcp.url
    config = {"url": world.mcp_url, "oauth": {"grant": "authorization_code"}}
    draft = _draft(world) | {"config": config, "variables": []}
    return Call(path={"server_id": ok(await world.owner.post(API, json=draft))["id"]})


async def sent_back(world: World, client: httpx.AsyncClient) -> Call:
    """The browser of whoever began a sign-in, with the answer of an authorization server."""
    name = next(name for name, one in world.clients.items() if one is client)
    state, server = world.new_name("state"), (await kept(world, client)).path["server_id"]
    begun = ToolSignIn(
        workspace_id=world.workspace_id,
        server_id=UUID(server),
        user_id=world.user_ids.get("owner" if name == "read_key" else name),
        state_hash=hashlib.sha256(state.encode()).hexdigest(),
    )
    async with world.database.transaction() as session:
        session.add(begun)
    return Call(query={"state": state, "code": "c"})


class _Nothing:
    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        return ToolResult("done")


async def local_tool(world: World, _client: httpx.AsyncClient) -> Call:
    """A tool that comes with the program, which all workspaces have."""
    tools: ToolService = world.app.state.tools
    spec = ToolSpec("builtin:nothing", "nothing", "Does nothing.", {"type": "object"}, "builtin")
    if not tools.registry.contains(spec.id):
        tools.registry.register(Tool(spec, _Nothing()))
    return Call(json={"tool": spec.id})


TOOL_ROWS = (
    Row("GET", API, "editor", shown),
    Row("POST", API, "owner", drafted),
    Row("POST", f"{API}/paste", "owner", pasted),
    Row("POST", f"{API}/check", "owner", drafted),
    Row("GET", ONE, "editor", kept, 404),
    Row("PATCH", ONE, "owner", changed, 404),
    Row("DELETE", ONE, "owner", kept, 404),
    Row("POST", f"{ONE}/check", "editor", kept, 404),
    Row("PUT", f"{ONE}/own-values", "viewer", own, 404),
    Row("DELETE", f"{ONE}/own-values", "viewer", kept, 404),
    Row("GET", f"{API}/sign-in/callback", "viewer", sent_back, 404, key=True),
    Row("POST", f"{ONE}/sign-in", "owner", signing_in, 404),
    Row("GET", TOOLS, "viewer", key=True),
    Row("POST", f"{TOOLS}/call", "editor", local_tool),
)
