"""Every fault that the server tells by a code is worded on the page in both languages, with its facts."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from refdesk.gateway.descriptors.reading import read_descriptors
from refdesk.gateway.descriptors.wording import MESSAGES, code_of
from refdesk.gateway.routing.conditions import Condition
from refdesk.gateway.routing.errors import ConditionInvalid

LOCALES = Path(__file__).parents[4] / "frontend" / "src" / "locales"


def words(language: str, file: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((LOCALES / language / f"{file}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_fault_of_descriptors_has_words_with_its_facts(language: str) -> None:
    catalogue = words(language, "models")["yaml"]["faults"]
    for code, message in MESSAGES.items():
        ours = set(re.findall(r"(?<!\{)\{(\w+)\}(?!\})", message))
        assert set(re.findall(r"\{\{(\w+)\}\}", catalogue[code])) == ours, code
    for kind in ("greater_than_equal", "less_than_equal", "string_too_short", "string_too_long", "int_type"):
        assert code_of(kind, {"ge": 1})[0] in catalogue


def test_a_fault_tells_its_code_and_facts_beside_the_english_words() -> None:
    text = "model_id: m\nversion: 1.1\nkind: LLN\nconcurrency: 0\napi_key: sk-1\n"
    _, problems = read_descriptors(text)
    told = {one.field: (one.code, one.facts) for one in problems}
    assert told["version"] == ("version-unquoted", {})
    assert told["concurrency"] == ("at-least", {"limit": "1"})
    assert told["api_key"] == ("key-within", {})
    assert told["endpoint"] == ("missing", {})
    assert told["kind"][0] == "one-of"


@pytest.mark.parametrize(
    ("condition", "reason", "facts"),
    [
        ("response_code == 503 ||", "syntax", {"place": 24}),
        ("latancy > 5", "unknown-name", {"name": "latancy", "place": 1}),
        ("latency > 1.5", "wrong-types", {"operator": ">", "types": "int, double", "place": 9}),
        ("1 + 1", "not-boolean", {"type": "int"}),
    ],
)
def test_a_fault_of_a_condition_tells_what_and_where(
    condition: str, reason: str, facts: dict[str, Any]
) -> None:
    with pytest.raises(ConditionInvalid) as caught:
        Condition.compile(condition)
    details = caught.value.details
    assert details["reason"] == reason
    assert facts.items() <= details.items()
    for language in ("en", "zh"):
        needed = set(re.findall(r"\{\{(\w+)\}\}", words(language, "policies")["faults"][reason]))
        assert needed <= details.keys()
