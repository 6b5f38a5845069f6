"""Full text of an existing PostgreSQL table, in read-only transactions with a time limit."""

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg import sql
from psycopg.errors import (
    InsufficientPrivilege,
    InvalidAuthorizationSpecification,
    QueryCanceled,
    UndefinedColumn,
    UndefinedObject,
    UndefinedTable,
)
from pydantic import Field

from refdesk.kit.like import containing
from refdesk.retrieval.external.adapters.table_config import Column, TableConfig
from refdesk.retrieval.external.addresses import judged_address
from refdesk.retrieval.external.errors import (
    SourceAuthentication,
    SourceConfigInvalid,
    SourceFilterInvalid,
    SourceReadOnly,
    SourceTimeout,
    SourceUnreachable,
)
from refdesk.retrieval.external.opening import SourceContext
from refdesk.retrieval.external.protocol import Capabilities, SourceDocument, SourceHit, Value
from refdesk.retrieval.external.words import AskedWords, asked_words


class Config(TableConfig):
    """`vector_column`: a `tsvector` with an index, made with the same `language`; else it is computed."""

    port: int = Field(default=5432, ge=1, le=65535)
    schema_name: Column = "public"
    language: Column = Field(default="simple", description="A text search configuration.")
    vector_column: Column | None = None
    allow_sql: bool = Field(
        default=False, description="Let agents read what this user may read, with SQL of their own."
    )


