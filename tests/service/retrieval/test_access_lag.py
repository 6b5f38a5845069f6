"""Searches while the index has not followed a change of who may see a document yet."""

from uuid import UUID

import pytest
from sqlalchemy import text

from refdesk.accounts import Role, Scope
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.knowledge.access.following import follow_base
from refdesk.knowledge.access.tables import AccessList
from refdesk.retrieval import SearchRequest
from refdesk.testing.library import Library, ShelvedBase

WORDS = "the valve opens at four bar"


@pytest.fixture
async def library(database: Database) -> Library:
    return await Library(database).open()


async def relist(library: Library, document_id: UUID, acl_id: int) -> None:
    """The document changes, its entries do not."""
    async with library.database.transaction() as session:
        await session.execute(
            text("UPDATE documents SET acl_id = :acl WHERE id = :id"), {"acl": acl_id, "id": document_id}
        )


async def new_list(library: Library, base: ShelvedBase) -> int:
    async with library.database.transaction() as session:
        made = AccessList(workspace_id=library.workspace_id, knowledge_base_id=base.id)
        session.add(made)
        await session.flush()
        return made.id


@pytest.mark.parametrize("mode", ["blend", "keywords", "embedding"])
async def test_what_is_hidden_is_neither_shown_nor_counted_before_the_index_follows(
    library: Library, mode: str
) -> None:
    base = await library.base()
    hidden = await library.add(base, [WORDS])
    shown = await library.add(base, ["the valve closes at two bar"])
    await relist(library, hidden.id, await new_list(library, base))
    viewer = Scope(library.workspace_id, new_id(), Role.VIEWER, "session")
    request = SearchRequest(WORDS, [base.id], mode=mode, similarity=0)
    result = await library.retriever.search(viewer, request)
    told = {hit.document_id for hit in result.hits} | {hit.document_id for hit, _ in result.dropped}
    assert told == {shown.id}
    assert result.candidates == 1
    owner = await library.retriever.search(library.scope, request)
    assert {hit.document_id for hit in owner.hits} == {hidden.id, shown.id}


async def test_the_job_takes_the_lists_to_the_entries_and_finds_nothing_the_second_time(
    library: Library,
) -> None:
    base = await library.base()
    document = await library.add(base, [WORDS, "the pump runs"])
    listed = await new_list(library, base)
    await relist(library, document.id, listed)
    assert await follow_base(library.database, library.scope, base.id) == 2
    async with library.database.transaction() as session:
        rows = await session.scalars(
            text("SELECT acl_id FROM index_entries WHERE document_id = :id"), {"id": document.id}
        )
        assert set(rows) == {listed}
    assert await follow_base(library.database, library.scope, base.id) == 0


async def test_what_is_shared_again_is_found_once_the_job_is_through(library: Library) -> None:
    base = await library.base()
    listed = await new_list(library, base)
    shared = await library.add(base, [WORDS], acl_id=listed)
    await library.add(base, ["something else restricted"], acl_id=listed)
    await relist(library, shared.id, 0)
    viewer = Scope(library.workspace_id, new_id(), Role.VIEWER, "session")
    request = SearchRequest(WORDS, [base.id], similarity=0)
    assert (await library.retriever.search(viewer, request)).hits == []
    await follow_base(library.database, library.scope, base.id)
    hits = (await library.retriever.search(viewer, request)).hits
    assert [hit.document_id for hit in hits] == [shared.id]
