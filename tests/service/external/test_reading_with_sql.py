"""One SELECT in somebody else's database, and nothing more than that."""

from typing import Any
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import make_url

from refdesk.retrieval.external import SourceContext
from refdesk.retrieval.external.errors import SourceQueryInvalid, SourceTimeout
from refdesk.retrieval.external.querying import read_rows

LOCAL = SourceContext(timeout_s=2.0, allow_private=True, allow_local=True)


@pytest.fixture(scope="module")
def url(database_url: str) -> str:
    return make_url(database_url).set(drivername="postgresql").render_as_string(hide_password=False)


@pytest.fixture(scope="module")
def table(url: str) -> str:
    name = f"orders_{uuid4().hex[:8]}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE {name} (id int, state text)".encode())
        connection.execute(f"INSERT INTO {name} SELECT n, '已发货' FROM generate_series(1, 150) n".encode())
    return name


async def read(url: str, table: str, statement: str) -> Any:
    parts = make_url(url)
    config = {
        "host": parts.host or str(parts.query.get("host")),
        "port": parts.port or int(str(parts.query.get("port") or 5432)),
        "database": parts.database,
        "user": parts.username,
        "table": table,
        "id_column": "id",
        "text_columns": ["state"],
    }
    return await read_rows(config, parts.password, LOCAL, statement)


async def test_a_query_gives_its_first_rows(url: str, table: str) -> None:
    found = await read(url, table, f"SELECT id, state FROM {table} ORDER BY id;\n")
    assert (found.columns, found.rows[0], len(found.rows), found.truncated) == (
        ("id", "state"),
        [1, "已发货"],
        100,
        True,
    )


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM {table}",
        "SELECT 1) q; DROP TABLE {table}; SELECT * FROM (SELECT 1",
        "WITH gone AS (DELETE FROM {table} RETURNING id) SELECT * FROM gone",
        "SELECT set_config('transaction_read_only', 'off', true); DELETE FROM {table}",
        "SELECT nextval('nothing')",
        "COMMIT",
    ],
)
async def test_nothing_but_one_query_is_run(url: str, table: str, statement: str) -> None:
    with pytest.raises(SourceQueryInvalid):
        await read(url, table, statement.format(table=table))
    kept = await read(url, table, f"SELECT count(*) FROM {table}")
    assert kept.rows == [[150]]


async def test_a_query_that_takes_too_long_is_stopped(url: str, table: str) -> None:
    with pytest.raises(SourceTimeout):
        await read(url, table, "SELECT pg_sleep(20)")
