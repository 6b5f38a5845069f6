"""Reading a file in a process of its own, with limits on time and memory, so that no file harms another.

`parse_limited` blocks, `parse_in_subprocess` is for asyncio; both kill the process at the time limit and
when they are cancelled. A small file takes 0.12–0.16 s on an idle machine; child.py says why so little.
"""

import asyncio
import contextlib
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path

import orjson

from refdesk.knowledge.parsing.blocks import Parsed, ParseOptions
from refdesk.knowledge.parsing.errors import (
    EmptyFile,
    ParseCancelled,
    ParseCrashed,
    ParseMemory,
    ParseTimeout,
    ResultTooLarge,
)
from refdesk.knowledge.parsing.wire import MAX_RESULT_BYTES, decode_result

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
        "cpu_s": int(timeout_s) + 5,
        "options": asdict(options),
    }
    return orjson.dumps(head) + b"\n" + data


def _outcome(code: int | None, out: bytes, err: bytes, timeout_s: float) -> Parsed:
    if code == 0:
        return decode_result(out)
    # The end of the error text names the exception; the rest would only repeat paths of this machine.
    last = err.decode("utf-8", errors="replace").strip().rpartition("\n")[2][:300]
    if code == -signal.SIGXCPU:
        raise ParseTimeout(timeout_s=timeout_s)
    if "MemoryError" in last or "out of memory" in last.lower() or "bad_alloc" in last:
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
) -> Parsed:
    """Read a file in a limited process. Raises a `ParseError`; `ParseCancelled` once `cancelled` is set."""
    data = source if isinstance(source, bytes) else source.read_bytes()
    request = _request(data, name, options or ParseOptions(), timeout_s, memory_bytes)
    deadline = time.monotonic() + timeout_s
    with subprocess.Popen(
        _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, close_fds=True
    ) as process:
        sent: bytes | None = request
        try:
            while True:
                left = deadline - time.monotonic()
                try:
                    wait = min(left, _POLL_S) if cancelled else left
                    out, err = process.communicate(sent, timeout=max(wait, 0.001))
                    break
                except subprocess.TimeoutExpired:
                    sent = None
                    if time.monotonic() >= deadline:
                        raise ParseTimeout(timeout_s=timeout_s) from None
                    if cancelled and cancelled.is_set():
                        raise ParseCancelled from None
        finally:
            if process.poll() is None:
                process.kill()
        return _outcome(process.returncode, out, err, timeout_s)


async def _exchange(process: asyncio.subprocess.Process, request: bytes) -> tuple[bytes, bytes]:
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

    reading = [asyncio.ensure_future(_bounded(stream)) for stream in (stdout, stderr)]
    sending = asyncio.ensure_future(send())
    try:
        out, err = await asyncio.gather(*reading)
        await process.wait()
        return out, err
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


async def _bounded(stream: asyncio.StreamReader) -> bytes:
    received = bytearray()
    while chunk := await stream.read(64 * 1024):
        received += chunk
        if len(received) > MAX_RESULT_BYTES:
            raise ResultTooLarge(max_bytes=MAX_RESULT_BYTES)
    return bytes(received)


async def parse_in_subprocess(
    source: Path | bytes,
    name: str,
    options: ParseOptions | None = None,
    *,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
) -> Parsed:
    """Read a file in a limited process without blocking the loop; cancelling kills the process."""
    data = source if isinstance(source, bytes) else await asyncio.to_thread(source.read_bytes)
    request = _request(data, name, options or ParseOptions(), timeout_s, memory_bytes)
    process = await asyncio.create_subprocess_exec(
        *_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        async with asyncio.timeout(timeout_s):
            out, err = await _exchange(process, request)
    except TimeoutError:
        raise ParseTimeout(timeout_s=timeout_s) from None
    finally:
        if process.returncode is None:
            await _end(process)
    # Large results take long to decode; the loop goes on meanwhile.
    return await asyncio.to_thread(_outcome, process.returncode, out, err, timeout_s)
