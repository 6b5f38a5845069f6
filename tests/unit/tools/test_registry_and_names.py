"""The registry only stores; names fit what models may call."""

from collections.abc import Mapping
from importlib.metadata import EntryPoint
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from refdesk.tools import Tool, ToolCaller, ToolRegistry, ToolResult, ToolSpec, registry
from refdesk.tools.naming import MAX_NAME_CHARS, namespaced, told_apart


class _Nothing:
    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        return ToolResult("")


def tool(tool_id: str, name: str = "find") -> Tool:
    return Tool(ToolSpec(tool_id, name, "", {"type": "object"}, "builtin"), _Nothing())


def test_a_repeated_id_replaces_and_warns() -> None:
    found = ToolRegistry()
    first, second = tool("builtin:a"), tool("builtin:a", "other")
    with capture_logs() as logs:
        found.register(first)
        found.register(tool("builtin:b"))
        assert logs == []
        found.register(second)
    assert [entry["event"] for entry in logs] == ["tools.replaced"]
    assert (found.find("builtin:a"), found.size(), found.contains("builtin:b")) == (second, 2, True)
    assert [each.spec.id for each in found.list()] == ["builtin:a", "builtin:b"]
    assert found.unregister("builtin:a")
    assert not found.unregister("builtin:a")
    assert (found.find("builtin:a"), found.size()) == (None, 1)


def several_tools() -> list[Tool]:
    return [tool("builtin:x"), tool("builtin:y")]


def test_tools_of_packages_are_found_and_a_broken_one_keeps_none_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = "tests.unit.tools.test_registry_and_names"
    points = [
        EntryPoint("good", f"{place}:several_tools", registry.ENTRY_POINTS),
        EntryPoint("gone", "no_such_module:tool", registry.ENTRY_POINTS),
        EntryPoint("none", f"{place}:MAX_NAME_CHARS", registry.ENTRY_POINTS),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group == "refdesk.tools" else [])
    with capture_logs() as logs:
        assert [each.spec.id for each in registry.local_tools()] == ["builtin:x", "builtin:y"]
    assert [entry["event"] for entry in logs] == [
        "tools.entry-point-failed",
        "tools.entry-point-is-no-tool",
    ]


@given(st.text(min_size=1), st.text(min_size=1))
def test_a_name_is_one_that_models_may_call(server: str, name: str) -> None:
    made = namespaced(server, name)
    assert 0 < len(made) <= MAX_NAME_CHARS
    assert made.replace("_", "").replace("-", "").isalnum()
    assert made.isascii()
    assert made == namespaced(server, name)


def test_names_of_one_toolbox_differ_and_each_id_is_there_once() -> None:
    assert namespaced("orders", "order_query") == "orders__order_query"
    assert namespaced("订单", "query") != namespaced("工单", "query")
    same = [tool("a"), tool("b"), tool("a"), tool("c")]
    assert [(each.spec.id, each.spec.name) for each in told_apart(same)] == [
        ("a", "find"),
        ("b", "find_2"),
        ("c", "find_3"),
    ]
