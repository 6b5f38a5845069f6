"""The processes beside the web server: the database and the worker, kept alive and stopped together.

Owns the order of start and stop and what happens when a child dies. Must not know what the worker works on.
"""

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from refdesk.kit import processes
from refdesk.kit.embedded_postgres import ClusterFiles, DatabaseInUse, DatabaseStartFailed, EmbeddedPostgres
from refdesk.kit.errors import Conflict
from refdesk.kit.external_database import require_suitable
from refdesk.kit.processes import FileLock
from refdesk.kit.settings import Settings

log = logging.getLogger("refdesk.serve")

_DOORS = 16
_BORROWED_TIMEOUT_S = 60.0
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 30.0
_STEADY_AFTER_S = 60.0  # a child that lived this long starts with the first pause again
_LOOK_EVERY_S = 0.25
_WORKER_PATIENCE_S = 6.0  # its jobs get 5 s to stop; what they lose is done again from its last checkpoint


class AddressInUse(Conflict):
    """The address the server should listen on is taken, or may not be used."""

    code = "address-in-use"
    message = "The address is in use."
    hint = "Choose another one with --port or REFDESK_PORT."


class AlreadyServing(Conflict):
    """A `refdesk serve` of the same data folder runs already."""

    code = "already-serving"
    message = "Refdesk already runs with this data folder."
    hint = "Stop that process, or choose another data folder with REFDESK_DATA_DIR."


def listen_on(host: str, port: int) -> socket.socket:
    """A bound socket that does not listen yet: until the server is ready connections are refused."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, proto)
    except OSError as error:
        raise AddressInUse(f"Cannot listen on {host}:{port}: {error.strerror}.") from error
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind(address)
    except OSError as error:
        bound.close()
        raise AddressInUse(f"Cannot listen on {host}:{port}: {error.strerror}.") from error
    bound.set_inheritable(False)
    return bound


def many_doors(listener: socket.socket) -> list[socket.socket]:
    """The same socket several times over, for the server to listen on.

    uvloop lets in one connection of each listening socket a round of its loop, however many wait: while 64
    programs were served, the last of them that came together waited half a second to be let in.
    """
    return [listener, *(listener.dup() for _ in range(_DOORS - 1))]


@contextmanager
def only_server_of(settings: Settings) -> Generator[None]:
    """Hold the data folder for one `serve`. Processes that share an external database may share it."""
    if settings.database_url is not None:
        yield
        return
    files = ClusterFiles.of(settings.data_dir)
    files.make_folders()
    lock = FileLock(files.root.parent / "serve.lock")
    if not lock.acquire():
        raise AlreadyServing(f"Refdesk already runs with this data folder (process {lock.holder()}).")
    try:
        yield
    finally:
        lock.release()


@contextmanager
def database_for(settings: Settings) -> Generator[tuple[str, EmbeddedPostgres | None]]:
    """The database's URL and, if it is the embedded one, its server, which ends with the block."""
    if settings.database_url is not None:
        url = settings.database_url.get_secret_value()
        require_suitable(url)
        yield url, None
        return
    server = EmbeddedPostgres(settings.data_dir)
    deadline = time.monotonic() + _BORROWED_TIMEOUT_S
    while True:
        try:
            url = server.start()
            break
        except DatabaseInUse as error:
            if time.monotonic() > deadline:
                raise
            log.warning(
                "waiting for a refdesk command that uses the database (process %s)", error.details["pid"]
            )
            time.sleep(1.0)
    try:
        yield url, server
    finally:
        server.stop()


class Worker:
    """The worker as a child process: started again, ever more slowly, when it dies."""

    def __init__(self, *, sole: bool) -> None:
        self._command = [sys.executable, "-m", "refdesk", "worker", *(["--sole"] if sole else [])]
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._pause_s = _FIRST_PAUSE_S
        self._not_before = 0.0

    def start(self) -> None:
        # SIGKILL, because a worker in a long native call would not see anything gentler, and after the death
        # of its parent there is no database to tidy up in.
        self._process = processes.spawn(self._command, death_signal=signal.SIGKILL, env=os.environ)
        self._started_at = time.monotonic()

    def look_after(self) -> None:
        """Start it again if it died and its pause is over. Called every so often."""
        process = self._process
        if process is not None and (code := process.poll()) is not None:
            lived_s = time.monotonic() - self._started_at
            if lived_s > _STEADY_AFTER_S:
                self._pause_s = _FIRST_PAUSE_S
            log.error("the worker ended with code %s; starting it again in %.1f s", code, self._pause_s)
            self._not_before = time.monotonic() + self._pause_s
            self._pause_s = min(self._pause_s * 2, _LONGEST_PAUSE_S)
            self._process = None
        if self._process is None and time.monotonic() >= self._not_before:
            self.start()

    def ask_to_stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def stop(self) -> None:
        if self._process is not None:
            processes.stop(self._process, (signal.SIGTERM, _WORKER_PATIENCE_S))
            self._process = None


async def look_after_children(
    worker: Worker,
    server: EmbeddedPostgres | None,
    *,
    ready: Callable[[], bool],
    leaving: Callable[[], bool],
    leave: Callable[[], None],
) -> None:
    """Keep the worker and the embedded database running until `leaving`; `leave` when the latter cannot.

    The worker starts once the web server is `ready`: its imports would compete for the processor.
    """
    while True:
        await asyncio.sleep(_LOOK_EVERY_S)
        if leaving():
            return
        if server is not None and not server.is_running():
            log.error("the embedded database ended by itself; starting it again")
            try:
                await asyncio.to_thread(server.restart)
            except DatabaseStartFailed as error:
                log.critical("the embedded database does not start again: %s", error.details.get("log", ""))
                leave()
                return
        if ready():
            worker.look_after()
