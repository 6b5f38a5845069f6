"""One SELECT in a database that someone else runs: read-only, within a time and a number of rows.

What can be read is what the connected user may read there, so the owner of the source decides (`allow_sql`).
"""

from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.errors import InsufficientPrivilege, QueryCanceled

from refdesk.retrieval.external.adapters import postgres
from refdesk.retrieval.external.errors import (
    SourceAuthentication,
    SourceQueryInvalid,
    SourceTimeout,
    SourceUnreachable,
)
from refdesk.retrieval.external.opening import SourceContext

MOST_ROWS = 100


@dataclass(frozen=True, slots=True)
class Rows:
    """The first rows of a result; `truncated` tells that there are more."""

    columns: tuple[str, ...]
    rows: list[list[Any]]
    truncated: bool


async def read_rows(
    config: dict[str, Any], secret: str | None, context: SourceContext, statement: str
) -> Rows:
    """The rows of one SELECT. Raises `SourceQueryInvalid`, and what connecting raises.

    The statement stands within another, so that it can be nothing but a query; it is prepared, so that it can
    be only one; and the transaction is read-only from its first statement on.
    """
    source = await postgres.open(postgres.Config.model_validate(config), secret, context)
    bare = statement.strip().rstrip(";").strip()
    wrapped = f"SELECT * FROM (\n{bare}\n) AS asked LIMIT {MOST_ROWS + 1}"
    try:
        async with await psycopg.AsyncConnection.connect(**source.connect) as connection:
            await connection.set_read_only(True)
            async with connection.cursor() as cursor:
                timeout_ms = str(max(int(context.timeout_s * 1000), 1))
                await cursor.execute("SELECT set_config('statement_timeout', %s, true)", [timeout_ms])
                await cursor.execute(wrapped.encode(), prepare=True)
                found = await cursor.fetchall()
                columns = tuple(column.name for column in cursor.description or ())
    except QueryCanceled as error:
        raise SourceTimeout(timeout_s=context.timeout_s) from error
    except InsufficientPrivilege as error:
        raise SourceQueryInvalid(reason=_reason(error)) from error
    except psycopg.OperationalError as error:
        if "authentication failed" in str(error) or "password" in str(error):
            raise SourceAuthentication from error
        raise SourceUnreachable from error
    except psycopg.Error as error:
        raise SourceQueryInvalid(f"The query failed: {_reason(error)}", reason=_reason(error)) from error
    rows = [[_plain(value) for value in row] for row in found[:MOST_ROWS]]
    return Rows(columns, rows, len(found) > MOST_ROWS)


def _reason(error: psycopg.Error) -> str:
    return (error.diag.message_primary or str(error)).splitlines()[0][:300]


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
