"""Tables of questions and answers over HTTP and from the command line."""

import json
from pathlib import Path
from typing import Any

from tests.http.test_knowledge_cli import Run, done, run
from tests.http.world import World, ok, problem

from refdesk.knowledge.qa import template

__all__ = ["run"]  # the fixture


async def new_base(world: World) -> str:
    return str(
        ok(await world.editor.post("/api/v1/knowledge-bases", json={"name": world.new_name("base")}))["id"]
    )


async def send(world: World, base_id: str, *files: tuple[str, bytes], **query: Any) -> Any:
    parts = [("files", file) for file in files]
    return await world.editor.post(f"/api/v1/knowledge-bases/{base_id}/qa-files", files=parts, params=query)


async def test_each_row_becomes_a_paragraph_with_its_questions(world: World) -> None:
    base_id = await new_base(world)
    result = ok(await send(world, base_id, ("模板.xlsx", template("zh", "xlsx"))))
    (file,) = result["files"]
    assert (file["rows"], file["questions"], file["bad_row_count"]) == (2, 3, 0)
    document = file["document"]
    assert (document["kind"], document["paragraph_count"], document["name"]) == ("qa", 2, "模板.xlsx")
    found = ok(await world.viewer.get(f"/api/v1/documents/{document['id']}/paragraphs"))["items"]
    assert found[0]["title"] == "退款"
    assert {question["content"] for question in found[0]["questions"]} == {
        "多久之内可以退货？",
        "退款什么时候到账？",
    }
    original = await world.viewer.get(f"/api/v1/documents/{document['id']}/file")
    assert original.content == template("zh", "xlsx")


async def test_bad_rows_and_bad_files_do_not_lose_the_others(world: World) -> None:
    base_id = await new_base(world)
    good = b"content,questions\nfirst,One?\n,Two?\nthird,Three?\n"
    result = ok(await send(world, base_id, ("good.csv", good), ("bad.csv", b"name\nx\n"), ("empty.csv", b"")))
    assert (result["accepted"], result["refused"]) == (1, 2)
    assert result["files"][0]["rows"] == 2
    assert [(bad["row"], bad["code"]) for bad in result["files"][0]["bad_rows"]] == [(3, "content-missing")]
    assert [warning["code"] for warning in result["files"][0]["document"]["warnings"]] == ["qa-rows-left-out"]
    assert [file["error"]["code"] for file in result["files"][1:]] == ["qa-columns-missing", "empty-file"]


async def test_a_single_refused_file_is_the_answer(world: World) -> None:
    base_id = await new_base(world)
    problem(await send(world, base_id, ("a.csv", b"name\nx\n")), 422, "qa-columns-missing")
    blank = b"content,questions\n,Why?\n"
    answer = problem(await send(world, base_id, ("a.csv", blank)), 422, "qa-no-rows")
    assert answer["details"]["bad_rows"][0]["row"] == 2
    same = b"content\nthe same\n"
    ok(await send(world, base_id, ("a.csv", same)))
    problem(await send(world, base_id, ("b.csv", same)), 409, "duplicate-document")
    ok(await send(world, base_id, ("b.csv", same), allow_duplicate=True))
    nothing = await world.editor.post(f"/api/v1/knowledge-bases/{base_id}/qa-files")
    problem(nothing, 400, "malformed-upload")


async def test_templates_are_downloads(world: World) -> None:
    for name in ("zh.csv", "zh.xlsx", "en.csv", "en.xlsx"):
        response = await world.viewer.get(f"/api/v1/qa-templates/{name}")
        assert response.status_code == 200
        assert response.headers["content-disposition"].startswith("attachment; ")
    assert (await world.viewer.get("/api/v1/qa-templates/fr.csv")).status_code in (404, 422)


def test_a_question_finds_its_paragraph_from_the_command_line(run: Run, tmp_path: Path) -> None:
    done(run("create", "Questions", "--json"))
    file = tmp_path / "qa.csv"
    done(run("qa-template", str(file), "--language", "en", "--json"))
    file.write_bytes(file.read_bytes() + b",,lonely question\r\n")
    imported = done(run("qa", "Questions", str(file), "--wait", "--json"), exit_code=1)
    assert imported["files"][0]["document"]["state"] == "ready"
    assert imported["files"][0]["bad_rows"][0]["row"] == 4
    hits = json.loads(
        run("search", "Questions", "How long may I return an order?", "--similarity", "0", "--json").stdout
    )["hits"]
    assert hits[0]["title"] == "Refunds"
