"""Writing, replacing and removing entries: exact whatever happens in whatever order."""

import asyncio
import random
from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import text

from refdesk.kit.database import Database
from refdesk.knowledge.indexing import (
    IndexNotFound,
    IndexWriter,
    VectorsInvalid,
    VectorsMismatch,
    drop_index,
    drop_indexes_of_base,
    prepare_entries,
)
from refdesk.knowledge.indexing.maintenance import fold
from refdesk.testing.library import Library, ShelvedBase
from refdesk.testing.recount import kept, recount

WORDS = (
    "合同",
    "报销",
    "发票",
    "年假",
    "审批",
    "upload",
    "limit",
    "ERR-1042",
    "v2.3.1",
    "timeout",
    "数据库",
    "备份",
)


@pytest.fixture
async def library(database: Database) -> Library:
    return await Library(database).open()


async def assert_statistics_are_exact(library: Library, base: ShelvedBase) -> None:
    async with library.database.transaction() as session:
        counted = await recount(session, base.index.id)
        assert await kept(session, base.index.id) == counted


async def entries_of(library: Library, base: ShelvedBase) -> int:
    async with library.database.transaction() as session:
        return (await recount(session, base.index.id)).entries


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 30)))


async def edit(library: Library, paragraph_id: object, revision: int) -> None:
    async with library.database.transaction() as session:
        await session.execute(
            text("UPDATE paragraphs SET revision = :revision WHERE id = :id"),
            {"revision": revision, "id": paragraph_id},
        )


@pytest.mark.parametrize("seed", range(4))
async def test_statistics_stay_exact_under_random_edits_deletes_and_retries(
    library: Library, seed: int
) -> None:
    rng = random.Random(seed)
    base = await library.base()
    document = await library.add(base, [sentence(rng) for _ in range(12)])
    living = {paragraph.id: paragraph for paragraph in document.paragraphs}
    for _ in range(40):
        action = rng.choice(["edit", "edit", "retry", "retry", "remove", "fold"])
        chosen = rng.sample(sorted(living), k=min(len(living), rng.randint(1, 4)))
        if action == "edit":
            for key in chosen:
                old = living[key]
                living[key] = replace(old, content=sentence(rng), revision=old.revision + 1)
                await edit(library, key, living[key].revision)
            await library.index(base, [living[key] for key in chosen])
        elif action == "retry":
            await library.index(base, [living[key] for key in chosen])
        elif action == "remove" and len(living) > 4:
            async with library.database.transaction() as session:
                await IndexWriter(session, library.scope, base.index).remove_paragraphs(chosen[:1])
                await session.execute(text("DELETE FROM paragraphs WHERE id = :id"), {"id": chosen[0]})
            del living[chosen[0]]
        elif action == "fold":
            await fold(library.database, library.scope, base.index.id)
        await assert_statistics_are_exact(library, base)
    assert await entries_of(library, base) == len(living)
    await fold(library.database, library.scope, base.index.id)
    await assert_statistics_are_exact(library, base)
    async with library.database.transaction() as session:
        await IndexWriter(session, library.scope, base.index).remove_document(document.id)
    await fold(library.database, library.scope, base.index.id)
    async with library.database.transaction() as session:
        left = await kept(session, base.index.id)
        stored = await session.execute(
            text("SELECT count(*) FROM term_frequencies WHERE index_id = :id"), {"id": base.index.id}
        )
        assert (left.entries, left.length, left.frequencies, stored.scalar_one()) == (0, 0, {}, 0)


async def test_writers_of_the_same_paragraphs_at_once_leave_one_set_of_entries(library: Library) -> None:
    base = await library.base()
    document = await library.add(base, [f"paragraph {i} on backups" for i in range(20)], is_indexed=False)
    await asyncio.gather(*(library.index(base, document.paragraphs) for _ in range(4)))
    assert await entries_of(library, base) == 20
    await assert_statistics_are_exact(library, base)


async def test_an_older_revision_never_replaces_a_newer_one(library: Library) -> None:
    base = await library.base()
    document = await library.add(base, ["the old text"])
    old = document.paragraphs[0]
    await edit(library, old.id, 2)
    await library.index(base, [replace(old, content="the new text", revision=2)])
    await library.index(base, [old])
    result = await library.search("the new text", base, mode="keywords", similarity=0.0)
    assert result.hits[0].lexical is not None
    assert result.hits[0].lexical.calibrated > 0.9
    await assert_statistics_are_exact(library, base)


async def test_a_paragraph_deleted_while_it_was_embedded_is_not_written(library: Library) -> None:
    base = await library.base()
    document = await library.add(base, ["gone soon", "stays"], is_indexed=False)
    async with library.database.transaction() as session:
        await session.execute(
            text("DELETE FROM paragraphs WHERE id = :id"), {"id": document.paragraphs[0].id}
        )
    await library.index(base, document.paragraphs)
    assert await entries_of(library, base) == 1


