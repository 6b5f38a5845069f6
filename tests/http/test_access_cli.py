"""`refdesk kb folder` and `refdesk kb access`, as the local operator."""

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


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def run(data: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Run `refdesk …` with this module's database and data folder."""
    for name in [name for name in os.environ if name.startswith("REFDESK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("REFDESK_DATA_DIR", str(data))
    monkeypatch.setenv("REFDESK_DATABASE_URL", database_url)

    def refdesk(*words: str, stdin: str = "") -> Result:
        return CliRunner().invoke(build_app(words[0]), list(words), input=stdin)

    yield refdesk
    get_settings.cache_clear()


def done(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def refused(result: Result, exit_code: int, code: str) -> str:
    told = json.loads(result.stdout)["error"]
    assert (result.exit_code, told["code"]) == (exit_code, code), result.output
    return str(told)


@pytest.fixture
def document(run: Run, tmp_path: Path) -> str:
    """A document of a new base `Handbook`, as `kb add` leaves it before a worker comes."""
    if not any(base["name"] == "Handbook" for base in done(run("kb", "list", "--json"))):
        done(run("kb", "create", "Handbook", "--json"))
    (tmp_path / f"{tmp_path.name}.md").write_text(f"# Fees\n\n{tmp_path.name}")
    added = done(run("kb", "add", "Handbook", str(tmp_path), "--json"))
    return str(added["files"][0]["document_id"])


def test_folders_are_made_listed_moved_and_deleted(run: Run, document: str) -> None:
    assert run("kb", "folder", "list", "Handbook").stdout == "No folders yet.\n"
    made = done(run("kb", "folder", "create", "Handbook", "Board", "--json"))
    done(run("kb", "folder", "create", "Handbook", "Board/Minutes", "--json"))
    refused(run("kb", "folder", "create", "Handbook", "Nowhere/Minutes", "--json"), 2, "invalid-argument")
    refused(run("kb", "folder", "create", "Handbook", "Board", "--json"), 1, "folder-name-taken")
    put = done(run("kb", "folder", "put", "Handbook", document, "/Board/Minutes/", "--json"))
    assert put["folder_id"] is not None
    assert run("kb", "folder", "list", "Handbook").stdout.splitlines() == [
        "Board  0 documents  everyone",
        "Board/Minutes  1 document  everyone",
    ]
    done(run("kb", "folder", "move", "Handbook", "Board/Minutes", "Notes", "--json"))
    listed = done(run("kb", "folder", "list", "Handbook", "--json"))
    assert [(one["name"], one["parent_id"]) for one in listed] == [("Board", None), ("Notes", None)]
    assert done(run("kb", "folder", "put", "Handbook", document, "/", "--json"))["folder_id"] is None
    assert run("kb", "folder", "delete", "Handbook", made["id"]).exit_code == 0, "an id will do"
    assert run("kb", "folder", "delete", "Handbook", "Notes").stdout == "Deleted Notes.\n"
    refused(run("kb", "folder", "delete", "Handbook", "Notes", "--json"), 2, "invalid-argument")


def test_documents_and_folders_are_restricted_shown_and_shared_again(run: Run, document: str) -> None:
    password = ("--password-stdin", "--json")
    done(run("user", "create", "ann@example.org", *password, stdin="a long enough password\n"))
    done(run("group", "create", "Directors", "--json"))
    assert run("kb", "access", "show", document).stdout == "Everyone in this workspace.\n"
    told = run("kb", "access", "set", document, "--user", "ANN@example.org", "--group", "directors")
    assert told.stdout.splitlines() == [
        "Only these, and the owners:",
        "  ann@example.org",
        "  group Directors",
    ]
    assert run("kb", "access", "show", document).stdout == told.stdout
    refused(run("kb", "access", "set", document, "--user", "bob@x.org", "--json"), 2, "invalid-argument")
    assert run("kb", "access", "lift", document).stdout == "Everyone in this workspace.\n"
    done(run("kb", "folder", "create", "Handbook", "Closed", "--json"))
    shown = run("kb", "access", "set-folder", "Handbook", "Closed", "--group", "Directors")
    assert shown.stdout.splitlines() == ["Only these, and the owners:", "  group Directors"]
    done(run("kb", "folder", "put", "Handbook", document, "Closed", "--json"))
    assert run("kb", "access", "show", document).stdout.splitlines() == [
        "Only these (from the folder Closed), and the owners:",
        "  group Directors",
    ]
    assert run("kb", "access", "show-folder", "Handbook", "Closed").stdout == shown.stdout
    refused(run("kb", "folder", "delete", "Handbook", "Closed", "--json"), 1, "restricted-folder-not-empty")
    assert run("kb", "access", "lift-folder", "Handbook", "Closed").stdout == "Everyone in this workspace.\n"
    only_owners = run("kb", "access", "set", document)
    assert only_owners.stdout == "Only the owners.\n"
    (one,) = [one for one in done(run("kb", "documents", "Handbook", "--json")) if one["id"] == document]
    by_name = run("kb", "access", "show", one["name"], "--kb", "Handbook")
    assert by_name.stdout == only_owners.stdout
    missing = "01890000-0000-7000-8000-00000000dead"
    refused(run("kb", "access", "show", missing, "--json"), 1, "not-found")
