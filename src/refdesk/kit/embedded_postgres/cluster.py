"""The files of one embedded cluster: where they lie, how they are made, how they are configured.

Layout in the data folder: `postgres/cluster` (owned by the user PostgreSQL runs as), and in
`postgres/`: `password`, `connection.json` (while it runs), `server.log`, `owner.lock`, `users.lock`.
"""

import contextlib
import json
import os
import secrets
import shutil
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote

from refdesk.kit import launcher, processes
from refdesk.kit.embedded_postgres.binaries import Programs
from refdesk.kit.embedded_postgres.errors import (
    DatabaseFolderUnusable,
    DatabaseStartFailed,
    DatabaseUserForbidden,
)

ROLE = "refdesk"
DATABASE = "refdesk"

# Never the caller's environment: its locale would become the cluster's, its PG* variables would be obeyed.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}

# /dev/shm is 64 MB in many containers; one parallel HNSW build wants maintenance_work_mem of it.
_SMALL_SHM = 1024**3


@dataclass(frozen=True)
class Connection:
    """What another process on this machine needs in order to connect. Written with mode 0600."""

    postmaster_pid: int
    socket_dir: str
    password: str

    @property
    def url(self) -> str:
        return (
            f"postgresql://{ROLE}:{quote(self.password)}@/{DATABASE}?host={quote(self.socket_dir)}&port=5432"
        )


