"""A large index moves to a home of its own: nothing lost, nothing doubled, nobody kept waiting."""

import asyncio
import zlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import text

from refdesk.kit.database import Database
from refdesk.kit.settings import Settings
from refdesk.knowledge.indexing import IndexWriter, drop_index, homes, settle, tokenize
from refdesk.knowledge.indexing.homes import move_to_own_home, sweep_homes
from refdesk.testing.library import Library, ShelvedBase
from refdesk.testing.recount import kept, recount

MODES = ("embedding", "keywords", "blend")
TOPICS = ("合同", "报销", "backup", "timeout", "年假", "router", "审批", "invoice")


@pytest.fixture
async def library(database: Database) -> Library:
    return await Library(database).open()


def texts(n: int, offset: int = 0) -> list[str]:
    return [f"{TOPICS[i % 8]} {TOPICS[i // 8 % 8]} 第{i}号 code-{i}" for i in range(offset, offset + n)]


async def home_of(library: Library, base: ShelvedBase) -> int:
    async with library.database.transaction() as session:
        query = text("SELECT home FROM indexes WHERE id = :id")
        return (await session.execute(query, {"id": base.index.id})).scalar_one()


async def paragraphs_in(library: Library, base: ShelvedBase) -> list[str]:
    async with library.database.transaction() as session:
        query = text("SELECT home, paragraph_id FROM index_entries WHERE index_id = :id")
        rows = (await session.execute(query, {"id": base.index.id})).all()
    home = await home_of(library, base)
    assert {row.home for row in rows} <= {home}
    return sorted(str(row.paragraph_id) for row in rows)


async def partitions(library: Library) -> set[str]:
    async with library.database.transaction() as session:
        query = "SELECT relname FROM pg_class WHERE relname ~ '^index_entries_[0-9]+$' AND relkind = 'r'"
        return set((await session.execute(text(query))).scalars())


async def test_a_search_gives_the_same_before_and_after_a_move(library: Library) -> None:
    base = await library.base()
    await library.add(base, texts(300))
    queries = ["合同 第13号", "code-77", "backup timeout", "年假审批"]
    searches = [(query, mode) for query in queries for mode in MODES]
    before = [(await library.search(query, base, mode=mode)).hits for query, mode in searches]
    home = await move_to_own_home(library.database, library.scope, base.index.id)
    assert home > 0
    assert await move_to_own_home(library.database, library.scope, base.index.id) == home
    after = [(await library.search(query, base, mode=mode)).hits for query, mode in searches]
    for was, now in zip(before, after, strict=True):
        assert [hit.paragraph_id for hit in now] == [hit.paragraph_id for hit in was]
        # The farthest of fifty candidates may differ, and with it where the dense scale begins.
        assert [hit.score for hit in now] == pytest.approx([hit.score for hit in was], abs=0.02)
    assert len(await paragraphs_in(library, base)) == 300


