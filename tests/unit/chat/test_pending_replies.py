"""What continues a pending step, and what is a question of its own."""

from typing import Any

import pytest

from refdesk.chat.pending import FormClosed, Pending, ReplyInvalid, Resumed, reply_text, resume
from refdesk.kit.ids import new_id

GUIDANCE = Pending(
    new_id(),
    "guidance",
    "AirPods 怎么退货",
    {
        "options": [
            {"value": "a", "label": "AirPods Pro"},
            {"value": "b", "label": "AirPods 4（第 4 代）"},
            {"value": "c", "label": "订单查询"},
        ]
    },
)
ORDER = {"name": "order_id", "label": "订单号", "type": "string", "required": True}
PARAMETERS = Pending(new_id(), "parameters", "退货到哪一步了", {"fields": [ORDER]})
APPROVAL = Pending(new_id(), "approval", "帮我取消订单")


@pytest.mark.parametrize(
    ("typed", "option"),
    [
        ("1", "a"),
        ("２", "b"),
        ("1.", "a"),
        ("第一个", "a"),
        ("第2个", "b"),
        ("选三", "c"),
        ("最后一个", "c"),
        ("the second one", "b"),
        ("option two", "b"),
        ("airpods pro", "a"),
        ("我说的是 AirPods Pro", "a"),
        ("订单查询吧", "c"),
        ("第 4 代", "b"),
    ],
)
def test_a_typed_choice_continues_the_question(typed: str, option: str) -> None:
    resumed = resume(GUIDANCE, None, typed)
    assert resumed is not None
    assert (resumed.option, resumed.question) == (option, GUIDANCE.question)


@pytest.mark.parametrize(
    "typed",
    ["4", "AirPods Pro 多少钱", "AirPods", "怎么联系客服", "一个问题", "第十个", "pro?", "thanks a lot"],
)
def test_anything_else_is_a_new_question(typed: str) -> None:
    assert resume(GUIDANCE, None, typed) is None


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("RF-20261", "RF-20261"),
        ("订单号是 88231", "88231"),
        ("我的退款怎么还没到", None),
        ("What is your return policy?", None),
    ],
)
def test_a_value_that_is_typed_fills_the_missing_field(typed: str, value: str | None) -> None:
    resumed = resume(PARAMETERS, None, typed)
    assert (resumed.fields["order_id"] if resumed else None) == value


def test_a_number_that_is_missing_takes_only_numbers() -> None:
    count = {"name": "count", "type": "integer", "required": True}
    pending = Pending(new_id(), "parameters", "q", {"fields": [count]})
    assert resume(pending, None, "three apples") is None
    assert resume(pending, None, "3") is not None


@pytest.mark.parametrize(
    ("typed", "approve"), [("同意", True), ("OK!", True), ("不要", False), ("no", False)]
)
def test_agreement_is_read_from_words(typed: str, approve: bool) -> None:
    resumed = resume(APPROVAL, None, typed)
    assert resumed is not None
    assert resumed.approve is approve


def test_a_reply_to_nothing_or_to_another_run_is_refused() -> None:
    with pytest.raises(FormClosed):
        resume(None, {"option": "a"}, None)
    with pytest.raises(FormClosed):
        resume(GUIDANCE, {"option": "a", "run_id": new_id()}, None)
    assert resume(GUIDANCE, {"option": "a", "run_id": GUIDANCE.run_id}, None) is not None


@pytest.mark.parametrize(
    ("pending", "reply"),
    [
        (GUIDANCE, {"option": "z"}),
        (GUIDANCE, {"approve": True}),
        (PARAMETERS, {"fields": {}}),
        (PARAMETERS, {"fields": {"order_id": "1", "user_id": "2"}}),
        (APPROVAL, {"option": "yes"}),
    ],
)
def test_a_reply_that_does_not_fit_is_refused(pending: Pending, reply: dict[str, Any]) -> None:
    with pytest.raises(ReplyInvalid):
        resume(pending, reply, None)


def test_a_reply_survives_being_stored() -> None:
    resumed = resume(PARAMETERS, {"fields": {"order_id": "7"}}, None)
    assert resumed is not None
    assert Resumed.of(resumed.to_json()) == resumed
    assert reply_text(resumed, "zh") == "订单号：7"
