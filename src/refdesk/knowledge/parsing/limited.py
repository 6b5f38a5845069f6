"""Reading a file in a process of its own, with limits on time and memory, so that no file harms another.

`parse_limited` blocks, `parse_in_subprocess` is for asyncio; both kill the process at the time limit and
when they are cancelled, and both tell how far it has come: `on_progress(done, total)` is called in the
calling thread or on the loop, at most some five times a second, with pages or whatever the file has instead.
A small file takes 0.12–0.16 s on an idle machine; child.py says why so little.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO

import orjson

from refdesk.knowledge.parsing.blocks import Parsed, ParseOptions
from refdesk.knowledge.parsing.child_report import ChildReport
from refdesk.knowledge.parsing.errors import (
    EmptyFile,
    ParseCancelled,
    ParseCrashed,
    ParseMemory,
    ParseTimeout,
    ResultTooLarge,
)
from refdesk.knowledge.parsing.ocr import PATIENCE
from refdesk.knowledge.parsing.progress import OnProgress
from refdesk.knowledge.parsing.wire import decode_result

_COMMAND = (sys.executable, "-I", str(Path(__file__).with_name("child.py")))
_POLL_S = 0.05
DEFAULT_TIMEOUT_S = 300.0
DEFAULT_MEMORY_BYTES = 2 * 1024**3


def _request(data: bytes, name: str, options: ParseOptions, timeout_s: float, memory_bytes: int) -> bytes:
    if not data:
        raise EmptyFile
    head = {
        "name": name,
        "memory_bytes": memory_bytes,
        "cpu_s": int(timeout_s + options.ocr_threads * _most_computing(options)) + 5,
        "options": asdict(options),
    }
    return orjson.dumps(head) + b"\n" + data


def _most_extension(options: ParseOptions) -> float:
    """Seconds by the clock that OCR may take beyond the time limit, whatever the process asks for."""
    return PATIENCE * _most_computing(options)


def _most_computing(options: ParseOptions) -> float:
    return 0.0 if options.ocr == "off" else options.ocr_timeout_s + options.ocr_page_timeout_s


def _outcome(code: int | None, out: bytes, err: bytes, timeout_s: float) -> Parsed:
    if code == 0:
        return decode_result(out)
    # The end of the error text names the exception; the rest would only repeat paths of this machine.
    last = err.decode("utf-8", errors="replace").strip().rpartition("\n")[2][:300]
    if code == -signal.SIGXCPU:
        raise ParseTimeout(timeout_s=timeout_s)
    if (
        b"memory allocation of" in err
        or "MemoryError" in last
        or "out of memory" in last.lower()
        or "bad_alloc" in last
    ):
        raise ParseMemory
    raise ParseCrashed(exit_code=code, reason=last)


def parse_limited(
    source: Path | bytes,
    name: str,
    options: ParseOptions | None = None,
    *,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
    cancelled: threading.Event | None = None,
    on_progress: OnProgress | None = None,
) -> Parsed:
    """Read a file in a limited process. Raises a `ParseError`; `ParseCancelled` once `cancelled` is set."""
    data = source if isinstance(source, bytes) else source.read_bytes()
    options = options or ParseOptions()
    request = _request(data, name, options, timeout_s, memory_bytes)
    begin = time.monotonic()
    with subprocess.Popen(
        _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, close_fds=True
    ) as process:
        pipes = _Pipes(process, request, options)
        try:
            while not pipes.ended():
                pipes.pass_on(on_progress, _POLL_S)
                if time.monotonic() >= begin + timeout_s + pipes.report.extended_s:
                    raise ParseTimeout(timeout_s=timeout_s)
                if cancelled and cancelled.is_set():
                    raise ParseCancelled
        finally:
            if process.poll() is None:
                process.kill()
            pipes.join()
        pipes.pass_on(on_progress, 0)
        return _outcome(process.returncode, bytes(pipes.out), pipes.report.rest, timeout_s)


class _Pipes:
    """The pipes of a process, each served by a thread of its own: none can block another."""

    def __init__(self, process: subprocess.Popen[bytes], request: bytes, options: ParseOptions) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.out = bytearray()
        self._max_output_bytes = options.max_output_bytes
        self._told: SimpleQueue[tuple[int, int]] = SimpleQueue()
        self.report = ChildReport(lambda done, total: self._told.put((done, total)), _most_extension(options))
        self._process = process
        self._threads = [
            threading.Thread(target=work, args=arguments, daemon=True)
            for work, arguments in (
                (_send, (process.stdin, request)),
                (self._read, (process.stdout, self._keep)),
                (self._read, (process.stderr, self.report.feed)),
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
        """Whether the process has closed its pipes and ended. Raises `ResultTooLarge`."""
        if len(self.out) > self._max_output_bytes:
            raise ResultTooLarge(max_bytes=self._max_output_bytes)
        return not any(thread.is_alive() for thread in self._threads) and self._process.poll() is not None

    def pass_on(self, listener: OnProgress | None, wait_s: float) -> None:
        """Hand on what was told so far, after waiting for something to be told."""
        with contextlib.suppress(Empty):
            told = self._told.get(timeout=max(wait_s, 0.001))
            while listener is not None:
                listener(*told)
                told = self._told.get_nowait()

    def join(self) -> None:
        """Let the threads end; the process has ended or was killed."""
        for thread in self._threads:
            thread.join()
        self.report.close()


def _send(stream: IO[bytes], request: bytes) -> None:
    with contextlib.suppress(BrokenPipeError, ConnectionResetError), stream:
        stream.write(request)


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
            raise ResultTooLarge(max_bytes=max_bytes)
    return bytes(received)


async def parse_in_subprocess(
    source: Path | bytes,
    name: str,
    options: ParseOptions | None = None,
    *,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
    on_progress: OnProgress | None = None,
) -> Parsed:
    """Read a file in a limited process without blocking the loop; cancelling kills the process."""
    data = source if isinstance(source, bytes) else await asyncio.to_thread(source.read_bytes)
    options = options or ParseOptions()
    request = _request(data, name, options, timeout_s, memory_bytes)
    process = await asyncio.create_subprocess_exec(
        *_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    begin = asyncio.get_running_loop().time()
    limit = asyncio.timeout_at(begin + timeout_s)

    def extend(extended_s: float) -> None:
        if not limit.expired():
            limit.reschedule(begin + timeout_s + extended_s)

    report = ChildReport(on_progress, _most_extension(options), extend)
    try:
        async with limit:
            out = await _exchange(process, request, report, options.max_output_bytes)
    except TimeoutError:
        raise ParseTimeout(timeout_s=timeout_s) from None
    finally:
        if process.returncode is None:
            await _end(process)
    # Large results take long to decode; the loop goes on meanwhile.
    return await asyncio.to_thread(_outcome, process.returncode, out, report.rest, timeout_s)
