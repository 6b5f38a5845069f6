"""Rows of the access table: knowledge bases, documents, paragraphs, the hit test."""

import io
from uuid import UUID

import httpx
import pypdfium2
from tests.http.access_calls import Call, Row
from tests.http.world import World, ok

from refdesk.knowledge.tables import Document

API = "/api/v1"
WORDS = "The refund period is thirty days."


async def base_of(world: World, client: httpx.AsyncClient) -> str:
    made = ok(await client.post(f"{API}/knowledge-bases", json={"name": world.new_name("base")}))
    return str(made["id"])


async def document_of(world: World, client: httpx.AsyncClient, base_id: str) -> str:
    body = {"documents": [{"name": world.new_name("document"), "paragraphs": [{"content": WORDS}]}]}
    return str(
        ok(await client.post(f"{API}/knowledge-bases/{base_id}/documents", json=body))["items"][0]["id"]
    )


async def paragraph_of(client: httpx.AsyncClient, document_id: str) -> str:
    return str(ok(await client.get(f"{API}/documents/{document_id}/paragraphs"))["items"][0]["id"])


def pdf() -> bytes:
    document = pypdfium2.PdfDocument.new()
    document.new_page(100, 100)
    buffer = io.BytesIO()
    document.save(buffer)
    document.close()
    return buffer.getvalue()


async def upload_pdf(world: World) -> str:
    base_id = await base_of(world, world.owner)
    files = {"files": (f"{world.new_name('file')}.pdf", pdf())}
    sent = ok(await world.owner.post(f"{API}/knowledge-bases/{base_id}/files", files=files))
    return str(sent["files"][0]["document"]["id"])


async def base(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"knowledge_base_id": await base_of(world, world.owner)})


async def base_shown(world: World, client: httpx.AsyncClient) -> Call:
    made = (await base(world, client)).path["knowledge_base_id"]
    return Call(query={"limit": 500}, shows=(made,))  # other rows' bases are in the list, too


async def new_base(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json={"name": world.new_name("base")})


async def base_with_foreign_model(world: World, _client: httpx.AsyncClient) -> Call:
    models = ok(await world.owner.get(f"{API}/models", params={"kind": "EMBEDDING"}))["items"]
    return Call(json={"name": world.new_name("base"), "embedding_model_id": models[0]["id"]})


async def renamed_base(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await base(world, client)).path, json={"name": world.new_name("base")})


async def new_document(world: World, client: httpx.AsyncClient) -> Call:
    paragraphs = [{"content": WORDS}]
    body = {"documents": [{"name": world.new_name("document"), "paragraphs": paragraphs}]}
    return Call(path=(await base(world, client)).path, json=body)


async def upload(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await base(world, client)).path, files={"files": ("a.txt", WORDS.encode())})


async def document(world: World, _client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.owner)
    return Call(path={"document_id": await document_of(world, world.owner, base_id)})


async def renamed_document(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await document(world, client)).path, json={"name": "renamed.md"})


async def uploaded(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"document_id": await upload_pdf(world)})


async def uploaded_page(world: World, client: httpx.AsyncClient) -> Call:
    call = await uploaded(world, client)
    async with world.database.transaction() as session:  # as parsing leaves it; no worker runs here
        document = await session.get_one(Document, UUID(call.path["document_id"]))
        document.kind = "pdf"
    return Call(path=call.path | {"number": 1})


async def cancelled(world: World, client: httpx.AsyncClient) -> Call:
    call = await uploaded(world, client)
    ok(await world.owner.post(f"{API}/documents/{call.path['document_id']}/cancel"))
    return call


async def paragraph(world: World, client: httpx.AsyncClient) -> Call:
    document_id = (await document(world, client)).path["document_id"]
    return Call(path={"paragraph_id": await paragraph_of(world.owner, document_id)})


async def edited_paragraph(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await paragraph(world, client)).path, json={"content": "Forty days."})


async def around_a_foreign_paragraph(world: World, client: httpx.AsyncClient) -> Call:
    """The stranger's own document, around a paragraph of the first workspace."""
    base_id = await base_of(world, world.stranger)
    document_id = await document_of(world, world.stranger, base_id)
    theirs = (await paragraph(world, client)).path["paragraph_id"]
    return Call(path={"document_id": document_id}, query={"around": theirs})


async def search(world: World, _client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.owner)
    return Call(json={"query": "refund", "knowledge_base_ids": [base_id]})


async def search_in_both(world: World, client: httpx.AsyncClient) -> Call:
    own = await base_of(world, world.stranger)
    theirs = (await base(world, client)).path["knowledge_base_id"]
    return Call(json={"query": "refund", "knowledge_base_ids": [own, theirs]})


BASE = f"{API}/knowledge-bases/{{knowledge_base_id}}"
DOCUMENT = f"{API}/documents/{{document_id}}"
PARAGRAPH = f"{API}/paragraphs/{{paragraph_id}}"

KNOWLEDGE = (
    Row("GET", f"{API}/knowledge-bases", "viewer", base_shown, key=True),
    Row("POST", f"{API}/knowledge-bases", "editor", new_base, foreign=base_with_foreign_model),
    Row("GET", BASE, "viewer", base, 404, key=True),
    Row("GET", f"{BASE}/usage", "viewer", base, 404, key=True),
    Row("PATCH", BASE, "editor", renamed_base, 404),
    Row("DELETE", BASE, "editor", base, 404),
    Row("POST", f"{BASE}/files", "editor", upload, 404),
    Row("GET", f"{BASE}/documents", "viewer", base, 404, key=True),
    Row("POST", f"{BASE}/documents", "editor", new_document, 404),
    Row("GET", f"{BASE}/events", "viewer", base, 404, key=True, streams=True),
    Row("GET", DOCUMENT, "viewer", document, 404, key=True),
    Row("PATCH", DOCUMENT, "editor", renamed_document, 404),
    Row("DELETE", DOCUMENT, "editor", document, 404),
    Row("POST", f"{DOCUMENT}/retry", "editor", cancelled, 404),
    Row("POST", f"{DOCUMENT}/cancel", "editor", uploaded, 404),
    Row("GET", f"{DOCUMENT}/file", "viewer", uploaded, 404, key=True),
    Row("GET", f"{DOCUMENT}/pages/{{number}}.png", "viewer", uploaded_page, 404, key=True),
    Row(
        "GET",
        f"{DOCUMENT}/paragraphs",
        "viewer",
        document,
        404,
        key=True,
        foreign=around_a_foreign_paragraph,
    ),
    Row("GET", PARAGRAPH, "viewer", paragraph, 404, key=True),
    Row("PATCH", PARAGRAPH, "editor", edited_paragraph, 404),
    Row("DELETE", PARAGRAPH, "editor", paragraph, 404),
    Row("POST", f"{API}/hit-test", "viewer", search, 404, key=True, foreign=search_in_both),
    Row("GET", f"{API}/strategies", "viewer", key=True),
    Row("POST", f"{API}/sample-library", "editor"),
)
