"""Programs in the sandbox reach nothing of this machine, and every bomb ends soon.

Real processes; skipped where the machine cannot isolate, unless REFDESK_TEST_SANDBOX says that it must.
"""

import asyncio
import contextlib
import json
import os
import socket
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from refdesk.tools.sandbox import (
    Isolation,
    PathRefused,
    Sandbox,
    SandboxLimits,
    SandboxUnavailable,
    WorkFolder,
    isolation,
    running,
)

pytestmark = pytest.mark.skipif(
    not isolation().available and not os.environ.get("REFDESK_TEST_SANDBOX"),
    reason=f"no isolation here: {isolation().reason}",
)

SMALL = SandboxLimits(
    timeout_s=20,
    cpu_s=10,
    memory_bytes=192 * 1024**2,
    output_bytes=20_000,
    processes=8,
    file_bytes=4 * 1024**2,
    folder_bytes=8 * 1024**2,
    tmp_bytes=4 * 1024**2,
)

ESCAPES = """
import ctypes, json, os, socket, sys
found = {}
def attempt(name, act):
    try:
        found[name] = repr(act())[:80]
    except BaseException as error:
        found[name] = type(error).__name__
def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as one:
        one.settimeout(2)
        one.connect(address)
given = json.load(sys.stdin)
attempt("passwd", lambda: open("/etc/passwd").read())
for name in ("secret", "source"):
    attempt(name, lambda: open(given[name]).read())
attempt("link", lambda: open("/work/link").read())
attempt("write interpreter", lambda: open(os.__file__, "a"))
attempt("write root", lambda: open("/x", "w"))
attempt("write dev", lambda: open("/dev/x", "w"))
attempt("kernel", lambda: open("/proc/sys/kernel/core_pattern", "a"))
attempt("tcp", lambda: connect(socket.AF_INET, ("127.0.0.1", given["port"])))
attempt("outside", lambda: connect(socket.AF_INET, ("1.1.1.1", 53)))
attempt("socket", lambda: connect(socket.AF_UNIX, given["socket"]))
attempt("abstract", lambda: connect(socket.AF_UNIX, "\\0refdesk-sandbox-test"))
attempt("virtual machine", lambda: socket.socket(40, socket.SOCK_STREAM))
attempt("kill", lambda: os.kill(given["pid"], 0))
attempt("root", lambda: os.setuid(0))
attempt("packages", lambda: __import__("refdesk"))
found["namespace"] = ctypes.CDLL(None).unshare(0x10000000)
found["ring"] = ctypes.CDLL(None).syscall(425, 1, ctypes.create_string_buffer(200))
found["mount"] = ctypes.CDLL(None).mount(b"x", b"/tmp", b"tmpfs", 0, None)
found["environment"] = sorted(os.environ)
found["processes"] = [int(one) for one in os.listdir("/proc") if one.isdigit()]
found["user"] = os.getuid()
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
async def sandbox() -> Sandbox:
    return Sandbox(limits=SMALL)


@pytest.fixture
async def listening(tmp_path: Path) -> AsyncGenerator[tuple[int, str]]:
    """A TCP port and a UNIX socket that stand for a database's."""

    async def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    path = str(tmp_path / "db.sock")
    tcp = await asyncio.start_server(greet, "127.0.0.1", 0)
    unix = await asyncio.start_unix_server(greet, path)
    abstract = socket.socket(socket.AF_UNIX)
    abstract.bind("\0refdesk-sandbox-test")
    abstract.listen()
    yield tcp.sockets[0].getsockname()[1], path
    for server in (tcp, unix):
        server.close()
    abstract.close()


