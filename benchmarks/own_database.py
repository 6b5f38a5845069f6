"""A database for the length of a benchmark: on a server that is named, or on an embedded one of its own."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
from pydantic import SecretStr
from sqlalchemy import make_url

from refdesk.kit.database import libpq_url
from refdesk.kit.embedded_postgres import EmbeddedPostgres
from refdesk.kit.settings import Settings


@contextmanager
def own_database(
    server_url: str | None = None, data_dir: Path | None = None
) -> Iterator[tuple[Settings, str]]:
    """Settings and the address of a new empty database, dropped at the end.

    `server_url`: a server whose role may create databases; None: an embedded one, not durable. `data_dir`:
    where the converted model is kept; None: a temporary folder.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="refdesk-bench-")))
        if server_url is None:
            server = EmbeddedPostgres(folder, durable=False)
            server_url = server.start()
            stack.callback(server.stop)
        name = f"refdesk_bench_{uuid4().hex[:8]}"
        _execute(server_url, f"CREATE DATABASE {name}")
        stack.callback(_execute, server_url, f"DROP DATABASE {name} WITH (FORCE)")
        own = libpq_url(make_url(server_url).set(database=name).render_as_string(hide_password=False))
        yield Settings(data_dir=data_dir or folder, database_url=SecretStr(own)), own


def _execute(url: str, statement: str) -> None:
    with psycopg.connect(libpq_url(url), autocommit=True) as connection:
        connection.execute(statement.encode())
