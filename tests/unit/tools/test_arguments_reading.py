"""Arguments are read however a model wrote them, and nothing is ever made up."""

import json
import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.tools.arguments import MAX_ARGUMENT_CHARS, check_arguments, read_arguments

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "top_k": {"type": "integer", "default": 3, "minimum": 1, "maximum": 5},
        "path": {"type": "string"},
    },
    "required": ["query"],
}


@pytest.mark.parametrize(
    ("raw", "way", "values"),
    [
        ('{"query": "退货", "top_k": 3}', "strict", {"query": "退货", "top_k": 3}),
        ("", "empty", {}),
        ("null", "empty", {}),
        ('"{\\"query\\": \\"x\\"}"', "strict", {"query": "x"}),
        ('[{"query": "x"}]', "strict", {"query": "x"}),
        ('```json\n{"query": "x"}\n```', "strict", {"query": "x"}),
        ('{"query": "x\ny"}', "repaired", {"query": "x\ny"}),
        ('{"query": "x", "top_k": 3', "repaired", {"query": "x", "top_k": 3}),
        ("{'query': 'x', 'top_k': 3,}", "repaired", {"query": "x", "top_k": 3}),
        ('Calling: {"query": "x"} now', "repaired", {"query": "x"}),
        ('{}{"query": "x"}', "repaired", {"query": "x"}),
        (
            r'{"query": "a", "path": "C:\Users\new\table.txt"}',
            "repaired",
            {"query": "a", "path": r"C:\Users\new\table.txt"},
        ),
        (r'{"path": "C:\new\table.txt"}', "repaired", {"path": r"C:\new\table.txt"}),
        (r'{"path": "C:\\new\\table.txt"}', "strict", {"path": r"C:\new\table.txt"}),
        ('{"query": "Q:\\nWhat"}', "strict", {"query": "Q:\nWhat"}),
        ("query=退货政策, top_k=3", "pairs", {"query": "退货政策", "top_k": "3"}),
        ('search(query="退货, 换货", top_k=3)', "pairs", {"query": "退货, 换货", "top_k": "3"}),
        ("<query>退货</query><top_k>2</top_k>", "pairs", {"query": "退货", "top_k": "2"}),
        ("AirPods 退货政策", "raw", {"query": "AirPods 退货政策"}),
    ],
)
def test_arguments_are_read_as_far_as_they_can_be(raw: str, way: str, values: dict[str, Any]) -> None:
    read = read_arguments(raw, SCHEMA, fallback_key="query")
    assert (read.way, dict(read.values)) == (way, values)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("AirPods 退货政策", "not-an-object"),
        ('{"query": "a"}{"query": "b"}', "several-objects"),
        ("[" * 5000, "too-deep"),
        ('{"a":' * 3000, "too-deep"),
        ("x" * (MAX_ARGUMENT_CHARS + 1), "too-large"),
        ("9" * 5000, "not-an-object"),
    ],
)
def test_what_cannot_be_read_is_told_and_not_guessed(raw: str, reason: str) -> None:
    read = read_arguments(raw, SCHEMA)
    assert (read.ok, read.reason, dict(read.values)) == (False, reason, {})


def test_not_a_number_is_refused_by_name() -> None:
    checked = check_arguments(read_arguments('{"query": "x", "top_k": NaN}', SCHEMA).values, SCHEMA)
    assert [(fault.name, fault.code) for fault in checked.faults] == [("top_k", "not-a-number")]


_WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=20
).filter(lambda text: text.strip() != "")
_VALUES = st.fixed_dictionaries({"query": _WORDS}, optional={"top_k": st.integers(1, 10**6), "path": _WORDS})


@given(_VALUES, st.integers(0, 2**32))
def test_mangled_json_never_crashes_and_never_gains_an_argument(values: dict[str, Any], seed: int) -> None:
    chance = random.Random(seed)
    text = json.dumps(values, ensure_ascii=False)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(text) + 1)
        piece = chance.choice(["", "\n", '"', "'", "\\", "{", "}", ",", ":", "[", "NaN", "\x00", "```", "//"])
        text = text[:at] + piece + text[at + chance.randint(0, 2) :]
    read = read_arguments(text, SCHEMA, fallback_key="query")
    seen = _squashed(text) + "|" + _squashed(_escapes_read(text))
    for name, value in read.values.items():
        assert name == "query" or _squashed(name) in seen
        if isinstance(value, str):
            assert _squashed(value) in seen
    check_arguments(read.values, SCHEMA)


@given(st.text(max_size=300))
def test_any_text_at_all_is_survived(text: str) -> None:
    read = read_arguments(text, SCHEMA, fallback_key="query")
    assert read.ok or read.reason
    checked = check_arguments(read.values, SCHEMA)
    assert "top_k" not in checked.values or isinstance(checked.values["top_k"], int)


@given(_VALUES)
def test_right_json_is_read_as_it_stands(values: dict[str, Any]) -> None:
    assert read_arguments(json.dumps(values), SCHEMA).values == values


def _squashed(text: str) -> str:
    return "".join(sign for sign in text if sign.isalnum())


def _escapes_read(text: str) -> str:
    return re.sub(r"\\[\\nrtbf/\"']", "", text.replace("\x00", ""))
