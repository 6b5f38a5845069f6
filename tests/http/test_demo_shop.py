"""A question with two halves over HTTP: one is in documents, the other in the order system of the examples.

The applications are those of the demo, furnished as `make demo` does; the order system is a real MCP server.
"""

import asyncio
import importlib.util
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from tests.http.asking import answered, connected, make_base
from tests.http.world import World, ok

from refdesk.testing.scripted_http import Request, Send
from refdesk.testing.scripted_model import Turn, refuses, says, scripted_model

EXAMPLES = Path(__file__).parents[2] / "examples"
RETURNS = "AirPods Pro 怎么退货：在我的订单中点击申请退货，7 天内可以无理由退货，用原包装寄回。"
MIXED = "AirPods Pro 怎么退货，另外我上周提的退货申请到哪一步了"
DOCUMENTS_ONLY, TOOL_ONLY = "AirPods Pro 怎么退货", "我上周提的退货申请到哪一步了"


@pytest.fixture(scope="module")
def furnishing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("demo_furnishing", EXAMPLES / "demo" / "furnishing.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def orders_url() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    server = str(EXAMPLES / "order_system" / "server.py")
    process = subprocess.Popen([sys.executable, server, "--port", str(port)], stderr=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="module")
async def application(world: World, furnishing: ModuleType, orders_url: str) -> str:
    """The Chinese application of the demo over a base with one paragraph of its handbook."""
    base = await make_base(world, RETURNS, "满 99 元免运费，不满收 10 元。")
    shop = furnishing.SHOPS["zh"]
    ok(await world.owner.patch(f"/api/v1/knowledge-bases/{base['id']}", json={"name": shop.base}))
    async with asyncio.timeout(60):
        while True:
            try:
                await asyncio.to_thread(httpx.get, orders_url, timeout=2)
                break
            except httpx.TransportError:
                await asyncio.sleep(0.2)
    server_id = await furnishing.order_system(world.owner, orders_url)
    made = await furnishing.application(world.owner, "zh", base["id"], server_id)
    return made["id"]


async def _asked(world: World, application: str, question: str) -> tuple[dict[str, Any], dict[str, Any]]:
    run = await answered(world.editor, question=question, application_id=application)
    assert run["state"] == "finished", run
    return run, ok(await world.editor.get(f"/api/v1/runs/{run['id']}/trace"))


def _spans(trace: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    retrieve = next(stage for stage in trace["stages"] if stage["name"] == "retrieve")
    return [span for span in retrieve["spans"] if span["kind"] == kind]


def _overlap(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return (
        one["started_ms"] <= other["started_ms"] + other["elapsed_ms"]
        and other["started_ms"] <= one["started_ms"] + one["elapsed_ms"]
    )


async def test_without_a_model_both_halves_are_fetched_at_once_and_quoted(
    world: World, application: str
) -> None:
    run, trace = await _asked(world, application, MIXED)
    assert "7 天内可以无理由退货" in run["answer"]
    assert "TH-3071" in run["answer"]
    assert {citation["kind"] for citation in run["citations"]} == {"paragraph", "tool"}
    tools, searches = _spans(trace, "tool"), _spans(trace, "channel")
    assert [tool["state"] for tool in tools] == ["finished"]
    assert any(_overlap(tools[0], search) for search in searches)


async def test_each_half_alone_uses_its_own_source_only(world: World, application: str) -> None:
    run, trace = await _asked(world, application, DOCUMENTS_ONLY)
    assert "7 天内可以无理由退货" in run["answer"]
    assert _spans(trace, "tool") == []
    run, trace = await _asked(world, application, TOOL_ONLY)
    assert "TH-3071" in run["answer"]
    assert _spans(trace, "channel") == []


async def _by_stage(request: Request, send: Send) -> None:
    """A model that parts questions and writes answers, and is no help with anything else."""
    if request.body.get("stream"):
        reply = says(Turn("7 天内可以无理由退货 [1]。退货申请 TH-3071 正在检查 [2]。"))
    elif "parts" in str(request.body["messages"]):
        reply = says(json.dumps({"question": MIXED, "parts": [DOCUMENTS_ONLY, TOOL_ONLY]}))
    else:
        reply = refuses(500, "no help")
    await reply(request, send)


async def test_with_a_model_both_halves_are_in_one_prompt_and_cited(world: World, application: str) -> None:
    async with scripted_model() as model, connected(world, model.base_url):
        model.always(_by_stage)
        run, trace = await _asked(world, application, MIXED)
    answer = next(stage for stage in trace["stages"] if stage["name"] == "answer")
    asked = answer["prompt"][-1]["content"]
    assert "<source" in asked
    assert "<tool_result" in asked
    assert "TH-3071" in asked
    assert len(run["citations"]) == 2
    assert trace["usage"]["output_tokens"] > 0
