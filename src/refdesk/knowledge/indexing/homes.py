"""Homes of large indexes: a partition of its own, with an HNSW index, for what outgrew the exact scan.

A home is built beside the shared one and attached when it is complete, so nobody waits for the building. The
switch takes the index's lock alone, copies what was written meanwhile, and is one transaction.
"""

from typing import Any
from uuid import UUID

from psycopg import AsyncConnection
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.database import Database, libpq_url
from refdesk.knowledge.indexing.repository import SHARED_HOME, IndexRepository
from refdesk.knowledge.indexing.tables import KnowledgeIndex
from refdesk.knowledge.indexing.writer import COLUMNS

HALFVEC_HNSW_LIMIT = 4_000
"""Most dimensions that pgvector's HNSW takes as halfvec; above, the index holds one bit a dimension."""

HNSW_M = 16
HNSW_EF_CONSTRUCTION = 100
# Taken only as far as the graph needs it, about 1.4 kB an entry of 384 dimensions. A graph that does not fit
# is finished on disk, many times slower.
BUILD_MEMORY = "2GB"

_MOVED = COLUMNS.removeprefix("home, ")
# Rows that are the same in both homes: a rewritten entry has a new id; what is changed in place is compared.
_SAME = (
    "o.id = n.id AND o.is_active = n.is_active AND o.acl_id = n.acl_id AND o.weighted_with = n.weighted_with"
)


def table_of(home: int) -> str:
    """The partition's name."""
    return f"index_entries_{home:d}"


def vector_index_expression(dimensions: int) -> str:
    """What the HNSW index of a home is on; a query must order by the same expression to use it."""
    if dimensions <= HALFVEC_HNSW_LIMIT:
        return f"(embedding::halfvec({dimensions:d}))"
    return f"(binary_quantize(embedding::halfvec({dimensions:d}))::bit({dimensions:d}))"


def hnsw_index(dimensions: int) -> str:
    """What comes after `CREATE INDEX … ON table` for the vectors of one dimension."""
    operators = "halfvec_ip_ops" if dimensions <= HALFVEC_HNSW_LIMIT else "bit_hamming_ops"
    return (
        f"USING hnsw ({vector_index_expression(dimensions)} {operators})"
        f" WITH (m = {HNSW_M}, ef_construction = {HNSW_EF_CONSTRUCTION})"
    )


async def move_to_own_home(database: Database, scope: Scope, index_id: UUID) -> int:
    """Give an index a home of its own and return its number; nothing for one that has it already.

    Interrupted, it starts over and removes what the first attempt left. Raises `IndexNotFound`.
    """
    async with database.transaction() as session:
        index = await IndexRepository(session, scope).get(index_id)
        if index.home != SHARED_HOME:
            return index.home
        if index.next_home is not None:
            await session.execute(text(f"DROP TABLE IF EXISTS {table_of(index.next_home)}"))
        home = (await session.execute(text("SELECT nextval('index_homes')::integer"))).scalar_one()
        await _create_table(session, home)
        index.next_home = home
    async with database.transaction() as session:
        await _copy_missing(session, index_id, home)
    async with database.transaction() as session:
        await _build_indexes(session, home, index.dimensions)
    async with database.transaction() as session:
        await _switch(session, scope, index_id, home)
    await _analyze(database, table_of(home))
    return home


async def _create_table(session: AsyncSession, home: int) -> None:
    name = table_of(home)
    await session.execute(
        text(
            f"CREATE TABLE {name} (LIKE index_entries INCLUDING DEFAULTS INCLUDING STORAGE)"
            # As in the shared home: rows stay whole (see the migration).
            " WITH (toast_tuple_target = 8160)"
        )
    )
    # With this check ATTACH need not read the table.
    await session.execute(text(f"ALTER TABLE {name} ADD CONSTRAINT in_home CHECK (home = {home:d})"))


async def _copy_missing(session: AsyncSession, index_id: UUID, home: int) -> None:
    await session.execute(
        text(
            f"INSERT INTO {table_of(home)} ({COLUMNS}) SELECT {home:d}, {_MOVED} FROM index_entries o"
            " WHERE o.home = 0 AND o.index_id = :index_id"
            f" AND NOT EXISTS (SELECT FROM {table_of(home)} n WHERE n.id = o.id)"
        ),
        {"index_id": index_id},
    )


