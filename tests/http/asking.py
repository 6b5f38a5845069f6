"""What the tests of asking over HTTP share: an indexed base, a scripted model, a run's events."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import httpx
from tests.http.world import World, ok

from refdesk.accounts import Scope
from refdesk.gateway.tables import Model
from refdesk.kit.ids import new_id
from refdesk.kit.sse import EventReader, ServerSentEvent
from refdesk.knowledge.indexing import IndexWriter, KnowledgeIndex, ParagraphText, prepare_entries
from refdesk.knowledge.tables import Document, KnowledgeBase, Paragraph
from refdesk.testing.embedder import HashingEmbedder

RESET = (
    "To reset the router to factory settings, hold the reset button for 10 seconds. "
    "The default password is printed on the label underneath the device."
)
QUESTION = "How do I reset the router to factory settings?"


def embed_by_hashing(world: World) -> None:
    """Words hashed instead of the embedded model, which takes half a minute to be unpacked."""

    async def embedder(_scope: Scope, model_id: UUID, purpose: object = None, **_: object) -> HashingEmbedder:
        return HashingEmbedder(model_id, 384)

    world.app.state.gateway.embedder = embedder


async def make_base(world: World, *texts: str) -> dict[str, Any]:
    """A base of the first workspace with one indexed document, made by the editor."""
    embed_by_hashing(world)
    base = ok(await world.editor.post("/api/v1/knowledge-bases", json={"name": world.new_name("base")}))
    scope = Scope.system(world.workspace_id)
    document_id = new_id()
    paragraphs = [ParagraphText(new_id(), document_id, ("Manual",), text, 1, True, 0) for text in texts]
    async with world.database.transaction() as session:
        row = await session.get(KnowledgeBase, UUID(base["id"]))
        assert row is not None
        session.add(
            Document(
                id=document_id,
                workspace_id=world.workspace_id,
                knowledge_base_id=row.id,
                name="manual.md",
                state="ready",
                warnings=[],
                meta={},
                split_settings={},
            )
        )
        await session.flush()
        session.add_all(
            Paragraph(
                id=paragraph.id,
                workspace_id=world.workspace_id,
                knowledge_base_id=row.id,
                document_id=document_id,
                position=position,
                title_chain=["Manual"],
                content=paragraph.content,
                boxes=[],
            )
            for position, paragraph in enumerate(paragraphs)
        )
        index = await session.get(KnowledgeIndex, row.active_index_id)
        model_id = row.embedding_model_id
        assert index is not None
    prepared = prepare_entries(paragraphs)
    embedder = await world.app.state.gateway.embedder(scope, model_id)
    vectors = await embedder.embed_passages(prepared.texts)
    async with world.database.transaction() as session:
        await IndexWriter(session, scope, index).write(prepared, vectors)
    return base


@asynccontextmanager
async def connected(world: World, base_url: str, model_name: str = "scripted-chat") -> AsyncIterator[str]:
    """A language model of the first workspace for the time of the block; its id."""
    body = {
        "kind": "LLM",
        "name": world.new_name("model"),
        "model_name": model_name,
        "base_url": base_url,
        "parameters": {"timeout_s": 2},
        "is_default": True,
    }
    made = ok(await world.owner.post("/api/v1/models", json=body))
    try:
        yield made["id"]
    finally:
        async with world.database.transaction() as session:
            row = await session.get(Model, UUID(made["id"]))
            if row is not None:
                await session.delete(row)


async def events_of(client: httpx.AsyncClient, run_id: str, **headers: str) -> list[ServerSentEvent]:
    """All events of a run, to its end."""
    response = await client.get(f"/api/v1/runs/{run_id}/events", headers=headers)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    reader = EventReader()
    return [event for line in response.text.split("\n") for event in reader.feed(line)]


async def answered(client: httpx.AsyncClient, **body: Any) -> dict[str, Any]:
    """Ask and wait for the end; the run as it is stored."""
    run = ok(await client.post("/api/v1/runs", json=body))
    await events_of(client, run["id"])
    return ok(await client.get(f"/api/v1/runs/{run['id']}"))
