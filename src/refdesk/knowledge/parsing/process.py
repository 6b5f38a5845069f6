"""A process that works on what may be hostile: started, spoken with, ended, and never outliving its wait.

`converse` is for asyncio, `converse_blocking` for threads and commands; both send one request, read the
answer up to a limit, hand the process's report on, and kill it at the deadline, when they are cancelled, and
when it sends too much. They know nothing of what is asked; what an end without an answer means is `end_of`.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Literal

from refdesk.knowledge.parsing.child_report import ChildReport
from refdesk.knowledge.parsing.errors import ParseCancelled
from refdesk.knowledge.parsing.progress import OnProgress

COMMAND = (sys.executable, "-I", str(Path(__file__).with_name("child.py")))
_POLL_S = 0.05

type End = Literal["answer", "time", "memory", "crash"]


class SentTooMuch(Exception):
    """The process sent more than it may."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a process left: its exit code, what it sent, and the end of what libraries wrote beside it."""

    code: int | None
    out: bytes
    err: bytes

    @property
    def last_words(self) -> str:
        """The last line on standard error: it names the exception; the rest tells paths of this machine."""
        return self.err.decode("utf-8", errors="replace").strip().rpartition("\n")[2][:300]


def end_of(answer: Answer) -> End:
    """Whether the process answered, or which limit or fault ended it."""
    if answer.code == 0:
        return "answer"
    if answer.code is not None and answer.code == -getattr(signal, "SIGXCPU", 0):
        return "time"
    last = answer.last_words
    if (
        b"memory allocation of" in answer.err
        or "MemoryError" in last
        or "out of memory" in last.lower()
        or "bad_alloc" in last
    ):
        return "memory"
    return "crash"


async def converse(
    command: Sequence[str], request: bytes, report: ChildReport, max_output_bytes: int
) -> Answer:
    """Without blocking the loop. Raises `TimeoutError` at the deadline and `SentTooMuch`."""
    process = await asyncio.create_subprocess_exec(
        *command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    limit = asyncio.timeout_at(_on_loop(report.deadline))

    def reschedule(deadline: float) -> None:
        if not limit.expired():
            limit.reschedule(_on_loop(deadline))

    report.on_deadline = reschedule
    try:
        async with limit:
            out = await _exchange(process, request, report, max_output_bytes)
    finally:
        report.on_deadline = None
        if process.returncode is None:
            await _end(process)
    return Answer(process.returncode, out, report.rest)


def _on_loop(deadline: float) -> float:
    """A time of `time.monotonic` by the clock of the running loop."""
    return deadline - time.monotonic() + asyncio.get_running_loop().time()


async def _exchange(
    process: asyncio.subprocess.Process, request: bytes, report: ChildReport, max_output_bytes: int
) -> bytes:
    """`communicate`, but what comes back is bounded, whatever has become of the process that sends it."""
    stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
    assert stdin is not None
    assert stdout is not None
    assert stderr is not None

    async def send() -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            stdin.write(request)
            await stdin.drain()
        stdin.close()

    async def listen() -> None:
        while chunk := await stderr.read(64 * 1024):
            report.feed(chunk)
        report.close()

    reading = (asyncio.ensure_future(_bounded(stdout, max_output_bytes)), asyncio.ensure_future(listen()))
    sending = asyncio.ensure_future(send())
    try:
        out, _ = await asyncio.gather(*reading)
        await process.wait()
        return out
    finally:
        for task in (*reading, sending):
            task.cancel()
        await asyncio.wait((*reading, sending))


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill the process and wait for it; what it has written is read to its end, or `wait` never returns."""
    process.kill()
    for stream in (process.stdout, process.stderr):
        while stream is not None and await stream.read(64 * 1024):
            pass
    await process.wait()


async def _bounded(stream: asyncio.StreamReader, max_bytes: int) -> bytes:
    received = bytearray()
    while chunk := await stream.read(64 * 1024):
        received += chunk
        if len(received) > max_bytes:
            raise SentTooMuch
    return bytes(received)


def converse_blocking(
    command: Sequence[str],
    request: bytes,
    report: ChildReport,
    max_output_bytes: int,
    *,
    cancelled: threading.Event | None = None,
) -> Answer:
    """In this thread, which also hears the progress. Raises what `converse` does, and `ParseCancelled`."""
    told: SimpleQueue[tuple[int, int]] = SimpleQueue()
    on_progress, report.on_progress = report.on_progress, _teller(told)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, close_fds=True
    ) as process:
        pipes = _Pipes(process, request, report, max_output_bytes)
        try:
            while not pipes.ended():
                _pass_on(told, on_progress, _POLL_S)
                if time.monotonic() >= report.deadline:
                    raise TimeoutError
                if cancelled and cancelled.is_set():
                    raise ParseCancelled
        finally:
            if process.poll() is None:
                process.kill()
            pipes.join()
        _pass_on(told, on_progress, 0)
        return Answer(process.returncode, bytes(pipes.out), report.rest)


def _teller(told: SimpleQueue[tuple[int, int]]) -> OnProgress:
    def tell(done: int, total: int) -> None:
        told.put((done, total))

    return tell


def _pass_on(told: SimpleQueue[tuple[int, int]], listener: OnProgress | None, wait_s: float) -> None:
    """Hand on what was told so far, after waiting for something to be told."""
    with contextlib.suppress(Empty):
        counts = told.get(timeout=max(wait_s, 0.001))
        while listener is not None:
            listener(*counts)
            counts = told.get_nowait()


class _Pipes:
    """The pipes of a process, each served by a thread of its own: none can block another."""

    def __init__(
        self, process: subprocess.Popen[bytes], request: bytes, report: ChildReport, max_output_bytes: int
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.out = bytearray()
        self._max_output_bytes = max_output_bytes
        self._report = report
        self._process = process
        self._threads = [
            threading.Thread(target=work, args=arguments, daemon=True)
            for work, arguments in (
                (_send, (process.stdin, request)),
                (self._read, (process.stdout, self._keep)),
                (self._read, (process.stderr, report.feed)),
            )
        ]
        for thread in self._threads:
            thread.start()

    def _read(self, stream: IO[bytes], take: Callable[[bytes], None]) -> None:
        while chunk := os.read(stream.fileno(), 64 * 1024):
            take(chunk)

    def _keep(self, chunk: bytes) -> None:
        if len(self.out) <= self._max_output_bytes:
            self.out += chunk

    def ended(self) -> bool:
        """Whether the process has closed its pipes and ended. Raises `SentTooMuch`."""
        if len(self.out) > self._max_output_bytes:
            raise SentTooMuch
        return not any(thread.is_alive() for thread in self._threads) and self._process.poll() is not None

    def join(self) -> None:
        """Let the threads end; the process has ended or was killed."""
        for thread in self._threads:
            thread.join()
        self._report.close()


def _send(stream: IO[bytes], request: bytes) -> None:
    with contextlib.suppress(BrokenPipeError, ConnectionResetError), stream:
        stream.write(request)
