"""Rows of the access table: sources, tables of questions, exports and imports."""

import hashlib
import io
import zipfile
from uuid import UUID, uuid4

import httpx
from tests.http.access_calls import Call, Row
from tests.http.access_knowledge import base_of, document_of
from tests.http.world import World, ok

from refdesk.knowledge.exchange.progress import Progress
from refdesk.knowledge.tables import KnowledgeBase

API = "/api/v1"
BASE = f"{API}/knowledge-bases/{{knowledge_base_id}}"
SOURCE = f"{API}/sources/{{source_id}}"
NOTES = b"Notes on the lamp."


async def _source(world: World, kind: str) -> str:
    base_id = await base_of(world, world.owner)
    config = {"url": f"http://{uuid4()}.example/docs/"} if kind == "website" else {}
    body = {"kind": kind, "name": world.new_name("source"), "config": config}
    return str(ok(await world.owner.post(f"{API}/knowledge-bases/{base_id}/sources", json=body))["id"])


async def sources(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"knowledge_base_id": await base_of(world, world.owner)})


async def new_source(world: World, client: httpx.AsyncClient) -> Call:
    body = {"kind": "website", "config": {"url": f"http://{uuid4()}.example/"}}
    return Call(path=(await sources(world, client)).path, json=body)


async def website(world: World, _client: httpx.AsyncClient) -> Call:
    """A site whose run waits for a worker."""
    return Call(path={"source_id": await _source(world, "website")})


async def renamed(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await website(world, client)).path, json={"name": world.new_name("source")})


async def resting_website(world: World, client: httpx.AsyncClient) -> Call:
    call = await website(world, client)
    ok(await world.owner.post(f"{API}/sources/{call.path['source_id']}/cancel"))
    return call


async def manifest(world: World, _client: httpx.AsyncClient) -> Call:
    file = {"path": "a.txt", "sha256": hashlib.sha256(NOTES).hexdigest(), "size": len(NOTES)}
    return Call(path={"source_id": await _source(world, "folder")}, json={"files": [file]})


async def folder_files(world: World, client: httpx.AsyncClient) -> Call:
    call = await manifest(world, client)
    ok(await world.owner.post(SOURCE.format_map(call.path) + "/manifest", json=call.json))
    return Call(path=call.path, files={"files": ("a.txt", NOTES)})


async def qa_file(world: World, client: httpx.AsyncClient) -> Call:
    call = await sources(world, client)
    return Call(path=call.path, files={"files": ("qa.csv", b"content,questions\nThe lamp,What?\n")})


async def template(_world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"language": "zh", "kind": "xlsx"})


async def exported_document(world: World, _client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.owner)
    return Call(path={"document_id": await document_of(world, world.owner, base_id)})


async def archive(world: World, client: httpx.AsyncClient) -> Call:
    """An export of the first workspace; whoever has the file may import it where they may write."""
    path = BASE.format_map((await sources(world, client)).path)
    exported = await world.owner.get(f"{path}/export")
    return Call(files={"file": ("base.zip", exported.content)})


async def imported(world: World, client: httpx.AsyncClient) -> Call:
    call = await archive(world, client)
    made = ok(await world.owner.post(f"{API}/knowledge-base-imports", files=call.files))
    return Call(path={"knowledge_base_id": made["knowledge_base_id"]})


async def failed_import(world: World, client: httpx.AsyncClient) -> Call:
    call = await imported(world, client)
    async with world.database.transaction() as session:
        base = await session.get_one(KnowledgeBase, UUID(call.path["knowledge_base_id"]))
        progress = Progress.of(base)
        assert progress is not None
        progress.save(base, state="failed")
    return call


async def folder_archive(world: World, _client: httpx.AsyncClient) -> Call:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("a.txt", NOTES)
    path = {"source_id": await _source(world, "folder")}
    return Call(path=path, files={"file": ("folder.zip", buffer.getvalue())})


SOURCES = (
    Row("GET", f"{BASE}/sources", "viewer", sources, 404, key=True),
    Row("POST", f"{BASE}/sources", "editor", new_source, 404),
    Row("GET", SOURCE, "viewer", website, 404, key=True),
    Row("PATCH", SOURCE, "editor", renamed, 404),
    Row("DELETE", SOURCE, "editor", website, 404),
    Row("POST", f"{SOURCE}/sync", "editor", resting_website, 404),
    Row("POST", f"{SOURCE}/cancel", "editor", website, 404),
    Row("GET", f"{SOURCE}/items", "viewer", website, 404, key=True),
    Row("POST", f"{SOURCE}/manifest", "editor", manifest, 404),
    Row("POST", f"{SOURCE}/archive", "editor", folder_archive, 404),
    Row("POST", f"{SOURCE}/files", "editor", folder_files, 404),
    Row("POST", f"{BASE}/qa-files", "editor", qa_file, 404),
    Row("GET", f"{BASE}/export", "editor", sources, 404),
    Row("GET", f"{API}/documents/{{document_id}}/export", "viewer", exported_document, 404, key=True),
    Row("POST", f"{API}/knowledge-base-imports", "editor", archive),
    Row("GET", f"{API}/knowledge-base-imports/{{knowledge_base_id}}", "viewer", imported, 404, key=True),
    Row("POST", f"{API}/knowledge-base-imports/{{knowledge_base_id}}/retry", "editor", failed_import, 404),
    Row("GET", f"{API}/qa-templates/{{language}}.{{kind}}", "viewer", template, 200, key=True, bound=True),
)
