"""Running one program in the sandbox, from its files to its output."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from refdesk.tools.sandbox import filters, watching
from refdesk.tools.sandbox.folders import WorkFolder
from refdesk.tools.sandbox.inventory import PYTHON, interpreter, shell
from refdesk.tools.sandbox.isolation import (
    INNER_USER,
    OUTER_USER,
    SYSTEM_MOUNTS,
    isolation,
    namespaces,
    user_namespace,
)
from refdesk.tools.sandbox.limits import SandboxLimits
from refdesk.tools.sandbox.prelude import EXECUTE, PRELUDE, process_limits

WORK = "/work"
_LOOK_S = 0.05
_LOOKS_A_FOLDER = 5
# Output beyond the limit is read and dropped so that a talkative program may end; beyond this it is endless.
_ENDLESS = 16
_PIECE = 64 * 1024

Stop = Literal["timeout", "cpu", "memory", "processes", "output", "disk"]


@dataclass(frozen=True, slots=True)
class SandboxResult:
    """How a run ended. `exit_code` is 128 + signal for one that a signal ended.

    `stopped` names the limit that ended it; `truncated` tells that output was left out.
    """

    exit_code: int
    stdout: str
    stderr: str
    truncated: bool
    timed_out: bool
    elapsed_ms: float
    stopped: Stop | None = None

    @property
    def ok(self) -> bool:
        return self.exit_code == 0 and self.stopped is None


class Sandbox:
    """Runs programs. `concurrency` bounds how many at once in this process; the others wait."""

    def __init__(self, *, concurrency: int = 4, limits: SandboxLimits | None = None) -> None:
        self.limits = limits or SandboxLimits()
        self._turns = asyncio.Semaphore(concurrency)

    async def run(
        self,
        command: Sequence[str],
        *,
        files: Mapping[str, bytes | str] | None = None,
        workdir: Path | None = None,
        folders: Mapping[str, Path] | None = None,
        limits: SandboxLimits | None = None,
        stdin: bytes | str | None = None,
        environment: Mapping[str, str] | None = None,
        with_shell: bool = False,
    ) -> SandboxResult:
        """Run `command` (`python3`, or with `with_shell` also `sh` and the usual programs) in `/work`.

        `workdir` is bound there and kept; without one it is empty and gone afterwards. `files` are written
        into it before (paths relative to it). `folders` are read-only: a path in the sandbox (`/skill`) to a
        folder of this machine. Raises `SandboxUnavailable` and `PathRefused`; cancelling ends the program.
        """
        source = PRELUDE + EXECUTE
        return await self._run(
            source, command, files, workdir, folders, limits or self.limits, stdin, environment, with_shell
        )

    async def run_python(
        self,
        source: str,
        *,
        arguments: Sequence[str] = (),
        limits: SandboxLimits | None = None,
        stdin: bytes | str | None = None,
    ) -> SandboxResult:
        """Run a text as Python, without files. Quicker than `run` by one start of the interpreter."""
        return await self._run(
            PRELUDE + source, arguments, None, None, None, limits or self.limits, stdin, None, False
        )

    async def _run(
        self,
        source: str,
        arguments: Sequence[str],
        files: Mapping[str, bytes | str] | None,
        workdir: Path | None,
        folders: Mapping[str, Path] | None,
        limits: SandboxLimits,
        stdin: bytes | str | None,
        environment: Mapping[str, str] | None,
        with_shell: bool,
    ) -> SandboxResult:
        program = (await asyncio.to_thread(isolation)).required()
        space = user_namespace()
        given = {
            "user": None if space is None else INNER_USER,
            "folder": WORK,
            "limits": process_limits(limits),
            "nice": 10,
        }
        small = ("--size", str(limits.tmp_bytes))
        async with self._turns, _work_folder(files, workdir) as folder:
            closed = filters.descriptor()
            fds = [fd for fd in (space, closed) if fd is not None]
            command = [
                program,
                *namespaces(space),
                *interpreter().arguments(),
                *(shell().arguments() if with_shell else ()),
                *SYSTEM_MOUNTS,
                *(*small, "--perms", "1777", "--tmpfs", "/tmp"),
                *(("--bind", str(folder), WORK) if folder else (*small, "--perms", "0777", "--tmpfs", WORK)),
                *_bound(folders),
                *_environment(environment),
                *(("--seccomp", str(closed)) if closed is not None else ()),
                *("--remount-ro", "/", "--chdir", "/", "--", PYTHON, "-I", "-S", "-c"),
                *(source, json.dumps(given), *arguments),
            ]
            data = stdin.encode() if isinstance(stdin, str) else stdin
            try:
                return await _Run(limits, folder).execute(command, data, fds)
            finally:
                if closed is not None:
                    os.close(closed)


@dataclass(slots=True)
class _Stream:
    """What came out of one pipe, up to a limit."""

    limit: int
    kept: bytearray = field(default_factory=bytearray)
    size: int = 0

    def take(self, data: bytes) -> None:
        self.size += len(data)
        if len(self.kept) < self.limit:
            self.kept += data[: self.limit - len(self.kept)]

    @property
    def text(self) -> str:
        return self.kept.decode("utf-8", "replace").replace("\x00", "")


class _Run:
    """One run under way."""

    def __init__(self, limits: SandboxLimits, folder: Path | None) -> None:
        self._limits, self._folder = limits, folder
        self._out, self._err = _Stream(limits.output_bytes), _Stream(limits.output_bytes)
        self._stopped: Stop | None = None

    async def execute(self, command: Sequence[str], data: bytes | None, fds: Sequence[int]) -> SandboxResult:
        started = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL if data is None else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={},
            cwd="/",
            pass_fds=tuple(fds),
            start_new_session=True,
        )
        watch = asyncio.create_task(self._watch(process.pid))
        try:
            await asyncio.gather(
                self._feed(process.stdin, data),
                self._read(process, process.stdout, self._out),
                self._read(process, process.stderr, self._err),
            )
            code = await process.wait()
        finally:
            watch.cancel()
            if process.returncode is None:
                watching.kill_all(process.pid)
                # The namespace is gone within milliseconds; a cancelled run must not leave a zombie.
                await asyncio.shield(process.wait())
        return self._result(code, (time.perf_counter() - started) * 1000)

    def _result(self, code: int, elapsed_ms: float) -> SandboxResult:
        code = 128 - code if code < 0 else code
        if self._stopped is None and code == 128 + signal.SIGXCPU:
            self._stopped = "cpu"
        if self._stopped is None and code == 128 + signal.SIGXFSZ:
            self._stopped = "disk"
        return SandboxResult(
            code,
            self._out.text,
            self._err.text,
            any(stream.size > stream.limit for stream in (self._out, self._err)),
            self._stopped in ("timeout", "cpu"),
            round(elapsed_ms, 1),
            self._stopped,
        )

    def _stop(self, pid: int, why: Stop) -> None:
        self._stopped = self._stopped or why
        watching.kill_all(pid)

    async def _watch(self, pid: int) -> None:
        deadline = time.monotonic() + self._limits.timeout_s
        looks = 0
        while True:
            await asyncio.sleep(min(_LOOK_S, max(0.0, deadline - time.monotonic())))
            looks += 1
            pids = watching.processes_of(pid)
            if time.monotonic() >= deadline:
                self._stop(pid, "timeout")
            elif len(pids) - 2 > self._limits.processes:  # bubblewrap itself is two of them
                self._stop(pid, "processes")
            elif watching.own_memory(pids) > self._limits.memory_bytes:
                self._stop(pid, "memory")
            elif self._folder is not None and looks % _LOOKS_A_FOLDER == 0:
                size = await asyncio.to_thread(watching.folder_bytes, self._folder)
                if size > self._limits.folder_bytes:
                    self._stop(pid, "disk")

    async def _feed(self, pipe: asyncio.StreamWriter | None, data: bytes | None) -> None:
        if pipe is None or data is None:
            return
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it ended without reading all
            pipe.write(data)
            await pipe.drain()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            pipe.close()
            await pipe.wait_closed()

    async def _read(
        self, process: asyncio.subprocess.Process, pipe: asyncio.StreamReader | None, stream: _Stream
    ) -> None:
        assert pipe is not None
        while data := await pipe.read(_PIECE):
            stream.take(data)
            if stream.size > stream.limit * _ENDLESS:
                self._stop(process.pid, "output")
                return


@asynccontextmanager
async def _work_folder(
    files: Mapping[str, bytes | str] | None, workdir: Path | None
) -> AsyncGenerator[Path | None]:
    """The folder to bind: the given one, one for these files, or none."""
    if workdir is None and not files:
        yield None
        return
    made = (
        None
        if workdir is not None
        else Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="refdesk-run-"))
    )
    folder = (workdir or made or Path()).resolve()
    try:
        await asyncio.to_thread(_fill, folder, files or {})
        yield folder
    finally:
        if made is not None:
            await asyncio.to_thread(shutil.rmtree, made, ignore_errors=True)


def _fill(folder: Path, files: Mapping[str, bytes | str]) -> None:
    work = WorkFolder(folder)
    for name, content in files.items():
        work.write(name, content.encode() if isinstance(content, str) else content)
    if os.geteuid() == 0:
        work.give_to(OUTER_USER)


def _bound(folders: Mapping[str, Path] | None) -> list[str]:
    arguments: list[str] = []
    for place, folder in (folders or {}).items():
        if not place.startswith("/") or ".." in place.split("/"):
            raise ValueError(f"not a place in the sandbox: {place}")
        arguments += ["--ro-bind", str(folder.resolve()), place]
    return arguments


def _environment(environment: Mapping[str, str] | None) -> list[str]:
    values = {
        "PATH": "/usr/bin",
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        **(environment or {}),
    }
    return [part for name, value in values.items() for part in ("--setenv", name, value)]
