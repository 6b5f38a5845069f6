"""A search tells how many documents of its bases are still on their way."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import text, update

from refdesk.accounts import Role, Scope
from refdesk.gateway import ModelTimeout
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.knowledge import DocumentRepository
from refdesk.knowledge.access.tables import AccessList
from refdesk.knowledge.tables import Document
from refdesk.retrieval import SearchRequest
from refdesk.testing.embedder import HashingEmbedder
from refdesk.testing.library import Library, ShelvedBase


@pytest.fixture
async def library(database: Database) -> Library:
    return await Library(database).open()


async def put(library: Library, base: ShelvedBase, **values: object) -> UUID:
    """One more document of the base with these values."""
    added = await library.add(base, ["The lamp of the harbour burns every night."])
    async with library.database.transaction() as session:
        await session.execute(update(Document).where(Document.id == added.id).values(**values))
    return added.id


async def test_a_search_counts_documents_that_are_not_ready(library: Library) -> None:
    base = await library.base()
    await put(library, base, state="ready")
    assert (await library.search("harbour lamp", base)).unready == 0
    for state in ("queued", "parsing", "splitting", "indexing", "failed", "cancelled"):
        await put(library, base, state=state)
    await put(library, base, state="parsing", is_draft=True)
    result = await library.search("harbour lamp", base)
    assert (result.found, result.unready) == (True, 4)
    (warning,) = result.warnings
    assert (warning.code, warning.message.split()[0]) == ("still-indexing", "4")


async def test_what_was_not_found_may_be_on_its_way(library: Library) -> None:
    base = await library.base()
    await put(library, base, state="indexing")
    result = await library.search("quarterly tax report", base, similarity=0.95)
    assert (result.found, result.unready) == (False, 1)
    assert result.warnings[0].message.startswith("1 document is")


async def test_other_bases_and_hidden_documents_are_not_counted(library: Library) -> None:
    base, other = await library.base(), await library.base()
    await put(library, other, state="queued")
    await put(library, base, state="queued")
    async with library.database.transaction() as session:
        own = AccessList(workspace_id=library.workspace_id, knowledge_base_id=base.id)
        session.add(own)
        await session.flush()
        list_id = own.id
    await put(library, base, state="queued", access_list_id=list_id, acl_id=list_id)
    viewer = Scope(workspace_id=library.workspace_id, user_id=new_id(), role=Role.VIEWER, via="session")
    seen = await library.retriever.search(viewer, SearchRequest("harbour lamp", [base.id]))
    assert seen.unready == 1
    assert (await library.search("harbour lamp", base)).unready == 2


async def test_the_count_uses_the_index_of_the_few(library: Library) -> None:
    async with library.database.transaction() as session:
        await session.execute(text("SET LOCAL enable_seqscan = off"))
        plan = await session.scalars(
            text(
                "EXPLAIN SELECT count(*) FROM documents WHERE knowledge_base_id = gen_random_uuid()"
                " AND (state IN ('queued', 'parsing', 'splitting', 'indexing')"
                " OR is_reindexing AND state = 'ready')"
            )
        )
        assert "ix_documents_on_the_way" in "\n".join(plan)


async def test_counting_takes_no_time_beside_the_search(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await library.base()
    await put(library, base, state="queued")
    counted, searched = asyncio.Event(), asyncio.Event()
    count, embed = DocumentRepository.unready, HashingEmbedder.embed_queries

    async def counts(self: DocumentRepository, base_ids: Sequence[UUID]) -> int:
        async with asyncio.timeout(10):
            await searched.wait()
        counted.set()
        return await count(self, base_ids)

    async def embeds(self: HashingEmbedder, texts: Sequence[str]) -> NDArray[np.float32]:
        searched.set()
        async with asyncio.timeout(10):
            await counted.wait()
        return await embed(self, texts)

    # Each waits for the other: one after the other, neither would end.
    monkeypatch.setattr(DocumentRepository, "unready", counts)
    monkeypatch.setattr(HashingEmbedder, "embed_queries", embeds)
    assert (await library.search("harbour lamp", base)).unready == 1


async def test_what_counting_raises_is_raised_and_what_the_search_raises_comes_first(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await library.base()
    await put(library, base, state="ready")

    async def fails(_self: DocumentRepository, _base_ids: Sequence[UUID]) -> int:
        raise LookupError("counting")

    monkeypatch.setattr(DocumentRepository, "unready", fails)
    with pytest.raises(LookupError, match="counting"):
        await library.search("harbour lamp", base)
    base.embedder.fail_with = ModelTimeout()
    with pytest.raises(ModelTimeout):
        await library.search("harbour lamp", base)


async def test_counting_ends_with_the_search_that_fails(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await library.base()
    ended = asyncio.Event()

    async def waits(_self: DocumentRepository, _base_ids: Sequence[UUID]) -> int:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()
        return 0

    monkeypatch.setattr(DocumentRepository, "unready", waits)
    base.embedder.fail_with = ModelTimeout()
    with pytest.raises(ModelTimeout):
        await library.search("harbour lamp", base)
    assert ended.is_set()
