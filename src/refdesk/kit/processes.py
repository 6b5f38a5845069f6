"""Child processes that end with their parent, pid checks, and file locks between processes.

Owns how this product starts and stops processes: the database, the worker, the parsers. It must not know
what they do. Where the system has a parent-death signal (Linux) a child gets it even after `kill -9` of the
parent; elsewhere callers fall back on pid files at the next start.
"""

import contextlib
import errno
import fcntl
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from typing import IO, Self

from refdesk.kit import launcher


class _Spawner:
    """One thread that starts all children and lives as long as the process.

    The parent-death signal is tied to the *thread* that started the child: a child started from a pool's
    thread would be killed when the pool shrinks.
    """

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[
            tuple[Future[subprocess.Popen[bytes]], list[str], dict[str, object]]
        ] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="refdesk-spawner", daemon=True).start()

    def _run(self) -> None:
        while True:
            future, command, options = self._work.get()
            try:
                future.set_result(subprocess.Popen(command, **options))  # pyright: ignore[reportArgumentType, reportCallIssue]
            except OSError as error:
                future.set_exception(error)

    def spawn(self, command: list[str], options: dict[str, object]) -> subprocess.Popen[bytes]:
        future: Future[subprocess.Popen[bytes]] = Future()
        self._work.put((future, command, options))
        return future.result()


@cache
def _spawner(_pid: int) -> _Spawner:
    return _Spawner()


def spawn(
    command: Sequence[str],
    *,
    death_signal: signal.Signals = signal.SIGTERM,
    user: tuple[int, int] | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int | IO[bytes] | None = None,
    stderr: int | IO[bytes] | None = None,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start `command` (an absolute path first) in a session of its own, so that Ctrl-C reaches only us.

    `user` is (uid, gid) to drop to. `death_signal` is what the child gets when this process dies.
    Exit code `launcher.USER_CHANGE_FORBIDDEN` means that the system did not allow `user`.
    """
    uid, gid = user if user is not None else (-1, -1)
    head = [sys.executable, "-I", "-S", str(Path(launcher.__file__).resolve()), str(os.getpid())]
    return _spawner(os.getpid()).spawn(
        [*head, str(int(death_signal)), str(uid), str(gid), *command],
        {
            "env": None if env is None else dict(env),
            "cwd": cwd,
            "stdin": stdin,
            "stdout": stdout,
            "stderr": stderr,
            "pass_fds": tuple(pass_fds),
            "start_new_session": True,
        },
    )


def stop(process: subprocess.Popen[bytes], *steps: tuple[signal.Signals, float]) -> int:
    """Send each signal in turn and wait its seconds, then SIGKILL. Returns the exit code."""
    for number, patience_s in steps:
        if process.poll() is not None:
            break
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(patience_s)
    if process.poll() is None:
        process.kill()
    return process.wait()


def give_way(niceness: int = 10) -> None:
    """Let other processes have the cores first when there are too few; for the rest of this process's life.

    Linux desktops weigh sessions, not processes (autogroup). A child of `spawn` leads a session of its own,
    which is told too; a session that belongs to someone else, such as a terminal's, is left alone.
    """
    with contextlib.suppress(OSError):
        os.nice(niceness)
        if os.getsid(0) == os.getpid():
            Path("/proc/self/autogroup").write_text(str(niceness))


def is_alive(pid: int) -> bool:
    """Whether a process with this id runs, also someone else's.

    A zombie does not: in a container whose first process reaps nothing, zombies stay for ever.
    """
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except OSError as error:
        return error.errno == errno.EPERM
    with contextlib.suppress(OSError, IndexError):
        status = Path(f"/proc/{pid}/stat").read_text()
        return status.rpartition(")")[2].split()[0] != "Z"
    return True


def wait_for_end(pids: Sequence[int], timeout_s: float) -> bool:
    """Wait until none of these processes (not our children) is alive. False when time ran out."""
    deadline = time.monotonic() + timeout_s
    while any(is_alive(pid) for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def processes_working_in(folder: Path) -> list[int]:
    """Ids of the processes whose working directory is `folder` (Linux; elsewhere an empty list)."""
    found: list[int] = []
    wanted = str(folder.resolve())
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str((entry / "cwd").readlink()) == wanted:
                found.append(int(entry.name))
    return found


def command_line(pid: int) -> str:
    """The command line of a process, or an empty string when it is gone or hidden."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    if sys.platform == "linux":
        return ""
    answer = subprocess.run(
        ["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return answer.stdout.strip()


class FileLock:
    """A lock between processes that the kernel lets go when its holder dies, however it dies.

    The holder of the exclusive lock writes its process id into the file, for messages only.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None

    def acquire(self, *, shared: bool = False, wait: bool = False) -> bool:
        """Take the lock; False when another process holds it and `wait` is not set."""
        fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        inherit_owner(self.path)
        try:
            fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            os.close(fd)
            return False
        if not shared:
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
        self._fd = fd
        return True

    def release(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def holder(self) -> int | None:
        """Process id that last held the exclusive lock."""
        try:
            return int(self.path.read_text())
        except (OSError, ValueError):
            return None

    def __enter__(self) -> Self:
        self.acquire(wait=True)
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def inherit_owner(path: Path) -> None:
    """As root, give a file we made to the owner of its folder, so that this user can run us later too."""
    if os.geteuid() == 0:
        owner = path.parent.stat()
        if path.stat().st_uid != owner.st_uid:
            os.chown(path, owner.st_uid, owner.st_gid)
