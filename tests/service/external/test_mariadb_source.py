"""A table of an existing MariaDB, read as it stands. Needs `mariadbd` and the extra `mariadb`."""

import getpass
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from refdesk.retrieval.external import (
    GuardedSource,
    SourceAuthentication,
    SourceConfigInvalid,
    SourceContext,
    SourceTimeout,
    open_source,
)
from refdesk.testing.source_conformance import CORPUS, SourceConformance

SERVER = shutil.which("mariadbd") or shutil.which("mysqld")
if SERVER is None:
    pytest.skip("no mariadbd on this machine", allow_module_level=True)
pymysql: Any = pytest.importorskip("pymysql", reason="the extra `mariadb` is not installed")

TABLE = "odd `table` %s"
PASSWORD = "p'w %s"


def run_sql(port: int, *statements: str | tuple[str, tuple[Any, ...]]) -> None:
    connection = pymysql.connect(
        host="127.0.0.1", port=port, user="tester", password=PASSWORD, charset="utf8mb4", autocommit=True
    )
    try:
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(*((statement,) if isinstance(statement, str) else statement))
    finally:
        connection.close()


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A server of its own, with the corpus in a table."""
    assert SERVER is not None
    folder = tmp_path_factory.mktemp("mariadb", numbered=True)
    data = folder / "data"
    own = f"--user={getpass.getuser()}"
    start = folder / "start.sql"
    # A line is one statement to the server.
    start.write_text(
        "CREATE USER tester@'127.0.0.1' IDENTIFIED BY 'p''w %s';\nGRANT ALL ON *.* TO tester@'127.0.0.1';\n",
        encoding="utf-8",
    )
    installed = ["mariadb-install-db", "--no-defaults", f"--datadir={data}", own, "--skip-test-db"]
    subprocess.run(installed, check=True, capture_output=True, timeout=120)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    server = subprocess.Popen(
        [
            SERVER, "--no-defaults", f"--datadir={data}", own, "--bind-address=127.0.0.1", f"--port={number}",
            f"--socket={_short_socket(folder)}", f"--init-file={start}", "--innodb-ft-min-token-size=1",
            "--skip-name-resolve", "--innodb-buffer-pool-size=32M",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(300):
            try:
                run_sql(number, "SELECT 1")
                break
            except pymysql.err.OperationalError:
                time.sleep(0.2)
        quoted = TABLE.replace("`", "``")
        rows = [(d.id, d.title, d.text, d.url, d.metadata["department"], d.metadata["year"]) for d in CORPUS]
        run_sql(
            number,
            "CREATE DATABASE shop CHARACTER SET utf8mb4",
            f"CREATE TABLE shop.`{quoted}` (`key` VARCHAR(64) PRIMARY KEY, title TEXT, text TEXT, link TEXT,"
            " department VARCHAR(200) COLLATE utf8mb4_bin, year INT, FULLTEXT (text, title))"
            " CHARACTER SET utf8mb4",
            *(
                (f"INSERT INTO shop.`{quoted.replace('%', '%%')}` VALUES (%s, %s, %s, %s, %s, %s)", row)
                for row in rows
            ),
        )
        yield number
    finally:
        server.terminate()
        server.wait(30)


def _short_socket(folder: Path) -> str:
    # The path of a socket may have 107 bytes; pytest's folders are longer.
    return f"/tmp/rdm-{abs(hash(str(folder))) % 10**8}.sock"


def config_of(port: int, **changes: Any) -> dict[str, Any]:
    config = {
        "host": "127.0.0.1", "port": port, "database": "shop", "user": "tester", "table": TABLE,
        "id_column": "key", "title_column": "title", "text_columns": ["text"], "url_column": "link",
        "metadata_columns": ["department", "year"],
    }  # fmt: skip
    return config | changes


class TestMariaDbSource(SourceConformance):
    @pytest.fixture
    async def source(self, port: int) -> AsyncIterator[GuardedSource]:
        context = SourceContext(timeout_s=10.0, allow_private=True)
        opened = await open_source("mariadb", config_of(port), PASSWORD, context)
        yield opened
        await opened.close()


@pytest.mark.parametrize(
    ("changes", "password", "expected"),
    [
        ({}, "wrong", SourceAuthentication),
        ({"table": "missing"}, PASSWORD, SourceConfigInvalid),
        ({"text_columns": ["title"], "title_column": None}, PASSWORD, SourceConfigInvalid),
    ],
)
async def test_what_is_wrong_with_the_settings_is_told(
    port: int, changes: dict[str, Any], password: str, expected: type[Exception]
) -> None:
    context = SourceContext(timeout_s=10.0, allow_private=True)
    source = await open_source("mariadb", config_of(port, **changes), password, context)
    with pytest.raises(expected):
        await source.search("travel")


async def test_a_slow_table_ends_at_the_deadline(port: int) -> None:
    quoted = TABLE.replace("`", "``")
    run_sql(
        port,
        f"CREATE OR REPLACE VIEW shop.slow AS SELECT `key`, text, title, SLEEP(5) AS n FROM shop.`{quoted}`",
    )
    config = config_of(port, table="slow", metadata_columns=["n"], url_column=None)
    source = await open_source("mariadb", config, PASSWORD, SourceContext(timeout_s=1.0, allow_private=True))
    with pytest.raises(SourceTimeout):
        await source.search("年假")