class PostgresSource:
    """Connects anew for each search: questions are few, and the database belongs to somebody else."""

    capabilities = Capabilities(
        can_ingest=False, can_update_metadata=False, can_filter=True, by_meaning=False
    )

    def __init__(self, config: Config, connect: dict[str, Any], timeout_s: float) -> None:
        self._config = config
        self.connect = connect
        self._timeout_ms = max(int(timeout_s * 1000), 1)

    async def ingest(self, document: SourceDocument) -> str:
        raise SourceReadOnly

    async def update_metadata(self, doc_id: str, metadata: Mapping[str, Value]) -> None:
        raise SourceReadOnly

    async def close(self) -> None:
        return None

    async def search(
        self, query: str, top_k: int = 3, *, filters: Mapping[str, Value] | None = None
    ) -> list[SourceHit]:
        words = asked_words(query)
        if not len(words):
            return []
        statement, parameters = self._statement(words, filters or {})
        rows = await self._rows(statement, {**parameters, "query": query, "top_k": top_k})
        names = self._config.metadata_columns
        return [
            SourceHit(
                doc_id=str(row[0]),
                title=str(row[1] or ""),
                text=str(row[2] or ""),
                url=str(row[3]) if row[3] else None,
                score=float(row[4]),
                metadata={
                    name: value if isinstance(value, (bool, int, float, str)) else str(value)
                    for name, value in zip(names, row[5:], strict=True)
                    if value is not None
                },
            )
            for row in rows
        ]

    async def _rows(self, statement: sql.Composed, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
        try:
            async with await psycopg.AsyncConnection.connect(**self.connect) as connection:
                await connection.set_read_only(True)
                async with connection.cursor() as cursor:
                    await cursor.execute(
                        "SELECT set_config('statement_timeout', %s, true)", [str(self._timeout_ms)]
                    )
                    await cursor.execute(statement, parameters)
                    return await cursor.fetchall()
        except QueryCanceled as error:
            raise SourceTimeout(timeout_s=self._timeout_ms / 1000) from error
        except (InsufficientPrivilege, InvalidAuthorizationSpecification) as error:
            raise SourceAuthentication from error
        except (UndefinedTable, UndefinedColumn, UndefinedObject) as error:
            raise SourceConfigInvalid(reason=_first_line(error)) from error
        except psycopg.OperationalError as error:
            if "authentication failed" in str(error) or "password" in str(error):
                raise SourceAuthentication from error
            raise SourceUnreachable from error

    def _statement(
        self, words: AskedWords, filters: Mapping[str, Value]
    ) -> tuple[sql.Composed, dict[str, Any]]:
        """Rows that hold a word of the question, those with the most of them first."""
        config = self._config
        text = sql.SQL("concat_ws(E'\\n', {})").format(
            sql.SQL(", ").join(_name(column) for column in config.text_columns)
        )
        title = _name(config.title_column) if config.title_column else sql.SQL("''")
        whole = sql.SQL("concat_ws(' ', {}, {})").format(title, text)
        parameters: dict[str, Any] = {"language": config.language}
        vector = (
            _name(config.vector_column)
            if config.vector_column
            else sql.SQL("to_tsvector(%(language)s::regconfig, {})").format(whole)
        )
        matches: list[sql.Composed] = []
        for n, word in enumerate(words.spaced):
            parameters[f"word_{n}"] = word
            matches.append(
                sql.SQL("(x.rd__vector @@ plainto_tsquery(%(language)s::regconfig, {}))").format(
                    sql.Placeholder(f"word_{n}")
                )
            )
        for n, word in enumerate(words.unspaced):
            parameters[f"part_{n}"] = containing(word)
            matches.append(sql.SQL("(x.rd__whole ILIKE {})").format(sql.Placeholder(f"part_{n}")))
        conditions = [sql.SQL("({})").format(sql.SQL(" OR ").join(matches))]
        for n, (key, value) in enumerate(filters.items()):
            if key not in config.metadata_columns:
                raise SourceFilterInvalid(key=key)
            parameters[f"filter_{n}"] = str(value).lower() if isinstance(value, bool) else str(value)
            conditions.append(sql.SQL("x.{}::text = {}").format(_name(key), sql.Placeholder(f"filter_{n}")))
        held = sql.SQL(" + ").join(sql.SQL("{}::int").format(match) for match in matches)
        rank = sql.SQL("ts_rank_cd(x.rd__vector, plainto_tsquery(%(language)s::regconfig, %(query)s), 32)")
        columns = [
            sql.SQL("x.{}::text").format(_name(config.id_column)),
            sql.SQL("x.{}").format(title) if config.title_column else sql.SQL("''"),
            sql.SQL("x.rd__text"),
            sql.SQL("x.{}").format(_name(config.url_column)) if config.url_column else sql.SQL("NULL"),
            sql.SQL("0.9 * ({}) / {} + 0.1 * {} AS score").format(held, sql.Literal(len(matches)), rank),
            *(sql.SQL("x.{}").format(_name(name)) for name in config.metadata_columns),
        ]
        statement = sql.SQL(
            "SELECT {columns} FROM (SELECT t.*, {vector} AS rd__vector, {text} AS rd__text,"
            " {whole} AS rd__whole FROM {table} t) x WHERE {conditions}"
            " ORDER BY score DESC, 1 LIMIT %(top_k)s"
        ).format(
            columns=sql.SQL(", ").join(columns),
            vector=vector,
            text=text,
            whole=whole,
            table=_name(config.schema_name, config.table),
            conditions=sql.SQL(" AND ").join(conditions),
        )
        return statement, parameters


def _name(*parts: str) -> sql.Identifier:
    # The percent sign is the client's mark for parameters.
    return sql.Identifier(*(part.replace("%", "%%") for part in parts))


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0][:200]


async def open(config: Config, secret: str | None, context: SourceContext) -> PostgresSource:
    """Judges the address; connects at the first search."""
    connect: dict[str, Any] = {
        "host": config.host,
        "port": config.port,
        "dbname": config.database,
        "user": config.user,
        "password": secret,
        "connect_timeout": max(int(context.timeout_s), 2),
        "application_name": "refdesk-source",
        "options": "-c default_transaction_read_only=on",
    }
    if config.host.startswith("/"):
        if not context.allow_local:
            raise SourceConfigInvalid(hint="A socket of this machine cannot be named here.")
    else:
        # The very address that was judged: a name that answers differently later gains nothing.
        connect["hostaddr"] = await judged_address(
            config.host, config.port, allow_private=context.allow_private
        )
    return PostgresSource(config, connect, context.timeout_s)
