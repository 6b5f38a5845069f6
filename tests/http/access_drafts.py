"""Rows of the access table: previews, questions, split patterns."""

from datetime import timedelta
from uuid import UUID

import httpx
from tests.http.access_calls import Call, Row
from tests.http.access_knowledge import BASE, PARAGRAPH, WORDS, base_of, document_of, paragraph_of
from tests.http.world import World, ok

from refdesk.kit.clock import now
from refdesk.knowledge.tables import Document

API = "/api/v1"
QUESTION = f"{API}/questions/{{question_id}}"


async def base(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"knowledge_base_id": await base_of(world, world.owner)})


async def upload(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await base(world, client)).path, files={"files": ("a.txt", WORDS.encode())})


async def draft(world: World, client: httpx.AsyncClient) -> Call:
    """A preview that can be imported; no worker runs here, so a document is made one by hand."""
    path = (await base(world, client)).path
    document_id = await document_of(world, world.owner, path["knowledge_base_id"])
    async with world.database.transaction() as session:
        document = await session.get_one(Document, UUID(document_id))
        document.is_draft, document.state = True, "draft"
        document.expires_at = now() + timedelta(hours=1)
    return Call(path=path, json={"document_ids": [document_id]})


async def foreign_draft(world: World, client: httpx.AsyncClient) -> Call:
    own = await base_of(world, world.stranger)
    return Call(path={"knowledge_base_id": own}, json=(await draft(world, client)).json)


async def _paragraph(world: World, client: httpx.AsyncClient) -> tuple[str, str]:
    base_id = await base_of(world, client)
    document_id = await document_of(world, client, base_id)
    return base_id, await paragraph_of(client, document_id)


async def _question(world: World) -> tuple[str, str]:
    """A question of the first workspace with its paragraph: (question id, paragraph id)."""
    base_id, paragraph_id = await _paragraph(world, world.owner)
    body = {"content": "How long?", "paragraph_ids": [paragraph_id]}
    made = ok(await world.owner.post(f"{API}/knowledge-bases/{base_id}/questions", json=body))
    return str(made["id"]), paragraph_id


async def new_question(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await base(world, client)).path, json={"content": "How long?"})


async def question_about_a_foreign_paragraph(world: World, _client: httpx.AsyncClient) -> Call:
    own = await base_of(world, world.stranger)
    _, theirs = await _paragraph(world, world.owner)
    return Call(path={"knowledge_base_id": own}, json={"content": "How long?", "paragraph_ids": [theirs]})


async def question(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"question_id": (await _question(world))[0]})


async def reworded(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await question(world, client)).path, json={"content": "For how long?"})


async def paragraph(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"paragraph_id": (await _paragraph(world, world.owner))[1]})


async def attached(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await paragraph(world, client)).path, json={"contents": ["How long?"]})


async def foreign_question_attached(world: World, _client: httpx.AsyncClient) -> Call:
    _, own = await _paragraph(world, world.stranger)
    theirs, _ = await _question(world)
    return Call(path={"paragraph_id": own}, json={"question_ids": [theirs]})


async def attachment(world: World, _client: httpx.AsyncClient) -> Call:
    question_id, paragraph_id = await _question(world)
    return Call(path={"paragraph_id": paragraph_id, "question_id": question_id})


async def patterns(_world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json={"patterns": ["^# .+"], "text": "# One\n\ntext"})


DRAFTS = (
    Row("POST", f"{BASE}/drafts", "editor", upload, 404),
    Row("GET", f"{BASE}/drafts", "editor", base, 404),
    Row("POST", f"{BASE}/drafts/import", "editor", draft, 404, foreign=foreign_draft),
    Row("GET", f"{BASE}/questions", "viewer", base, 404, key=True),
    Row(
        "POST",
        f"{BASE}/questions",
        "editor",
        new_question,
        404,
        foreign=question_about_a_foreign_paragraph,
    ),
    Row("PATCH", QUESTION, "editor", reworded, 404),
    Row("DELETE", QUESTION, "editor", question, 404),
    Row("GET", f"{QUESTION}/paragraphs", "viewer", question, 404, key=True),
    Row("GET", f"{PARAGRAPH}/questions", "viewer", paragraph, 404, key=True),
    Row("POST", f"{PARAGRAPH}/questions", "editor", attached, 404, foreign=foreign_question_attached),
    Row("DELETE", f"{PARAGRAPH}/questions/{{question_id}}", "editor", attachment, 404),
    Row("POST", f"{API}/split-patterns/check", "viewer", patterns, key=True, bound=True),
)
