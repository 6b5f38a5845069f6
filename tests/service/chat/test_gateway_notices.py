"""What the gateway did on the way to an answer, as whoever asked sees it."""

from tests.service.chat.doubles import Desk, FakeCompleter, names

from refdesk.accounts import Scope
from refdesk.gateway import Notice

QUESTION = "标准版最多支持多少个并发连接？"
SWITCHED = Notice("model-switched", {"from": "甲", "to": "乙", "reason": "502 model-interrupted"})


async def test_an_answer_that_began_anew_holds_nothing_of_the_first(desk: Desk, scope: Scope) -> None:
    desk.connect(
        FakeCompleter(
            "标准版最多支持一千个[1]",
            Notice("restarted", {"reason": "502 model-interrupted"}),
            SWITCHED,
            "标准版最多支持 100 个并发连接[1]。",
        )
    )
    run = await desk.ask(scope, QUESTION)
    events = await desk.events(scope, run)
    snapshot = next(event.json() for event in events if event.name == "snapshot")
    assert (snapshot["answer"], snapshot["citations"]) == ("", [])
    finished = events[-1].json()["run"]
    assert finished["answer"] == "标准版最多支持 100 个并发连接[1]。"
    assert [citation["n"] for citation in finished["citations"]] == [1]
    assert [(one["code"], one["message"]) for one in finished["warnings"]] == [
        ("restarted", "回答中断（502 model-interrupted），已重新开始。"),
        ("model-switched", "模型 甲 没有回应（502 model-interrupted），由 乙 回答。"),
    ]
    stage = next(stage for stage in finished["stages"] if stage["name"] == "answer")
    assert [notice["code"] for notice in stage["detail"]["notices"]] == ["restarted", "model-switched"]


async def test_the_place_in_a_models_queue_is_an_event_and_no_warning(desk: Desk, scope: Scope) -> None:
    desk.connect(FakeCompleter(Notice("queued", {"place": 3}), Notice("queued", {"place": 1}), "100 个[1]。"))
    run = await desk.ask(scope, QUESTION)
    events = await desk.events(scope, run)
    assert [event.json()["position"] for event in events if event.name == "queue"] == [3, 1]
    assert "warning" not in names(events) or all(
        event.json()["code"] != "queued" for event in events if event.name == "warning"
    )
