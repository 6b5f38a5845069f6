"""Bases, documents and paragraphs over HTTP, on the running application."""

import asyncio
import struct
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from tests.http.world import World, ok, problem

from refdesk.accounts import Scope
from refdesk.gateway import Gateway
from refdesk.jobs import JobContext
from refdesk.kit.settings import Settings
from refdesk.kit.sse import EventReader
from refdesk.knowledge import events
from refdesk.knowledge.jobs import process_document
from refdesk.testing.desk import InstantGateway
from refdesk.testing.embedder import HashingEmbedder

BASES = "/api/v1/knowledge-bases"
# Two pages of 200 × 100 points, the first with a line of text.
PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R"
    b"/Resources<</Font<</F1 5 0 R>>>>>>endobj\n"
    b"4 0 obj<</Length 51>>stream\nBT /F1 12 Tf 20 50 Td (The harbour lamp is lit) Tj ET\nendstream endobj\n"
    b"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
    b"6 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj\n"
    b"trailer<</Root 1 0 R>>\n"
)


async def new_base(world: World, **options: Any) -> dict[str, Any]:
    return ok(await world.editor.post(BASES, json={"name": world.new_name("base"), **options}))


async def add_file(world: World, base: dict[str, Any], name: str, data: bytes) -> dict[str, Any]:
    answer = ok(await world.editor.post(f"{BASES}/{base['id']}/files", files=[("files", (name, data))]))
    return answer["files"][0]["document"]


async def process(world: World, document: dict[str, Any]) -> dict[str, Any]:
    context = JobContext(Settings(), world.database, {Gateway: InstantGateway(HashingEmbedder(uuid4(), 384))})
    await process_document(context, str(world.workspace_id), document["id"])
    return ok(await world.viewer.get(f"/api/v1/documents/{document['id']}"))


async def test_a_base_is_created_found_changed_and_deleted(world: World) -> None:
    base = await new_base(world, description="Things", max_file_bytes=1000, meta={"folder": "a"})
    assert base["upload_limit_bytes"] == 1000
    assert base["counts"] == {"documents": 0, "paragraphs": 0, "characters": 0, "attention": 0, "states": {}}
    problem(await world.editor.post(BASES, json={"name": base["name"]}), 409, "knowledge-base-name-taken")
    changed = ok(
        await world.editor.patch(f"{BASES}/{base['id']}", json={"name": "新名字", "max_file_bytes": None})
    )
    assert (changed["name"], changed["max_file_bytes"], changed["description"]) == ("新名字", None, "Things")
    listed = ok(await world.viewer.get(BASES, params={"q": "新名"}))
    assert [item["id"] for item in listed["items"]] == [base["id"]]
    assert (await world.editor.delete(f"{BASES}/{base['id']}")).status_code == 204
    problem(await world.viewer.get(f"{BASES}/{base['id']}"), 404, "not-found")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"name": ""}, 422, "invalid"),
        ({"name": "\u200b\u202e"}, 422, "blank-name"),
        ({"name": "x" * 201}, 422, "invalid"),
        ({"name": "a", "unknown": 1}, 422, "invalid"),
        ({"name": "a", "embedding_model_id": str(uuid4())}, 404, "unknown-model"),
        ({"name": "a", "split_settings": {"limit": 1}}, 422, "invalid"),
    ],
)
async def test_a_base_that_makes_no_sense_is_refused(
    world: World, body: dict[str, Any], status: int, code: str
) -> None:
    problem(await world.editor.post(BASES, json=body), status, code)


async def test_malformed_json_and_malformed_ids_have_stable_codes(world: World) -> None:
    response = await world.editor.post(
        BASES, content=b"{broken", headers={"Content-Type": "application/json"}
    )
    problem(response, 400, "malformed-json")
    problem(await world.viewer.get(f"{BASES}/not-a-uuid"), 422, "invalid")
    for path in (
        f"{BASES}/{uuid4()}",
        f"{BASES}/{uuid4()}/documents",
        f"{BASES}/{uuid4()}/events",
        f"/api/v1/documents/{uuid4()}",
        f"/api/v1/documents/{uuid4()}/file",
        f"/api/v1/documents/{uuid4()}/paragraphs",
        f"/api/v1/documents/{uuid4()}/pages/1.png",
        f"/api/v1/paragraphs/{uuid4()}",
    ):
        problem(await world.viewer.get(path), 404, "not-found")


