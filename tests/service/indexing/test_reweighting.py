"""Stored BM25 weights follow the average length."""

import numpy as np
import pytest
from sqlalchemy import text

from refdesk.kit.database import Database
from refdesk.knowledge.indexing import bm25, settle
from refdesk.knowledge.indexing.homes import move_to_own_home
from refdesk.testing.library import Library


@pytest.fixture
async def library(database: Database) -> Library:
    return await Library(database).open()


@pytest.mark.parametrize("has_own_home", [False, True])
async def test_weights_after_a_drift_are_those_of_the_present_average(
    library: Library, has_own_home: bool
) -> None:
    base = await library.base()
    short = await library.add(base, [f"short text {i} short" for i in range(30)])
    if has_own_home:
        await move_to_own_home(library.database, library.scope, base.index.id)
    await library.add(base, ["many more words than before stand in this longer text " * 8] * 30)
    await settle(library.database, library.scope, base.index.id, exact_scan_limit=10_000)
    async with library.database.transaction() as session:
        rows = (
            await session.execute(
                text(
                    "SELECT e.paragraph_id, e.length, e.weighted_with, e.bm25::text, i.average_length,"
                    " i.total_length / i.entry_count::float8 AS mean FROM index_entries e"
                    " JOIN indexes i ON i.id = e.index_id WHERE i.id = :id"
                ),
                {"id": base.index.id},
            )
        ).all()
    assert len(rows) == 60
    for row in rows:
        assert row.average_length == pytest.approx(row.mean, rel=1e-6)
        assert row.weighted_with == pytest.approx(row.mean, rel=1e-6)
    row = next(row for row in rows if row.paragraph_id == short.paragraphs[0].id)
    stored = sorted(float(cell.split(":")[1]) for cell in row.bm25[1 : row.bm25.index("}")].split(","))
    # "short" twice, "text" and "0" once.
    expected = bm25.weights(np.array([1.0, 1.0, 2.0]), np.zeros(3, np.bool_), row.length, row.mean)
    assert stored == pytest.approx(sorted(expected.tolist()), rel=1e-4)


async def test_nothing_is_touched_while_the_average_holds(library: Library) -> None:
    base = await library.base()
    await library.add(base, [f"text number {i}" for i in range(20)])
    query = text("SELECT array_agg(xmin::text ORDER BY id) FROM index_entries WHERE index_id = :id")
    async with library.database.transaction() as session:
        before = (await session.execute(query, {"id": base.index.id})).scalar_one()
    await settle(library.database, library.scope, base.index.id, exact_scan_limit=10_000)
    async with library.database.transaction() as session:
        assert (await session.execute(query, {"id": base.index.id})).scalar_one() == before
