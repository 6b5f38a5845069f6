"""How often words occur is counted by access list, exactly, whatever moves from one list to another."""

from uuid import UUID

import pytest
from sqlalchemy import text

from refdesk.kit.database import Database
from refdesk.knowledge.indexing import IndexWriter, StatisticsRepository, follow_access, tokenize
from refdesk.knowledge.indexing.maintenance import fold
from refdesk.knowledge.indexing.terms import term_of
from refdesk.testing.library import Library, ShelvedBase
from refdesk.testing.recount import kept, recount


@pytest.fixture
async def library(database: Database) -> Library:
    return await Library(database).open()


async def assert_exact(library: Library, base: ShelvedBase) -> None:
    async with library.database.transaction() as session:
        assert await kept(session, base.index.id) == await recount(session, base.index.id)


async def frequency(library: Library, base: ShelvedBase, word: str, lists: list[int] | None) -> int:
    (token,) = tokenize(word)
    async with library.database.transaction() as session:
        statistics = StatisticsRepository(session, library.scope)
        return (await statistics.read([base.index.id], [term_of(token)], lists=lists)).frequency(
            term_of(token)
        )


async def relist(library: Library, base: ShelvedBase, document_id: UUID, acl_id: int) -> None:
    async with library.database.transaction() as session:
        sql = "UPDATE documents SET acl_id = :acl WHERE id = :id"
        await session.execute(text(sql), {"acl": acl_id, "id": document_id})
        await follow_access(session, library.scope, base.id, [document_id])


async def test_a_word_of_hidden_documents_counts_for_those_alone_who_see_them(library: Library) -> None:
    base = await library.base()
    document = await library.add(base, ["the eagle flies", "the eagle lands"], acl_id=7)
    await library.add(base, ["the pigeon flies"])
    for _ in range(2):  # before and after the deltas are folded
        assert await frequency(library, base, "eagle", [0]) == 0
        assert await frequency(library, base, "eagle", [0, 7]) == 2
        assert await frequency(library, base, "eagle", None) == 2
        assert await frequency(library, base, "flies", [0]) == 1
        await assert_exact(library, base)
        await fold(library.database, library.scope, base.index.id)
    await relist(library, base, document.id, 0)
    for _ in range(2):
        assert await frequency(library, base, "eagle", [0]) == 2
        assert await frequency(library, base, "eagle", [7]) == 0
        await assert_exact(library, base)
        await fold(library.database, library.scope, base.index.id)


async def test_counts_stay_exact_when_what_is_listed_is_written_again_or_removed(library: Library) -> None:
    base = await library.base()
    document = await library.add(base, ["the eagle flies", "the eagle lands"], acl_id=7)
    await relist(library, base, document.id, 9)
    await library.index(base, document.paragraphs)  # as prepared when the list was another
    await assert_exact(library, base)
    await relist(library, base, document.id, 0)
    await relist(library, base, document.id, 9)
    await assert_exact(library, base)
    assert await frequency(library, base, "eagle", [9]) == 2
    async with library.database.transaction() as session:
        await IndexWriter(session, library.scope, base.index).remove_document(document.id)
    await fold(library.database, library.scope, base.index.id)
    await assert_exact(library, base)
    assert await frequency(library, base, "eagle", None) == 0
