"""Documents and tools at once: what is fetched, asked of the person, told and cited."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest
from tests.service.chat.conftest import GATEWAY_TEXT
from tests.service.chat.doubles import Desk, FakeCompleter, names

from refdesk.accounts import Scope
from refdesk.chat.intents import AskedIntents, Intent, IntentKind, IntentOutcome
from refdesk.gateway import Completion, CompletionRequest, ModelUnavailable, ToolCall, ToolCallReady
from refdesk.kit.ids import new_id
from refdesk.retrieval import SearchRequest, SearchResult

MIXED = "企业版最多支持多少个并发连接，另外我的退货申请 RMA-20417 到哪一步了"
ORDER = {"return_id": {"type": "string", "title": "Return number", "title_zh": "退货单号"}}
RETURNED = '{"return_id": "RMA-20417", "status": "已签收，待质检"}'
TOOLS = {"tools": ("tool:order_query",)}


def says(text: str, after_s: float = 0.0) -> Callable[[Mapping[str, Any]], Awaitable[str]]:
    async def answer(_: Mapping[str, Any]) -> str:
        await asyncio.sleep(after_s)
        return text

    return answer


def choosing(**chosen: dict[str, Any]) -> Callable[[CompletionRequest], Completion | str]:
    """A model that calls these tools where the question has the word, and splits as rules would."""

    def complete(request: CompletionRequest) -> Completion | str:
        question = request.messages[-1].text
        if not request.tools:
            if MIXED not in question:
                return ""
            parts = MIXED.split("，另外")
            return orjson.dumps({"question": MIXED, "parts": parts}).decode()
        wanted = [
            ToolCall(f"c{n}", name, orjson.dumps(arguments).decode())
            for n, (name, arguments) in enumerate(chosen.items())
            if "退货" in question
        ]
        return Completion(
            "", "tool_calls", tool_calls=tuple(wanted) or (ToolCall("s", "search_documents", "{}"),)
        )

    return complete


@dataclass
class Searches:
    """Counts and delays what a desk searches."""

    desk: Desk
    requests: list[SearchRequest] = field(default_factory=list[SearchRequest])
    after_s: float = 0.0
    error: Exception | None = None

    async def search(self, scope: Scope, request: SearchRequest) -> SearchResult:
        self.requests.append(request)
        await asyncio.sleep(self.after_s)
        if self.error is not None:
            raise self.error
        return await self.desk.retriever.search(scope, request)


@pytest.fixture
async def searches(desk: Desk) -> Searches:
    counted = Searches(desk)
    services = desk.runs.services
    object.__setattr__(services, "retriever", counted)
    desk.tools.add("order_query", says(RETURNED), parameters=ORDER, required=["return_id"], title="退货查询")
    return counted


class Intents:
    """The intents of an application, recognised by a word."""

    def __init__(self) -> None:
        self.by_word: dict[str, Intent] = {}

    def mean(self, word: str, *, tool: str) -> None:
        self.by_word[word] = Intent(new_id(), word, word, IntentKind.MCP, tool_id=tool)

    async def resolve(self, context: object, questions: Sequence[str], detail: object) -> IntentOutcome:
        found = [
            AskedIntents(q, tuple((one, 0.9) for word, one in self.by_word.items() if word in q))
            for q in questions
        ]
        return IntentOutcome(tuple(found), "examples")


@pytest.fixture
def intents(monkeypatch: pytest.MonkeyPatch) -> Intents:
    made = Intents()
    monkeypatch.setattr("refdesk.chat.stages.intents.resolve_intents", made.resolve)
    return made


async def test_a_question_of_two_halves_is_answered_from_a_document_and_a_tool(
    desk: Desk, scope: Scope, searches: Searches
) -> None:
    model = desk.connect(
        FakeCompleter(
            "最多 500 个 [2]，退货已签收，待质检 [1]。",
            completion=choosing(order_query={"return_id": "RMA-20417"}),
        )
    )
    run = await desk.answer(scope, MIXED, overrides=TOOLS)
    assert [name for name, _, _ in desk.tools.calls] == ["order_query"]
    # The half that only needs the tool was not searched for.
    assert [request.query for request in searches.requests] == ["企业版最多支持多少个并发连接"]
    cited = {citation["kind"]: citation for citation in run["citations"]}
    assert cited["tool"]["document"] == "退货查询"
    assert cited["tool"]["paragraph_id"] is None
    assert cited["paragraph"]["document_id"] is not None
    assert all(sentence["supported"] for sentence in run["sentences"])
    prompt = model.requests[0].messages[-1].text
    assert "<tool_result n=" in prompt
    assert "<source n=" in prompt
    # The caller is the run's own, whatever a model says.
    assert desk.tools.calls[0][2].scope.user_id == scope.user_id


async def test_a_question_that_only_needs_a_tool_does_not_search(
    desk: Desk, scope: Scope, searches: Searches
) -> None:
    desk.connect(FakeCompleter("已签收 [1]。", completion=choosing(order_query={"return_id": "RMA-20417"})))
    run = await desk.answer(scope, "我的退货申请 RMA-20417 到哪一步了", overrides=TOOLS)
    assert run["state"] == "finished"
    assert searches.requests == []
    assert run["citations"][0]["kind"] == "tool"


async def test_documents_and_tools_are_fetched_at_once(desk: Desk, scope: Scope, searches: Searches) -> None:
    await desk.answer(scope, "企业版最多支持多少个并发连接？")  # models and caches are warm
    searches.after_s = 0.4
    desk.tools.add("slow", says("状态：正常", 0.4))
    both = FakeCompleter("正常 [1]。")
    both.completion = lambda request: Completion(
        "", "tool_calls", tool_calls=(ToolCall("a", "slow", "{}"), ToolCall("b", "search_documents", "{}"))
    )
    desk.connect(both)
    run = await desk.answer(scope, "网关状态和连接上限是什么？", overrides={"tools": ("tool:slow",)})
    retrieve = next(stage for stage in run["stages"] if stage["name"] == "retrieve")
    assert len(desk.tools.calls) == 1
    assert 400 <= retrieve["elapsed_ms"] <= 500 + 50  # the search itself takes some of it


async def test_without_a_model_intents_still_call_tools_and_results_are_told_as_text(
    desk: Desk, scope: Scope, searches: Searches, intents: Intents
) -> None:
    intents.mean("退货", tool="tool:order_query")
    run = await desk.answer(scope, MIXED, overrides={"has_intents": True})
    assert "已签收，待质检" in run["answer"]
    assert "500 个并发连接" in run["answer"]
    assert {citation["kind"] for citation in run["citations"]} == {"tool", "paragraph"}
    assert all(sentence["supported"] for sentence in run["sentences"])
    assert len(searches.requests) == 1


async def test_a_tool_that_changes_something_waits_for_a_yes_that_any_process_takes(
    desk: Desk, scope: Scope, searches: Searches
) -> None:
    desk.tools.add(
        "cancel_return",
        says("已取消"),
        parameters=ORDER,
        required=["return_id"],
        title="取消退货",
        ask_first=True,
    )
    chosen = {"tools": ("tool:cancel_return",)}
    # Obedient to whatever it reads, it wants the call made and says that it was agreed to.
    desk.connect(
        FakeCompleter(
            "已取消 [1]。", completion=choosing(cancel_return={"return_id": "RMA-20417", "approved": True})
        )
    )
    asked = await desk.answer(scope, "取消退货申请 RMA-20417", overrides=chosen)
    assert desk.tools.calls == []
    assert asked["state"] == "finished"
    assert asked["form"]["kind"] == "approval"
    assert asked["form"]["call"]["arguments"] == {"return_id": "RMA-20417"}
    elsewhere = await desk.another()
    desk.runs, here = elsewhere, desk.runs
    more = {"conversation_id": asked["conversation_id"], "overrides": chosen}
    declined = await desk.answer(scope, None, reply={"approve": False}, **more)
    assert desk.tools.calls == []
    assert "tool-declined" in {warning["code"] for warning in declined["warnings"]}
    again = await desk.answer(scope, "取消退货申请 RMA-20417", **more)
    assert again["form"]["kind"] == "approval"
    desk.runs = here
    done = await desk.answer(scope, "同意", **more)
    assert [(name, arguments) for name, arguments, _ in desk.tools.calls] == [
        ("cancel_return", {"return_id": "RMA-20417"})
    ]
    assert done["citations"][0]["kind"] == "tool"


async def test_missing_arguments_are_asked_for_and_a_typed_value_goes_on(
    desk: Desk, scope: Scope, searches: Searches, intents: Intents
) -> None:
    intents.mean("退货", tool="tool:order_query")
    chosen = {"has_intents": True, "tools": ("tool:order_query",)}
    asked = await desk.answer(scope, "我的退货到哪一步了", overrides=chosen)
    assert asked["form"]["kind"] == "parameters"
    assert [(one["name"], one["label"]) for one in asked["form"]["fields"]] == [("return_id", "退货单号")]
    done = await desk.answer(scope, "RMA-20417", conversation_id=asked["conversation_id"], overrides=chosen)
    assert desk.tools.calls[0][1] == {"return_id": "RMA-20417"}
    assert "已签收" in done["answer"]


async def test_choosing_tools_reads_no_document_and_no_earlier_answer(
    desk: Desk, scope: Scope, searches: Searches
) -> None:
    model = desk.connect(FakeCompleter("最多 500 个 [1]。", completion=choosing()))
    first = await desk.answer(scope, "企业版最多支持多少个并发连接？", overrides=TOOLS)
    await desk.answer(scope, "标准版呢？", conversation_id=first["conversation_id"], overrides=TOOLS)
    choices = [request for request in model.completions if request.tools]
    assert len(choices) == 2
    for request in choices:
        read = "".join(message.text for message in request.messages)
        assert not any(GATEWAY_TEXT[at : at + 12] in read for at in range(0, len(GATEWAY_TEXT) - 12, 6))
        assert "最多 500 个" not in read


async def test_a_call_written_into_the_answer_is_not_made(
    desk: Desk, scope: Scope, searches: Searches
) -> None:
    call = ToolCallReady(ToolCall("x", "order_query", '{"return_id": "RMA-1"}'))
    desk.connect(FakeCompleter(call, "最多 500 个 [1][7]。", completion=choosing()))
    run = await desk.answer(scope, "企业版最多支持多少个并发连接？", overrides=TOOLS)
    assert desk.tools.calls == []
    assert [citation["n"] for citation in run["citations"]] == [1]
    assert "citation-removed" in {warning["code"] for warning in run["warnings"]}


@pytest.mark.parametrize("fault", ["hangs", "crashes", "floods", "choice", "search"])
async def test_what_fails_costs_its_part_and_a_warning(
    desk: Desk, scope: Scope, searches: Searches, fault: str
) -> None:
    async def crash(_: Mapping[str, Any]) -> str:
        raise RuntimeError("boom")

    answers = {"hangs": says("late", 30), "crashes": crash, "floods": says("状态：已签收\n" * 1_000_000)}
    more: dict[str, Any] = {"timeout_s": 0.2} if fault == "hangs" else {}
    desk.tools.add("order_query", answers.get(fault, says(RETURNED)), title="退货查询", **more)
    model = FakeCompleter("最多 500 个 [1]。", completion=choosing(order_query={}))
    if fault == "choice":
        model.completion = ModelUnavailable()
    if fault == "search":
        searches.error = TimeoutError()
    desk.connect(model)
    began = time.perf_counter()
    run = await desk.answer(scope, MIXED, overrides=TOOLS)
    assert run["state"] == "finished"
    assert time.perf_counter() - began < 8
    told = {warning["code"] for warning in run["warnings"]}
    expected = {
        "hangs": "tool-failed",
        "crashes": "tool-failed",
        "floods": None,
        "choice": "tools-not-chosen",
        "search": "search-incomplete",
    }[fault]
    assert expected is None or expected in told
    assert len(model.requests[0].messages[-1].text) < 30_000


async def test_where_nothing_can_be_fetched_the_run_has_one_clear_error(
    desk: Desk, scope: Scope, searches: Searches
) -> None:
    searches.error = ModelUnavailable()
    desk.connect(FakeCompleter("never"))
    events = await desk.events(scope, await desk.ask(scope, "企业版最多支持多少个并发连接？"))
    assert names(events).count("error") == 1
    assert events[-1].json()["run"]["error"]["code"] == "model-unavailable"


async def test_a_model_that_is_down_leaves_the_quotations_where_the_application_wants_them(
    desk: Desk, scope: Scope, searches: Searches
) -> None:
    question, down = "企业版最多支持多少个并发连接？", FakeCompleter(ModelUnavailable())
    desk.connect(down)
    failed = await desk.answer(scope, question)
    assert failed["error"]["code"] == "model-unavailable"
    quoted = await desk.answer(scope, question, overrides={"when_model_fails": "quote"})
    assert quoted["state"] == "finished"
    assert "500 个并发连接" in quoted["answer"]
    assert "model-failed" in {warning["code"] for warning in quoted["warnings"]}
