"""The commands for people, workspaces, groups and keys, as the local operator and with a key elsewhere.

The application runs in the command's own process, over this module's database; for the last tests over HTTP
in a thread, as `refdesk serve` does it.
"""

import json
import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from tests.http.world import PASSWORD
from typer.testing import CliRunner, Result

from refdesk.cli import build_app
from refdesk.kit.settings import Settings, get_settings
from refdesk.server import create_app

type Run = Callable[..., Result]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("operator")


@pytest.fixture
def run(folder: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Run `refdesk …` with this module's database and data folder."""
    for name in [name for name in os.environ if name.startswith("REFDESK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("REFDESK_DATA_DIR", str(folder))
    monkeypatch.setenv("REFDESK_DATABASE_URL", database_url)

    def refdesk(*words: str, stdin: str = "") -> Result:
        return CliRunner().invoke(build_app(words[0]), list(words), input=stdin)

    yield refdesk
    get_settings.cache_clear()


def done(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_the_operator_works_before_the_first_administrator_and_makes_them(run: Run, folder: Path) -> None:
    assert done(run("user", "list", "--json")) == []
    assert [workspace["role"] for workspace in done(run("workspace", "list", "--json"))] == ["owner"]
    assert stat.S_IMODE((folder / "operator.key").stat().st_mode) == 0o600
    weak = run("user", "create", "first@example.org", "--admin", "--password-stdin", "--json", stdin="weak\n")
    assert (weak.exit_code, json.loads(weak.stdout)["error"]["code"]) == (2, "password-unsuitable")
    assert done(run("user", "list", "--json")) == []
    early = run("key", "create", "early")
    assert early.stdout.startswith("rd-")
    assert early.stdout.count("\n") == 1
    assert "Keys work once the first administrator is there" in early.stderr
    create = ("user", "create", "first@example.org", "--admin", "--password-stdin", "--json")
    made = done(run(*create, stdin=f"{PASSWORD}\n"))
    assert made["is_administrator"]
    assert not made["is_pending"]
    again = run(*create, stdin=f"{PASSWORD}\n")
    assert (again.exit_code, json.loads(again.stdout)["error"]["code"]) == (2, "invalid-argument")


def test_people_are_invited_given_roles_disabled_and_reset(run: Run) -> None:
    invited = done(run("user", "invite", "second@example.org", "--role", "editor", "--json"))
    assert invited["link"].startswith("/invite/")
    assert done(run("user", "role", "second@example.org", "owner", "--json"))["role"] == "owner"
    assert done(run("user", "role", "second@example.org", "--admin", "--json"))["is_administrator"]
    assert not done(run("user", "disable", "second@example.org", "--json"))["is_active"]
    assert done(run("user", "enable", "second@example.org", "--json"))["is_active"]
    assert done(run("user", "reset", "second@example.org", "--json"))["link"] != invited["link"]
    refused = run("user", "disable", "first@example.org")
    assert refused.exit_code == 1
    assert "last-administrator" in refused.stderr
    assert "Make someone else administrator first." in refused.stderr
    unknown = run("user", "disable", "nobody@example.org")
    assert unknown.exit_code == 2


def test_workspaces_and_groups_and_their_members(run: Run) -> None:
    done(run("workspace", "create", "Law", "--json"))
    law = ("--workspace", "Law", "--json")
    assert done(run("workspace", "members", *law)) == []
    done(run("workspace", "add", "second@example.org", "editor", *law))
    done(run("group", "create", "Clerks", *law))
    assert len(done(run("group", "add", "clerks", "second@example.org", *law))["member_ids"]) == 1
    assert done(run("group", "list", "--json")) == []
    done(run("group", "remove", "Clerks", "second@example.org", *law))
    done(run("group", "rename", "Clerks", "Scribes", *law))
    done(run("group", "delete", "Scribes", *law))
    done(run("workspace", "remove", "second@example.org", *law))
    assert done(run("workspace", "rename", "Law", "Legal", "--json"))["name"] == "Legal"
    assert run("group", "list", "--workspace", "Law").exit_code == 2


def test_keys_are_made_listed_and_revoked(run: Run) -> None:
    assert run("key", "create", "later").stderr == ""
    made = done(run("key", "create", "robot", "--scope", "read", "--days", "3", "--json"))
    assert made["secret"].startswith("rd-")
    listed = run("key", "list")
    assert "robot  [read]  until" in listed.stdout
    assert made["secret"] not in listed.stdout
    done(run("key", "revoke", "robot", "--json"))
    assert run("key", "revoke", "robot").exit_code == 2
    assert run("key", "create", "x", "--kb", "No such base").exit_code == 2
    assert run("key", "create", "x", "--scope", "everything").exit_code == 2


@pytest.fixture
def served(folder: Path, database_url: str) -> Iterator[str]:
    """The application over HTTP, in a thread with a loop of its own."""
    app = create_app(Settings(data_dir=folder), database_url=database_url)
    config = uvicorn.Config(app, port=0, log_config=None, ws="none", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    deadline = time.monotonic() + 30
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


def test_with_a_server_and_a_key_a_command_may_what_the_key_may(run: Run, served: str) -> None:
    secret = done(run("key", "create", "remote", "--scope", "read", "--json"))["secret"]
    remote = ("--server", served, "--api-key", secret, "--json")
    assert [w["name"] for w in done(run("workspace", "list", *remote))] == ["Default"]
    refused = run("user", "list", *remote)
    assert (refused.exit_code, json.loads(refused.stdout)["error"]["code"]) == (1, "not-by-api-key")
    assert run("workspace", "list", "--server", served).exit_code == 2
    gone = run("workspace", "list", "--server", "http://127.0.0.1:1", "--api-key", secret, "--json")
    assert (gone.exit_code, json.loads(gone.stdout)["error"]["code"]) == (1, "server-unreachable")


def test_a_command_talks_to_the_server_that_runs_and_works_without_when_it_is_gone(
    run: Run, served: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "server.json").write_text(json.dumps({"pid": os.getpid(), "address": served}))
    with monkeypatch.context() as patch:
        patch.setenv("REFDESK_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
        assert "first@example.org" in run("user", "list").stdout
        link = run("user", "reset", "first@example.org").stdout.splitlines()[0]
        assert link.startswith(f"{served}/invite/")
    (folder / "server.json").write_text(json.dumps({"pid": os.getpid(), "address": "http://127.0.0.1:1"}))
    assert "first@example.org" in run("user", "list").stdout
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    (folder / "server.json").write_text(json.dumps({"pid": int(dead.stdout), "address": served}))
    assert "/invite/" in run("user", "reset", "first@example.org").stdout.splitlines()[0]
    assert served not in run("user", "reset", "first@example.org").stdout
    (folder / "server.json").unlink()
