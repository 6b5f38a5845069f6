"""A search tells how many documents of its bases are still on their way."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import text, update

from refdesk.accounts import Role, Scope
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.knowledge.access.tables import AccessList
from refdesk.knowledge.tables import Document
from refdesk.retrieval import RouteSettings, SearchRequest
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


async def test_the_count_is_of_the_moment_that_is_searched(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await library.base()
    document = await put(library, base, state="queued")
    embed = HashingEmbedder.embed_queries

    async def gets_ready_meanwhile(self: HashingEmbedder, texts: Sequence[str]) -> NDArray[np.float32]:
        async with library.database.transaction() as session:
            await session.execute(update(Document).where(Document.id == document).values(state="ready"))
        return await embed(self, texts)

    monkeypatch.setattr(HashingEmbedder, "embed_queries", gets_ready_meanwhile)
    assert (await library.search("harbour lamp", base)).unready == 0


async def test_bases_that_the_route_leaves_out_are_counted_too(library: Library) -> None:
    bases = [await library.base() for _ in range(3)]
    for base in bases:
        await put(library, base, state="queued")
    request = SearchRequest(
        "harbour lamp", [base.id for base in bases], route=RouteSettings(few=1, at_least=1)
    )
    result = await library.retriever.search(library.scope, request)
    assert result.unready == 3