async def _build_indexes(session: AsyncSession, home: int, dimensions: int) -> None:
    name = table_of(home)
    for statement in (
        f"SET LOCAL maintenance_work_mem = '{BUILD_MEMORY}'",
        # Parallel builds need shared memory that a container may not have.
        "SET LOCAL max_parallel_maintenance_workers = 0",
        f"ALTER TABLE {name} ADD PRIMARY KEY (id, home)",
        f"CREATE INDEX ON {name} (document_id)",
        f"CREATE INDEX ON {name} (paragraph_id)",
        # For callers who may see little of much: their rows are compared one by one.
        f"CREATE INDEX ON {name} (acl_id)",
        f"CREATE INDEX ON {name} USING gin (terms) WITH (fastupdate = off)",
        f"CREATE INDEX ON {name} {hnsw_index(dimensions)}",
    ):
        await session.execute(text(statement))


async def _switch(session: AsyncSession, scope: Scope, index_id: UUID, home: int) -> None:
    index: KnowledgeIndex = await IndexRepository(session, scope).lock_alone(index_id)
    name = table_of(home)
    await session.execute(
        text(
            f"DELETE FROM {name} n WHERE NOT EXISTS (SELECT FROM index_entries o"
            f" WHERE o.home = 0 AND o.index_id = :index_id AND {_SAME})"
        ),
        {"index_id": index_id},
    )
    await _copy_missing(session, index_id, home)
    await session.execute(text(f"ALTER TABLE index_entries ATTACH PARTITION {name} FOR VALUES IN ({home:d})"))
    await session.execute(text(f"ALTER TABLE {name} DROP CONSTRAINT in_home"))
    index.home = home
    index.next_home = None
    await session.execute(
        text("DELETE FROM index_entries WHERE home = 0 AND index_id = :index_id"), {"index_id": index_id}
    )


async def sweep_homes(database: Database) -> list[int]:
    """Remove homes that no index owns or builds, and rows of the shared home without an index.

    DETACH CONCURRENTLY cannot run in a transaction: this is the one place that works without. Interrupted
    at any point, the next sweep finishes it. Returns the homes removed.
    """
    removed: list[int] = []
    async with await AsyncConnection.connect(libpq_url(database.url), autocommit=True) as connection:
        for home, state in await _orphans(connection):
            name = table_of(home)
            how = {"attached": "CONCURRENTLY", "detaching": "FINALIZE"}.get(state)
            if how is not None:
                statement = f"ALTER TABLE index_entries DETACH PARTITION {name} {how}"
                await connection.execute(statement.encode())
            await connection.execute(f"DROP TABLE IF EXISTS {name}".encode())
            removed.append(home)
        await connection.execute(
            "DELETE FROM index_entries e WHERE e.home = 0"
            " AND NOT EXISTS (SELECT FROM indexes i WHERE i.id = e.index_id)"
        )
    return removed


async def _orphans(connection: AsyncConnection[Any]) -> list[tuple[int, str]]:
    cursor = await connection.execute(
        r"""
        SELECT substring(c.relname FROM '\d+$')::integer AS home,
            CASE WHEN h.inhrelid IS NULL THEN 'free' WHEN h.inhdetachpending THEN 'detaching'
                ELSE 'attached' END
        FROM pg_class c LEFT JOIN pg_inherits h ON h.inhrelid = c.oid
        WHERE c.relkind = 'r' AND c.relname ~ '^index_entries_[1-9]\d*$'
            AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'index_entries'::regclass)
            AND NOT EXISTS (SELECT FROM indexes i WHERE substring(c.relname FROM '\d+$')::integer
                IN (i.home, i.next_home))
        ORDER BY 1
        """
    )
    return await cursor.fetchall()


async def _analyze(database: Database, name: str) -> None:
    async with database.transaction() as session:
        await session.execute(text(f"ANALYZE {name}"))
