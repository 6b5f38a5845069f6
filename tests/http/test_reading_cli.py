"""`refdesk kb`: files read again, files looked at before they are added, and what is still on its way."""

from pathlib import Path

import pytest
from tests.http.test_knowledge_cli import Run, done, run
from tests.unit.knowledge.parsing.ole_files import ole

__all__ = ["run"]  # the fixture


def test_documents_are_read_again_one_some_or_all(run: Run, tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(f"# Lamp {name}\n\nThe lamp is lit at dusk.\n")
    done(run("create", "Again", "--json"))
    done(run("add", "again", str(tmp_path / "a.md"), str(tmp_path / "b.md"), "--wait", "--json"))
    one = done(run("reread", "again", "a.md", "--wait", "--json"))
    assert [(d["name"], d["version"], d["state"]) for d in one["documents"]] == [("a.md", 2, "ready")]
    every = done(run("reread", "again", "--wait", "--json"))
    assert sorted((d["name"], d["version"]) for d in every["documents"]) == [("a.md", 3), ("b.md", 2)]
    assert "reread" in run("versions", "a.md", "--kb", "again").stdout
    unknown = done(run("reread", "again", "gone.md", "--json"), exit_code=2)
    assert unknown["error"]["code"] == "invalid-argument"
    queued = done(run("reread", "again", "a.md", "--json"))
    assert [d["state"] for d in queued["documents"]] == ["queued"]
    refused = run("reread", "again", "a.md")
    assert refused.exit_code == 1
    assert "[still-running]" in refused.stdout


def test_a_search_tells_of_documents_on_their_way(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("# Lamp\n\nThe lamp is lit at dusk.\n")
    done(run("create", "Busy", "--json"))
    done(run("add", "busy", str(file), "--json"))
    found = run("search", "busy", "lamp")
    assert "Nothing found" in found.stdout
    assert "Warning: 1 document is still being read or indexed" in found.stdout
    assert done(run("search", "busy", "lamp", "--json"))["unready"] == 1


def test_a_single_file_is_looked_at_and_not_stored(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("# Lamp\n\nThe lamp is lit.\n\n# Bell\n\nThe bell rings.\n")
    done(run("create", "Dry", "--json"))
    seen = done(run("add", "dry", str(file), "--dry-run", "--json"))
    (outcome,) = seen["files"]
    assert (outcome["state"], outcome["document_id"], outcome["error"]) == ("would-add", None, None)
    reading = outcome["reading"]
    assert (reading["kind"], reading["paragraph_count"], reading["coverage"]) == ("markdown", 2, 1.0)
    assert reading["warnings"] == []
    told = run("add", "dry", str(file), "--dry-run").stdout
    assert "markdown, 2 paragraphs, 100.0% of its text kept" in told
    assert done(run("documents", "dry", "--json")) == []
    assert done(run("previews", "dry", "--json")) == []


@pytest.mark.parametrize("words", [("--dry-run",), ("--wait",)])
def test_an_old_presentation_is_refused_with_what_to_do(
    run: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    file = tmp_path / "old.ppt"
    file.write_bytes(ole({"PowerPoint Document": b"x" * 5000}))
    done(run("create", f"Old {words[0]}", "--json"))
    added = done(run("add", f"Old {words[0]}", str(file), *words, "--json"), exit_code=1)
    (outcome,) = added["files"]
    assert outcome["error"]["code"] == "old-presentation"
    assert "PPTX" in outcome["error"]["hint"]
    told = run("add", f"Old {words[0]}", str(file), "--dry-run")
    assert told.exit_code == 1
    assert "PPTX" in told.stdout


def test_a_change_of_the_terms_that_waits_says_so(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def busy(*_: object) -> None:
        """A worker elsewhere, which has other things to do first."""

    monkeypatch.setattr("refdesk.cli._kb_terms.work_until_idle", busy)
    done(run("create", "Words", "--json"))
    (tmp_path / "terms.csv").write_text("word,synonyms\nharbour lamp,pier light\n")
    done(run("terms", "import", "words", str(tmp_path / "terms.csv"), "--json"))
    told = run("terms", "list", "words").stdout
    assert "Re-indexing waits for its turn" in told
    assert "0 of 0" not in told
