"""Applications over the Model Context Protocol, spoken by hand: nothing here is shared with the server."""

import asyncio
import json
import os
import shutil
import socket
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from tests.http.asking import make_base
from tests.http.world import World, ok

from refdesk import __version__

FACT = "参数 max_connections 的最大支持值为 100，超过后拒绝新的连接。"
HEADERS = {"Host": "127.0.0.1", "Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
async def application(world: World) -> dict[str, Any]:
    base = await make_base(world, FACT)
    body = {
        "name": world.new_name("desk"),
        "description": "设备手册",
        "knowledge_base_ids": [base["id"]],
        "settings": {"language": "zh"},
    }
    return ok(await world.editor.post("/api/v1/applications", json=body))


async def rpc(client: httpx.AsyncClient, application_id: str, method: str, **params: Any) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return ok(await client.post(f"/apps/{application_id}/mcp", json=body, headers=HEADERS))["result"]


async def test_a_client_that_shares_no_code_lists_and_calls_the_tools(
    world: World, application: dict[str, Any]
) -> None:
    hello = await rpc(
        world.viewer,
        application["id"],
        "initialize",
        protocolVersion="2025-06-18",
        capabilities={},
        clientInfo={"name": "by hand", "version": "1"},
    )
    assert hello["serverInfo"]["name"] == "refdesk"
    tools = {
        tool["name"]: tool for tool in (await rpc(world.viewer, application["id"], "tools/list"))["tools"]
    }
    assert set(tools) == {
        "search_documents",
        "read_section",
        "get_document_meta",
        "list_documents",
        "ask_application",
    }
    assert "当用户问题明确指向本地文档中记录的具体事实时" in tools["search_documents"]["description"]
    assert tools["search_documents"]["annotations"]["readOnlyHint"] is True
    found = await rpc(
        world.viewer,
        application["id"],
        "tools/call",
        name="search_documents",
        arguments={"query": "max_connections"},
    )
    (result,) = found["structuredContent"]["results"]
    assert (result["doc_name"], result["snippet"]) == ("manual.md", FACT)
    around = await rpc(
        world.viewer,
        application["id"],
        "tools/call",
        name="read_section",
        arguments={"paragraph_id": result["paragraph_id"]},
    )
    assert around["structuredContent"]["passages"][0]["text"] == FACT
    answer = await rpc(
        world.viewer,
        application["id"],
        "tools/call",
        name="ask_application",
        arguments={"question": "max_connections 最大支持值是多少？"},
    )
    assert "100" in answer["structuredContent"]["answer"]
    assert answer["structuredContent"]["citations"][0]["document"] == "manual.md"
    unknown = await rpc(world.viewer, application["id"], "tools/call", name="drop_tables", arguments={})
    assert unknown["isError"] is True
    assert unknown["content"][0]["text"] == "unknown tool: drop_tables"


async def test_a_call_has_the_rights_of_its_caller_and_only_known_hosts_are_served(
    world: World, application: dict[str, Any]
) -> None:
    path = f"/apps/{application['id']}/mcp"
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    assert (await world.stranger.post(path, json=body, headers=HEADERS)).status_code == 404
    elsewhere = await world.viewer.post(path, json=body, headers={**HEADERS, "Host": "evil.example"})
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (421, "mcp-host-refused")
    resource = {"kind": "application", "id": application["id"]}
    bound = await world.make_key(world.owner, "ask", resource=resource)
    assert len((await rpc(bound, application["id"], "tools/list"))["tools"]) == 5


async def test_a_key_bound_to_one_application_is_told_so_in_one_way_wherever_it_is_refused(
    world: World, application: dict[str, Any]
) -> None:
    other = ok(await world.editor.post("/api/v1/applications", json={"name": world.new_name("other")}))
    resource = {"kind": "application", "id": application["id"]}
    bound = await world.make_key(world.owner, "ask", resource=resource)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    for answer in (
        await bound.post(f"/apps/{other['id']}/mcp", json=body, headers=HEADERS),
        await bound.post("/api/v1/runs", json={"question": "?", "application_id": other["id"]}),
        await bound.post(
            "/api/v1/runs", json={"question": "?", "knowledge_base_ids": application["knowledge_base_ids"]}
        ),
        await bound.get("/api/v1/applications"),
    ):
        refusal = answer.json()
        assert (answer.status_code, refusal["code"]) == (403, "key-bound"), refusal
        assert refusal["details"] == {"bound_to": "application", "resource_id": application["id"]}
        assert application["id"] in refusal["title"]
        assert refusal["hint"]


@asynccontextmanager
async def served(world: World) -> AsyncGenerator[str]:
    """The address under which the application answers for a while."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(world.app, lifespan="off", log_level="error"))
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        await serving


async def test_all_that_came_over_standard_input_is_answered_though_it_ends_at_once(
    world: World, application: dict[str, Any]
) -> None:
    initialize = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "by hand", "version": "1"},
    }
    search = {"name": "search_documents", "arguments": {"query": "max_connections"}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": initialize},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": "three", "method": "tools/call", "params": search},
    ]
    lines = [json.dumps({"jsonrpc": "2.0", **message}) for message in messages]
    script = "\n".join([*lines[:2], "{not json", "", '{"no": "message"}', *lines[2:]])
    key = (await world.make_key(world.owner, "ask")).headers["Authorization"].removeprefix("Bearer ")
    async with served(world) as address:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "refdesk", "mcp", "--app", application["id"]),
            env={**os.environ, "REFDESK_SERVER": address, "REFDESK_API_KEY": key},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, errors = await process.communicate(script.encode())
    assert process.returncode == 0, errors.decode()
    answers = [json.loads(line) for line in out.splitlines()]
    refused = [answer["error"]["code"] for answer in answers if answer["id"] is None]
    assert refused == [-32700, -32600]
    results = {answer["id"]: answer["result"] for answer in answers if answer["id"] is not None}
    assert len(answers) == 5
    over_http = await rpc(world.viewer, application["id"], "initialize", **initialize)
    assert results[1]["serverInfo"] == over_http["serverInfo"]
    assert results[1]["serverInfo"]["version"] == __version__
    assert len(results[2]["tools"]) == 5
    assert results["three"]["structuredContent"]["results"][0]["snippet"] == FACT


FRONTEND = Path(__file__).parents[2] / "frontend"
HAS_CLIENT = shutil.which("node") and (FRONTEND / "node_modules/@modelcontextprotocol/sdk").is_dir()


@pytest.mark.skipif(not HAS_CLIENT, reason="the page's packages are not installed")
async def test_the_typescript_client_lists_searches_and_asks(
    world: World, application: dict[str, Any]
) -> None:
    resource = {"kind": "application", "id": application["id"]}
    key = (await world.make_key(world.owner, "ask", resource=resource)).headers["Authorization"]
    async with served(world) as address:
        client = await asyncio.create_subprocess_exec(
            "node",
            str(FRONTEND / "e2e/mcpClient.mjs"),
            f"{address}/apps/{application['id']}/mcp",
            key.removeprefix("Bearer "),
            "max_connections",
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, errors = await client.communicate()
    assert client.returncode == 0, errors.decode()
    told = json.loads(out)
    assert told["server"] == "refdesk"
    assert "ask_application" in told["tools"]
    assert told["found"]["results"][0]["snippet"] == FACT
    assert "100" in told["answer"]["answer"]
    assert told["wrong"] == {"isError": True, "text": "missing: query"}
