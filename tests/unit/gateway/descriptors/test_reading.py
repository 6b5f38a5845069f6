"""Descriptors as they are written: what is missing, wrong, doubled or secret is told by field and line."""

import pytest

from refdesk.gateway.descriptors.document import DeclaredCapabilities
from refdesk.gateway.descriptors.errors import DescriptorInvalid
from refdesk.gateway.descriptors.reading import read_descriptors, refuse
from refdesk.gateway.routing.capabilities import Capabilities

WHOLE = """\
model_id: answers
version: "1.10"
provider: openai-compatible
endpoint: http://127.0.0.1:9/v1
health_check: {path: models, timeout_ms: 500, interval_ms: 5000}
capabilities:
  supports_streaming: true
  tool_calling_supported: false
  max_context_length: 8192
input_schema: {type: object}
output_schema: {type: object}
"""


def told(text: str) -> list[str]:
    _, problems = read_descriptors(text)
    return [f"{one.line} {one.text}" for one in problems]


def test_a_whole_descriptor_is_read() -> None:
    [one], problems = read_descriptors(WHOLE)
    assert problems == []
    assert (one.descriptor.model_id, one.descriptor.version, one.descriptor.kind) == (
        "answers",
        "1.10",
        "LLM",
    )
    assert one.descriptor.address == "http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    "field",
    [
        *("model_id", "version", "provider", "endpoint", "health_check", "capabilities"),
        *("input_schema", "output_schema"),
    ],
)
def test_a_required_field_that_is_missing_is_named(field: str) -> None:
    """X46."""
    lines = WHOLE.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith(f"{field}:"))
    until = at + (4 if field == "capabilities" else 1)
    problems = told("\n".join(lines[:at] + lines[until:]))
    assert problems == [f"1 {field}: is missing"]


@pytest.mark.parametrize("flag", ["supports_streaming", "tool_calling_supported", "max_context_length"])
def test_the_capability_flags_are_mandatory(flag: str) -> None:
    text = "\n".join(line for line in WHOLE.splitlines() if flag not in line)
    assert told(text) == [f"6 capabilities.{flag}: is missing"]


@pytest.mark.parametrize(
    ("before", "after", "line", "words"),
    [
        ('"1.10"', "1.10", 2, 'version: must be a text: put it in quotes, as "1.10"'),
        ("supports_streaming: true", 'supports_streaming: "true"', 7, "should be a valid boolean"),
        ("8192", "'8192'", 9, "capabilities.max_context_length: should be a valid integer"),
        ("openai-compatible", "nobody", 3, "provider: no vendor nobody is in the catalogue"),
        ("interval_ms: 5000", "interval_ms: 1", 5, "health_check.interval_ms: should be greater than"),
        ("http://127.0.0.1:9/v1", "null", 4, "endpoint: is needed"),
        ("http://127.0.0.1:9/v1", "http://a:b@c/v1", 4, "endpoint: give the base address only"),
        ("input_schema: {type: object}", "input_schema: {type: objct}", 10, "input_schema: type:"),
        ("model_id: answers", "model_id: answers\napi_key: sk-1", 2, "a key never stands in a descriptor"),
        ("model_id: answers", "model_id: answers\ncolour: red", 2, "colour: is not a field of model"),
        ("model_id: answers", "model_id: answers\ncredential: sk-1", 2, "must be none, entered or"),
        ("provider: openai-compatible", "provider: groq\nkind: TTI", 4, "kind: Groq has no models"),
    ],
)
def test_a_fault_is_told_with_field_and_line(before: str, after: str, line: int, words: str) -> None:
    [problem] = told(WHOLE.replace(before, after))
    assert problem.startswith(f"{line} ")
    assert words in problem


def test_two_documents_of_one_model_id_are_told() -> None:
    """X50."""
    text = f"{WHOLE}---\n{WHOLE.replace('answers', 'other')}---\n{WHOLE}"
    [problem] = told(text)
    assert problem == "25 model_id: answers is described twice, in documents 1 and 3"
    with pytest.raises(DescriptorInvalid, match=r"answers, line 25: model_id: answers is described twice"):
        refuse(read_descriptors(text)[1])


@pytest.mark.parametrize("text", ["", "# nothing", "---\n---\n"])
def test_a_text_without_a_descriptor_is_refused(text: str) -> None:
    with pytest.raises(DescriptorInvalid, match="no model descriptor"):
        read_descriptors(text)


def test_what_is_no_mapping_is_told() -> None:
    assert told("- a\n- b") == ["1 a descriptor is a mapping that begins with model_id"]


def test_every_capability_can_be_declared() -> None:
    assert set(DeclaredCapabilities.model_fields) == set(Capabilities.model_fields)
