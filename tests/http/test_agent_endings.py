"""How an agent's run ends before its time: a person cancels it, or its money is spent."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from tests.http.asking import connected, events_of, make_base
from tests.http.test_agent import make_agent
from tests.http.world import World, ok

from refdesk.accounts import Scope
from refdesk.testing.scripted_model import Call, ScriptedModel, Turn, delta, events, says, scripted_model
from refdesk.tools import Tool, Toolbox, ToolCaller, ToolResult, ToolSpec

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}


@pytest.fixture(scope="module")
async def base(world: World) -> dict[str, Any]:
    return await make_base(world, "错误码 E1001 表示令牌过期；错误码 E1002 表示签名无效。")


@pytest.fixture
async def model(world: World) -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as server:
        yield server


@dataclass
class Hanging:
    """Tools of a workspace: `hang` never answers, and notes what became of each of its calls."""

    ended: list[str] = field(default_factory=list[str])
    running: int = 0

    async def toolbox(self, scope: Scope, chosen: Sequence[str]) -> Toolbox:
        return Toolbox([Tool(ToolSpec("tool:1", "hang", "Hangs.", SCHEMA, "python"), self)])

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        self.running += 1
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            raise
        finally:
            self.running -= 1
        return ToolResult("never")


@pytest.fixture
def hanging(world: World, monkeypatch: pytest.MonkeyPatch) -> Hanging:
    made, runs = Hanging(), world.app.state.runs
    monkeypatch.setattr(runs, "_services", replace(runs._services, tools=made))
    return made


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not holds():  # noqa: ASYNC110 — it shows in the scripted parts only
            await asyncio.sleep(0.01)


async def begun(world: World, application: dict[str, Any]) -> str:
    body = {"question": "E1001 是什么？", "application_id": application["id"]}
    return ok(await world.viewer.post("/api/v1/runs", json=body))["id"]


async def test_a_run_cancelled_within_tool_calls_ends_them_all(
    world: World, base: dict[str, Any], model: ScriptedModel, hanging: Hanging
) -> None:
    calls = tuple(Call("hang", f'{{"n": {n}}}', id=f"c{n}") for n in range(2))
    model.then(says(Turn(calls=calls, finish="tool_calls")))
    async with connected(world, model.base_url):
        application = await make_agent(world, base, tools=["tool:1"])
        run_id = await begun(world, application)
        await until(lambda: hanging.running == 2)
        before = asyncio.all_tasks()
        cancelled = ok(await world.viewer.post(f"/api/v1/runs/{run_id}/cancel"))
        assert cancelled["state"] == "cancelled"
        assert (hanging.running, hanging.ended) == (0, ["cancelled"] * 2)
        names = [event.name for event in await events_of(world.viewer, run_id)]
        assert (names[-1], names.count("tool.call"), names.count("tool.result")) == ("run.finished", 2, 0)
        run = ok(await world.viewer.get(f"/api/v1/runs/{run_id}"))
        assert (run["state"], run["answer"]) == ("cancelled", "")
        await asyncio.sleep(0.2)
        assert len(model.requests) == 1, "no model is asked behind a cancel"
        assert not [task for task in asyncio.all_tasks() - before if task is not asyncio.current_task()]


async def test_a_run_cancelled_within_the_models_answer_keeps_its_text_and_closes_the_call(
    world: World, base: dict[str, Any], model: ScriptedModel
) -> None:
    search = Call("search_documents", '{"query": "E1001"}')

    async def begins_and_hangs(request: Any, send: Any) -> None:
        async def hold(data: bytes) -> None:
            await send(data)
            if "令牌过期".encode() in data:
                await asyncio.Event().wait()

        await events([delta("E1001 表示"), delta("令牌过期"), delta("。")])(request, hold)

    model.then(says(Turn(calls=(search,), finish="tool_calls")), begins_and_hangs)
    async with connected(world, model.base_url):
        application = await make_agent(world, base)
        run_id = await begun(world, application)
        await until(lambda: len(model.requests) == 2)
        await asyncio.sleep(0.2)  # both pieces have come
        cancelled = ok(await world.viewer.post(f"/api/v1/runs/{run_id}/cancel"))
        assert (cancelled["state"], cancelled["answer"]) == ("cancelled", "E1001 表示令牌过期")
        await until(lambda: model.open_connections == 0)
        stored = ok(await world.viewer.get(f"/api/v1/runs/{run_id}"))
        assert (stored["state"], stored["answer"]) == ("cancelled", "E1001 表示令牌过期")
        await asyncio.sleep(0.2)
        assert len(model.requests) == 2


@pytest.mark.parametrize(
    ("ceiling", "with_tools", "warned"),
    [
        # A call of 400,000 tokens in costs 1.00 at 2.50 a million.
        (0.9, [True, False], ["agent-ceiling"]),
        (1.0, [True, False], ["agent-ceiling"]),
        (5.0, [True, True, True, False], []),
    ],
)
async def test_the_loop_ends_with_an_answer_once_the_calls_cost_what_they_may(
    world: World,
    base: dict[str, Any],
    model: ScriptedModel,
    ceiling: float,
    with_tools: list[bool],
    warned: list[str],
) -> None:
    for query, tools in zip(("E1001", "E1002", "令牌过期", ""), with_tools, strict=False):
        call = Call("search_documents", f'{{"query": "{query}"}}')
        answer = Turn("E1001 表示令牌过期 [1]。", input_tokens=100)
        turn = Turn(calls=(call,), finish="tool_calls", input_tokens=400_000, output_tokens=0)
        model.then(says(turn if tools else answer))
    async with connected(world, model.base_url) as model_id:
        price = {
            "model_id": model_id,
            "valid_from": "2026-01-01",
            "currency": "USD",
            "input_per_million": "2.5",
        }
        ok(await world.owner.post("/api/v1/model-prices", json=price))
        application = await make_agent(world, base, agent={"max_cost": ceiling})
        run_id = await begun(world, application)
        await events_of(world.viewer, run_id)
        run = ok(await world.viewer.get(f"/api/v1/runs/{run_id}"))
    assert [bool(request.body.get("tools")) for request in model.requests] == with_tools
    assert (run["state"], run["answer"]) == ("finished", "E1001 表示令牌过期 [1]。")
    assert [warning["code"] for warning in run["warnings"]] == warned