async def test_a_document_is_read_renamed_edited_and_deleted(world: World) -> None:
    base = await new_base(world)
    document = await process(
        world, await add_file(world, base, "a.md", b"# Lamp\n\nIt shines.\n\n# Oil\n\nIt burns.")
    )
    assert document["state"] == "ready"
    path = f"/api/v1/documents/{document['id']}"
    renamed = ok(await world.editor.patch(path, json={"name": "../手册.md", "meta": {"owner": "x"}}))
    assert (renamed["name"], renamed["meta"]["owner"]) == ("手册.md", "x")
    page = ok(await world.viewer.get(f"{path}/paragraphs", params={"limit": 1}))
    assert (page["total"], page["items"][0]["title"], page["previous_cursor"]) == (2, "Lamp", None)
    following = ok(await world.viewer.get(f"{path}/paragraphs", params={"cursor": page["next_cursor"]}))
    entered = ok(await world.viewer.get(f"{path}/paragraphs", params={"start": 1}))
    assert [one["id"] for one in entered["items"]] == [one["id"] for one in following["items"]]
    beyond = ok(await world.viewer.get(f"{path}/paragraphs", params={"start": 10_000}))
    assert (beyond["items"], beyond["total"]) == ([], page["total"])
    assert [item["title"] for item in following["items"]] == ["Oil"]
    paragraph = following["items"][0]
    assert paragraph["is_indexed"]
    edited = ok(
        await world.editor.patch(f"/api/v1/paragraphs/{paragraph['id']}", json={"content": "It is gone.\x00"})
    )
    assert (edited["content"], edited["is_edited"], edited["is_indexed"]) == ("It is gone.", True, False)
    problem(
        await world.editor.patch(f"/api/v1/paragraphs/{paragraph['id']}", json={"title": "", "revision": 1}),
        409,
        "paragraph-changed",
    )
    assert (await world.editor.delete(f"/api/v1/paragraphs/{paragraph['id']}")).status_code == 204
    assert ok(await world.viewer.get(path))["paragraph_count"] == 1
    assert (await world.editor.delete(path)).status_code == 204
    problem(await world.viewer.get(path), 404, "not-found")


async def test_states_are_changed_only_where_that_makes_sense(world: World) -> None:
    base = await new_base(world)
    document = await add_file(world, base, "broken.pdf", b"%PDF-1.7 broken")
    path = f"/api/v1/documents/{document['id']}"
    problem(await world.editor.post(f"{path}/retry"), 409, "not-stopped")
    failed = await process(world, document)
    assert (failed["error"]["code"], failed["error"]["stage"]) == ("corrupt-file", "parsing")
    problem(await world.editor.post(f"{path}/cancel"), 409, "not-running")
    assert ok(await world.editor.post(f"{path}/retry"))["state"] == "queued"
    assert ok(await world.editor.post(f"{path}/cancel"))["state"] == "cancelled"
    listed = ok(
        await world.viewer.get(f"{BASES}/{base['id']}/documents", params={"state": ["failed", "cancelled"]})
    )
    assert listed["total"] == 1
    wrong = await world.viewer.get(f"{BASES}/{base['id']}/documents", params={"cursor": "x"})
    problem(wrong, 422, "cursor-invalid")


async def test_structured_documents_need_no_file(world: World) -> None:
    base = await new_base(world)
    body = {"documents": [{"name": "FAQ", "paragraphs": [{"title": "Q", "content": "A"}]}]}
    (document,) = ok(await world.editor.post(f"{BASES}/{base['id']}/documents", json=body))["items"]
    assert (document["has_file"], document["state"]) == (False, "queued")
    assert (await process(world, document))["state"] == "ready"
    problem(await world.viewer.get(f"/api/v1/documents/{document['id']}/file"), 404, "no-original")
    empty = {"documents": [{"name": "FAQ", "paragraphs": []}]}
    problem(await world.editor.post(f"{BASES}/{base['id']}/documents", json=empty), 422, "invalid")


async def test_a_page_of_a_pdf_comes_as_an_image_of_the_asked_scale(world: World) -> None:
    base = await new_base(world)
    document = await process(world, await add_file(world, base, "lamp.pdf", PDF))
    assert document["state"] == "ready", document["error"]
    path = f"/api/v1/documents/{document['id']}/pages"
    response = await world.viewer.get(f"{path}/1.png", params={"scale": 3})
    assert response.headers["content-type"] == "image/png"
    assert response.content.startswith(b"\x89PNG")
    assert struct.unpack("!II", response.content[16:24]) == (600, 300)
    again = await world.viewer.get(
        f"{path}/1.png", params={"scale": 3}, headers={"If-None-Match": response.headers["etag"]}
    )
    assert again.status_code == 304
    problem(await world.viewer.get(f"{path}/3.png"), 404, "no-such-page")
    text = await process(world, await add_file(world, base, "a.md", b"text"))
    problem(await world.viewer.get(f"/api/v1/documents/{text['id']}/pages/1.png"), 404, "no-such-page")


async def test_a_pdf_without_pages_fails_with_a_clear_code(world: World) -> None:
    base = await new_base(world)
    empty = (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n"
    )
    failed = await process(world, await add_file(world, base, "empty.pdf", empty))
    assert failed["state"] == "failed"
    assert failed["error"]["code"] in ("empty-file", "corrupt-file", "no-text")


