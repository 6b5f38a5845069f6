"""Full text of an existing MariaDB or MySQL table, in read-only transactions with a time limit."""

import asyncio
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from pydantic import Field

from refdesk.kit.like import containing
from refdesk.retrieval.external.adapters.table_config import TableConfig
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

# Server error numbers: the MariaDB and MySQL manuals' error references.
_REFUSED = frozenset((1044, 1045, 1142, 1143, 1698))
_NOT_THERE = frozenset((1049, 1054, 1146, 1191, 1176))
_TOO_LONG = frozenset((1969, 3024, 1317))


class Config(TableConfig):
    """`text_columns` (with the title column, if there is one) need one FULLTEXT index together."""

    port: int = Field(default=3306, ge=1, le=65535)


class MariaDbSource:
    """Connects anew for each search, in a thread: the client blocks."""

    capabilities = Capabilities(
        can_ingest=False, can_update_metadata=False, can_filter=True, by_meaning=False
    )

    def __init__(self, config: Config, connect: dict[str, Any], timeout_s: float) -> None:
        self._config = config
        self._connect = connect
        self._timeout_s = timeout_s

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
        rows = await asyncio.to_thread(self._rows, statement, (*parameters, top_k))
        best = max((float(row[4]) for row in rows), default=0.0) or 1.0
        return [
            SourceHit(
                doc_id=str(row[0]),
                title=str(row[1] or ""),
                text=str(row[2] or ""),
                url=str(row[3]) if row[3] else None,
                score=float(row[4]) / max(best, float(len(words))),
                metadata={
                    name: value if isinstance(value, (bool, int, float, str)) else str(value)
                    for name, value in zip(self._config.metadata_columns, row[5:], strict=True)
                    if value is not None
                },
            )
            for row in rows
        ]

    def _rows(self, statement: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        pymysql: Any = import_module("pymysql")

        try:
            connection = pymysql.connect(**self._connect)
            try:
                with connection.cursor() as cursor:
                    limit = _time_limit(str(connection.get_server_info()), self._timeout_s)
                    cursor.execute(limit)
                    cursor.execute("START TRANSACTION READ ONLY")
                    cursor.execute(statement, parameters)
                    return list(cursor.fetchall())
            finally:
                connection.close()
        except pymysql.err.Error as error:
            number = error.args[0] if error.args else 0
            if number in _REFUSED:
                raise SourceAuthentication from error
            if number in _NOT_THERE:
                raise SourceConfigInvalid(reason=str(error.args[-1])[:200]) from error
            if number in _TOO_LONG or "timed out" in str(error):
                raise SourceTimeout(timeout_s=self._timeout_s) from error
            raise SourceUnreachable from error

    def _statement(self, words: AskedWords, filters: Mapping[str, Value]) -> tuple[str, tuple[Any, ...]]:
        """Rows that hold a word of the question, those with the most of them first."""
        config = self._config
        columns = [*config.text_columns, *([config.title_column] if config.title_column else [])]
        matched = f"MATCH ({', '.join(map(_quoted, columns))}) AGAINST (%s IN BOOLEAN MODE)"
        whole = f"CONCAT_WS(' ', {', '.join(map(_quoted, columns))})"
        tests: list[str] = []
        asked: list[str] = []
        for word in words.spaced:
            tests.append(f"({matched} > 0)")
            asked.append(_phrase(word))
        for word in words.unspaced:
            tests.append(f"({whole} LIKE %s)")
            asked.append(containing(word))
        conditions = [f"({' OR '.join(tests)})"]
        values: list[str] = []
        for key, value in filters.items():
            if key not in config.metadata_columns:
                raise SourceFilterInvalid(key=key)
            conditions.append(f"CAST({_quoted(key)} AS CHAR) = %s")
            values.append(str(int(value)) if isinstance(value, bool) else str(value))
        chosen = [
            _quoted(config.id_column),
            _quoted(config.title_column) if config.title_column else "''",
            f"CONCAT_WS('\\n', {', '.join(map(_quoted, config.text_columns))})",
            _quoted(config.url_column) if config.url_column else "NULL",
            f"{' + '.join(tests)} AS score",
            *map(_quoted, config.metadata_columns),
        ]
        statement = (
            f"SELECT {', '.join(chosen)} FROM {_quoted(config.table)} WHERE {' AND '.join(conditions)}"
            f" ORDER BY score DESC, {_quoted(config.id_column)} LIMIT %s"
        )
        return statement, (*asked, *asked, *values)


def _quoted(name: str) -> str:
    # The percent sign is the client's mark for parameters.
    return "`" + name.replace("`", "``").replace("%", "%%") + "`"


def _phrase(word: str) -> str:
    """A word as a phrase of boolean mode, so that its own characters are no operators."""
    return '"' + word.replace('"', " ").replace("\\", " ") + '"'


def _time_limit(server: str, seconds: float) -> str:
    if "mariadb" in server.lower():
        return f"SET SESSION max_statement_time = {seconds:.3f}"
    return f"SET SESSION max_execution_time = {int(seconds * 1000):d}"


async def open(config: Config, secret: str | None, context: SourceContext) -> MariaDbSource:
    """Judges the address; connects at the first search."""
    import_module("pymysql")  # whether it is installed is told now, not at the first search
    address = await judged_address(config.host, config.port, allow_private=context.allow_private)
    connect: dict[str, Any] = {
        "host": address,
        "port": config.port,
        "database": config.database,
        "user": config.user,
        "password": secret or "",
        "charset": "utf8mb4",
        "connect_timeout": max(int(context.timeout_s), 1),
        "read_timeout": max(int(context.timeout_s) + 1, 2),
        "local_infile": False,
    }
    return MariaDbSource(config, connect, context.timeout_s)
