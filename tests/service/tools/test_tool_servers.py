"""Tool servers that misbehave, over real connections on loopback; and changes that other processes make."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from refdesk.accounts import Scope, Workspace
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.testing.scripted_mcp import (
    ScriptedMcp,
    draws,
    hangs,
    huge,
    raises,
    says,
    scripted_mcp,
    slow,
)
from refdesk.tools import ToolCaller, ToolResult, ToolService
from refdesk.tools.servers.schemas import NewToolServer, ToolServerChange
from refdesk.tools.servers.service import ToolServers

type Add = Callable[..., Awaitable[str]]


@pytest.fixture
async def mcp() -> AsyncIterator[ScriptedMcp]:
    async with scripted_mcp() as server:
        server.add("fine", says("fine"))
        yield server


@pytest.fixture(scope="module")
async def scope(database: Database) -> Scope:
    async with database.transaction() as session:
        workspace = Workspace(id=new_id(), name="Tools")
        session.add(workspace)
    return Scope.system(workspace.id)


def service_on(database: Database, tmp_path: Path, **settings: Any) -> ToolService:
    made = Settings(data_dir=tmp_path, tool_max_message_bytes=1024 * 1024, **settings)
    return ToolService(database, made, Cipher(b"k" * 32))


@pytest.fixture
async def tools(database: Database, tmp_path: Path) -> AsyncIterator[ToolService]:
    service = service_on(database, tmp_path)
    await service.start()
    yield service
    await service.close()


@pytest.fixture
def add(database: Database, scope: Scope, tmp_path: Path, tools: ToolService) -> Add:
    async def added(url: str, *, transport: str = "http", **more: Any) -> str:
        draft: dict[str, Any] = {"transport": transport, "config": {"url": url}, "connect_timeout_s": 2}
        draft |= {"name": f"server {new_id()}", **more}
        view = await kept(database, scope, tools, tmp_path).create(NewToolServer.model_validate(draft))
        return str(view.id)

    return added


def kept(database: Database, scope: Scope, tools: ToolService, tmp_path: Path) -> ToolServers:
    settings = Settings(data_dir=tmp_path, tool_commands="owners")
    return ToolServers(database, scope, settings, Cipher(b"k" * 32), tools.servers, tools.connections)


async def called(tools: ToolService, scope: Scope, server: str, name: str, **more: Any) -> ToolResult:
    toolbox = await tools.toolbox(scope, [f"mcp:{server}"])
    assert toolbox.problems == ()
    return await toolbox.call(f"mcp:{server}:{name}", {}, ToolCaller(scope), **more)


def code_of(result: ToolResult) -> str | None:
    return result.fault.code if result.fault is not None else None


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_one_bad_call_does_not_spoil_the_next(
    mcp: ScriptedMcp, tools: ToolService, scope: Scope, add: Add, transport: str
) -> None:
    mcp.add("huge", huge(10_000_000))
    mcp.add("long", huge(500_000))
    mcp.add("raises", raises("out of paper"))
    mcp.add("hangs", hangs())
    mcp.add("draws", draws())
    server = await add(mcp.url if transport == "http" else mcp.sse_url, transport=transport)

    assert code_of(await called(tools, scope, server, "huge")) == "tool-result-too-large"
    long = await called(tools, scope, server, "long")
    assert (len(long.text), long.truncated, code_of(long)) == (20_000, True, None)
    broken = await called(tools, scope, server, "raises")
    assert broken.fault is not None
    assert "out of paper" in broken.fault.message
    assert (await called(tools, scope, server, "draws")).text == "[image: image/png, 1 KB]"
    late = await called(tools, scope, server, "hangs", timeout_s=0.3)
    assert code_of(late) == "tool-timeout"
    assert (await called(tools, scope, server, "fine")).text == "fine"
    for _ in range(100):
        if mcp.cancelled:
            break
        await asyncio.sleep(0.02)
    assert mcp.cancelled == 1, "the server was told that nobody waits any more"


async def test_many_calls_share_one_connection_and_run_at_once(
    mcp: ScriptedMcp, tools: ToolService, scope: Scope, add: Add
) -> None:
    mcp.add("slow", slow(says("late"), 0.5))
    server = await add(mcp.url)
    await called(tools, scope, server, "fine")
    before, began = mcp.requests, time.perf_counter()
    results = await asyncio.gather(*(called(tools, scope, server, "slow") for _ in range(20)))
    assert {result.text for result in results} == {"late"}
    assert time.perf_counter() - began < 5  # one after the other they would take ten seconds
    assert mcp.requests - before == 20


async def test_a_forgotten_session_costs_one_more_attempt(
    mcp: ScriptedMcp, tools: ToolService, scope: Scope, add: Add
) -> None:
    mcp.add("write", says("written"), read_only=False)
    server = await add(mcp.url)
    assert (await called(tools, scope, server, "write")).text == "written"
    mcp.end_sessions()
    assert (await called(tools, scope, server, "write")).text == "written"
    assert [call.name for call in mcp.calls] == ["write", "write"]


async def test_a_server_that_is_away_is_reported_at_once_and_found_again(
    tools: ToolService, scope: Scope, add: Add, mcp: ScriptedMcp
) -> None:
    async with scripted_mcp() as leaving:
        leaving.add("fine", says("fine"))
        port = int(leaving.url.rsplit(":", 1)[1].split("/")[0])
        server = await add(leaving.url)
        other = await add(mcp.url)
        assert (await called(tools, scope, server, "fine")).text == "fine"
    # It is not known yet that it went: the call finds out.
    toolbox = await tools.toolbox(scope, [f"mcp:{server}", f"mcp:{other}"])
    gone = await toolbox.call(f"mcp:{server}:fine", {}, ToolCaller(scope))
    assert code_of(gone) in ("tool-server-unreachable", "tool-server-lost")
    began = time.perf_counter()
    toolbox = await tools.toolbox(scope, [f"mcp:{server}", f"mcp:{other}"])
    assert [problem.code for problem in toolbox.problems] == ["tool-server-unreachable"]
    assert [spec.id for spec in toolbox.specs] == [f"mcp:{other}:fine"], "the other one goes on"
    again = await tools.toolbox(scope, [f"mcp:{server}"])
    assert again.problems[0].message == toolbox.problems[0].message
    assert time.perf_counter() - began < 2
    async with scripted_mcp(port=port) as back:
        back.add("fine", says("back"))
        for _ in range(60):
            toolbox = await tools.toolbox(scope, [f"mcp:{server}"])
            if toolbox.specs:
                break
            await asyncio.sleep(0.1)
        assert (await called(tools, scope, server, "fine")).text == "back"


@pytest.mark.parametrize(
    ("trouble", "code"),
    [
        ({"status": 401}, "tool-server-authentication"),
        ({"status": 404}, "tool-server-no-mcp"),
        ({"status": 503}, "tool-server-failed"),
        ({"hangs_at_start": True}, "tool-server-timeout"),
        ({"wanted_token": "another"}, "tool-server-authentication"),
    ],
)
async def test_servers_that_refuse_are_told_in_words(
    mcp: ScriptedMcp, tools: ToolService, scope: Scope, add: Add, trouble: dict[str, Any], code: str
) -> None:
    server = await add(mcp.url, bearer_token="a token", connect_timeout_s=0.5)
    for name, value in trouble.items():
        setattr(mcp, name, value)
    toolbox = await tools.toolbox(scope, [f"mcp:{server}"])
    assert (toolbox.specs, [problem.code for problem in toolbox.problems]) == ((), [code])
    assert toolbox.problems[0].message


async def test_a_hundred_tools_and_bad_ones_among_them(
    mcp: ScriptedMcp, tools: ToolService, scope: Scope, add: Add
) -> None:
    mcp.raw_tools = [
        *({"name": f"工具 {n}", "inputSchema": {"type": "object"}} for n in range(100)),
        {"name": "工具 1", "inputSchema": {"type": "object"}},
        {"name": "bad", "inputSchema": {"type": 5}},
        {"name": None},
    ]
    server = await add(mcp.url, name="订单系统")
    toolbox = await tools.toolbox(scope, [f"mcp:{server}"])
    assert len(toolbox.specs) == 100
    assert len({spec.name for spec in toolbox.specs}) == 100
    one = await tools.toolbox(scope, [f"mcp:{server}:工具 7", f"mcp:{server}:gone"])
    assert [spec.id for spec in one.specs] == [f"mcp:{server}:工具 7"]
    assert [problem.code for problem in one.problems] == ["tool-not-found"]


async def test_tools_that_come_and_go_are_seen(
    mcp: ScriptedMcp, tools: ToolService, scope: Scope, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await add(mcp.url)
    toolbox = await tools.toolbox(scope, [f"mcp:{server}"])
    mcp.add("new_one", says("new"))
    mcp.remove("fine")
    monkeypatch.setattr("refdesk.tools.servers.connections.LISTING_S", 0.0)
    toolbox = await tools.toolbox(scope, [f"mcp:{server}"])
    assert [spec.id for spec in toolbox.specs] == [f"mcp:{server}:new_one"]
    by_name = await tools.toolbox(scope, ["new_one"])
    assert [spec.id for spec in by_name.specs] == [f"mcp:{server}:new_one"]


async def test_private_addresses_are_refused_where_the_setting_says_so(
    mcp: ScriptedMcp, database: Database, scope: Scope, add: Add, tmp_path: Path
) -> None:
    server = await add(mcp.url)
    before = mcp.requests
    strict = service_on(database, tmp_path, allow_private_endpoints=False)
    toolbox = await strict.toolbox(scope, [f"mcp:{server}"])
    assert [problem.code for problem in toolbox.problems] == ["address-refused"]
    assert mcp.requests == before
    await strict.close()


async def test_changes_of_another_process_take_effect_here(
    mcp: ScriptedMcp, database: Database, tools: ToolService, scope: Scope, add: Add, tmp_path: Path
) -> None:
    server = await add(mcp.url, bearer_token="the first token")
    await called(tools, scope, server, "fine")
    assert mcp.calls[-1].headers["authorization"] == "Bearer the first token"
    elsewhere = service_on(database, tmp_path)
    servers = kept(database, scope, elsewhere, tmp_path)
    view = next(view for view in await servers.all() if str(view.id) == server)
    change = ToolServerChange.model_validate({"bearer_token": "the second token"})
    await servers.change(view.id, change)
    for _ in range(100):
        if not tools.connections._open:  # pyright: ignore[reportPrivateUsage]
            break
        await asyncio.sleep(0.02)
    assert not tools.connections._open, "the notice closed the old connection"  # pyright: ignore[reportPrivateUsage]
    await called(tools, scope, server, "fine")
    assert mcp.calls[-1].headers["authorization"] == "Bearer the second token"
    await servers.delete(view.id)
    toolbox = await tools.toolbox(scope, [f"mcp:{server}"])
    assert [problem.code for problem in toolbox.problems] == ["tool-server-not-found"]
    await elsewhere.close()