async def test_pending_lists_what_is_not_indexed_in_its_present_revision(library: Library) -> None:
    base = await library.base()
    document = await library.add(base, ["one", "two", "three"], is_indexed=False)
    ids = [paragraph.id for paragraph in document.paragraphs]
    await library.index(base, document.paragraphs[:2])
    async with library.database.transaction() as session:
        writer = IndexWriter(session, library.scope, base.index)
        assert await writer.pending(document.id, 10) == ids[2:]
    await edit(library, ids[0], 2)
    async with library.database.transaction() as session:
        writer = IndexWriter(session, library.scope, base.index)
        assert await writer.pending(document.id, 10) == [ids[0], ids[2]]
        assert await writer.pending(document.id, 1) == [ids[0]]


async def test_a_failed_transaction_leaves_nothing(library: Library) -> None:
    base = await library.base()
    document = await library.add(base, ["never to be seen"], is_indexed=False)
    prepared = prepare_entries(document.paragraphs)
    vectors = await base.embedder.embed_passages(prepared.texts)

    async def write_and_fail() -> None:
        async with library.database.transaction() as session:
            await IndexWriter(session, library.scope, base.index).write(prepared, vectors)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await write_and_fail()
    assert await entries_of(library, base) == 0
    async with library.database.transaction() as session:
        assert await IndexWriter(session, library.scope, base.index).pending(document.id, 5)


async def test_vectors_that_do_not_fit_are_refused(library: Library) -> None:
    base = await library.base()
    document = await library.add(base, ["one"], is_indexed=False)
    prepared = prepare_entries(document.paragraphs)
    for vectors, error in (
        (np.ones((1, 63), np.float32), VectorsMismatch),
        (np.ones((2, 64), np.float32), VectorsMismatch),
        (np.zeros((1, 64), np.float32), VectorsInvalid),
        (np.full((1, 64), np.nan, np.float32), VectorsInvalid),
    ):
        with pytest.raises(error):
            async with library.database.transaction() as session:
                await IndexWriter(session, library.scope, base.index).write(prepared, vectors)


async def test_an_empty_paragraph_is_done_without_entries(library: Library) -> None:
    base = await library.base()
    document = await library.add(base, ["   ", "full"])
    assert await entries_of(library, base) == 1
    async with library.database.transaction() as session:
        assert await IndexWriter(session, library.scope, base.index).pending(document.id, 5) == []


async def test_a_long_paragraph_has_overlapping_entries_and_is_found_once(library: Library) -> None:
    base = await library.base()
    long = "".join(f"第{i}条规定了事项{i}的处理办法和时限要求。" for i in range(120))
    document = await library.add(base, [long, "与此无关的一段。"])
    assert await entries_of(library, base) > 3
    result = await library.search("第100条规定的事项100", base)
    assert [hit.paragraph_id for hit in result.hits].count(document.paragraphs[0].id) == 1
    start, end = result.hits[0].piece
    assert "第100条" in result.hits[0].content[start:end]


async def test_dropping_an_index_takes_all_it_owns(library: Library) -> None:
    base = await library.base()
    await library.add(base, ["one", "two"])
    async with library.database.transaction() as session:
        await drop_indexes_of_base(session, library.scope, base.id)
    async with library.database.transaction() as session:
        for table in ("index_entries", "indexed_paragraphs", "term_frequencies", "lexical_deltas"):
            count = await session.execute(
                text(f"SELECT count(*) FROM {table} WHERE index_id = :id"), {"id": base.index.id}
            )
            assert count.scalar_one() == 0, table
    with pytest.raises(IndexNotFound):
        async with library.database.transaction() as session:
            await drop_index(session, library.scope, base.index.id)


async def test_another_workspace_cannot_write_or_drop(library: Library, database: Database) -> None:
    base = await library.base()
    document = await library.add(base, ["ours"], is_indexed=False)
    stranger = (await Library(database).open()).scope
    prepared = prepare_entries(document.paragraphs)
    vectors = await base.embedder.embed_passages(prepared.texts)
    async with database.transaction() as session:
        with pytest.raises(IndexNotFound):
            await IndexWriter(session, stranger, base.index).write(prepared, vectors)
        with pytest.raises(IndexNotFound):
            await drop_index(session, stranger, base.index.id)


async def test_an_inactive_paragraph_is_not_found_until_it_is_active_again(library: Library) -> None:
    base = await library.base()
    document = await library.add(base, ["the secret of the cellar"])
    for is_active in (False, True):
        async with library.database.transaction() as session:
            writer = IndexWriter(session, library.scope, base.index)
            await writer.set_active([document.paragraphs[0].id], is_active)
        for mode in ("embedding", "keywords", "blend"):
            result = await library.search("secret of the cellar", base, mode=mode)
            assert bool(result.hits) is is_active