async def test_a_program_reaches_no_file_network_process_or_right_of_this_machine(
    sandbox: Sandbox, tmp_path: Path, listening: tuple[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFDESK_SECRET_KEY", "secret")
    secret = tmp_path / "secret.key"
    secret.write_text("secret")
    work = tmp_path / "work"
    work.mkdir()
    (work / "link").symlink_to(secret)
    port, path = listening
    given = {
        "secret": str(secret),
        "source": __file__,
        "port": port,
        "socket": path,
        "pid": os.getpid(),
    }
    result = await sandbox.run(["python3", "-c", ESCAPES], workdir=work, stdin=json.dumps(given))
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    refused = {name: what for name, what in found.items() if isinstance(what, str)}
    assert all(what.endswith("Error") for what in refused.values()), refused
    assert found["namespace"] == found["mount"] == found["ring"] == -1
    assert set(found["environment"]) == {
        "PATH",
        "HOME",
        "LANG",
        "TZ",
        "PWD",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONUTF8",
    }
    assert len(found["processes"]) <= 3
    assert found["user"] == 65534


BOMBS = {
    "processes": "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
    "memory": (
        "import os, time\nfor _ in range(4): os.fork() if os.getpid() == 2 else None\n"
        "keep = b'x' * 100_000_000\ntime.sleep(30)"
    ),
    "output": "while True: print('x' * 10_000)",
    "timeout": "while True: pass",
}


@pytest.mark.parametrize("stopped", BOMBS)
async def test_a_bomb_is_stopped_with_all_its_processes(sandbox: Sandbox, stopped: str) -> None:
    limits = replace(SMALL, timeout_s=0.6 if stopped == "timeout" else 20)
    started = time.monotonic()
    result = await sandbox.run(["python3", "-c", BOMBS[stopped]], limits=limits)
    assert result.stopped == stopped, result
    assert time.monotonic() - started < 10
    assert len(result.stdout) <= SMALL.output_bytes
    assert result.truncated == (stopped == "output")
    assert result.timed_out == (stopped == "timeout")


async def test_a_working_folder_is_kept_bounded_and_cannot_lead_outside(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    work = WorkFolder(tmp_path / "work")
    work.root.mkdir()
    count = (
        "wc -l < in/rows.csv > count.txt; ln -s /etc/passwd stolen; ln -s /etc folder; mkfifo pipe || true"
    )
    result = await sandbox.run(
        ["sh", "-c", count], files={"in/rows.csv": "a\nb\n"}, workdir=work.root, with_shell=True
    )
    assert result.exit_code == 0, result.stderr
    assert work.read("count.txt").strip() == b"2"
    assert [entry.path for entry in work.entries()] == ["count.txt", "in", "in/rows.csv"]
    for path in ("stolen", "folder/passwd", "../secret", "/etc/passwd", "in"):
        with pytest.raises(PathRefused):
            work.read(path)
    with pytest.raises(PathRefused):
        work.write("folder/x", b"")
    work.write("stolen", b"mine")  # replaces the link, not what it points to
    assert work.read("stolen") == b"mine"
    fill = "for n in range(30):\n    open(str(n), 'wb').write(b'x' * 1_000_000)\nimport time; time.sleep(20)"
    assert (await sandbox.run(["python3", "-c", fill], workdir=work.root)).stopped == "disk"


async def test_output_beyond_the_limit_is_left_out_and_the_program_may_end(sandbox: Sandbox) -> None:
    result = await sandbox.run_python("print('é' * 30_000); raise SystemExit(3)")
    assert (result.exit_code, result.truncated, result.stopped) == (3, True, None)
    assert len(result.stdout.encode()) <= SMALL.output_bytes + 2


async def test_a_cancelled_run_leaves_no_process(sandbox: Sandbox) -> None:
    mark = f"import time; time.sleep(30) # {time.time_ns()}"
    task = asyncio.create_task(sandbox.run(["python3", "-c", mark]))
    await asyncio.sleep(0.7)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not [line for line in _command_lines() if mark.encode() in line]


async def test_nothing_runs_where_isolation_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "isolation", lambda: Isolation(False, "no namespaces"))
    with pytest.raises(SandboxUnavailable) as caught:
        await Sandbox().run(["python3", "-c", "print(1)"])
    assert caught.value.details == {"reason": "no namespaces"}


def _command_lines() -> list[bytes]:
    lines: list[bytes] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            lines.append(path.read_bytes())
    return lines
