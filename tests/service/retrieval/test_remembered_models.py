"""A search remembers which model a base is embedded by, and is never misled by it."""

import pytest
from sqlalchemy import event, update

from refdesk.gateway import ModelTimeout
from refdesk.kit.database import Database
from refdesk.knowledge.indexing import create_index
from refdesk.knowledge.tables import KnowledgeBase
from refdesk.retrieval import KnowledgeBaseNotFound, SearchRequest, SearchResult
from refdesk.testing.embedder import HashingEmbedder
from refdesk.testing.library import Library, ShelvedBase, ShelvedDocument

TEXTS = ["The lamp of the harbour burns every night."]


@pytest.fixture
async def library(database: Database) -> Library:
    return await Library(database).open()


async def switch(
    library: Library, base: ShelvedBase, document: ShelvedDocument, embedder: HashingEmbedder
) -> None:
    """Give the base another index, by another model, with the same entries."""
    async with library.database.transaction() as session:
        index = await create_index(session, library.scope, base.id, embedder.model_id, embedder.dimensions)
        await session.execute(
            update(KnowledgeBase).where(KnowledgeBase.id == base.id).values(active_index_id=index.id)
        )
    await library.index(ShelvedBase(base.id, index, embedder), document.paragraphs)


async def test_a_second_search_reads_in_one_transaction(library: Library) -> None:
    base = await library.base()
    await library.add(base, TEXTS)
    retriever = library.retriever
    begun: list[int] = []
    engine = library.database.engine.sync_engine

    def count(_connection: object) -> None:
        begun.append(1)

    event.listen(engine, "begin", count)
    try:
        for transactions in (2, 1, 1):
            begun.clear()
            await retriever.search(library.scope, SearchRequest("harbour lamp", [base.id]))
            assert len(begun) == transactions
    finally:
        event.remove(engine, "begin", count)


async def test_a_base_that_took_another_model_is_searched_with_that(library: Library) -> None:
    first, second = await library.embedder(64), await library.embedder(32)
    base = await library.base(first)
    document = await library.add(base, TEXTS)
    retriever = library.retriever

    async def search() -> SearchResult:
        return await retriever.search(library.scope, SearchRequest("harbour lamp", [base.id]))

    assert (await search()).found
    await switch(library, base, document, second)
    first.calls.clear()
    assert (await search()).found
    assert [len(one.calls) for one in (first, second)] == [1, 2]  # one call of the second indexed
    assert (await search()).found
    assert [len(one.calls) for one in (first, second)] == [1, 3]


async def test_the_failure_of_the_model_it_had_before_is_nobody_s_business(library: Library) -> None:
    first, second = await library.embedder(64), await library.embedder(32)
    base = await library.base(first)
    document = await library.add(base, TEXTS)
    retriever = library.retriever
    request = SearchRequest("harbour lamp", [base.id])
    await retriever.search(library.scope, request)
    await switch(library, base, document, second)
    first.fail_with = ModelTimeout()
    assert (await retriever.search(library.scope, request)).found


async def test_the_failure_of_the_model_it_has_is_told(library: Library) -> None:
    base = await library.base()
    await library.add(base, TEXTS)
    retriever = library.retriever
    request = SearchRequest("harbour lamp", [base.id])
    await retriever.search(library.scope, request)
    base.embedder.fail_with = ModelTimeout()
    with pytest.raises(ModelTimeout):
        await retriever.search(library.scope, request)


async def test_a_remembered_base_of_another_workspace_stays_unknown(
    library: Library, database: Database
) -> None:
    base = await library.base()
    await library.add(base, TEXTS)
    retriever = library.retriever
    request = SearchRequest("harbour lamp", [base.id])
    await retriever.search(library.scope, request)
    base.embedder.calls.clear()
    stranger = await Library(database).open()
    with pytest.raises(KnowledgeBaseNotFound):
        await retriever.search(stranger.scope, request)
    assert base.embedder.calls == []
