"""The checker of parsing: what it accepts, what it reports, and how it ends."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer import Typer
from typer.testing import CliRunner, Result

from refdesk.evaluation.parsing import NoExpectations, check_all, read_expectations, summary
from refdesk.evaluation.parsing.__main__ import main
from refdesk.knowledge.parsing import ParseOptions

_TEXT = "# Terms of supply\n\nFirst sentence of the\nterms. Second sentence.\n\n|a|b|\n|-|-|\n|1|22|\n"


def _made(folder: Path, rows: Sequence[dict[str, Any]], *, nested: bool = False) -> Path:
    home = folder / "files" if nested else folder
    home.mkdir(exist_ok=True)
    (home / "a.md").write_text(_TEXT, "utf-8")
    (home / "empty.txt").write_bytes(b"")
    (home / "broken.pdf").write_bytes(b"%PDF-1.4 nothing more")
    (home / "expect.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    return folder


def _row(**more: Any) -> dict[str, Any]:
    return {"file": "a.md", "kind": "md", "expect": "text", "level": "basic", "must_contain": [], **more}


def _faults(folder: Path, **more: Any) -> tuple[str, ...]:
    (outcome,) = check_all(read_expectations(_made(folder, [_row(**more)])))
    return outcome.faults


def test_text_is_compared_without_white_space(tmp_path: Path) -> None:
    assert _faults(tmp_path, must_contain=["sentence of the terms.", "Terms  of supply"]) == ()


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({"must_contain": ["Second sentences"]}, "missing: Second sentences"),
        ({"must_not_contain": ["Second sentence"]}, "must not be there"),
        ({"order": ["Second sentence", "First sentence"]}, "out of order"),
        ({"order": ["First sentence", "First sentence"]}, "out of order"),
        ({"headings": [[2, "Terms of supply"]]}, "no heading of level 2"),
        ({"cells": [["a", "22"]]}, "not on one row"),
        ({"expect": "empty"}, "instead of reported as empty"),
        ({"expect": "password"}, "without its password"),
        ({"expect": "error"}, "without a warning"),
        ({"file": "broken.pdf"}, "not read: corrupt-file"),
        ({"file": "nowhere.pdf"}, "the file is missing"),
    ],
)
def test_what_does_not_hold_is_told(tmp_path: Path, more: dict[str, Any], fault: str) -> None:
    assert any(fault in told for told in _faults(tmp_path, **more))


@pytest.mark.parametrize(
    "more",
    [
        {"headings": [[1, "Terms of supply"]], "cells": [["1", "22"]], "order": ["First", "Second"]},
        {"file": "broken.pdf", "expect": "error"},
        {"file": "broken.pdf", "expect": "safe"},
        {"file": "empty.txt", "expect": "empty"},
        {"expect": "warn"},
    ],
)
def test_what_holds_is_left_alone(tmp_path: Path, more: dict[str, Any]) -> None:
    assert _faults(tmp_path, **more) == ()


def test_process_that_was_stopped_is_no_clear_failure(tmp_path: Path) -> None:
    rows = read_expectations(_made(tmp_path, [_row(expect="safe")]))
    (outcome,) = check_all(rows, ParseOptions(), timeout_s=0.01)
    assert outcome.code == "parse-timeout"
    assert not outcome.holds


def test_rows_are_counted_by_kind_level_and_expectation(tmp_path: Path) -> None:
    rows = [_row(), _row(must_contain=["not there"], level="hard"), _row(file="empty.txt", expect="empty")]
    result = summary(check_all(read_expectations(_made(tmp_path, rows, nested=True)), jobs=2))
    assert (result["total"], result["passed"], result["failed"]) == (3, 2, 1)
    assert result["by_level"] == {
        "basic": {"total": 2, "passed": 2},
        "hard": {"total": 1, "passed": 0},
    }
    assert [row["file"] for row in result["failures"]] == ["a.md"]
    assert result["rows"][2]["outcome"] == "empty-file"


def _run(*arguments: str) -> Result:
    app = Typer()
    app.command()(main)
    return CliRunner().invoke(app, list(arguments))


def test_exit_code_tells_whether_all_rows_hold(tmp_path: Path) -> None:
    good = _run(str(_made(tmp_path, [_row()])), "--json")
    assert good.exit_code == 0
    assert json.loads(good.stdout)["passed"] == 1
    bad = _run(str(_made(tmp_path, [_row(must_contain=["not there"])])))
    assert bad.exit_code == 1
    assert "FAIL" in bad.stdout
    assert "missing: not there" in bad.stdout


def test_directory_without_expectations_is_refused(tmp_path: Path) -> None:
    assert _run(str(tmp_path)).exit_code == 2
    (tmp_path / "expect.jsonl").write_text('{"file": "a", "expect": "miracle"}\n', "utf-8")
    with pytest.raises(NoExpectations) as caught:
        read_expectations(tmp_path)
    assert "Line 1" in caught.value.text
