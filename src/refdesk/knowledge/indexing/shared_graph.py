"""The HNSW indexes of the shared home: one over the vectors of all small indexes of one dimension.

A few small bases are compared row by row. Asked together they are not small any more, and a home each would
cost a lock and a plan for every one of them; one graph for all serves any number. It is built when the shared
home holds more vectors of a dimension than are worth comparing.
"""

from psycopg import AsyncConnection
from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.kit.database import Database, libpq_url
from refdesk.knowledge.indexing.homes import BUILD_MEMORY, hnsw_index, table_of
from refdesk.knowledge.indexing.repository import SHARED_HOME
from refdesk.knowledge.indexing.tables import KnowledgeIndex

_NAME = f"ix_{table_of(SHARED_HOME)}_hnsw_"

_VALID = text("""
SELECT substring(c.relname FROM '\\d+$')::integer, greatest(c.reltuples, 0)::bigint
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = 'index_entries_0'::regclass AND i.indisvalid AND c.relname LIKE :pattern
""")


def in_graph(dimensions: int) -> str:
    """The condition of the rows that a graph holds; a query must have the same one to use it."""
    return f"vector_dims(embedding) = {dimensions:d}"


async def shared_graphs(session: AsyncSession) -> dict[int, int]:
    """Dimensions that have a complete graph, and about how many vectors each holds."""
    rows = await session.execute(_VALID, {"pattern": _NAME.replace("_", r"\_") + "%"})
    return {row[0]: row[1] for row in rows}


async def needs_shared_graph(session: AsyncSession, dimensions: int, exact_scan_limit: int) -> bool:
    """Whether the shared home, all workspaces together, has outgrown comparing row by row."""
    query = select(func.coalesce(func.sum(KnowledgeIndex.entry_count), 0)).where(
        KnowledgeIndex.home == SHARED_HOME, KnowledgeIndex.dimensions == dimensions
    )
    held = (await session.execute(query)).scalar_one()
    return held > exact_scan_limit and dimensions not in await shared_graphs(session)


async def build_shared_graph(database: Database, dimensions: int) -> None:
    """Build the graph beside readers and writers; nothing if it is there. One at a time (see the job's lock).

    CREATE INDEX CONCURRENTLY cannot run in a transaction, and leaves an invalid index when it is interrupted,
    which the next attempt removes first.
    """
    name = f"{_NAME}{dimensions:d}"
    async with await AsyncConnection.connect(libpq_url(database.url), autocommit=True) as connection:
        cursor = await connection.execute(
            "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", (name,)
        )
        found = await cursor.fetchone()
        if found is not None and found[0]:
            return
        for statement in (
            f"SET maintenance_work_mem = '{BUILD_MEMORY}'",
            "SET max_parallel_maintenance_workers = 0",
            f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
            f"CREATE INDEX CONCURRENTLY {name} ON {table_of(SHARED_HOME)} {hnsw_index(dimensions)}"
            f" WHERE {in_graph(dimensions)}",
            f"ANALYZE {table_of(SHARED_HOME)}",
        ):
            await connection.execute(statement.encode())
