"""Arguments are coerced where no meaning is lost, and refused by name otherwise."""

import math
from typing import Any

import pytest

from refdesk.tools.arguments import asking_text, check_arguments, form_fields
from refdesk.tools.arguments.reading import read_arguments

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string", "title": "Order number", "x-title-zh": "订单号"},
        "count": {"type": "integer", "minimum": 1},
        "price": {"type": "number"},
        "urgent": {"type": "boolean"},
        "status": {"type": "string", "enum": ["pending", "shipped", "in_transit"]},
        "tags": {"type": "array", "items": {"type": "integer"}},
        "address": {"$ref": "#/$defs/address"},
        "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "required": ["order_id"],
    "$defs": {"address": {"type": "object", "properties": {"floor": {"type": "integer"}}}},
}


@pytest.mark.parametrize(
    ("name", "given", "taken"),
    [
        ("count", "3", 3),
        ("count", "1,200", 1200),
        ("count", 3.0, 3),
        ("price", "3.50", 3.5),
        ("urgent", "是", True),
        ("urgent", "No", False),
        ("status", "In Transit", "in_transit"),
        ("status", "SHIPPED", "shipped"),
        ("tags", "1, 2，3", [1, 2, 3]),
        ("tags", ["1"], [1]),
        ("address", {"floor": "4"}, {"floor": 4}),
        ("address", '{"floor": 4}', {"floor": 4}),
        ("limit", "5", 5),
        ("order_id", 20240601, "20240601"),
    ],
)
def test_a_value_is_coerced(name: str, given: Any, taken: Any) -> None:
    checked = check_arguments({"order_id": "A1", name: given}, SCHEMA)
    assert checked.ok
    assert checked.values[name] == taken
    assert type(checked.values[name]) is type(taken)


@pytest.mark.parametrize(
    ("name", "given", "code"),
    [
        ("count", "three", "wrong-type"),
        ("count", 2.5, "wrong-type"),
        ("count", 0, "not-valid"),
        ("price", math.nan, "not-a-number"),
        ("price", "NaN", "wrong-type"),
        ("tags", [1, math.inf], "not-a-number"),
        ("urgent", "maybe", "wrong-type"),
        ("status", "lost", "not-in-list"),
    ],
)
def test_a_wrong_value_is_refused_by_name(name: str, given: Any, code: str) -> None:
    checked = check_arguments({"order_id": "A1", name: given}, SCHEMA)
    assert [(fault.name, fault.code) for fault in checked.faults] == [(name, code)]
    assert name not in checked.values


def test_missing_ones_are_listed_and_unknown_ones_reported() -> None:
    checked = check_arguments({"Order-ID": "  ", "colour": "red", "count": None}, SCHEMA)
    assert (checked.missing, checked.dropped, dict(checked.values)) == (("order_id",), ("colour",), {})
    assert check_arguments({"orderId": "A1"}, SCHEMA).values == {"order_id": "A1"}


def test_a_version_written_as_a_number_keeps_its_zero() -> None:
    values = read_arguments('{"order_id": 1.10}', SCHEMA).values
    assert check_arguments(values, SCHEMA).values == {"order_id": "1.10"}


def test_a_hostile_schema_is_a_fault_and_neither_fetched_nor_run_for_ever() -> None:
    slow = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a|a?)+$"}}}
    assert check_arguments({"a": "a" * 40 + "!"}, slow).faults[0].name == "a"
    remote = {
        "type": "object",
        "properties": {"a": {"$ref": "http://127.0.0.1:9/x"}},
        "$ref": "http://127.0.0.1:9/y",
    }
    assert not check_arguments({"a": 1}, remote).ok or check_arguments({"a": 1}, remote).dropped
    broken: dict[str, Any] = {"type": "object", "properties": {"a": {"type": 7, "pattern": "("}}}
    assert check_arguments({"a": "x"}, broken).faults[0].code == "schema-unusable"


def test_the_form_speaks_the_language_of_the_conversation() -> None:
    fields = form_fields(SCHEMA, ["order_id", "status"], "zh")
    assert [field.as_json() for field in fields] == [
        {"name": "order_id", "label": "订单号", "type": "string", "required": True},
        {
            "name": "status",
            "label": "Status",
            "type": "string",
            "required": False,
            "enum": ["pending", "shipped", "in_transit"],
        },
    ]
    assert asking_text(fields[:1], "zh") == "还需要以下信息才能继续：订单号。"