@dataclass(frozen=True)
class ClusterFiles:
    """Paths of the cluster in one data folder."""

    root: Path

    @classmethod
    def of(cls, data_dir: Path) -> "ClusterFiles":
        return cls(data_dir.expanduser().absolute() / "postgres")

    @property
    def cluster(self) -> Path:
        return self.root / "cluster"

    @property
    def log(self) -> Path:
        return self.root / "server.log"

    @property
    def owner_lock(self) -> Path:
        return self.root / "owner.lock"

    @property
    def users_lock(self) -> Path:
        return self.root / "users.lock"

    @property
    def _connection(self) -> Path:
        return self.root / "connection.json"

    @property
    def _password(self) -> Path:
        return self.root / "password"

    def make_folders(self) -> None:
        try:
            for folder in (self.root.parent, self.root):
                if not folder.is_dir():
                    folder.mkdir(mode=0o700, parents=True)
                    processes.inherit_owner(folder)
            if not os.access(self.root, os.W_OK | os.X_OK):
                raise PermissionError(13, "Permission denied", str(self.root))
        except OSError as error:
            raise DatabaseFolderUnusable(
                f"The data folder cannot be used: {error.strerror}: {error.filename}.",
                folder=str(self.root.parent),
            ) from error

    def password(self) -> str:
        return self._password.read_text().strip()

    def read_connection(self) -> Connection | None:
        try:
            return Connection(**json.loads(self._connection.read_text()))
        except (OSError, ValueError, TypeError):
            return None

    def write_connection(self, connection: Connection) -> None:
        _write_private(self._connection, json.dumps(asdict(connection)))

    def forget_connection(self) -> None:
        self._connection.unlink(missing_ok=True)

    def postmaster_pid(self) -> int | None:
        """First line of PostgreSQL's own pid file, whether that process lives or not."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            return int((self.cluster / "postmaster.pid").read_text().splitlines()[0])
        return None

    def postmaster_is_ready(self) -> bool:
        """PostgreSQL writes its state into line 8 of its pid file."""
        with contextlib.suppress(OSError, IndexError):
            return (self.cluster / "postmaster.pid").read_text().splitlines()[7].strip() == "ready"
        return False

    def log_tail(self, lines: int = 12) -> str:
        with contextlib.suppress(OSError):
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        return ""

    def create(self, programs: Programs, *, durable: bool) -> None:
        """Make the cluster with its database. Built aside and renamed: it exists whole or not at all."""
        fresh = self.root / "cluster.new"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        if programs.user is not None:
            os.chown(fresh, *programs.user)
        password = secrets.token_urlsafe(24)
        _write_private(self._password, password)
        with self.log.open("ab") as log, data_argument(fresh, programs) as (folder, fds):
            command = [
                str(programs.initdb),
                f"--pgdata={folder}",
                f"--username={ROLE}",
                "--encoding=UTF8",
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--auth=scram-sha-256",
                "--pwfile=/dev/stdin",
                "--no-instructions",
            ]
            self._run(command if durable else [*command, "--no-sync"], password, programs, log.fileno(), fds)
            single = [str(programs.postgres), "--single", "-F", "-D", folder, "postgres"]
            self._run(single, f"CREATE DATABASE {DATABASE};\n", programs, log.fileno(), fds)
        fresh.rename(self.cluster)

    def _run(self, command: list[str], text: str, programs: Programs, log: int, fds: tuple[int, ...]) -> None:
        read, write = os.pipe()
        with os.fdopen(read, "rb") as stdin:
            os.write(write, text.encode())  # far below the pipe's buffer
            os.close(write)
            if programs.user is not None:
                os.fchown(read, *programs.user)  # initdb opens /dev/stdin by name
            process = processes.spawn(
                command,
                death_signal=signal.SIGKILL,
                user=programs.user,
                env=ENVIRONMENT,
                stdin=stdin,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=fds,
            )
        code = process.wait()
        if code == launcher.USER_CHANGE_FORBIDDEN:
            raise DatabaseUserForbidden()
        if code != 0:
            raise DatabaseStartFailed("The embedded database could not be created.", log=self.log_tail())


@contextmanager
def data_argument(folder: Path, programs: Programs) -> Generator[tuple[str, tuple[int, ...]]]:
    """The folder as the server's `-D` argument and the descriptors to pass on.

    An unprivileged server cannot walk through root's private folders (`/root`, `mktemp -d`) to its own one.
    Opening them is not ours to do, so we hand it an open descriptor of the folder instead: the kernel follows
    `/proc/self/fd/N` without looking at the parents, and PostgreSQL's processes inherit N.
    """
    if programs.user is None or not Path("/proc/self/fd").is_dir():
        yield str(folder), ()
        return
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{fd}", (fd,)
    finally:
        os.close(fd)


def server_options(socket_dir: Path, *, durable: bool) -> dict[str, str]:
    """Configuration on the command line, so that a newer version of ours applies to an older cluster."""
    options = {
        "listen_addresses": "",
        "unix_socket_directories": str(socket_dir),
        "unix_socket_permissions": "0700",
        "password_encryption": "scram-sha-256",
        "shared_buffers": f"{_buffer_megabytes()}MB",
        "work_mem": "16MB",
        "maintenance_work_mem": "64MB",  # index builds set their own
        "effective_cache_size": "1GB",
        "max_connections": "100",
        "huge_pages": "try",
        "jit": "off",  # compiling costs more than it saves on queries of milliseconds
        "random_page_cost": "1.1",
        "max_wal_size": "1GB",
        "dynamic_shared_memory_type": "mmap" if _shm_is_small() else "posix",
        "log_destination": "stderr",
        "logging_collector": "off",
        "log_line_prefix": "%m [%p] ",
        "log_timezone": "UTC",
        "timezone": "UTC",
        "cluster_name": "refdesk",
    }
    if not durable:
        options |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
    return options


def _buffer_megabytes() -> int:
    """A sixteenth of the memory this process may use, 128–1024; pages count only once they are read."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    with contextlib.suppress(OSError, ValueError):  # no such file, or "max"
        limits.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(max(min(limits) // 16 // 1024**2, 128), 1024)


def _shm_is_small() -> bool:
    try:
        status = os.statvfs("/dev/shm")
    except OSError:
        return True
    return status.f_bavail * status.f_frsize < _SMALL_SHM or not os.access("/dev/shm", os.W_OK)


def _write_private(path: Path, text: str) -> None:
    fresh = path.with_suffix(".new")
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "w") as file:
        file.write(text)
    processes.inherit_owner(fresh)
    fresh.rename(path)
