"""The agent over HTTP with a scripted model: what it is asked, how often, and what became of it."""

import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import orjson
import pytest
from sqlalchemy import event
from tests.http.asking import answered, connected, events_of, make_base
from tests.http.world import World, ok

from refdesk.accounts import Scope
from refdesk.testing.scripted_model import Call, ScriptedModel, Turn, says, scripted_model
from refdesk.tools import Tool, Toolbox, ToolCaller, ToolResult, ToolSpec

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


@contextmanager
def corpus_queries(world: World) -> Iterator[list[str]]:
    """The statements that read the corpus, as they are sent to the database."""
    engine = world.app.state.database.engine.sync_engine
    found: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if re.search(r"\b(?:index_entries|indexes|paragraphs|documents)\b", statement):
            found.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(engine, "before_cursor_execute", note)


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("你好，请自我介绍一下", "您好！我是资料咨询台的助手，可以帮您查阅文档。"),
        ("今天天气怎么样", "这超出了资料的范围，我无法回答天气问题。"),
    ],
)
async def test_small_talk_reaches_the_model_alone(
    world: World, agent: dict[str, Any], model: ScriptedModel, question: str, reply: str
) -> None:
    seen: list[int] = []

    async def counted(request: Any, send: Any) -> None:
        seen.append(len(queries))
        await says(reply)(request, send)

    model.then(counted)
    with corpus_queries(world) as queries:
        run = await answered(world.viewer, question=question, application_id=agent["id"])
    assert (run["answer"], run["citations"]) == (reply, [])
    assert seen == [0], queries
    (request,) = model.requests
    messages = request.body["messages"]
    assert [message["role"] for message in messages] == ["system", "user"]
    assert "你是一个自主判断的助手，不是自动检索机器人，不要在没有必要时使用工具" in messages[0]["content"]
    assert messages[1]["content"] == question
    search = request.body["tools"][0]["function"]
    assert search["name"] == "search_documents"
    assert "当用户问题明确指向本地文档中记录的具体事实时" in search["description"]
    assert search["parameters"]["required"] == ["query"]
    assert search["parameters"]["properties"]["top_k"]["default"] == 3


async def test_what_is_not_in_the_corpus_is_said_in_the_one_wording(
    world: World, agent: dict[str, Any], model: ScriptedModel
) -> None:
    model.then(searches("量子纠缠 光刻机"), says("抱歉，文档中没有找到相关信息。"))
    run = await answered(world.viewer, question="量子纠缠光刻机的保修期多久？", application_id=agent["id"])
    result = orjson.loads(sent(model, 1)[3]["content"])
    assert result == {"results": [], "note": "该查询未检索到足够相关的内容，请考虑直接回答未知"}
    assert (run["state"], run["answer"]) == ("finished", "本地知识库中未找到相关内容。")
    assert run["retrieval"]["found"] is False
    assert run["retrieval"]["decision"]["gate"] == "absolute"


async def test_two_documents_are_searched_in_one_round_and_answered_in_order(
    world: World, agent: dict[str, Any], model: ScriptedModel
) -> None:
    model.then(
        searches("错误码 E1001", "错误码 E1002"),
        says("E1001 表示令牌过期 [1]。E1002 表示签名无效 [1]。另一份文档中的定义未找到 [9]。"),
    )
    run = await answered(
        world.viewer, question="对比两份文档对错误码定义是否一致", application_id=agent["id"]
    )
    second = sent(model, 1)
    asked = [call["id"] for call in second[2]["tool_calls"]]
    assert [message["tool_call_id"] for message in second[3:]] == asked == ["call_0", "call_1"]
    assert len(model.requests) == 2
    assert [citation["n"] for citation in run["citations"]] == [1]
    assert "[9]" not in run["answer"]
    assert "citation-removed" in [warning["code"] for warning in run["warnings"]]


async def test_three_rounds_of_search_then_an_answer_without_tools(
    world: World, agent: dict[str, Any], model: ScriptedModel
) -> None:
    model.then(
        searches("CrashLoopBackOff"),
        searches("容器 崩溃"),
        searches("CrashLoopBackOff"),
        says("应先查看上一次的日志 [1]。"),
    )
    question = "我按照 /opt/kb/deploy/guide.md 部署之后容器一直起不来，状态显示 CrashLoopBackOff，该怎么办？"
    run = await answered(world.viewer, question=question, application_id=agent["id"])
    assert run["answer"] == "应先查看上一次的日志 [1]。"
    assert [bool(request.body.get("tools")) for request in model.requests] == [True, True, True, False]
    last = sent(model, 3)
    roles = ["system", "user", "assistant", "tool", "assistant", "tool", "user"]
    assert [message["role"] for message in last] == roles
    assert last[1]["content"].startswith(question)
    assert "上一轮已检索关于 CrashLoopBackOff 的内容，结果为《manual.md》[1]" in last[1]["content"]
    again = orjson.loads(last[5]["content"])
    assert "与之前的一次完全相同" in again["note"]
    assert again["results"][0]["n"] == 1
    cleaned = next(stage for stage in run["stages"] if stage["name"] == "clean")
    assert "/opt/kb" not in cleaned["detail"]["search_form"]
    assert "CrashLoopBackOff" in cleaned["detail"]["keywords"]


