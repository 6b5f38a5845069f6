"""Rows of the access table: Python tools and HTTP interfaces."""

import json
from typing import Any

import httpx
from tests.http.access_calls import Call, Row
from tests.http.world import World, ok

API = "/api/v1"
TOOL = f"{API}/stored-tools/{{tool_id}}"
INTERFACE = f"{API}/tool-interfaces/{{interface_id}}"
CODE = "def run(order_id: str):\n    return order_id\n"
DOCUMENT = json.dumps(
    {
        "openapi": "3.1.0",
        "info": {"title": "Orders", "version": "1"},
        "servers": [{"url": "http://127.0.0.1:9"}],
        "paths": {"/orders": {"get": {"operationId": "list_orders"}}},
    }
)


def _python(world: World) -> dict[str, Any]:
    return {"name": world.new_name("tool").replace(" ", "_"), "code": CODE}


def _interface(world: World) -> dict[str, Any]:
    return {"name": world.new_name("interface"), "document": DOCUMENT, "operations": ["GET /orders"]}


async def new_tool(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json=_python(world))


async def tool(world: World, _client: httpx.AsyncClient) -> Call:
    made = ok(await world.owner.post(f"{API}/stored-tools", json=_python(world)))
    return Call(path={"tool_id": made["id"]}, json={"title": "Orders"})


async def kept_tool(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await tool(world, client)).path)


async def tool_shown(world: World, client: httpx.AsyncClient) -> Call:
    return Call(shows=((await tool(world, client)).path["tool_id"],))


async def code(_world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json={"code": CODE})


async def trial(_world: World, _client: httpx.AsyncClient) -> Call:
    # Where programs cannot be isolated the answer says so, with status 200 all the same.
    return Call(json={"code": CODE, "arguments": {"order_id": "1"}})


async def foreign_trial(world: World, client: httpx.AsyncClient) -> Call:
    tool_id = (await tool(world, client)).path["tool_id"]
    return Call(json={"code": CODE, "arguments": {"order_id": "1"}, "tool_id": tool_id})


async def document(_world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json={"document": DOCUMENT})


async def new_interface(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json=_interface(world))


async def interface(world: World, _client: httpx.AsyncClient) -> Call:
    made = ok(await world.owner.post(f"{API}/tool-interfaces", json=_interface(world)))
    return Call(path={"interface_id": made["id"]}, json={"description": "Orders"})


async def kept_interface(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await interface(world, client)).path)


async def interface_shown(world: World, client: httpx.AsyncClient) -> Call:
    return Call(shows=((await interface(world, client)).path["interface_id"],))


STORED_TOOLS = (
    Row("GET", f"{API}/stored-tools", "editor", tool_shown),
    Row("POST", f"{API}/stored-tools", "owner", new_tool),
    Row("POST", f"{API}/stored-tools/code", "editor", code),
    Row("POST", f"{API}/stored-tools/try", "owner", trial, foreign=foreign_trial),
    Row("GET", TOOL, "editor", kept_tool, 404),
    Row("PATCH", TOOL, "owner", tool, 404),
    Row("DELETE", TOOL, "owner", kept_tool, 404),
    Row("GET", f"{TOOL}/versions", "editor", kept_tool, 404),
    Row("GET", f"{API}/tool-interfaces", "editor", interface_shown),
    Row("POST", f"{API}/tool-interfaces", "owner", new_interface),
    Row("POST", f"{API}/tool-interfaces/document", "owner", document),
    Row("GET", INTERFACE, "editor", kept_interface, 404),
    Row("PATCH", INTERFACE, "owner", interface, 404),
    Row("DELETE", INTERFACE, "owner", kept_interface, 404),
)
