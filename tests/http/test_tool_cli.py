"""`refdesk tool` over the example's order system, which each command starts as a process of its own."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from refdesk.cli import build_app
from refdesk.kit.settings import get_settings

type Run = Callable[..., Result]

ORDER_SYSTEM = Path(__file__).parents[2] / "examples" / "order_system" / "server.py"


@pytest.fixture
def run(
    tmp_path_factory: pytest.TempPathFactory, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Run]:
    for name in [name for name in os.environ if name.startswith("REFDESK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("REFDESK_DATA_DIR", str(tmp_path_factory.mktemp("data")))
    monkeypatch.setenv("REFDESK_DATABASE_URL", database_url)

    def run_it(*words: str) -> Result:
        return CliRunner().invoke(build_app("tool"), ["tool", *words])

    yield run_it
    get_settings.cache_clear()


def test_the_order_system_is_added_called_set_and_removed(run: Run, tmp_path: Path) -> None:
    assert "no tool servers" in run("servers", "list").stdout
    added = run("servers", "add", "orders", "--", sys.executable, str(ORDER_SYSTEM), "--stdio")
    assert added.exit_code == 0, added.output
    assert "  order_query(number, kind, within_days)" in added.stdout.splitlines()
    assert "  return_request(number, reason)  [asks first]" in added.stdout.splitlines()

    asked = run("call", "orders__order_query", "kind=return", "within_days=14", "--json")
    assert asked.exit_code == 0, asked.output
    outcome = json.loads(asked.stdout)
    assert [entry["number"] for entry in outcome["data"]["entries"]] == ["TH-3071"]
    unknown = run("call", "order_query", "number=DD-1")
    assert (unknown.exit_code, "[tool-error]" in unknown.stdout) == (1, True)

    change = ("call", "orders__return_request", "number=DD-20418", "reason=broken")
    refused = run(*change)
    assert (refused.exit_code, "may change something" in refused.stderr) == (1, True), refused.output
    agreed = run(*change, "--yes", "--json")
    assert (agreed.exit_code, json.loads(agreed.stdout)["ok"]) == (0, True), agreed.output

    assert run("servers", "set", "orders", "parcel_track", "--off").exit_code == 0
    listed = json.loads(run("list", "--json").stdout)
    active = {tool["name"]: (tool["is_active"], tool["ask_first"]) for tool in listed}
    assert active == {
        "orders__order_query": (True, False),
        "orders__parcel_track": (False, False),
        "orders__return_request": (True, True),
    }

    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": {"orders": {"url": "https://x.example"}, "b": {"command": "no-such"}}}')
    pasted = run("servers", "paste", str(file))
    assert (pasted.exit_code, "orders: There is a tool server of that name" in pasted.stdout) == (1, True)
    failing = run("servers", "test", "b")
    assert (failing.exit_code, "[tool-server-command-failed]" in failing.stdout) == (1, True)
    assert run("servers", "remove", "orders", "--yes").exit_code == 0
    assert [each["name"] for each in json.loads(run("servers", "list", "--json").stdout)] == ["b"]
