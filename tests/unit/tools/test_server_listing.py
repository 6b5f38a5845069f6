"""What a server may offer, and what becomes of what it should not."""

import base64
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from mcp_types import AudioContent, CallToolResult, EmbeddedResource, TextContent, TextResourceContents

from refdesk.tools.servers.listing import MAX_TOOLS, Listing, OfferedTool, sorted_out
from refdesk.tools.servers.results import result_of

OBJECT = {"type": "object"}


def test_unusable_tools_are_left_out_with_the_reason_and_the_others_stay() -> None:
    deep: Any = {}
    for _ in range(200):
        deep = {"properties": {"a": deep}}
    raw: list[Any] = [
        {"name": "good", "inputSchema": OBJECT, "annotations": {"readOnlyHint": True, "title": "Good"}},
        {"name": "good", "inputSchema": OBJECT},
        {"name": "no schema"},
        {"name": "list", "inputSchema": {"type": "array"}},
        {"name": "broken", "inputSchema": {"type": "object", "properties": {"a": {"type": "strnig"}}}},
        {"name": "remote", "inputSchema": {"type": "object", "$ref": "http://evil.example/schema"}},
        {"name": "large", "inputSchema": {"type": "object", "description": "x" * 70_000}},
        {"name": "deep", "inputSchema": deep | {"type": "object"}},
        {"name": 7, "inputSchema": OBJECT},
        "nonsense",
        {"name": "hidden", "inputSchema": OBJECT, "description": "Reads.\u200b\U000e0041 It is\x07 safe"},
    ]
    tools, left_out = sorted_out(raw)
    assert [tool.name for tool in tools] == ["good", "hidden"]
    assert tools[0] == OfferedTool("good", "Good", "", OBJECT, read_only=True, repeatable=True)
    assert tools[1].description == "Reads. It is safe"
    assert [name for name, _ in left_out] == [
        *("good", "no schema", "list", "broken", "remote", "large", "deep", "7", "None"),
    ]
    assert all(reason for _, reason in left_out)
    listing = Listing(tuple(tools), tuple(left_out), server="s 1")
    assert Listing.from_json(listing.as_json()) == listing


def test_more_tools_than_the_limit_are_left_out() -> None:
    tools, left_out = sorted_out([{"name": f"t{n}", "inputSchema": OBJECT} for n in range(MAX_TOOLS + 3)])
    assert (len(tools), len(left_out)) == (MAX_TOOLS, 3)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=10,
)


@given(st.lists(st.fixed_dictionaries({}, optional={
    "name": json_values, "inputSchema": json_values, "annotations": json_values, "description": json_values,
}) | json_values, max_size=5))  # fmt: skip
def test_no_list_is_too_strange(raw: list[Any]) -> None:
    tools, left_out = sorted_out(raw)
    assert len(tools) + len(left_out) == len(raw)


def test_pictures_and_bytes_are_told_and_not_passed_on() -> None:
    sound = AudioContent(type="audio", data=base64.b64encode(b"x" * 3000).decode(), mime_type="audio/wav")
    inside = TextResourceContents(uri="file:///a", text="from a file", mime_type="text/plain")
    raw = CallToolResult(
        content=[
            TextContent(type="text", text="See:"),
            sound,
            EmbeddedResource(type="resource", resource=inside),
        ]
    )
    result = result_of(raw, {"server": "s"})
    assert result.text == "See:\n\n[audio: audio/wav, 2 KB]\n\nfrom a file"
    assert result.details["media"] == [{"kind": "audio", "type": "audio/wav", "bytes": 3000}]


def test_a_single_json_text_is_data_too() -> None:
    raw = CallToolResult(content=[TextContent(type="text", text='{"a": [1]}')])
    assert result_of(raw, {}).data == {"a": [1]}
    empty = result_of(CallToolResult(content=[], structured_content={"b": 2}), {})
    assert (empty.text, empty.data) == ('{"b":2}', {"b": 2})
    silent = result_of(CallToolResult(content=[], is_error=True), {})
    assert silent.fault is not None
    assert silent.fault.code == "tool-error"
