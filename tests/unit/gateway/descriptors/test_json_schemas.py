"""JSON Schema draft 7: schemas that are none, values that do not fit, output that was not declared."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.gateway.descriptors.errors import SchemaInvalid
from refdesk.gateway.descriptors.forms import INPUT_SCHEMAS, OUTPUT_SCHEMAS
from refdesk.gateway.descriptors.json_schema import Checker, check_schema
from refdesk.gateway.kinds import KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_the_forms_of_every_kind_are_draft_7(kind: str) -> None:
    check_schema(INPUT_SCHEMAS[kind])
    check_schema(OUTPUT_SCHEMAS[kind])


@pytest.mark.parametrize(
    ("schema", "path", "told"),
    [
        ({"type": "objct"}, "type", ""),
        ({"properties": {"a": {"minimum": "0"}}}, "properties.a.minimum", "must be of the type number"),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema"}, "$schema", "Only JSON Schema draft 7"),
        ({"items": {"$ref": "https://example.org/a.json"}}, "items.$ref", "into the schema itself"),
        ({"$ref": "#/definitions/none"}, "$ref", "Nothing is at the reference"),
        ({"allOf": [{"$ref": "#"}]}, "$ref", "without an end"),
        ({"properties": {"a": {"pattern": "("}}}, "properties.a.pattern", "is not a 'regex'"),
        ({"patternProperties": {"a": {}}}, "patternProperties", "is not taken"),
        ({"description": "x" * 70_000}, "", "longer than 64 KB"),
    ],
)
def test_what_is_no_schema_is_refused_with_its_place(schema: dict[str, Any], path: str, told: str) -> None:
    with pytest.raises(SchemaInvalid) as refused:
        check_schema(schema)
    assert refused.value.details["path"] == path
    assert told in refused.value.text


def test_a_property_may_be_called_like_a_keyword() -> None:
    check_schema({"properties": {"$ref": {"type": "string"}, "pattern": {"type": "string"}}})
    check_schema({"default": {"$ref": "anything"}})


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"prompt": "x", "temperature": "0.7"}, "temperature: must be of the type number, not a string"),
        ({"prompt": "x", "max_tokens": 1.5}, "max_tokens: must be of the type integer, not a number"),
        ({"prompt": "x", "temprature": 1}, "temprature: is not a field that is taken here"),
        ({"messages": [{"content": "a"}]}, "messages[0].role: is required"),
        ({"messages": [{"role": "usr", "content": "a"}]}, "messages[0].role: must be one of"),
        ({}, "needs prompt or messages"),
        ({"prompt": "a", "messages": [{"role": "user"}]}, "fits more than one of the forms"),
        ([], "must be of the type object, not an array"),
        ({"prompt": True}, "prompt: must be of the type string, not a boolean"),
    ],
)
def test_a_fault_names_field_and_type(value: Any, told: str) -> None:
    assert told in "; ".join(map(str, Checker.of(INPUT_SCHEMAS["LLM"]).faults(value)))


def test_a_pattern_that_would_never_end_ends() -> None:
    checker = Checker.of({"pattern": "^(a|aa)+$"})
    started = time.perf_counter()
    [fault] = checker.faults("a" * 60 + "b")
    assert time.perf_counter() - started < 2
    assert "match" in fault.message


def test_undeclared_members_are_left_out_wherever_they_are() -> None:
    schema = {
        "properties": {
            "text": {},
            "free": {"type": "object"},
            "open": {"properties": {"a": {}}, "additionalProperties": True},
            "list": {"items": {"$ref": "#/definitions/item"}},
        },
        "definitions": {"item": {"properties": {"b": {}}}},
    }
    value = {
        "text": "t",
        "usage": {"n": 1},
        "free": {"x": 1},
        "open": {"z": 1},
        "list": [{"b": 1, "c": 2}],
    }
    kept, left_out = Checker.of(schema).undeclared(value)
    assert left_out == ["usage", "list[0].c"]
    assert kept == {"text": "t", "free": {"x": 1}, "open": {"z": 1}, "list": [{"b": 1}]}


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=10,
)


@given(_JSON)
def test_leaving_out_is_done_once_for_all_and_only_takes_away(value: Any) -> None:
    checker = Checker.of({"properties": {"a": {"properties": {"b": {}}}, "b": {"items": {"properties": {}}}}})
    kept, left_out = checker.undeclared(value)
    assert checker.undeclared(kept) == (kept, [])
    assert (kept == value) == (left_out == [])
