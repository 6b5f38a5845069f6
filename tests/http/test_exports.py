"""Exports and imports over HTTP and from the command line."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import text
from tests.http.test_knowledge_cli import Run, done, run
from tests.http.world import World, ok, problem

from refdesk.knowledge.exchange import export

__all__ = ["run"]  # the fixture


async def new_base(world: World) -> str:
    body = {"name": world.new_name("base")}
    return str(ok(await world.editor.post("/api/v1/knowledge-bases", json=body))["id"])


async def add_document(world: World, base_id: str) -> str:
    body = {
        "documents": [{"name": "Notes", "paragraphs": [{"title": "Lamp", "content": "The lamp is lit."}]}]
    }
    made = ok(await world.editor.post(f"/api/v1/knowledge-bases/{base_id}/documents", json=body))
    return str(made["items"][0]["id"])


async def import_file(client: httpx.AsyncClient, data: bytes, **query: Any) -> httpx.Response:
    return await client.post("/api/v1/knowledge-base-imports", files={"file": ("b.zip", data)}, params=query)


async def rows_of(world: World, table: str) -> int:
    async with world.database.transaction() as session:
        return (await session.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one()


async def test_an_export_is_a_download_and_its_import_a_new_base(world: World) -> None:
    base_id = await new_base(world)
    await add_document(world, base_id)
    exported = await world.editor.get(f"/api/v1/knowledge-bases/{base_id}/export")
    assert exported.status_code == 200
    assert exported.headers["content-disposition"].startswith("attachment; ")
    assert zipfile.ZipFile(io.BytesIO(exported.content)).testzip() is None
    accepted = await import_file(world.editor, exported.content, name="Taken along")
    assert accepted.status_code == 202
    view = ok(accepted)
    assert (view["name"], view["state"], view["documents"], view["done"]) == ("Taken along", "queued", 1, 0)
    stands = ok(await world.viewer.get(f"/api/v1/knowledge-base-imports/{view['knowledge_base_id']}"))
    assert stands == view
    assert (
        ok(await world.viewer.get(f"/api/v1/knowledge-bases/{view['knowledge_base_id']}"))["name"]
        == "Taken along"
    )
    problem(await world.viewer.get(f"/api/v1/knowledge-base-imports/{base_id}"), 404, "not-found")


async def test_a_bad_archive_leaves_nothing_behind(world: World) -> None:
    tables = ("knowledge_bases", "blobs", "blob_chunks", "indexes", "procrastinate_jobs")
    before = [await rows_of(world, table) for table in tables]
    answer = problem(await import_file(world.editor, b"no archive"), 422, "archive-invalid")
    assert answer["hint"]
    base_id = await new_base(world)
    before = [await rows_of(world, table) for table in tables]
    exported = (await world.editor.get(f"/api/v1/knowledge-bases/{base_id}/export")).content
    problem(await import_file(world.editor, exported[: len(exported) - 30]), 422, "archive-invalid")
    assert [await rows_of(world, table) for table in tables] == before
    nothing = await world.editor.post("/api/v1/knowledge-base-imports", files={"x": (None, b"1")})
    problem(nothing, 422, "no-files")


async def test_a_document_is_exported_as_markdown_or_as_an_archive(world: World) -> None:
    document_id = await add_document(world, await new_base(world))
    path = f"/api/v1/documents/{document_id}/export"
    assert (await world.viewer.get(path)).text == "# Notes\n\n## Lamp\n\nThe lamp is lit.\n"
    archive = await world.viewer.get(path, params={"format": "zip"})
    assert "documents.jsonl" in zipfile.ZipFile(io.BytesIO(archive.content)).namelist()


async def test_more_exports_than_a_server_sends_are_told_so(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "AT_ONCE", 0)
    base_id = await new_base(world)
    problem(await world.editor.get(f"/api/v1/knowledge-bases/{base_id}/export"), 503, "export-busy")


def test_a_base_goes_out_and_in_from_the_command_line(run: Run, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Lamp\n\nThe lamp is lit, see ERR-1042.")
    done(run("create", "Home", "--json"))
    done(run("add", "Home", str(notes), "--wait", "--json"))
    file = tmp_path / "home.zip"
    assert done(run("export", "Home", str(file), "--json"))["bytes"] == file.stat().st_size
    restored = done(run("restore-base", str(file), "--name", "Abroad", "--json"))
    taken = done(run("restore-base", str(file), "--name", "Abroad", "--json"), exit_code=1)
    assert taken["error"]["code"] == "knowledge-base-name-taken"
    numbered = done(run("restore-base", str(file), "--no-wait", "--json"))
    assert numbered["name"].endswith(" 2"), "the export's own name is taken, and was not asked for"
    assert (restored["state"], restored["reused_vectors"]) == ("finished", True)
    hits = json.loads(run("search", "Abroad", "ERR-1042", "--mode", "keywords", "--json").stdout)["hits"]
    assert [hit["document_name"] for hit in hits] == ["notes.md"]
    note = tmp_path / "one.md"
    done(run("export", "Home", str(note), "--document", "notes.md", "--json"))
    assert "ERR-1042" in note.read_text()
    assert not list(tmp_path.glob("*.part"))
    file.write_bytes(file.read_bytes()[:500])
    assert run("restore-base", str(file), "--json").exit_code == 2
