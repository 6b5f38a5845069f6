"""`refdesk kb search --explain` and `refdesk eval sets|import|export|run`."""

from pathlib import Path

from tests.http.test_knowledge_cli import Run, done, run
from typer.testing import CliRunner

from refdesk.cli import build_app

__all__ = ["run"]  # the fixture


def test_a_set_is_imported_run_and_exported_and_a_miss_is_explained(run: Run, tmp_path: Path) -> None:
    def evaluate(*words: str):
        return CliRunner().invoke(build_app("eval"), ["eval", *words])

    lamp, bell = tmp_path / "lamp.md", tmp_path / "bell.md"
    lamp.write_text("# Lamp\n\nThe lamp is lit at dusk, see ERR-1042.")
    bell.write_text("# Bell\n\nThe bell rings in fog.")
    done(run("create", "Tower", "--json"))
    done(run("add", "tower", str(lamp), str(bell), "--wait", "--json"))

    explained = done(
        run("search", "tower", "ERR-1042", "--mode", "keywords", "--explain", "bell.md", "--json")
    )
    assert explained["reason"] == "not_a_candidate"
    told = run("search", "tower", "ERR-1042", "--mode", "keywords", "--explain", "bell.md").stdout
    assert "Neither by meaning nor by words" in told
    assert "err-1042 (missing)" in told
    told = run("search", "tower", "ERR-1042", "--mode", "keywords", "--explain", "lamp.md").stdout
    assert "It is there, at rank 1." in told

    questions = tmp_path / "questions.csv"
    questions.write_text(
        "问题,文档,没有答案\n看到ERR-1042,lamp,\nrings in fog,lamp.md,\nquantum physics,,yes\n", "gb18030"
    )
    added = done(evaluate("import", "Checks", str(questions), "--kb", "tower", "--json"))
    assert (added["added"], added["unknown"]) == (3, [])
    ran = done(evaluate("run", "checks", "--mode", "keywords", "--json"))
    assert [one["outcome"] for one in ran["results"]] == ["hit", "elsewhere", "refused"]
    told = evaluate("run", "checks", "--mode", "keywords", "--least-hit", "0.9")
    assert told.exit_code == 1
    assert "rings in fog  found other documents" in told.stdout
    assert "hit@5              0.500" in told.stdout
    assert "Checks  3 questions to Tower, hit@5 0.500" in evaluate("sets").stdout
    out = tmp_path / "out.jsonl"
    done(evaluate("export", "checks", str(out), "--json"))
    assert len(out.read_text().splitlines()) == 3
    assert evaluate("run", "nothing", "--json").exit_code == 2
    assert evaluate("import", "checks", str(tmp_path / "x.txt"), "--json").exit_code == 2


def test_a_set_is_compared_without_a_model(run: Run, tmp_path: Path) -> None:
    def evaluate(*words: str):
        return CliRunner().invoke(build_app("eval"), ["eval", *words])

    lamp = tmp_path / "lamp.md"
    lamp.write_text("# Lamp\n\nThe lamp of the tower is lit at dusk by the keeper, see ERR-1042.")
    done(run("create", "Harbour", "--json"))
    done(run("add", "harbour", str(lamp), "--wait", "--json"))
    questions = tmp_path / "questions.csv"
    questions.write_text("question,documents,nothing\nWhat is ERR-1042 of the lamp?,lamp,\nPinguine,,yes\n")
    done(evaluate("import", "Lights", str(questions), "--kb", "harbour", "--json"))

    variants = ("--variant", "quoting:mode=keywords,similarity=0", "--variant", "strict:top-n=1,similarity=1")
    compared = done(evaluate("compare", "lights", *variants, "--json"))
    assert (compared["state"], compared["done"]) == ("finished", 4)
    first, second = (one["figures"] for one in compared["variants"])
    assert (first["right"], first["refused_when_not"]) == (1.0, 1.0)
    assert (second["right"], second["missed"]) == (0.0, 1.0)
    told = evaluate("comparison", compared["id"], "--answers").stdout
    assert "quoting (right): " in told
    assert "strict (missed): " in told
    assert "finished: 4 of 4 answers, 2 questions" in told
    assert compared["id"] in evaluate("comparisons", "lights").stdout
    refused = evaluate("compare", "lights", "--variant", "quoting", "--variant", "agent")
    assert refused.exit_code != 0
    assert "no language model is connected" in refused.output
    for wrong in ("a:magic=1", "a:top_n=many", "a:x"):
        assert evaluate("compare", "lights", "--variant", "quoting", "--variant", wrong).exit_code == 2
    assert evaluate("compare", "lights", "--variant", "quoting").exit_code == 2
    assert done(evaluate("comparison", compared["id"], "--delete", "--json")) == {"deleted": True}
    assert evaluate("comparison", compared["id"]).exit_code != 0
