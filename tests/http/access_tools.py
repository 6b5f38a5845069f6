"""Rows of the access table: tool servers and tools."""

from typing import Any

import httpx
from tests.http.access_calls import Call, Row
from tests.http.world import World, ok

from refdesk.tools import Tool, ToolCaller, ToolResult, ToolService, ToolSpec

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


class _Nothing:
    async def call(self, _arguments: Any, _caller: ToolCaller) -> ToolResult:
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
    Row("GET", TOOLS, "viewer", key=True),
    Row("POST", f"{TOOLS}/call", "editor", local_tool),
)
