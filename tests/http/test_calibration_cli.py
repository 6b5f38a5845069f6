"""`refdesk eval calibrate` and `reset-gates`, and what `kb search` and `ask` say where nothing is found."""

import json
from pathlib import Path

import pytest
from tests.http.test_knowledge_cli import Run, done, run
from typer.testing import CliRunner, Result

from refdesk.cli import build_app

__all__ = ["run"]  # the fixture

COUNT = 60


def cli(*words: str) -> Result:
    return CliRunner().invoke(build_app(words[0]), list(words))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A published set: passages on machines, a question to each, and as many that have no answer."""
    passages = [
        {"id": f"p{n}", "title": "", "text": f"machine m{n} takes oil grade{n} and filter f{n} every winter"}
        for n in range(COUNT)
    ]
    queries: list[dict[str, object]] = [
        {"id": f"q{n}", "text": f"oil and filter of machine m{n}"} for n in range(COUNT)
    ]
    queries += [
        {"id": f"n{n}", "text": f"the price of ticket t{n} to town{n}", "nothing": True} for n in range(COUNT)
    ]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, passages)))
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    rows = [f"q{n}\tp{n}\t1" for n in range(COUNT)]
    (tmp_path / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *rows]))
    return tmp_path


def test_a_published_set_is_calibrated_on_and_leaves_no_base_behind(run: Run, corpus: Path) -> None:
    dry = done(cli("eval", "calibrate", str(corpus), "--dry-run", "--json"))
    assert (dry["unanswerable"], dry["questions"]) == ("named", 2 * COUNT)
    assert not dry["embedder"]["stored"]
    told = cli("eval", "calibrate", str(corpus), "--unanswerable", "left-out")
    assert told.exit_code == 0, told.output
    assert told.stdout.startswith(f"{COUNT} questions, without an answer by leaving out what answers\n")
    assert "found from (words and meaning): 0.45 → " in told.stdout
    assert "balanced accuracy" in told.stdout
    assert "Stored with multilingual-e5-small" in told.stdout
    assert done(run("list", "--json")) == []
    reset = cli("eval", "reset-gates", "multilingual-e5-small")
    assert reset.stdout.strip() == "multilingual-e5-small has the default gates again."


def test_what_cannot_be_calibrated_on_ends_with_2_and_leaves_no_base_behind(run: Run, corpus: Path) -> None:
    lines = (corpus / "queries.jsonl").read_text().splitlines()
    (corpus / "queries.jsonl").write_text("\n".join(lines[:5]))
    refused = done(cli("eval", "calibrate", str(corpus), "--json"), 2)
    assert refused["error"]["code"] == "calibration-too-small"
    assert done(cli("eval", "calibrate", str(corpus), "--model", "no such", "--json"), 2)
    assert done(cli("eval", "calibrate", "no such set", "--json"), 2)
    assert done(run("list", "--json")) == []


def test_nothing_found_is_told_with_the_gate_and_its_numbers(run: Run, tmp_path: Path) -> None:
    lamp = tmp_path / "lamp.md"
    lamp.write_text("# Lamp\n\nThe lamp is lit at dusk.")
    done(run("create", "Tower", "--json"))
    done(run("add", "tower", str(lamp), "--wait", "--json"))
    told = run("search", "tower", "the lamp at noon", "--similarity", "0.99").stdout
    assert "Nothing found (best 0." in told
    assert "threshold 0.99; 1 passages below)." in told
    asked = done(cli("ask", "zebras of Xanadu", "--kb", "Tower", "--json"))
    assert not asked["found"]
    decision = asked["retrieval"]["decision"]
    assert decision["gate"] == "absolute"
    assert decision["score"] == asked["retrieval"]["best"] < decision["threshold"] == 0.45