async def test_writes_during_a_move_are_neither_lost_nor_doubled(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await library.base()
    first = await library.add(base, texts(60))
    waiting = await library.add(base, texts(40, 60), is_indexed=False)
    built = homes._build_indexes  # pyright: ignore[reportPrivateUsage]

    async def build_while_others_write(*arguments: object) -> None:
        await built(*arguments)  # type: ignore[arg-type]
        async with library.database.transaction() as session:
            writer = IndexWriter(session, library.scope, base.index)
            await writer.remove_paragraphs([p.id for p in first.paragraphs[:10]])
            await writer.set_active([p.id for p in first.paragraphs[10:15]], False)
        await library.index(base, waiting.paragraphs[:20])
        async with library.database.transaction() as session:
            await session.execute(
                text("UPDATE paragraphs SET revision = 2 WHERE id = ANY(:ids)"),
                {"ids": [p.id for p in first.paragraphs[15:30]]},
            )
        await library.index(
            base, [replace(p, content=p.content + " 修订", revision=2) for p in first.paragraphs[15:30]]
        )

    monkeypatch.setattr(homes, "_build_indexes", build_while_others_write)
    moving = asyncio.create_task(move_to_own_home(library.database, library.scope, base.index.id))
    for paragraph in waiting.paragraphs[20:]:
        await library.index(base, [paragraph])
    await moving
    expected = sorted(str(p.id) for p in (*first.paragraphs[10:], *waiting.paragraphs))
    assert await paragraphs_in(library, base) == expected
    async with library.database.transaction() as session:
        assert await kept(session, base.index.id) == await recount(session, base.index.id)
        inactive = await session.execute(
            text("SELECT count(*) FROM index_entries WHERE index_id = :id AND NOT is_active"),
            {"id": base.index.id},
        )
        assert inactive.scalar_one() == 5
    hits = (await library.search("code-20 修订", base, mode="keywords", similarity=0.0)).hits
    assert hits[0].paragraph_id == first.paragraphs[20].id


async def test_writing_goes_on_in_the_new_home(library: Library) -> None:
    base = await library.base()
    document = await library.add(base, texts(50))
    await move_to_own_home(library.database, library.scope, base.index.id)
    more = await library.add(base, texts(20, 50))
    await library.index(base, document.paragraphs[:5])
    assert len(await paragraphs_in(library, base)) == 70
    result = await library.search("code-63", base)
    assert result.hits[0].paragraph_id == more.paragraphs[13].id


async def test_an_interrupted_move_starts_over(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    base = await library.base()
    await library.add(base, texts(30))

    async def killed(*_: object) -> None:
        raise ConnectionError("the worker died")

    before = await partitions(library)
    with monkeypatch.context() as patch:
        patch.setattr(homes, "_build_indexes", killed)
        with pytest.raises(ConnectionError):
            await move_to_own_home(library.database, library.scope, base.index.id)
    left_over = await partitions(library) - before
    assert len(left_over) == 1
    assert len((await library.search("code-7", base)).hits) > 0
    assert await sweep_homes(library.database) == []  # it is still being built, as far as a sweep can tell
    home = await move_to_own_home(library.database, library.scope, base.index.id)
    assert await partitions(library) - before == {f"index_entries_{home}"}
    assert len(await paragraphs_in(library, base)) == 30


async def test_a_dropped_index_is_gone_at_once_and_its_home_after_a_sweep(library: Library) -> None:
    base, other = await library.base(), await library.base()
    await library.add(base, texts(30))
    await library.add(other, texts(5))
    home = await move_to_own_home(library.database, library.scope, base.index.id)
    async with library.database.transaction() as session:
        await drop_index(session, library.scope, base.index.id)
    assert (await library.search("code-7", base)).hits == []
    assert await sweep_homes(library.database) == [home]
    assert f"index_entries_{home}" not in await partitions(library)
    assert await sweep_homes(library.database) == []
    assert len(await paragraphs_in(library, other)) == 5


async def test_a_detach_that_was_interrupted_is_finished_by_the_next_sweep(library: Library) -> None:
    base = await library.base()
    await library.add(base, texts(10))
    home = await move_to_own_home(library.database, library.scope, base.index.id)
    async with library.database.transaction() as session:
        await drop_index(session, library.scope, base.index.id)
    async with library.database.engine.connect() as reader:
        # A reader holds the second half of the detach up; the sweep is stopped there.
        await reader.execute(text("SELECT count(*) FROM index_entries"))
        sweeping = asyncio.create_task(sweep_homes(library.database))
        await asyncio.sleep(0.5)
        sweeping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sweeping
    assert await sweep_homes(library.database) == [home]


async def test_an_index_above_the_limit_settles_in_its_own_home(library: Library) -> None:
    small, large = await library.base(), await library.base()
    await library.add(small, texts(10))
    await library.add(large, texts(11))
    limit = Settings(exact_scan_limit=10).exact_scan_limit
    for base in (small, large):
        await settle(library.database, library.scope, base.index.id, limit)
    assert await home_of(library, small) == 0
    assert await home_of(library, large) > 0


def spread_out(texts_: Sequence[str]) -> NDArray[np.float32]:
    """Vectors as models make them: no component is zero, and what shares words lies near."""
    rows = [
        np.sum(
            [np.random.default_rng(zlib.crc32(token.encode())).normal(size=4200) for token in tokens], axis=0
        )
        for tokens in (tokenize(text_) for text_ in texts_)
    ]
    return np.stack(rows).astype(np.float32)


async def test_vectors_too_wide_for_hnsw_are_found_by_bits_and_ranked_exactly(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = await library.embedder(4200)
    monkeypatch.setattr(embedder, "_embed", spread_out)
    base = await library.base(embedder)
    await library.add(base, texts(800))
    queries = [f"{TOPICS[n % 8]} {TOPICS[n // 8 % 8]} 第{n}号 code-{n}" for n in (37, 205, 411, 640)]
    exact = [(await library.search(query, base, mode="embedding")).hits for query in queries]
    await move_to_own_home(library.database, library.scope, base.index.id)
    found = [(await library.search(query, base, mode="embedding")).hits for query in queries]
    same = [
        len({hit.paragraph_id for hit in was} & {hit.paragraph_id for hit in now})
        for was, now in zip(exact, found, strict=True)
    ]
    assert sum(same) >= 0.95 * 5 * len(queries)
    for was, now in zip(exact, found, strict=True):
        assert now[0].paragraph_id == was[0].paragraph_id
        reached = [hit.dense.raw for hit in now if hit.dense is not None]
        assert reached == sorted(reached, reverse=True)
