"""`refdesk kb`: the whole way of files from the command line, the worker in the command's own process."""

import json
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from typer.testing import CliRunner, Result

from refdesk.accounts import Scope
from refdesk.cli import build_app
from refdesk.gateway import Gateway
from refdesk.kit.settings import get_settings
from refdesk.testing.embedder import HashingEmbedder

type Run = Callable[..., Result]


@pytest.fixture
def run(
    tmp_path_factory: pytest.TempPathFactory, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Run]:
    """Run `refdesk kb …` with this module's database and an embedder that needs no loading."""

    async def instant(self: Gateway, scope: Scope, model_id: UUID, purpose: object = None) -> HashingEmbedder:
        return HashingEmbedder(model_id, 384)

    monkeypatch.setattr(Gateway, "embedder", instant)
    for name in [name for name in os.environ if name.startswith("REFDESK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("REFDESK_DATA_DIR", str(tmp_path_factory.mktemp("data")))
    monkeypatch.setenv("REFDESK_DATABASE_URL", database_url)
    yield lambda *words: CliRunner().invoke(build_app("kb"), ["kb", *words])
    get_settings.cache_clear()


def done(result: Result, exit_code: int = 0) -> Any:
    assert result.exit_code == exit_code, result.output
    return json.loads(result.stdout)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub" / ".git").mkdir(parents=True)
    (tmp_path / "a.md").write_text("# Lamp\n\nThe lamp is lit, see ERR-1042.")
    (tmp_path / "sub" / "手册.md").write_text("# 灯\n\n灯亮了。")
    (tmp_path / "sub" / ".git" / "config").write_text("hidden")
    return tmp_path


def test_a_folder_is_added_waited_for_listed_and_deleted(run: Run, folder: Path) -> None:
    base = done(run("create", "Folder", "--json"))
    added = done(run("add", "folder", str(folder), "--wait", "--json"))
    assert [(Path(item["path"]).name, item["state"]) for item in added["files"]] == [
        ("a.md", "ready"),
        ("手册.md", "ready"),
    ]
    assert (added["added"], added["failed"]) == (2, 0)
    again = done(run("add", base["id"], str(folder), "--wait", "--json"))
    assert [item["state"] for item in again["files"]] == ["already-there", "already-there"]
    listed = done(run("documents", "Folder", "--json"))
    assert {item["name"] for item in listed} == {"a.md", "sub/手册.md"}
    found = done(run("search", "Folder", "ERR-1042", "--mode", "keywords", "--json"))
    assert [hit["document_name"] for hit in found["hits"]] == ["a.md"]
    assert done(run("list", "--json"))[0]["counts"]["documents"] == 2
    assert run("delete", "Folder").exit_code == 1, "nobody confirmed"
    assert done(run("delete", "Folder", "--yes", "--json"))["deleted"]
    assert done(run("list", "--json")) == []


def test_files_that_fail_are_named_with_the_reason_and_the_command_fails(run: Run, folder: Path) -> None:
    (folder / "empty.txt").write_bytes(b"")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    done(run("create", "Failing", "--json"))
    added = done(run("add", "Failing", str(folder), "--wait", "--json"), exit_code=1)
    errors = {Path(item["path"]).name: item["error"] and item["error"]["code"] for item in added["files"]}
    assert errors == {"a.md": None, "broken.pdf": "corrupt-file", "empty.txt": "empty-file", "手册.md": None}
    for_people = run("retry", "Failing", "--wait")
    assert for_people.exit_code == 1
    assert "corrupt-file" in for_people.stdout


def test_wrong_arguments_end_with_two_and_a_code(run: Run, tmp_path: Path) -> None:
    done(run("create", "Taken", "--json"))
    assert run("create", "Taken", "--json").exit_code == 1
    for words in (
        ("add", "Nowhere", str(tmp_path)),
        ("add", "Taken", str(tmp_path / "gone")),
        ("search", "No", "x"),
    ):
        result = run(*words, "--json")
        assert result.exit_code == 2
        assert json.loads(result.stdout)["error"]["code"] == "invalid-argument"


def states(result: Any, folder: Path) -> dict[str, str]:
    return {str(Path(item["path"]).relative_to(folder)): item["state"] for item in result["files"]}


def test_a_folder_is_kept_in_step(run: Run, folder: Path) -> None:
    (folder / "movie.mp4").write_bytes(b"\0")
    (folder / "empty.md").touch()
    done(run("create", "Kept", "--json"))
    planned = done(run("add", "Kept", str(folder), "--dry-run", "--json"), exit_code=1)
    would_add = dict.fromkeys(("a.md", "sub/手册.md"), "would-add")
    assert states(planned, folder) == would_add | {"movie.mp4": "skipped", "empty.md": "refused"}
    assert done(run("documents", "Kept", "--json")) == []
    (folder / "empty.md").unlink()
    added = done(run("add", "Kept", str(folder), "--wait", "--json"))
    assert states(added, folder) == {"a.md": "ready", "sub/手册.md": "ready", "movie.mp4": "skipped"}
    (folder / "a.md").write_text("# Lamp\n\nThe lamp is out, see ERR-2042.")
    (folder / "sub" / "手册.md").rename(folder / "moved.md")
    planned = done(run("add", "Kept", str(folder), "--dry-run", "--json"))
    assert states(planned, folder) == {
        "a.md": "would-change",
        "moved.md": "would-rename",
        "movie.mp4": "skipped",
    }
    ids = {item["name"]: item["id"] for item in done(run("documents", "Kept", "--json"))}
    changed = done(run("add", "Kept", str(folder), "--wait", "--json"))
    assert states(changed, folder) == {"a.md": "ready", "moved.md": "renamed", "movie.mp4": "skipped"}
    kept = {item["name"]: item["id"] for item in done(run("documents", "Kept", "--json"))}
    assert kept == {"a.md": ids["a.md"], "moved.md": ids["sub/手册.md"]}
    assert done(run("search", "Kept", "ERR-2042", "--mode", "keywords", "--json"))["hits"]
    (folder / "moved.md").unlink()
    stays = done(run("add", "Kept", str(folder), "--keep", "--json"))
    assert states(stays, folder) == {"a.md": "already-there", "movie.mp4": "skipped"}
    assert len(done(run("documents", "Kept", "--json"))) == 2
    goes = done(run("sync", "Kept", "--json"))
    assert states(goes[0], folder)["moved.md"] == "removed"
    assert len(done(run("documents", "Kept", "--json"))) == 1
    listed = done(run("sources", "Kept", "--json"))
    assert [(item["kind"], item["documents"]) for item in listed] == [("folder", 1)]


def test_a_file_that_was_uploaded_before_is_taken_over_by_its_folder(run: Run, folder: Path) -> None:
    done(run("create", "Before", "--json"))
    done(run("add", "Before", str(folder / "a.md"), "--wait", "--json"))
    done(run("add", "Before", str(folder), "--wait", "--json"))
    assert {item["name"] for item in done(run("documents", "Before", "--json"))} == {"a.md", "sub/手册.md"}


def test_a_web_site_is_read_and_read_again(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "index.html").write_text("<h1>Start</h1><p>The start.</p><a href='lamp.html'>lamp</a>")
    (tmp_path / "lamp.html").write_text("<h1>Lamp</h1><p>The lamp is lit, see ERR-1042.</p>")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"
    try:
        done(run("create", "Site", "--json"))
        refused = done(run("crawl", "Site", url, "--json"), exit_code=2)
        assert refused["error"]["code"] == "address-refused"
        assert done(run("sources", "Site", "--json")) == [], "nothing was made"
        monkeypatch.setenv("REFDESK_CRAWL_PRIVATE_ADDRESSES", "true")
        get_settings.cache_clear()
        read = done(run("crawl", "Site", url, "--depth", "2", "--json"))
        assert (read["state"], read["counts"]["added"]) == ("idle", 2)
        found = done(run("search", "Site", "ERR-1042", "--mode", "keywords", "--json"))
        assert [hit["document_name"] for hit in found["hits"]] == ["Lamp"]
        again = done(run("sync", "Site", read["id"], "--json"))
        assert again[0]["counts"]["unchanged"] == 2
        more = run("crawl", "Site", url, "--max-pages", "7")
        assert f"Reading {url} as source {read['id']}." in more.stderr
        assert "Ctrl-C" in more.stderr
        (source,) = done(run("sources", "Site", "--json"))
        assert (source["id"], source["config"]["max_pages"], source["config"]["depth"]) == (read["id"], 7, 2)
    finally:
        server.shutdown()
        server.server_close()
