"""`refdesk parse`: what it prints, and how it fails."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from refdesk.cli.parse import register


@pytest.fixture
def app() -> typer.Typer:
    made = typer.Typer()

    @made.callback()
    def root() -> None:
        """A program with one command."""

    register(made)
    return made


def test_json_shows_document_blocks_and_paragraphs(app: typer.Typer, tmp_path: Path) -> None:
    path = tmp_path / "rules.md"
    path.write_text("# 第一章 退货\n\n七天内可退。\n\n## 1.1 Costs\n\nFree.\n", "utf-8")
    result = CliRunner().invoke(app, ["parse", str(path), "--json"])
    assert result.exit_code == 0
    shown = json.loads(result.stdout)
    assert shown["document"]["name"] == "rules.md"
    assert shown["document"]["kind"] == "markdown"
    assert shown["document"]["coverage"] == 1.0
    assert shown["document"]["warnings"] == []
    assert shown["blocks"][0] == {
        "kind": "heading", "level": 1, "text": "第一章 退货", "page": None, "box": None, "boxes": [],
    }  # fmt: skip
    assert [(p["title"], p["title_chain"], p["content"]) for p in shown["paragraphs"]] == [
        ("第一章 退货", [], "七天内可退。"),
        ("1.1 Costs", ["第一章 退货"], "Free."),
    ]


def test_limit_is_followed(app: typer.Typer, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("One sentence of words. " * 40)
    result = CliRunner().invoke(app, ["parse", str(path), "--json", "--limit", "50"])
    contents = [p["content"] for p in json.loads(result.stdout)["paragraphs"]]
    assert len(contents) == 20
    assert max(map(len, contents)) <= 50


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.txt", b"", "empty-file"),
        ("a.pdf", b"%PDF-1.4 nothing", "corrupt-file"),
        ("a.png", b"\x89PNG\0\0", "unsupported-kind"),
    ],
)
def test_unreadable_file_exits_with_two_and_the_error(
    app: typer.Typer, tmp_path: Path, name: str, data: bytes, code: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    result = CliRunner().invoke(app, ["parse", str(path), "--json"])
    assert result.exit_code == 2
    error = json.loads(result.stdout)["error"]
    assert error["code"] == code
    assert error["message"]
    assert error["hint"]


def test_navigation_that_was_left_out_is_told(app: typer.Typer, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        "<html><nav>Home News</nav><h1>Title</h1><p>What people come for, at length.</p>", "utf-8"
    )
    assert "8 characters of navigation left out" in CliRunner().invoke(app, ["parse", str(path)]).stdout


def test_catastrophic_pattern_is_refused_though_this_text_is_harmless(
    app: typer.Typer, tmp_path: Path
) -> None:
    path = tmp_path / "plain.txt"
    path.write_text("A harmless text.\n", "utf-8")
    result = CliRunner().invoke(app, ["parse", str(path), "--json", "--pattern", r"^(a|aa)+$"])
    assert result.exit_code == 2
    assert json.loads(result.stdout)["error"]["code"] == "pattern-too-slow"
