"""One database for several processes of one machine: whoever needs it first starts it for its time.

A command next to a running `refdesk serve` connects to that one's server. Without one it starts the server,
and other commands borrow it; the first does not stop it before the last borrower is done.
"""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from refdesk.kit.embedded_postgres.cluster import ClusterFiles
from refdesk.kit.embedded_postgres.errors import DatabaseInUse
from refdesk.kit.embedded_postgres.server import EmbeddedPostgres, connection_url
from refdesk.kit.processes import FileLock
from refdesk.kit.settings import Settings


@contextmanager
def running_database(settings: Settings, *, timeout_s: float = 60.0) -> Generator[str]:
    """URL of a database that runs at least as long as the block.

    The configured one, a running embedded one, or one started here. Raises `DatabaseInUse` when another
    process neither shares nor frees it in time.
    """
    if settings.database_url is not None:
        yield settings.database_url.get_secret_value()
        return
    deadline = time.monotonic() + timeout_s
    while True:
        server = EmbeddedPostgres(settings.data_dir)
        try:
            url = server.start()
        except DatabaseInUse:
            borrowed = _borrow(settings.data_dir)
            if borrowed is None:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
                continue
            url, lock = borrowed
            try:
                yield url
            finally:
                lock.release()
            return
        try:
            yield url
        finally:
            _stop_after_borrowers(server)
        return


def _borrow(data_dir: Path) -> tuple[str, FileLock] | None:
    lock = FileLock(ClusterFiles.of(data_dir).users_lock)
    if not lock.acquire(shared=True):  # its owner is just stopping it
        return None
    url = connection_url(data_dir)
    if url is None:  # its owner is just starting it
        lock.release()
        return None
    return url, lock


def _stop_after_borrowers(server: EmbeddedPostgres) -> None:
    users = FileLock(server.files.users_lock)
    if not users.acquire():
        print("waiting for another refdesk command that uses the database", file=sys.stderr)  # noqa: T201
        users.acquire(wait=True)
    try:
        server.stop()
    finally:
        users.release()