async def _admitted() -> bool:
    return True


async def test_listeners_hear_of_states_progress_and_counts(world: World) -> None:
    base = await new_base(world)
    scope = Scope.system(world.workspace_id)
    heard: list[tuple[str, Any]] = []
    first = asyncio.Event()

    async def listen() -> None:
        reader = EventReader()
        async for chunk in events.follow(world.database, scope, UUID(base["id"]), _admitted, poll_s=0.02):
            for line in chunk.decode().split("\n"):
                heard.extend((event.name, event.json()) for event in reader.feed(line))
            if any(name == "document" for name, _ in heard):
                first.set()
            # The counts are read after the documents, so they may tell of the end before the document does.
            told = any(name == "document" and data["state"] == "ready" for name, data in heard)
            if told and any(name == "counts" and data["states"] == {"ready": 1} for name, data in heard):
                return

    listening = asyncio.create_task(listen())
    await asyncio.sleep(0.1)
    document = await add_file(world, base, "a.md", b"# A\n\ntext")
    async with asyncio.timeout(30):
        await first.wait()
        await process(world, document)
        await listening
    states = [data["state"] for name, data in heard if name == "document" and data["id"] == document["id"]]
    assert states[0] == "queued"
    assert states[-1] == "ready"
    assert heard[0] == (
        "counts",
        {"documents": 0, "paragraphs": 0, "characters": 0, "attention": 0, "states": {}},
    )


async def test_the_stream_ends_when_the_base_is_deleted(world: World) -> None:
    base = await new_base(world)
    async with asyncio.timeout(10):
        async with world.viewer.stream("GET", f"{BASES}/{uuid4()}/events") as response:
            assert response.status_code == 404
        stream = events.follow(
            world.database, Scope.system(world.workspace_id), UUID(base["id"]), _admitted, poll_s=0.02
        )
        assert (await anext(stream)).startswith(b"event: counts\n")
        assert (await world.editor.delete(f"{BASES}/{base['id']}")).status_code == 204
        assert [chunk async for chunk in stream] == []


async def test_the_stream_ends_when_the_caller_loses_access(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await new_base(world)
    name = world.new_name("leaver").replace(" ", "-")
    user_id = await world.invite(world.owner, name, "viewer")
    client = await world.sign_in(world.email(name))
    follow = partial(events.follow, poll_s=0.02, admission_s=0.05)
    monkeypatch.setattr(events, "follow", follow)
    listening = asyncio.create_task(client.get(f"{BASES}/{base['id']}/events"))
    await asyncio.sleep(1)
    assert not listening.done()
    ok(await world.owner.delete(f"/api/v1/members/{user_id}"))
    response = await asyncio.wait_for(listening, 20)
    assert response.text.startswith("event: counts")


async def test_the_sample_library_is_made_once_and_answers_its_own_questions(world: World) -> None:
    base = ok(await world.editor.post("/api/v1/sample-library"))
    assert 6 <= base["counts"]["documents"] <= 8
    assert len(base["suggested_questions"]) >= 6
    again = ok(await world.editor.post("/api/v1/sample-library"))
    assert again["id"] == base["id"]
    documents = ok(await world.viewer.get(f"{BASES}/{base['id']}/documents"))["items"]
    folder = Path(__file__).parents[2] / "src/refdesk/knowledge/sample"
    for document in documents:
        content = (await world.viewer.get(f"/api/v1/documents/{document['id']}/file")).content
        assert content == (folder / document["name"]).read_bytes()
        assert (await process(world, document))["state"] == "ready"
    kept = ok(await world.editor.patch(f"{BASES}/{base['id']}", json={"meta": {"sample": True, "x": 1}}))
    assert kept["suggested_questions"] == base["suggested_questions"]


async def test_viewers_read_and_do_not_write(world: World) -> None:
    base = await new_base(world)
    document = await add_file(world, base, "a.md", b"text")
    problem(await world.viewer.post(BASES, json={"name": "x"}), 403, "forbidden")
    for method, path in (
        ("PATCH", f"{BASES}/{base['id']}"),
        ("DELETE", f"{BASES}/{base['id']}"),
        ("PATCH", f"/api/v1/documents/{document['id']}"),
        ("DELETE", f"/api/v1/documents/{document['id']}"),
        ("POST", f"/api/v1/documents/{document['id']}/cancel"),
        ("POST", f"/api/v1/documents/{document['id']}/retry"),
        ("POST", "/api/v1/sample-library"),
    ):
        body = {} if method == "PATCH" else None
        problem(await world.viewer.request(method, path, json=body), 403, "forbidden")
        if "sample" not in path:
            problem(await world.stranger.request(method, path, json=body), 404, "not-found")
    assert ok(await world.viewer.get(f"/api/v1/documents/{document['id']}"))["id"] == document["id"]
