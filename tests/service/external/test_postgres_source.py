"""A table of an existing PostgreSQL, read as it stands."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import make_url

from refdesk.kit.errors import AppError
from refdesk.retrieval.external import (
    GuardedSource,
    SourceAuthentication,
    SourceConfigInvalid,
    SourceContext,
    SourceTimeout,
    SourceUnreachable,
    open_source,
)
from refdesk.testing.source_conformance import CORPUS, SourceConformance

TABLE = 'odd "table" %s name'


def config_of(url: str, schema: str, **changes: Any) -> tuple[dict[str, Any], str | None]:
    parts = make_url(url)
    host = parts.host or str(parts.query.get("host"))
    config = {
        "host": host,
        "port": parts.port or int(str(parts.query.get("port") or 5432)),
        "database": parts.database,
        "user": parts.username,
        "schema_name": schema,
        "table": TABLE,
        "id_column": "key",
        "title_column": "title",
        "text_columns": ["text"],
        "url_column": "link",
        "metadata_columns": ["department", "year"],
    }
    return config | changes, parts.password


@pytest.fixture(scope="module")
async def schema(database_url: str) -> AsyncIterator[str]:
    name = f"somebody_{uuid4().hex[:8]}"
    url = make_url(database_url).set(drivername="postgresql").render_as_string(hide_password=False)
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))
        table = sql.Identifier(name, TABLE)
        await connection.execute(
            sql.SQL(
                "CREATE TABLE {} (key text PRIMARY KEY, title text, text text, link text,"
                " department text, year integer)"
            ).format(table)
        )
        for document in CORPUS:
            await connection.execute(
                sql.SQL("INSERT INTO {} VALUES (%s, %s, %s, %s, %s, %s)").format(
                    sql.Identifier(name, TABLE.replace("%", "%%"))
                ),
                [document.id, document.title, document.text, document.url, *document.metadata.values()],
            )
        yield name
        await connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(name)))


def context(timeout_s: float = 10.0) -> SourceContext:
    return SourceContext(timeout_s=timeout_s, allow_private=True, allow_local=True)


class TestPostgresSource(SourceConformance):
    @pytest.fixture
    async def source(self, database_url: str, schema: str) -> AsyncIterator[GuardedSource]:
        config, password = config_of(database_url, schema)
        opened = await open_source("postgres", config, password, context())
        yield opened
        await opened.close()


async def test_a_table_that_is_not_there_is_named(database_url: str, schema: str) -> None:
    config, password = config_of(database_url, schema, table="missing")
    source = await open_source("postgres", config, password, context())
    with pytest.raises(SourceConfigInvalid):
        await source.search("travel")


async def test_a_slow_table_ends_at_the_deadline(database_url: str, schema: str) -> None:
    url = make_url(database_url).set(drivername="postgresql").render_as_string(hide_password=False)
    view = sql.Identifier(schema, "slow")
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(
            sql.SQL("CREATE VIEW {} AS SELECT t.*, pg_sleep(5) IS NULL AS n FROM {} t").format(
                view, sql.Identifier(schema, TABLE)
            )
        )
    config, password = config_of(database_url, schema, table="slow", metadata_columns=["n"])
    source = await open_source("postgres", config, password, context(1.0))
    with pytest.raises(SourceTimeout):
        await source.search("travel")


async def test_the_transaction_can_write_nothing(database_url: str, schema: str) -> None:
    url = make_url(database_url).set(drivername="postgresql").render_as_string(hide_password=False)
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(
            sql.SQL(
                "CREATE FUNCTION {s}.leave() RETURNS text LANGUAGE sql VOLATILE AS"
                " $$ INSERT INTO {t} (key, title) VALUES ('new', 'new') RETURNING key $$"
            ).format(s=sql.Identifier(schema), t=sql.Identifier(schema, TABLE))
        )
        await connection.execute(
            sql.SQL("CREATE VIEW {} AS SELECT t.*, {}.leave() AS left_behind FROM {} t").format(
                sql.Identifier(schema, "writing"), sql.Identifier(schema), sql.Identifier(schema, TABLE)
            )
        )
    config, password = config_of(database_url, schema, table="writing", metadata_columns=["left_behind"])
    source = await open_source("postgres", config, password, context())
    with pytest.raises(AppError):
        await source.search("travel", filters={"left_behind": "new"})
    async with await psycopg.AsyncConnection.connect(url) as connection:
        rows = await connection.execute(
            sql.SQL("SELECT count(*) FROM {} WHERE key = 'new'").format(sql.Identifier(schema, TABLE))
        )
        assert await rows.fetchone() == (0,)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"host": "127.0.0.1", "port": 9}, SourceUnreachable),
        ({"language": "klingon"}, SourceConfigInvalid),
        ({"text_columns": ["nothing"]}, SourceConfigInvalid),
    ],
)
async def test_what_is_wrong_with_the_settings_is_told(
    database_url: str, schema: str, changes: dict[str, Any], expected: type[Exception]
) -> None:
    config, password = config_of(database_url, schema, **changes)
    source = await open_source("postgres", config, password, context())
    with pytest.raises(expected):
        await source.search("travel")


async def test_a_wrong_password_is_told_without_telling_it(database_url: str, schema: str) -> None:
    config, _ = config_of(database_url, schema, user="nobody_of_this_name")
    source = await open_source("postgres", config, "not-the-password", context())
    with pytest.raises((SourceAuthentication, SourceUnreachable)) as caught:
        await source.search("travel")
    assert "not-the-password" not in f"{caught.value} {caught.value.details}"
