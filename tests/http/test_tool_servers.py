"""Tool servers over HTTP, against real MCP servers on loopback."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import select
from tests.http.world import World, ok

from refdesk.accounts import Scope
from refdesk.testing.scripted_mcp import ScriptedMcp, fails, gives, says, scripted_mcp
from refdesk.tools import ToolCaller, ToolService
from refdesk.tools.tables import ToolServer

API = "/api/v1/tool-servers"
ORDER = {"order": {"type": "string", "description": "Number of the order"}}


@pytest.fixture(scope="module")
async def mcp() -> AsyncIterator[ScriptedMcp]:
    async with scripted_mcp() as server:
        server.add("order_query", gives({"state": "received"}), parameters=ORDER, required=("order",))
        server.add("cancel_order", says("cancelled"), read_only=None)
        server.add("broken", fails("no such order"))
        yield server


async def added(world: World, mcp: ScriptedMcp, **more: Any) -> dict[str, Any]:
    draft = {"name": world.new_name("orders"), "transport": "http", "config": {"url": mcp.url}, **more}
    return ok(await world.owner.post(API, json=draft))


async def test_pasted_servers_are_tested_listed_and_tried_and_their_secrets_stay(
    world: World, mcp: ScriptedMcp
) -> None:
    name = world.new_name("pasted")
    text = json.dumps({
        "mcpServers": {
            name: {"url": mcp.url, "headers": {"Authorization": "Bearer sk-1234567890abc", "X-Region": "eu"}},
            "nothing": {"url": "ftp://example.org"},
        }
    })  # fmt: skip
    outcome = ok(await world.owner.post(f"{API}/paste", json={"text": text}))["items"]
    assert (outcome[1]["server"], outcome[1]["code"]) == (None, "tool-server-config-invalid")
    server = outcome[0]["server"]
    assert server["config"]["headers"] == {"Authorization": "Bearer ${AUTHORIZATION}", "X-Region": "eu"}
    assert server["variables"][0]["shown"] == "sk-******abc"

    checked = ok(await world.owner.post(f"{API}/{server['id']}/check"))
    assert (checked["ok"], checked["server"]) == (True, "scripted 1.0")
    asks = {tool["name"]: tool["ask_first"] for tool in checked["tools"]}
    assert asks == {"order_query": False, "cancel_order": True, "broken": False}

    tools = ok(await world.viewer.get("/api/v1/tools"))["items"]
    mine = {tool["name"]: tool for tool in tools if tool["group_name"] == name}
    tool = mine[f"{name.replace(' ', '_')}__order_query"]
    tried = ok(
        await world.editor.post("/api/v1/tools/call", json={"tool": tool["id"], "arguments": {"order": 7}})
    )
    assert (tried["ok"], tried["data"]) == (True, {"state": "received"})
    call = mcp.calls[-1]
    assert call.arguments == {"order": "7"}
    assert call.headers["authorization"] == "Bearer sk-1234567890abc"
    assert call.headers["x-refdesk-user-id"] == str(world.user_ids["editor"])
    assert call.meta["refdesk/workspace_id"] == str(world.workspace_id)
    assert "x-refdesk-user-name" not in call.headers

    missing = await world.editor.post("/api/v1/tools/call", json={"tool": tool["id"]})
    assert (missing.status_code, missing.json()["code"]) == (422, "tool-arguments-invalid")
    broken = {"tool": mine[tool["name"].replace("order_query", "broken")]["id"]}
    failed = ok(await world.editor.post("/api/v1/tools/call", json=broken))
    assert (failed["ok"], failed["fault"]) == (
        False,
        {"code": "tool-error", "message": "no such order"},
    )

    seen = ok(await world.editor.get(f"{API}/{server['id']}"))
    assert seen["health"]["state"] == "connected"
    everything = str([outcome, checked, tools, seen, ok(await world.owner.get("/api/v1/audit"))])
    assert "sk-1234567890abc" not in everything
    async with world.database.transaction() as session:
        (row,) = (await session.execute(select(ToolServer).where(ToolServer.name == name))).scalars()
        assert "sk-1234567890abc" not in str(row.config) + str(row.variables)


async def test_secrets_do_not_follow_to_another_address(world: World, mcp: ScriptedMcp) -> None:
    server = await added(world, mcp, bearer_token="tok-1234567890")
    one = f"{API}/{server['id']}"
    elsewhere = {"config": server["config"] | {"url": "http://127.0.0.1:9/mcp"}}
    refused = await world.owner.patch(one, json=elsewhere)
    assert (refused.status_code, refused.json()["code"]) == (422, "tool-secret-needed")
    draft = {"name": "x", "transport": "http", "server_id": server["id"], **elsewhere}
    refused = await world.owner.post(f"{API}/check", json=draft)
    assert refused.json()["code"] == "tool-secret-needed"
    same = draft | {"config": server["config"]}
    assert ok(await world.owner.post(f"{API}/check", json=same))["ok"]
    moved = ok(await world.owner.patch(one, json=elsewhere | {"bearer_token": "tok-another1"}))
    assert (moved["config"]["url"], moved["variables"][0]["shown"]) == (
        "http://127.0.0.1:9/mcp",
        "tok******er1",
    )


async def test_each_person_calls_with_their_own_credentials(world: World, mcp: ScriptedMcp) -> None:
    server = await added(
        world,
        mcp,
        config={"url": mcp.url, "headers": {"X-Own": "${OWN}"}},
        variables=[{"name": "OWN", "is_per_user": True}],
    )
    call = {"tool": f"mcp:{server['id']}:cancel_order"}
    refused = await world.editor.post("/api/v1/tools/call", json=call)
    assert refused.json()["details"]["code"] == "tool-credential-missing"
    for who, value in ((world.editor, "of the editor"), (world.owner, "of the owner")):
        sent = await who.put(f"{API}/{server['id']}/own-values", json={"values": {"OWN": value}})
        assert sent.status_code == 204
    for who, value in ((world.owner, "of the owner"), (world.editor, "of the editor")):
        assert ok(await who.post("/api/v1/tools/call", json=call))["text"] == "cancelled"
        assert mcp.calls[-1].headers["x-own"] == value
    shown = ok(await world.editor.get(f"{API}/{server['id']}"))
    assert (shown["needs_own_values"], shown["has_own_values"]) == (True, True)
    assert "of the editor" not in str(shown)


async def test_tools_are_switched_off_and_set_to_ask_one_by_one(world: World, mcp: ScriptedMcp) -> None:
    server = await added(world, mcp)
    one = f"{API}/{server['id']}"
    ok(await world.owner.post(f"{one}/check"))
    settings = {"order_query": {"ask_first": True}, "broken": {"is_active": False}}
    ok(await world.owner.patch(one, json={"tool_settings": settings}))
    tools: ToolService = world.app.state.tools
    scope = Scope.system(world.workspace_id)
    toolbox = await tools.toolbox(scope, [f"mcp:{server['name']}"])
    assert [(spec.id.rpartition(":")[2], spec.ask_first) for spec in toolbox.specs] == [
        ("order_query", True),
        ("cancel_order", True),
    ]
    ok(await world.owner.patch(one, json={"is_active": False}))
    toolbox = await tools.toolbox(scope, [f"mcp:{server['id']}"])
    assert (toolbox.specs, [problem.code for problem in toolbox.problems]) == ((), ["tool-inactive"])


async def test_commands_are_for_administrators(world: World) -> None:
    config = {
        "command": sys.executable,
        "args": ["-m", "refdesk.testing.serve_mcp"],
        "env": {"SCRIPTED_SECRET": "s3cret-of-ours"},
    }
    draft = {"name": world.new_name("process"), "transport": "stdio", "config": config}
    refused = await world.owner.post(API, json=draft)
    assert (refused.status_code, refused.json()["code"]) == (403, "tool-command-forbidden")
    server = ok(await world.operator.post(API, json=draft))
    assert server["config"]["env"] == {"SCRIPTED_SECRET": "${SCRIPTED_SECRET}"}
    refused = await world.owner.patch(
        f"{API}/{server['id']}", json={"config": config | {"args": ["-c", "1"]}}
    )
    assert refused.json()["code"] == "tool-command-forbidden"

    tools: ToolService = world.app.state.tools
    scope = Scope.system(world.workspace_id)
    caller = ToolCaller(scope, request_id="r-1")
    toolbox = await tools.toolbox(scope, [f"mcp:{server['id']}"])
    echo, die = f"mcp:{server['id']}:echo", f"mcp:{server['id']}:die"
    result = await toolbox.call(echo, {"text": "你好"}, caller)
    assert result.data["secret"] == "s3cret-of-ours"
    assert result.data["meta"]["refdesk/request_id"] == "r-1"
    died = await toolbox.call(die, {}, caller)
    assert died.fault is not None
    assert died.fault.message == "The command ended with code 3: scripted: out of luck."
    assert (await toolbox.call(echo, {"text": "again"}, caller)).ok  # on a new process


async def test_a_person_signs_in_for_the_workspace_and_tokens_are_renewed(world: World) -> None:
    async with scripted_mcp() as server:
        server.add("whoami", says("the desk"))
        oauth = server.want_sign_in()
        oauth.lasts_s = 1
        config = {"url": server.url, "oauth": {"grant": "authorization_code"}}
        made = await added(world, server, config=config)
        one, call = f"{API}/{made['id']}", {"tool": f"mcp:{made['id']}:whoami"}
        assert made["sign_in"] == "needed"
        refused = ok(await world.owner.post(f"{one}/check"))
        assert (refused["ok"], refused["code"]) == (False, "tool-server-authentication")

        address = ok(await world.owner.post(f"{one}/sign-in"))["address"]
        back = oauth.agree(address)
        assert (await world.editor.get(back)).json()["code"] == "tool-sign-in-unknown"
        assert (await world.owner.get(back)).status_code == 200
        assert (await world.owner.get(back)).json()["code"] == "tool-sign-in-unknown", "once only"
        for _ in range(100):
            if ok(await world.owner.get(one))["sign_in"] == "done":
                break
            await asyncio.sleep(0.05)
        assert ok(await world.editor.post("/api/v1/tools/call", json=call))["text"] == "the desk"
        await asyncio.sleep(1.1)
        oauth.end_tokens()
        assert ok(await world.editor.post("/api/v1/tools/call", json=call))["text"] == "the desk"
        grants = [asked["grant_type"] for asked in oauth.asked]
        assert grants[0] == "authorization_code"
        assert set(grants[1:]) == {"refresh_token"}


async def test_a_client_of_its_own_fetches_tokens_for_the_desk(world: World) -> None:
    async with scripted_mcp() as server:
        server.add("whoami", says("the desk"))
        oauth = server.want_sign_in()
        own = {"grant": "client_credentials", "client_id": "desk", "issuer": oauth.root}
        config = {"url": server.url, "oauth": own | {"client_secret": "desk-secret"}}
        made = await added(world, server, config=config)
        assert made["config"]["oauth"]["client_secret"] == "${CLIENT_SECRET}"
        checked = ok(await world.owner.post(f"{API}/{made['id']}/check"))
        assert (checked["ok"], [tool["name"] for tool in checked["tools"]]) == (True, ["whoami"]), checked
        wrong = {"config": config | {"oauth": own | {"client_secret": "wrong"}}}
        ok(await world.owner.patch(f"{API}/{made['id']}", json=wrong))
        checked = ok(await world.owner.post(f"{API}/{made['id']}/check"))
        assert (checked["ok"], checked["code"]) == (False, "tool-server-authentication")
