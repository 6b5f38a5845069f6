"""Arguments are found in a question, with a model or without, and never made up."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from refdesk.gateway import Completion, CompletionEvent, CompletionRequest, Message, ModelTimeout
from refdesk.tools import ToolSpec
from refdesk.tools.arguments import extract_arguments

TODAY = datetime(2026, 11, 30, 12, tzinfo=UTC)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string", "title": "订单号", "pattern": "^[A-Z]{2}-\\d{4,8}$"},
        "kind": {
            "type": "string",
            "enum": ["refund", "exchange"],
            "description": "refund：退款, exchange：换货",
        },
        "since": {"type": "string", "format": "date"},
        "count": {"type": "integer", "title": "数量"},
    },
    "required": ["order_id"],
}
ORDER = ToolSpec("tool:1", "order_query", "Looks an order up.", SCHEMA, "python")


class Answers:
    """A model that says one thing."""

    def __init__(self, text: str | Exception) -> None:
        self.text, self.requests = text, list[CompletionRequest]()
        self.model_id: UUID = uuid4()
        self.model_name, self.context_tokens = "scripted", 8000

    async def complete(self, request: CompletionRequest) -> Completion:
        self.requests.append(request)
        if isinstance(self.text, Exception):
            raise self.text
        return Completion(self.text, "stop")

    def stream(self, request: CompletionRequest) -> AsyncIterator[CompletionEvent]:
        raise NotImplementedError(request)


def tool(**properties: Any) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return ToolSpec("tool:2", "t", "", schema, "python")


async def test_rules_find_what_the_schema_describes() -> None:
    question = "我昨天的订单 ab-20241 要退款，数量 2 件，现在到哪了"
    found = await extract_arguments(None, ORDER, question, today=TODAY)
    assert (found.status, found.way) == ("success", "rules")
    assert found.values == {"order_id": "AB-20241", "kind": "refund", "since": "2026-11-29", "count": 2}


@pytest.mark.parametrize(
    ("name", "part", "question", "value"),
    [
        ("order_id", {"type": "string", "examples": ["RT20240601"]}, "退货单 RT20251103 呢", "RT20251103"),
        (
            "order_id",
            {"type": "string", "description": "订单号，例如 SO-10021"},
            "查 SO-99812 的物流",
            "SO-99812",
        ),
        ("tracking_number", {"type": "string"}, "where is parcel 7730012345?", "7730012345"),
        ("order_id", {"type": "integer"}, "order 88231 please", 88231),
        (
            "email",
            {"type": "string", "format": "email"},
            "写信到 a.b@例.cn 或 li@example.com",
            "li@example.com",
        ),
        ("city", {"type": "string", "title": "城市"}, "城市：北京，明天", "北京"),
        ("top", {"type": "integer"}, "show the best 5 of them", 5),
        ("day", {"type": "string", "format": "date"}, "on May 3rd, 2025", "2025-05-03"),
        ("query", {"type": "string"}, "how to return", "how to return"),
    ],
)
async def test_rules_find_one_kind_of_value(
    name: str, part: dict[str, Any], question: str, value: Any
) -> None:
    found = await extract_arguments(None, tool(**{name: part}), question, today=TODAY)
    assert (found.status, dict(found.values)) == ("success", {name: value})


async def test_an_earlier_turn_gives_what_the_question_lacks_and_else_a_form_asks() -> None:
    turns = [Message("user", "订单 AB-1234 是我的"), Message("assistant", "好的，AB-9999")]
    found = await extract_arguments(None, ORDER, "它到哪了", turns, "zh", today=TODAY)
    assert found.values == {"order_id": "AB-1234"}
    found = await extract_arguments(None, ORDER, "AirPods 3 到哪了", (), "zh", today=TODAY)
    assert (found.status, found.missing, dict(found.values)) == ("needs_clarification", ("order_id",), {})
    assert [field.label for field in found.fields] == ["订单号"]
    found = await extract_arguments(None, ORDER, "", known={"order_id": "AB-7777"}, today=TODAY)
    assert (found.status, dict(found.values)) == ("success", {"order_id": "AB-7777"})


async def test_a_models_answer_is_used_but_its_invented_number_is_not() -> None:
    model = Answers('```json\n{"order_id": "AB-55555", "kind": "Refund", "count": "2"}\n```')
    found = await extract_arguments(model, ORDER, "退款, AB 55555, 两件", today=TODAY)
    assert (found.status, found.way) == ("success", "model")
    assert found.values == {"order_id": "AB-55555", "kind": "refund", "count": 2}
    found = await extract_arguments(model, ORDER, "我要退款", today=TODAY)
    assert (found.status, found.missing) == ("needs_clarification", ("order_id",))
    assert "required" not in (model.requests[0].json_schema or {})


async def test_rules_take_over_from_a_model_that_fails() -> None:
    found = await extract_arguments(Answers(ModelTimeout()), ORDER, "AB-1234", today=TODAY)
    assert (found.status, found.way, found.warning) == ("success", "rules", "model-timeout")
    found = await extract_arguments(Answers("Sorry, I cannot."), ORDER, "到哪了", today=TODAY)
    assert (found.status, found.faults[0].code) == ("failed", "unreadable")
