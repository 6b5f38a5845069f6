"""`refdesk tool python` and `refdesk tool http`: kept from files, listed, removed."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from refdesk.cli import build_app
from refdesk.kit.settings import get_settings

type Run = Callable[..., Result]


@pytest.fixture
def run(
    tmp_path_factory: pytest.TempPathFactory, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Run]:
    for name in [name for name in os.environ if name.startswith("REFDESK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("REFDESK_DATA_DIR", str(tmp_path_factory.mktemp("data")))
    monkeypatch.setenv("REFDESK_DATABASE_URL", database_url)
    yield lambda *words, typed=None: CliRunner().invoke(build_app(words[0]), [*words], input=typed)
    get_settings.cache_clear()


def done(result: Result, exit_code: int = 0) -> Any:
    assert result.exit_code == exit_code, result.output
    return json.loads(result.stdout)


def test_a_file_of_code_is_kept_and_its_secret_typed(run: Run, tmp_path: Path) -> None:
    code = tmp_path / "vat.py"
    code.write_text("def run(number: str, *, token):\n    return number\n")
    words = ("tool", "python", "add", "vat_check", str(code), "--secret", "token", "--json")
    made = done(run(*words, typed="s3cret-token-value\n"))
    assert (made["parameters"]["required"], made["secrets"]) == (
        ["number"],
        [{"name": "token", "shown": "s3c******lue"}],
    )
    assert "s3c******lue" in run("tool", "python", "show", "vat_check").output
    code.write_text("def run(:")
    refused = run("tool", "python", "change", "vat_check", "--code", str(code))
    assert (refused.exit_code, "Line 1" in refused.output) == (2, True)
    done(run("tool", "python", "remove", "vat_check", "--yes", "--json"))


def test_reading_operations_of_a_document_become_tools(run: Run, tmp_path: Path) -> None:
    document = tmp_path / "orders.yaml"
    document.write_text(
        "openapi: 3.0.0\ninfo: {title: Orders}\nservers: [{url: 'http://127.0.0.1:9'}]\n"
        "paths: {/orders: {get: {operationId: list_orders}, post: {operationId: add_order}}}\n"
    )
    made = done(run("tool", "http", "add", "orders", str(document), "--reading", "--json"))
    assert [one["name"] for one in made["operations"] if one["tool_id"]] == ["list_orders"]
    assert "list_orders  GET /orders" in run("tool", "http", "list").output
