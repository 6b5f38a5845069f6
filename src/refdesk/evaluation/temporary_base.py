"""A knowledge base for the length of an evaluation, in a workspace of its own that goes with it.

Passages become documents of one paragraph each and are indexed as any other; nothing else of the database is
touched.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text

from refdesk.accounts import Scope, Workspace
from refdesk.evaluation.test_sets import Passage
from refdesk.gateway import Embedder, Gateway, Purpose, Vectors, create_workspace_models
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.knowledge import Document, KnowledgeBase, Paragraph
from refdesk.knowledge.indexing import (
    IndexWriter,
    KnowledgeIndex,
    ParagraphText,
    PreparedEntries,
    create_index,
    drop_indexes_of_base,
    prepare_entries,
    settle,
    sweep_homes,
)

BATCH = 64


@dataclass(frozen=True, slots=True)
class TemporaryBase:
    """Where to search, and which passage each paragraph is."""

    scope: Scope
    knowledge_base_id: UUID
    passages: dict[UUID, str]
    entries: int


@dataclass(frozen=True, slots=True)
class TemporaryBases:
    """Bases in one workspace."""

    scope: Scope
    bases: list[TemporaryBase]


@asynccontextmanager
async def temporary_base(
    database: Database, gateway: Gateway, settings: Settings, passages: Sequence[Passage]
) -> AsyncGenerator[TemporaryBase]:
    """Build a base of `passages`, and remove it when the block ends, however it ends."""
    async with temporary_bases(database, gateway, settings, [passages]) as made:
        yield made.bases[0]


@asynccontextmanager
async def temporary_bases(
    database: Database, gateway: Gateway, settings: Settings, parts: Sequence[Sequence[Passage]]
) -> AsyncGenerator[TemporaryBases]:
    """Build a base of each part, all in one workspace, as `temporary_base` does."""
    scope = Scope.system(new_id())
    ids = [new_id() for _ in parts]
    bases: list[TemporaryBase] = []
    try:
        async with database.transaction() as session:
            session.add(Workspace(id=scope.workspace_id, name=f"Evaluation {scope.workspace_id}"))
            await session.flush()
            await create_workspace_models(session, scope)
        embedder = await _embedder(gateway, scope)
        for base_id, passages in zip(ids, parts, strict=True):
            index = await _create(database, scope, base_id, embedder)
            keys, entries = await _fill(database, scope, index, embedder, passages)
            await settle(database, scope, index.id, settings.exact_scan_limit)
            bases.append(TemporaryBase(scope, base_id, keys, entries))
        yield TemporaryBases(scope, bases)
    finally:
        await asyncio.shield(_remove(database, scope, ids))


async def _embedder(gateway: Gateway, scope: Scope) -> Embedder:
    model_id = await gateway.default_model(scope, "EMBEDDING")
    if model_id is None:
        raise LookupError("a new workspace has no embedding model")
    return await gateway.embedder(scope, model_id, Purpose("evaluate"))


async def _create(database: Database, scope: Scope, base_id: UUID, embedder: Embedder) -> KnowledgeIndex:
    async with database.transaction() as session:
        base = KnowledgeBase(
            id=base_id,
            workspace_id=scope.workspace_id,
            name=f"Evaluation {base_id}",
            embedding_model_id=embedder.model_id,
            settings={},
            meta={},
        )
        session.add(base)
        await session.flush()
        index = await create_index(session, scope, base_id, embedder.model_id, embedder.dimensions)
        base.active_index_id = index.id
    return index


async def _fill(
    database: Database,
    scope: Scope,
    index: KnowledgeIndex,
    embedder: Embedder,
    passages: Sequence[Passage],
) -> tuple[dict[UUID, str], int]:
    keys: dict[UUID, str] = {}
    entries = 0
    writing: asyncio.Task[int] | None = None
    # Similar lengths together: an embedder pads every text of a batch to the longest.
    ordered = sorted(passages, key=lambda passage: len(passage.text))
    for start in range(0, len(ordered), BATCH):
        batch = ordered[start : start + BATCH]
        texts = [_paragraph(passage) for passage in batch]
        keys |= {text_.id: passage.id for text_, passage in zip(texts, batch, strict=True)}
        prepared = await asyncio.to_thread(prepare_entries, texts)
        vectors = await embedder.embed_passages(prepared.texts)
        if writing is not None:
            entries += await writing
        writing = asyncio.create_task(_write(database, scope, index, batch, prepared, vectors))
    if writing is not None:
        entries += await writing
    return keys, entries


async def _write(
    database: Database,
    scope: Scope,
    index: KnowledgeIndex,
    passages: Sequence[Passage],
    prepared: PreparedEntries,
    vectors: Vectors,
) -> int:
    async with database.transaction() as session:
        for passage, paragraph in zip(passages, prepared.paragraphs, strict=True):
            session.add(_document(scope, index.knowledge_base_id, passage, paragraph))
        await session.flush()
        session.add_all(
            Paragraph(
                id=paragraph.id,
                workspace_id=scope.workspace_id,
                knowledge_base_id=index.knowledge_base_id,
                document_id=paragraph.document_id,
                position=0,
                title_chain=list(paragraph.title_chain),
                content=paragraph.content,
                boxes=[],
            )
            for paragraph in prepared.paragraphs
        )
        await session.flush()
        return (await IndexWriter(session, scope, index).write(prepared, vectors)).entries


def _paragraph(passage: Passage) -> ParagraphText:
    return ParagraphText(
        id=new_id(),
        document_id=new_id(),
        title_chain=[passage.title] if passage.title else [],
        content=passage.text.replace("\x00", " "),
        revision=1,
    )


def _document(scope: Scope, base_id: UUID, passage: Passage, paragraph: ParagraphText) -> Document:
    return Document(
        id=paragraph.document_id,
        workspace_id=scope.workspace_id,
        knowledge_base_id=base_id,
        name=passage.id[:500],
        state="ready",
        paragraph_count=1,
        warnings=[],
        meta={},
        split_settings={},
    )


async def _remove(database: Database, scope: Scope, base_ids: Sequence[UUID]) -> None:
    async with database.transaction() as session:
        for base_id in base_ids:
            await drop_indexes_of_base(session, scope, base_id)
        for statement in (
            "DELETE FROM knowledge_bases WHERE workspace_id = :id",
            "DELETE FROM workspaces WHERE id = :id",
        ):
            await session.execute(text(statement), {"id": scope.workspace_id})
    await sweep_homes(database)