async def test_whatever_the_model_calls_it_gets_a_result(
    world: World, agent: dict[str, Any], model: ScriptedModel
) -> None:
    calls = (
        Call("delete_everything", "{}", id="a"),
        Call("search_documents", "max_connections", id="b"),
        Call("search_documents", '{"query": "E1001", "top_k": "9",}', id="c"),
        Call("get_document_meta", "what is this", id="d"),
        Call("read_section", '{"source": 77}', id="e"),
        Call("get_document_meta", '{"document": "《manual》"}', id="f"),
    )
    model.then(says(Turn(calls=calls, finish="tool_calls")), says("好的。"))
    accepted = ok(
        await world.viewer.post(
            "/api/v1/runs", json={"question": "E1001 是什么？", "application_id": agent["id"]}
        )
    )
    events = await events_of(world.viewer, accepted["id"])
    results = [orjson.loads(message["content"]) for message in sent(model, 1)[3:]]
    assert results[0] == {"error": "unknown tool: delete_everything"}
    assert results[1]["results"][0]["snippet"] == PASSAGES[0]
    assert results[2]["results"][0]["snippet"] == PASSAGES[2]
    assert results[3]["error"].startswith("the arguments could not be read")
    assert "error" in results[4]
    assert (results[5]["title"], results[5]["version"]) == ("manual.md", 1)
    told = [event.json() for event in events if event.name == "tool.result"]
    assert sorted(one["id"] for one in told) == ["a", "b", "c", "d", "e", "f"]
    assert [one["ok"] for one in sorted(told, key=lambda one: one["id"])] == [
        False, True, True, False, False, True,
    ]  # fmt: skip


async def test_a_later_turn_cites_what_an_earlier_one_found_without_searching(
    world: World, agent: dict[str, Any], model: ScriptedModel
) -> None:
    model.then(
        searches("max_connections"), says("最大支持值为 100 [1]。"), says("是的，最大支持值为 100 [1]。")
    )
    first = await answered(world.viewer, question="max_connections 最大多少？", application_id=agent["id"])
    second = await answered(
        world.viewer, question="确定是这个数吗？", conversation_id=first["conversation_id"]
    )
    roles = [message["role"] for message in sent(model, 2)]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert second["citations"][0]["text"] == PASSAGES[0]
    assert len(model.requests) == 3


class Tickets:
    """Tools of a workspace: one that changes something and asks first, one that breaks."""

    def __init__(self) -> None:
        self.made: list[dict[str, Any]] = []

    async def toolbox(self, scope: Scope, chosen: Sequence[str]) -> Toolbox:
        schema = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
        create = ToolSpec("tool:1", "create_ticket", "Creates a ticket.", schema, "python", ask_first=True)
        broken = ToolSpec("tool:2", "broken", "Breaks.", {"type": "object", "properties": {}}, "python")
        return Toolbox([Tool(create, self), Tool(broken, Broken())])

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        self.made.append(dict(arguments))
        return ToolResult(f'{{"ticket": "T-{len(self.made)}"}}')


class Broken:
    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        raise RuntimeError("数据库密码 hunter2")


@pytest.fixture
def tickets(world: World, monkeypatch: pytest.MonkeyPatch) -> Tickets:
    made, runs = Tickets(), world.app.state.runs
    monkeypatch.setattr(runs, "_services", replace(runs._services, tools=made))
    return made


