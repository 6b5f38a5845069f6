"""Fixtures of all tests: a real PostgreSQL, one database a test module, and no network.

The server is the embedded one in a temporary folder, or that of `REFDESK_TEST_DATABASE_URL`, whose role must
be allowed to create databases. The schema is migrated once, into a template; a module's database is a copy of
it, made in about 40 ms.
"""

import os
import shutil
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
import structlog
from hypothesis import settings
from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk import migrations
from refdesk.kit.database import Database, libpq_url
from refdesk.kit.embedded_postgres import EmbeddedPostgres

_numbers = count(1)

settings.register_profile("untimed", deadline=None)  # a slow machine is no fault of what is tested
settings.load_profile("untimed")


@pytest.fixture(autouse=True)
def logs_as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A command run within a test sets up the process's log; that holds for that test alone."""
    # Not to the output, which belongs to the commands; looked up each time, for pytest exchanges it.
    structlog.configure(logger_factory=lambda *_: structlog.PrintLogger(sys.stderr))
    before, configure = structlog.get_config(), structlog.configure

    def uncached(**given: Any) -> None:
        configure(**{**given, "cache_logger_on_first_use": False})

    monkeypatch.setattr(structlog, "configure", uncached)
    yield
    configure(**before)


@pytest.fixture(scope="session", autouse=True)
def no_network() -> Iterator[None]:
    """Python code may connect to this machine only. (Neither libpq nor child processes pass here.)"""
    patch = pytest.MonkeyPatch()
    for name in ("connect", "connect_ex"):
        original = getattr(socket.socket, name)

        def guarded(self: socket.socket, address: Any, _original: Any = original) -> Any:
            if self.family in (socket.AF_INET, socket.AF_INET6):
                host = str(address[0])
                if not (host.startswith("127.") or host in ("::1", "localhost", "")):
                    raise AssertionError(f"a test tried to reach {host}")
            return _original(self, address)

        patch.setattr(socket.socket, name, guarded)
    yield
    patch.undo()


@pytest.fixture(scope="session")
def database_server_url() -> Iterator[str]:
    """A PostgreSQL server for this test run; its role may create databases."""
    given = os.environ.get("REFDESK_TEST_DATABASE_URL")
    if given:
        yield libpq_url(given)
        return
    folder = Path(tempfile.mkdtemp(prefix="refdesk-tests-"))
    server = EmbeddedPostgres(folder, durable=False)
    try:
        yield server.start()
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
async def database_template(database_server_url: str) -> AsyncIterator[str]:
    """Name of a migrated database that nobody is connected to."""
    name = f"refdesk_template_{os.getpid()}"
    _execute(database_server_url, f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
    try:
        await migrations.upgrade(_with_database(database_server_url, name))
        yield name
    finally:
        _execute(database_server_url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="module")
def database_url(database_server_url: str, database_template: str) -> Iterator[str]:
    """`postgresql://…` of a migrated database that belongs to this test module."""
    name = f"refdesk_test_{os.getpid()}_{next(_numbers)}"
    _execute(database_server_url, f"CREATE DATABASE {name} TEMPLATE {database_template}")
    try:
        yield _with_database(database_server_url, name)
    finally:
        _execute(database_server_url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="module")
async def database(database_url: str) -> AsyncIterator[Database]:
    """The engine on this module's database. What a test commits stays until the module ends."""
    opened = Database(database_url, pool_size=5, application_name="refdesk-tests")
    yield opened
    await opened.close()


@pytest.fixture
async def tx(database: Database) -> AsyncIterator[AsyncSession]:
    """A session whose work is rolled back after the test; `commit` inside only ends a savepoint."""
    async with database.engine.connect() as connection:
        outer = await connection.begin()
        async with AsyncSession(
            connection, expire_on_commit=False, join_transaction_mode="create_savepoint"
        ) as session:
            yield session
        await outer.rollback()


def _with_database(server_url: str, name: str) -> str:
    url = make_url(server_url).set(database=name).render_as_string(hide_password=False)
    return libpq_url(url)


def _execute(server_url: str, statement: str) -> None:
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(statement.encode())
