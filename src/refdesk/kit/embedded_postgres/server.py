"""Runs one embedded PostgreSQL as a foreground child, and recovers what an earlier life left behind.

Owns start, stop and the leftovers of `kill -9` (a stale pid file, a postmaster or backends still alive, an
old socket folder). Must not know the schema: migrations are the caller's.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from refdesk.kit import launcher, processes
from refdesk.kit.embedded_postgres.binaries import Programs, find_programs
from refdesk.kit.embedded_postgres.cluster import (
    ENVIRONMENT,
    ClusterFiles,
    Connection,
    data_argument,
    server_options,
)
from refdesk.kit.embedded_postgres.errors import DatabaseInUse, DatabaseStartFailed, DatabaseUserForbidden
from refdesk.kit.processes import FileLock

_SOCKET_NAME = ".s.PGSQL.5432.lock"
_SOCKET_PATH_LIMIT = 107  # bytes, sun_path less its NUL
_START_TIMEOUT_S = 300.0  # crash recovery replays up to max_wal_size
_LOG_LIMIT_BYTES = 8 * 1024 * 1024


class EmbeddedPostgres:
    """One cluster in `data_dir`. `durable=False` (tests only) trades safety on power loss for speed.

    `start` returns the URL; the process that started it owns it and stops it. Safe to call from any thread:
    the child is started by a thread that lives as long as the process.
    """

    def __init__(
        self, data_dir: Path, *, durable: bool = True, options: Mapping[str, str] | None = None
    ) -> None:
        self.files = ClusterFiles.of(data_dir)
        self._durable = durable
        self._options = dict(options or {})
        self._owner = FileLock(self.files.owner_lock)
        self._process: subprocess.Popen[bytes] | None = None
        self._socket_dir: Path | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    @property
    def url(self) -> str:
        """What `start` returned. Only while it runs."""
        connection = self.files.read_connection()
        if self._process is None or connection is None:
            raise DatabaseStartFailed("The embedded database is not running.")
        return connection.url

    def start(self) -> str:
        """Start and wait until it answers; the URL. Raises `DatabaseInUse` when another process owns it."""
        self.files.make_folders()
        if not self._owner.acquire():
            raise DatabaseInUse(pid=self._owner.holder())
        try:
            programs = find_programs(self.files.cluster)
            clear_leftovers(self.files)
            if not self.files.cluster.is_dir():
                self.files.create(programs, durable=self._durable)
            self._socket_dir = _make_socket_dir(self.files, programs)
            return self._launch(programs)
        except BaseException:
            self.stop()
            raise

    def restart(self) -> str:
        """Start again after the server died by itself; the URL stays the same."""
        if self._socket_dir is None:
            raise DatabaseStartFailed("The embedded database was not started by this process.")
        clear_leftovers(self.files, keep_socket_dir=True)
        return self._launch(find_programs(self.files.cluster))

    def stop(self) -> None:
        """Fast shutdown: open transactions are rolled back, everything committed is kept."""
        if self._process is not None:
            processes.stop(self._process, (signal.SIGINT, 30.0), (signal.SIGQUIT, 5.0))
            self._process = None
            self.files.forget_connection()
        if self._socket_dir is not None:
            _remove_socket_dir(self._socket_dir)
            self._socket_dir = None
        self._owner.release()

    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _launch(self, programs: Programs) -> str:
        assert self._socket_dir is not None
        if self.files.log.exists() and self.files.log.stat().st_size > _LOG_LIMIT_BYTES:
            self.files.log.replace(self.files.log.with_suffix(".log.1"))
        options = server_options(self._socket_dir, durable=self._durable) | self._options
        with self.files.log.open("ab") as log, data_argument(self.files.cluster, programs) as (folder, fds):
            processes.inherit_owner(self.files.log)
            self._process = processes.spawn(
                [
                    str(programs.postgres),
                    "-D",
                    folder,
                    *(f"--{name}={value}" for name, value in options.items()),
                ],
                death_signal=signal.SIGINT,  # PostgreSQL's fast shutdown
                user=programs.user,
                env=ENVIRONMENT,
                stdout=log.fileno(),
                stderr=subprocess.STDOUT,
                pass_fds=fds,
            )
        self._wait_until_ready(self._process)
        connection = Connection(self._process.pid, str(self._socket_dir), self.files.password())
        self.files.write_connection(connection)
        return connection.url

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + _START_TIMEOUT_S
        while not (self.files.postmaster_pid() == process.pid and self.files.postmaster_is_ready()):
            code = process.poll()
            if code == launcher.USER_CHANGE_FORBIDDEN:
                raise DatabaseUserForbidden()
            if code is not None or time.monotonic() > deadline:
                raise DatabaseStartFailed(log=self.files.log_tail())
            time.sleep(0.005)


def connection_url(data_dir: Path) -> str | None:
    """URL of the server that runs on this data folder now, whoever started it; None when there is none."""
    connection = ClusterFiles.of(data_dir).read_connection()
    if connection is None or not processes.is_alive(connection.postmaster_pid):
        return None
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(2.0)
        try:
            probe.connect(f"{connection.socket_dir}/.s.PGSQL.5432")
        except OSError:
            return None
    return connection.url


def clear_leftovers(files: ClusterFiles, *, keep_socket_dir: bool = False) -> None:
    """After `kill -9`: stop a postmaster and backends that still live, remove a stale pid file.

    PostgreSQL itself refuses to start when the number in its pid file belongs to any live process of the same
    user, which in a container, where the same small numbers come again, is often a stranger.
    """
    pid = files.postmaster_pid()
    if pid is not None and processes.is_alive(pid) and _is_postmaster_of(pid, files):
        for number, patience_s in ((signal.SIGINT, 15.0), (signal.SIGQUIT, 5.0), (signal.SIGKILL, 5.0)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
            if processes.wait_for_end([pid], patience_s):
                break
    if pid is not None:
        _end_orphans(files)
        (files.cluster / "postmaster.pid").unlink(missing_ok=True)
    old = files.read_connection()
    files.forget_connection()
    if old is not None and not keep_socket_dir:
        _remove_socket_dir(Path(old.socket_dir))


def _is_postmaster_of(pid: int, files: ClusterFiles) -> bool:
    if Path("/proc/self/cwd").exists():
        return pid in processes.processes_working_in(files.cluster)
    return "postgres" in (line := processes.command_line(pid)) and str(files.cluster) in line


def _end_orphans(files: ClusterFiles) -> None:
    """Backends notice the postmaster's death by themselves, unless they are busy in a long computation."""
    orphans = processes.processes_working_in(files.cluster)
    if orphans and not processes.wait_for_end(orphans, 3.0):
        for pid in processes.processes_working_in(files.cluster):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        processes.wait_for_end(orphans, 3.0)


def _make_socket_dir(files: ClusterFiles, programs: Programs) -> Path:
    """A folder whose socket's path fits into 107 bytes and that the server's user can reach."""
    if programs.user is None and len(os.fsencode(files.root / _SOCKET_NAME)) <= _SOCKET_PATH_LIMIT:
        return files.root
    places = ("/tmp", os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir())
    for place in filter(None, places):
        with contextlib.suppress(OSError):
            folder = Path(tempfile.mkdtemp(prefix="refdesk-", dir=place))
            if len(os.fsencode(folder / _SOCKET_NAME)) > _SOCKET_PATH_LIMIT:
                folder.rmdir()
                continue
            if programs.user is not None:
                os.chown(folder, *programs.user)
            return folder
    raise DatabaseStartFailed("There is no folder with a short enough path for the database's socket.")


def _remove_socket_dir(folder: Path) -> None:
    if folder.name.startswith("refdesk-"):
        shutil.rmtree(folder, ignore_errors=True)
    else:
        for name in (".s.PGSQL.5432", _SOCKET_NAME):
            (folder / name).unlink(missing_ok=True)
