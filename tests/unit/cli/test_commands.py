"""The command line as a whole: what is listed, what is imported, how errors are told."""

import json
import subprocess
import sys
import time
from typing import Any

import pytest
import typer

from refdesk.cli import build_app, command_names
from refdesk.cli._console import report_error
from refdesk.kit.errors import NotFound


def _refdesk(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "refdesk", *words],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"} | environment,
        check=False,
    )


def test_help_lists_every_command_and_imports_none_of_them() -> None:
    script = (
        "import sys\nsys.argv = ['refdesk', '--help']\nfrom refdesk.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'fastapi', 'sqlalchemy', 'onnxruntime', 'alembic', 'pydantic', 'rich'} & set(sys.modules)\n"
        "print('imported', sorted(heavy))"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.rstrip().endswith("imported []")
    for name in command_names():
        assert f"  {name}" in answer.stdout


def test_help_is_fast() -> None:
    _refdesk("--help")  # compiles what is not compiled yet
    fastest = min(_timed() for _ in range(3))
    assert fastest < 0.6  # 0.15 s on an idle machine


def _timed() -> float:
    start = time.perf_counter()
    assert _refdesk("--help").returncode == 0
    return time.perf_counter() - start


@pytest.mark.parametrize("name", command_names())
def test_every_command_registers_itself_under_its_own_name(name: str) -> None:
    root: Any = typer.main.get_command(build_app({name}))
    assert sorted(root.commands) == command_names()
    assert root.commands[name].callback is not None or root.commands[name].commands


def test_a_wrong_setting_is_named() -> None:
    answer = _refdesk("doctor", REFDESK_PORT="eighty")
    assert answer.returncode == 1
    assert "REFDESK_PORT is not valid" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_wrong_setting_is_json_for_programs() -> None:
    answer = _refdesk("doctor", "--json", REFDESK_PORT="70000")
    assert json.loads(answer.stdout)["error"]["code"] == "settings-invalid"


def test_an_unknown_command_is_not_understood() -> None:
    assert _refdesk("nonsense").returncode == 2


def test_an_error_for_people_names_code_details_and_hint(capsys: pytest.CaptureFixture[str]) -> None:
    report_error(NotFound("No such base.", hint="List them.", name="a", log="one\ntwo"), as_json=False)
    told = capsys.readouterr()
    assert told.out == ""
    assert (
        told.err == "refdesk: No such base. [not-found]\n  name: a\n  log:\n    one\n    two\n  List them.\n"
    )


def test_the_package_can_be_run_as_a_module() -> None:
    assert _refdesk("--version").stdout.startswith("refdesk ")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("kb", "create", "--json"), "NAME"),
        (("ask", "what", "--colour", "--json"), "--colour"),
        (("nothing-like-this", "--json"), "nothing-like-this"),
    ],
)
def test_words_not_understood_are_json_too_where_json_was_asked_for(
    words: tuple[str, ...], told: str
) -> None:
    answer = _refdesk(*words)
    assert answer.returncode == 2
    error = json.loads(answer.stdout)["error"]
    assert error["code"] == "usage"
    assert told in error["message"]
    assert answer.stderr == ""
    assert "Usage:" in _refdesk(*(word for word in words if word != "--json")).stderr
