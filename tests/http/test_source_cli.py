"""`refdesk source`, from connecting to disconnecting, against a small service on this machine."""

import json
import os
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, override

import pytest
from typer.testing import CliRunner, Result

from refdesk.cli import build_app
from refdesk.cli.source import filter_of
from refdesk.kit.settings import get_settings

type Run = Callable[..., Result]

PAGES = [
    {
        "id": "returns",
        "title": "Returns",
        "text": "Goods may be returned\nwithin thirty days.",
        "score": 0.9,
        "link": "https://shop.example.org/returns",
        "facts": {"department": "sales", "year": 2026},
    },
    {"id": "lamps", "title": "", "text": "Lamps are shipped on Mondays.", "score": 0.4},
]
FIELDS = {"score": "score", "url": "link", "metadata": "facts"}


class Service(BaseHTTPRequestHandler):
    """Finds both pages for any question, and wants the key `open sesame`."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        allowed = self.headers["Authorization"] == "Bearer open sesame"
        body = json.dumps({"results": PAGES[: asked["top_k"]]} if allowed else {}).encode()
        self.send_response(200 if allowed else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the test's output is no log."""


@pytest.fixture
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/search"
    server.shutdown()
    server.server_close()


@pytest.fixture
def run(
    tmp_path_factory: pytest.TempPathFactory, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Run]:
    for name in [name for name in os.environ if name.startswith("REFDESK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("REFDESK_DATA_DIR", str(tmp_path_factory.mktemp("data")))
    monkeypatch.setenv("REFDESK_DATABASE_URL", database_url)
    monkeypatch.setenv("REFDESK_ALLOW_PRIVATE_ENDPOINTS", "true")

    def run_it(*words: str, typed: str | None = None) -> Result:
        return CliRunner().invoke(build_app("source"), ["source", *words], input=typed)

    yield run_it
    get_settings.cache_clear()


def test_a_source_is_connected_searched_changed_and_disconnected(run: Run, url: str, tmp_path: Path) -> None:
    assert "no external sources" in run("list").stdout
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"url": url, "fields": FIELDS}), encoding="utf-8")
    added = run(
        "add", "Shop", "--kind", "http", "--config", f"@{config}", "--ask-credential", typed="wrong\n"
    )
    assert added.exit_code == 1
    assert "[source-authentication]" in added.stdout
    assert "failed" in run("list").stdout

    edited = run("edit", "shop", "--ask-credential", "--timeout", "5", typed="open sesame\n")
    assert edited.exit_code == 0, edited.output
    assert "It answered in" in edited.stdout
    assert "sesame" not in edited.output

    found = run("search", "Shop", "return period", "--top-k", "2")
    assert found.exit_code == 0, found.output
    assert found.stdout.splitlines() == [
        "1. 0.90  Returns",
        "   Goods may be returned within thirty days.",
        "   https://shop.example.org/returns  department=sales  year=2026",
        "2. 0.40  lamps",
        "   Lamps are shipped on Mondays.",
    ]
    (hit,) = json.loads(run("search", "Shop", "return", "--top-k", "1", "--json").stdout)["hits"]
    assert (hit["doc_id"], hit["score"], hit["metadata"]["year"]) == ("returns", 0.9, 2026)

    renamed = run("edit", "Shop", "--name", "Store", "--config", '{"method": "POST", "params": {"a": "b"}}')
    assert renamed.exit_code == 0, renamed.output
    (kept,) = json.loads(run("list", "--json").stdout)
    assert (kept["name"], kept["config"]["url"], kept["config"]["params"]) == ("Store", url, {"a": "b"})
    run("edit", "Store", "--config", '{"params": null}')
    (kept,) = json.loads(run("list", "--json").stdout)
    assert kept["config"]["params"] == {}

    assert run("test", "Store").exit_code == 0
    assert run("remove", "Store").exit_code == 0
    assert json.loads(run("list", "--json").stdout) == []


def test_a_credential_stays_with_its_address(run: Run, url: str) -> None:
    config = json.dumps({"url": url})
    run("add", "Kept", "--kind", "http", "--config", config, "--ask-credential", typed="open sesame\n")
    refused = run("edit", "Kept", "--config", json.dumps({"url": url + "/other"}))
    assert refused.exit_code != 0
    assert "source-credential-needed" in refused.output
    moved = run("edit", "Kept", "--config", json.dumps({"url": url + "/other"}), "--remove-credential")
    assert "[source-authentication]" in moved.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("add", "X", "--kind", "http", "--config", "[]"),
        ("add", "X", "--kind", "http", "--config", "{"),
        ("add", "X", "--kind", "http", "--config", '{"url": "ftp://x"}'),
        ("add", "X", "--kind", "ftp", "--config", "{}"),
        ("edit", "nobody", "--name", "Y"),
        ("search", "nobody", "x"),
    ],
)
def test_what_cannot_be_done_says_so(run: Run, words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code not in (0, 1), result.output
    assert json.loads(run("list", "--json").stdout) is not None


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("year=2026", ("year", 2026)),
        ('year="2026"', ("year", "2026")),
        ("checked=true", ("checked", True)),
        ("share=0.5", ("share", 0.5)),
        ("code=007", ("code", "007")),
        ("size=1e999", ("size", "1e999")),
        ("none=null", ("none", "null")),
        ("list=[1]", ("list", "[1]")),
        ("equation=a=b", ("equation", "a=b")),
    ],
)
def test_values_of_filters_are_what_they_look_like(pair: str, expected: tuple[str, Any]) -> None:
    assert filter_of(pair) == expected


def test_the_kinds_tell_how_to_install_what_is_missing(run: Run) -> None:
    told = {kind["kind"]: kind for kind in json.loads(run("kinds", "--json").stdout)}
    lines = run("kinds").stdout.splitlines()
    for name, kind in told.items():
        assert (name if kind["is_installed"] else f"{name}  not installed: {kind['install']}") in lines