async def test_a_call_that_asks_first_is_made_only_once_a_person_agreed(
    world: World, base: dict[str, Any], model: ScriptedModel, tickets: Tickets
) -> None:
    application = await make_agent(world, base, tools=["tool:1", "tool:2"])
    calls = (
        Call("broken", "{}", id="a"),
        Call("create_ticket", '{"title": "重启"}', id="b"),
        Call("search_documents", '{"query": "E1002"}', id="c"),
    )
    model.then(says(Turn(calls=calls, finish="tool_calls")))
    asked = await answered(world.viewer, question="E1002 怎么办？帮我建单", application_id=application["id"])
    assert (asked["state"], asked["form"]["kind"]) == ("finished", "approval")
    assert asked["form"]["title"] == asked["form"]["call"]["title"]  # the page names the tool by it
    assert asked["form"]["call"]["arguments"] == {"title": "重启"}
    assert tickets.made == []
    model.then(says("已建单 T-1 [2]。E1002 表示签名无效 [1]。"))
    agreed = ok(
        await world.viewer.post(
            "/api/v1/runs",
            json={"conversation_id": asked["conversation_id"], "reply": {"approve": True}},
        )
    )
    await events_of(world.viewer, agreed["id"])
    run = ok(await world.viewer.get(f"/api/v1/runs/{agreed['id']}"))
    assert tickets.made == [{"title": "重启"}]
    assert run["answer"] == "已建单 T-1 [1]。E1002 表示签名无效 [2]。"
    of_tool, of_search = run["citations"]
    assert (of_tool["kind"], of_tool["tool"], of_tool["document"], of_tool["text"]) == (
        "tool",
        "create_ticket",
        "create_ticket",
        '{"ticket": "T-1"}',
    )
    assert (of_tool["document_id"], of_tool["paragraph_id"]) == (None, None)
    assert (of_search["kind"], of_search["text"]) == ("paragraph", PASSAGES[2])
    assert [(one["supported"], one["citations"]) for one in run["sentences"]] == [(True, [1]), (True, [2])]
    results = [message["content"] for message in sent(model, 1)[3:]]
    assert [message["tool_call_id"] for message in sent(model, 1)[3:]] == ["a", "b", "c"]
    assert "hunter2" not in results[0]
    assert "error" in orjson.loads(results[0])
    assert results[1] == '{"n": 2, "ticket": "T-1"}'
    # The next turn may cite the ticket by its number. What no tool gave is marked, and that number no figure.
    model.then(says("ticket 为 T-1 [2]。ticket 为 T-7 [2]。ticket 共 2 个 [2]。"))
    later = await answered(world.viewer, question="工单号？", conversation_id=asked["conversation_id"])
    assert [one["kind"] for one in later["citations"]] == ["tool"]
    assert [one["supported"] for one in later["sentences"]] == [True, False, False]
    # Declined: the model is told, and nothing is made.
    model.then(says(Turn(calls=(Call("create_ticket", '{"title": "再来"}', id="d"),), finish="tool_calls")))
    again = await answered(world.viewer, question="再建一单", conversation_id=asked["conversation_id"])
    assert again["form"]["kind"] == "approval"
    model.then(says("好的，没有建单。"))
    refused = await answered(world.viewer, question="不要", conversation_id=asked["conversation_id"])
    assert refused["answer"] == "好的，没有建单。"
    assert len(tickets.made) == 1
    assert orjson.loads(model.requests[-1].body["messages"][-1]["content"]) == {
        "error": "用户不同意执行此操作"
    }


async def test_near_a_ceiling_the_answer_is_written_without_more_tools(
    world: World, base: dict[str, Any], model: ScriptedModel
) -> None:
    application = await make_agent(world, base, agent={"max_tokens": 1_500})
    call = Call("search_documents", '{"query": "E1001"}')
    model.then(
        says(Turn(calls=(call,), finish="tool_calls", input_tokens=1_200)), says("E1001 表示令牌过期 [1]。")
    )
    run = await answered(world.viewer, question="E1001 是什么？", application_id=application["id"])
    assert [bool(request.body.get("tools")) for request in model.requests] == [True, False]
    assert run["answer"] == "E1001 表示令牌过期 [1]。"
    assert [warning["code"] for warning in run["warnings"]] == ["agent-ceiling"]


async def test_a_stream_that_cannot_be_taken_back_holds_the_answer_alone(
    world: World, agent: dict[str, Any], model: ScriptedModel
) -> None:
    model.then(searches("E1002", text="让我先查一下资料。"), says("E1002 表示签名无效 [1]。"))
    response = await world.viewer.post(
        "/v1/chat/completions",
        json={
            "model": agent["id"],
            "stream": True,
            "messages": [{"role": "user", "content": "E1002 是什么？"}],
        },
    )
    chunks = [orjson.loads(line[6:]) for line in response.text.split("\n") if line.startswith("data: {")]
    said = "".join(one["choices"][0]["delta"].get("content", "") for one in chunks if one["choices"])
    assert said == "E1002 表示签名无效 [1]。"
