"""The agent over HTTP with a scripted model: what it is asked, how often, and what became of it."""

from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from tests.http.asking import answered, connected, make_base
from tests.http.world import World, ok

from refdesk.testing.scripted_model import Call, ScriptedModel, Turn, says, scripted_model

PASSAGES = (
    "参数 max_connections 的最大支持值为 100，超过后拒绝新的连接。",
    "CrashLoopBackOff 表示容器反复崩溃重启，应先查看上一次的日志。",
    "错误码 E1001 表示令牌过期；错误码 E1002 表示签名无效。",
)


@pytest.fixture(scope="module")
async def base(world: World) -> dict[str, Any]:
    return await make_base(world, *PASSAGES)


@pytest.fixture
async def model(world: World) -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as server, connected(world, server.base_url):
        yield server


@pytest.fixture(scope="module")
async def agent(world: World, base: dict[str, Any]) -> dict[str, Any]:
    return await make_agent(world, base)


async def make_agent(world: World, *bases: dict[str, Any], **settings: Any) -> dict[str, Any]:
    """An application that answers with an agent."""
    body = {
        "name": world.new_name("agent"),
        "knowledge_base_ids": [base["id"] for base in bases],
        "settings": {"answering": "agent", **settings},
    }
    return ok(await world.editor.post("/api/v1/applications", json=body))


def searches(*queries: str, text: str = "") -> Any:
    """The model calls `search_documents` once a query."""
    calls = tuple(
        Call("search_documents", orjson.dumps({"query": query}).decode(), id=f"call_{n}")
        for n, query in enumerate(queries)
    )
    return says(Turn(text, calls=calls, finish="tool_calls"))


def sent(model: ScriptedModel, at: int) -> list[dict[str, Any]]:
    return model.requests[at].body["messages"]


async def test_a_fact_takes_one_search_and_is_cited(
    world: World, agent: dict[str, Any], model: ScriptedModel
) -> None:
    model.then(
        searches("max_connections 最大值", text="让我查一下。"),
        says("根据《manual.md》中的描述，max_connections 的最大支持值为 100 [1]。"),
    )
    run = await answered(
        world.viewer, question="max_connections 参数最大支持多少？", application_id=agent["id"]
    )
    assert run["state"] == "finished", run["error"]
    assert run["answer"] == "根据《manual.md》中的描述，max_connections 的最大支持值为 100 [1]。"
    assert run["citations"][0]["text"] == PASSAGES[0]
    assert [sentence["supported"] for sentence in run["sentences"]] == [True]
    assert len(model.requests) == 2
    second = sent(model, 1)
    assert [message["role"] for message in second] == ["system", "user", "assistant", "tool"]
    assert second[3]["tool_call_id"] == second[2]["tool_calls"][0]["id"]
    result = orjson.loads(second[3]["content"])["results"][0]
    assert (result["doc_name"], result["snippet"]) == ("manual.md", PASSAGES[0])
