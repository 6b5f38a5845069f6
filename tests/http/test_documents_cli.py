"""`refdesk kb`: previews, versions, paragraphs, questions and attention from the command line."""

from pathlib import Path

from tests.http.test_knowledge_cli import Run, done, run

__all__ = ["run"]  # the fixture


def test_files_are_previewed_imported_replaced_compared_and_rolled_back(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    file.write_text("## Lamp\n\nThe lamp is lit at dusk.\n\n## Bell\n\nThe bell rings in fog.\n")
    done(run("create", "Preview", "--json"))
    seen = done(run("preview", "preview", str(file), "--json"))
    (outcome,) = seen["files"]
    assert (outcome["document"]["state"], outcome["error"]) == ("draft", None)
    assert [p["title"] for p in outcome["paragraphs"]] == ["Lamp", "Bell"]
    assert done(run("documents", "preview", "--json")) == []
    assert "The bell rings in fog." in run("preview", "preview", str(file), "--limit", "60").stdout
    assert len(done(run("previews", "preview", "--json"))) == 2
    first = outcome["document"]["id"]
    imported = done(run("import", "preview", first, "--wait", "--json"))
    assert [document["state"] for document in imported["imported"]] == ["ready"]

    file.write_text("## Lamp\n\nThe lamp is lit at dawn.\n\n## Bell\n\nThe bell rings in fog.\n")
    replaced = done(run("replace", "notes.md", str(file), "--wait", "--json"))
    assert (replaced["id"], replaced["version"], replaced["state"]) == (first, 2, "ready")
    assert replaced["name"] == "notes.md"
    listed = done(run("versions", first, "--json"))
    assert [(item["number"], item["is_current"]) for item in listed] == [(2, True), (1, False)]
    compared = done(run("diff", first, "1", "2", "--json"))
    assert (compared["counts"]["changed"], compared["counts"]["unchanged"]) == (1, 1)
    assert "[-dusk-]{+dawn+}" in run("diff", "notes.md", "1", "2", "--kb", "preview").stdout
    back = done(run("rollback", first, "1", "--wait", "--json"))
    assert back["version"] == 3
    paragraphs = done(run("paragraphs", first, "--json"))
    assert paragraphs[0]["content"] == "The lamp is lit at dusk."
    earlier = done(run("paragraphs", first, "--version", "2", "--json"))
    assert earlier[0]["content"] == "The lamp is lit at dawn."
    assert run("rollback", first, "9", "--json").exit_code != 0


def test_a_replaced_document_keeps_its_name_unless_told(run: Run, tmp_path: Path) -> None:
    file, other = tmp_path / "lamp notes.md", tmp_path / "second draft.txt"
    file.write_text("# Lamp\n\nThe lamp is lit.\n")
    other.write_text("The lamp is out.")
    done(run("create", "Names", "--json"))
    added = done(run("add", "names", str(file), "--wait", "--json"))
    first = added["files"][0]["document_id"]
    unnamed = done(run("replace", first, str(other), "--wait", "--json"))
    assert (unnamed["name"], unnamed["state"]) == ("lamp notes.txt", "ready")
    renamed = done(run("replace", first, str(other), "--rename", "--wait", "--json"))
    assert renamed["name"] == "second draft.txt"


def test_questions_attention_and_metadata(run: Run, tmp_path: Path) -> None:
    good, broken = tmp_path / "good.md", tmp_path / "broken.pdf"
    good.write_text("---\ndepartment: [HR]\n---\n\n# Leave\n\nThirty days of leave.\n")
    broken.write_bytes(b"%PDF-1.7\n1 0 obj\n<<")
    done(run("create", "Desk", "--json"))
    done(run("add", "desk", str(good), str(broken), "--wait", "--json"), exit_code=1)
    (found,) = done(run("documents", "desk", "--meta", "department=HR", "--json"))
    assert found["name"] == "good.md"
    (wrong,) = done(run("attention", "desk", "--json"))
    assert wrong["name"] == "broken.pdf"
    assert done(run("documents", "desk", "--attention", "--json")) == [wrong]
    assert run("documents", "desk", "--meta", "department", "--json").exit_code == 2
    paragraph = done(run("paragraphs", found["id"], "--json"))[-1]
    made = done(run("questions", "desk", "--add", "How much?", "--paragraph", paragraph["id"], "--json"))
    assert made["paragraph_count"] == 1
    (listed,) = done(run("questions", "desk", "--json"))
    assert listed["content"] == "How much?"
    assert "? How much?" in run("paragraphs", found["id"]).stdout
    done(run("questions", "desk", "--remove", "How much?", "--json"))
    assert done(run("questions", "desk", "--json")) == []


def test_how_to_cut_is_said_when_files_are_added(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text("The lamp is lit at dusk. " * 40)
    done(run("create", "Cutting", "--json"))
    chosen = ("--limit", "200", "--overlap", "20", "--profile", "structured")
    done(run("add", "cutting", str(file), *chosen, "--wait", "--json"))
    (document,) = done(run("documents", "cutting", "--json"))
    assert document["split_settings"]["overlap"] == 20
    assert document["paragraph_count"] > 4
    refused = done(
        run("add", "cutting", str(file), "--limit", "60", "--overlap", "60", "--json"), exit_code=1
    )
    assert refused["files"][0]["error"]["code"] == "split-settings-invalid"
    assert run("add", "cutting", str(file), "--overlap", "301").exit_code == 2
    assert run("add", "cutting", str(tmp_path), "--overlap", "20").exit_code == 2, "a folder has its source's"


def test_add_and_preview_take_every_setting_of_reading_and_splitting(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text("PART one\n\n" + "The lamp is lit at dusk. " * 40)
    base = done(run("create", "Every setting", "--json"))
    options = ("--profile", "compact", "--limit", "120", "--unit", "tokens", "--min-size", "30")
    options += ("--pattern", "^PART .*$", "--pattern", "^## .*$", "--overlap", "20", "--no-filter")
    options += ("--comments", "--running", "--sheet-form", "rows")
    chosen = {
        "profile": "compact",
        "limit": 120,
        "unit": "tokens",
        "min_size": 30,
        "patterns": ["^PART .*$", "^## .*$"],
        "overlap": 20,
        "with_filter": False,
        "include_comments": True,
        "include_running": True,
        "sheet_form": "rows",
    }
    assert set(chosen) == set(base["split_settings"])
    (seen,) = done(run("preview", "every setting", str(file), *options, "--json"))["files"]
    assert seen["document"]["split_settings"] == chosen
    assert {p["title"] for p in seen["paragraphs"]} == {"PART one"}
    done(run("add", "every setting", str(file), *options, "--wait", "--json"))
    (document,) = done(run("documents", "every setting", "--json"))
    assert document["split_settings"] == chosen


def test_a_dry_run_reads_with_the_settings_that_were_said(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text("The lamp is lit at dusk. " * 40)
    done(run("create", "Dry", "--json"))
    plain = done(run("add", "dry", str(file), "--dry-run", "--json"))
    would = done(run("add", "dry", str(file), "--dry-run", "--limit", "100", "--json"))
    assert plain["files"][0]["reading"]["paragraph_count"] == 1
    assert would["files"][0]["reading"]["paragraph_count"] > 5
