"""Many small bases are searched by one graph: the same found, nothing of others, bounded work."""

from dataclasses import replace

import numpy as np
import pytest
from psycopg import AsyncConnection
from sqlalchemy import text

from refdesk.kit.database import Database, libpq_url
from refdesk.kit.settings import Settings
from refdesk.knowledge.indexing import settle
from refdesk.knowledge.indexing.shared_graph import build_shared_graph, shared_graphs
from refdesk.retrieval import statements
from refdesk.retrieval.repository import SearchRepository
from refdesk.retrieval.statements import Filters, candidates_statement, scan_settings
from refdesk.testing.library import Library, ShelvedBase

DIMENSIONS = 48
BASES, EACH = 12, 60


@pytest.fixture
async def library(database: Database) -> Library:
    return await Library(database, Settings(exact_scan_limit=200)).open()


@pytest.fixture
async def bases(library: Library) -> list[ShelvedBase]:
    """Small bases of one embedder, each about a subject of its own, folded but without a graph."""
    embedder = await library.embedder(DIMENSIONS)
    made = [await library.base(embedder) for _ in range(BASES)]
    for n, base in enumerate(made):
        await library.add(base, [f"subject {n} detail {n * 1000 + i} of item {i % 7}" for i in range(EACH)])
        await settle(library.database, library.scope, base.index.id, exact_scan_limit=10_000)
    return made


async def graphs(library: Library) -> dict[int, int]:
    async with library.database.transaction() as session:
        return await shared_graphs(session)


async def found(library: Library, query: str, bases: list[ShelvedBase]) -> list[str]:
    result = await library.search(query, *bases, mode="embedding", top_n=10, similarity=0.0)
    assert {hit.knowledge_base_id for hit in result.hits} <= {base.id for base in bases}
    return [str(hit.paragraph_id) for hit in result.hits]


async def test_the_graph_is_built_when_the_small_indexes_together_are_many(
    library: Library, bases: list[ShelvedBase]
) -> None:
    assert DIMENSIONS not in await graphs(library)
    await settle(library.database, library.scope, bases[0].index.id, exact_scan_limit=200)
    assert (await graphs(library))[DIMENSIONS] >= BASES * EACH
    await build_shared_graph(library.database, DIMENSIONS)  # a second time is nothing


async def test_the_graph_finds_what_comparing_all_rows_finds(
    library: Library, bases: list[ShelvedBase], monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = [f"subject {n} detail {n * 1000 + 7}" for n in range(BASES)]
    compared = [await found(library, query, bases) for query in queries]
    some = [await found(library, query, bases[:6]) for query in queries]
    await build_shared_graph(library.database, DIMENSIONS)
    monkeypatch.setattr(statements, "_GRAPH_STEP", 1)
    monkeypatch.setattr("refdesk.retrieval.repository.WORTH_A_GRAPH", 0)
    assert Filters(shared_graphs=await graphs(library)).visits(await targets(library, bases), 50) is not None
    walked = [await found(library, query, bases) for query in queries]
    shares = [len({*a} & {*b}) / len(a) for a, b in zip(compared, walked, strict=True)]
    assert np.mean(shares) >= 0.97
    # Half of the queries are about bases that are not asked: the nearest of the others are still found.
    walked = [await found(library, query, bases[:6]) for query in queries]
    shares = [len({*a} & {*b}) / len(a) for a, b in zip(some, walked, strict=True)]
    assert np.mean(shares) >= 0.97


async def targets(library: Library, bases: list[ShelvedBase]) -> list[statements.Target]:
    async with library.database.transaction() as session:
        indexes = await SearchRepository(session, library.scope).active_indexes([base.id for base in bases])
    return [index.target for index in indexes]


@pytest.mark.parametrize("is_enough", [True, False])
async def test_rows_are_compared_only_where_the_graph_gave_too_few(
    library: Library, bases: list[ShelvedBase], is_enough: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    await build_shared_graph(library.database, DIMENSIONS)
    monkeypatch.setattr(statements, "_GRAPH_STEP", 1)
    wanted = await targets(library, bases)
    filters = Filters(shared_graphs=await graphs(library))
    if not is_enough:  # entries that are no longer there: more are expected than the graph can give
        wanted = [replace(target, entries=target.entries * 100) for target in wanted]
    limit = 20 if is_enough else BASES * EACH + 1
    vector = (await bases[0].embedder.embed_queries(["subject 3"]))[0]
    made = candidates_statement(wanted, filters, limit, vector=vector, words=None)
    assert made is not None
    async with library.database.transaction() as session:
        await SearchRepository(session, library.scope).apply(scan_settings(wanted, filters, limit))
        lines = (await session.execute(text("EXPLAIN (ANALYZE, TIMING OFF) " + made[0]), made[1])).scalars()
        plan = "\n".join(lines)
    assert f"Index Scan using ix_index_entries_0_hnsw_{DIMENSIONS}" in plan
    assert ("never executed" in plan) is is_enough


async def test_few_rows_are_compared_whatever_graph_there_is(
    library: Library, bases: list[ShelvedBase]
) -> None:
    await build_shared_graph(library.database, DIMENSIONS)
    filters = Filters(shared_graphs=await graphs(library))
    assert filters.visits(await targets(library, bases[:1]), 50) is None


async def test_an_interrupted_build_is_finished_by_the_next(
    library: Library, bases: list[ShelvedBase]
) -> None:
    async with await AsyncConnection.connect(libpq_url(library.database.url), autocommit=True) as connection:
        await connection.execute(f"DROP INDEX IF EXISTS ix_index_entries_0_hnsw_{DIMENSIONS}".encode())
    await build_shared_graph(library.database, DIMENSIONS)
    async with library.database.transaction() as session:
        await session.execute(
            text("UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(:name)"),
            {"name": f"ix_index_entries_0_hnsw_{DIMENSIONS}"},
        )
    assert DIMENSIONS not in await graphs(library)
    await build_shared_graph(library.database, DIMENSIONS)
    assert DIMENSIONS in await graphs(library)
