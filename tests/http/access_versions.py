"""Rows of the access table: versions of documents, and what changes the structure of their paragraphs."""

from uuid import UUID

import httpx
from tests.http.access_calls import Call, Row
from tests.http.access_knowledge import DOCUMENT, PARAGRAPH, base_of, document_of, paragraph_of, upload_pdf
from tests.http.world import World, ok

from refdesk.accounts import Scope
from refdesk.knowledge.tables import Document, Paragraph
from refdesk.knowledge.versions import CONFLICT, VersionRepository
from refdesk.knowledge.versions.snapshot import encode

API = "/api/v1"


async def document(world: World, _client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.owner)
    return Call(path={"document_id": await document_of(world, world.owner, base_id)})


async def new_file(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await document(world, client)).path, files={"file": ("new.txt", b"Other words.")})


async def stopped_file(world: World, client: httpx.AsyncClient) -> Call:
    """A document with a file that is not being read; no worker runs here."""
    document_id = await upload_pdf(world)
    async with world.database.transaction() as session:
        (await session.get_one(Document, UUID(document_id))).state = "ready"
    return Call(path={"document_id": document_id})


async def first_version(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await document(world, client)).path | {"number": 1})


async def version_with_file(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"document_id": await upload_pdf(world), "number": 1})


async def page_of_version(world: World, client: httpx.AsyncClient) -> Call:
    path = (await version_with_file(world, client)).path
    async with world.database.transaction() as session:
        (await session.get_one(Document, UUID(path["document_id"]))).kind = "pdf"
    return Call(path=path | {"page": 1})


async def conflict(world: World, client: httpx.AsyncClient) -> Call:
    """A document with a warning that a newer file disagrees with an edit; no worker runs here."""
    path = (await edited(world, client)).path
    async with world.database.transaction() as session:
        found = await session.get_one(Paragraph, UUID(path["paragraph_id"]))
        document = await session.get_one(Document, found.document_id)
        warning = {"code": CONFLICT, "message": "One edit.", "paragraph_ids": [path["paragraph_id"]]}
        document.warnings = [warning]
    return Call(path={"document_id": str(found.document_id)}, json={"keep": "theirs"})


async def replaced_version(world: World, client: httpx.AsyncClient) -> Call:
    """A document whose first version was replaced; no worker runs here, so it is done by hand."""
    call = await first_version(world, client)
    document_id = UUID(call.path["document_id"])
    async with world.database.transaction() as session:
        found = await session.get_one(Document, document_id)
        versions = VersionRepository(session, Scope.system(found.workspace_id))
        current = await versions.current(found)
        current.snapshot = encode(await versions.present(document_id), [])
        found.version = 2
    return call


async def both_versions(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await document(world, client)).path, query={"from": 1, "to": 1})


async def added_paragraph(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await document(world, client)).path, json={"content": "Forty days."})


async def behind_a_foreign_paragraph(world: World, client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.stranger)
    document_id = await document_of(world, world.stranger, base_id)
    theirs = (await paragraph(world, client)).path["paragraph_id"]
    return Call(path={"document_id": document_id}, json={"content": "Forty days.", "after": theirs})


async def action(world: World, client: httpx.AsyncClient) -> Call:
    path = (await document(world, client)).path
    ids = [await paragraph_of(world.owner, path["document_id"])]
    return Call(path=path, json={"ids": ids, "action": "deactivate"})


async def action_on_a_foreign_paragraph(world: World, client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.stranger)
    document_id = await document_of(world, world.stranger, base_id)
    theirs = (await paragraph(world, client)).path["paragraph_id"]
    return Call(path={"document_id": document_id}, json={"ids": [theirs], "action": "delete"})


async def paragraph(world: World, client: httpx.AsyncClient) -> Call:
    document_id = (await document(world, client)).path["document_id"]
    return Call(path={"paragraph_id": await paragraph_of(world.owner, document_id)})


async def cut(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await paragraph(world, client)).path, json={"offset": 10})


async def merge(world: World, client: httpx.AsyncClient) -> Call:
    path = (await document(world, client)).path
    ok(await world.owner.post(f"{API}/documents/{path['document_id']}/paragraphs", json={"content": "More."}))
    return Call(path={"paragraph_id": await paragraph_of(world.owner, path["document_id"])})


async def edited(world: World, client: httpx.AsyncClient) -> Call:
    path = (await paragraph(world, client)).path
    ok(await world.owner.patch(f"{API}/paragraphs/{path['paragraph_id']}", json={"content": "Mine."}))
    return Call(path=path)


VERSION = f"{DOCUMENT}/versions/{{number}}"

VERSIONS = (
    Row("POST", f"{DOCUMENT}/file", "editor", new_file, 404),
    Row("POST", f"{DOCUMENT}/reread", "editor", stopped_file, 404),
    Row("GET", f"{DOCUMENT}/versions", "viewer", document, 404, key=True),
    Row("GET", f"{VERSION}/paragraphs", "viewer", first_version, 404, key=True),
    Row("GET", f"{VERSION}/file", "viewer", version_with_file, 404, key=True),
    Row("GET", f"{DOCUMENT}/diff", "viewer", both_versions, 404, key=True),
    Row("GET", f"{VERSION}/pages/{{page}}.png", "viewer", page_of_version, 404, key=True),
    Row("POST", f"{DOCUMENT}/conflicts/resolve", "editor", conflict, 404),
    Row("POST", f"{VERSION}/restore", "editor", replaced_version, 404),
    Row("POST", f"{DOCUMENT}/paragraphs", "editor", added_paragraph, 404, foreign=behind_a_foreign_paragraph),
    Row(
        "POST",
        f"{DOCUMENT}/paragraphs/actions",
        "editor",
        action,
        404,
        foreign=action_on_a_foreign_paragraph,
    ),
    Row("POST", f"{PARAGRAPH}/split", "editor", cut, 404),
    Row("POST", f"{PARAGRAPH}/merge", "editor", merge, 404),
    Row("POST", f"{PARAGRAPH}/revert", "editor", edited, 404),
)
