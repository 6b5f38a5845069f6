"""Reading a file in a process of its own, with limits on time and memory, so that no file harms another.

`parse_limited` blocks, `parse_in_subprocess` is for asyncio; both kill the process at the time limit and
when they are cancelled, and both tell how far it has come: `on_progress(done, total)` is called in the
calling thread or on the loop, at most some five times a second, with pages or whatever the file has instead.
A small file takes 0.12–0.16 s on an idle machine; child.py says why so little. What also splits the file in
that process is `refdesk.knowledge.reading`.
"""

import asyncio
import threading
from dataclasses import asdict
from pathlib import Path

import orjson

from refdesk.knowledge.parsing import process
from refdesk.knowledge.parsing.blocks import Parsed, ParseOptions
from refdesk.knowledge.parsing.child_report import Allowance, ChildReport
from refdesk.knowledge.parsing.errors import (
    EmptyFile,
    ParseCrashed,
    ParseError,
    ParseMemory,
    ParseTimeout,
    ResultTooLarge,
)
from refdesk.knowledge.parsing.ocr import PATIENCE
from refdesk.knowledge.parsing.process import Answer, SentTooMuch, end_of
from refdesk.knowledge.parsing.progress import OnProgress
from refdesk.knowledge.parsing.wire import decode_result

_COMMAND = process.COMMAND
DEFAULT_TIMEOUT_S = 300.0
DEFAULT_MEMORY_BYTES = 2 * 1024**3


def _request(data: bytes, name: str, options: ParseOptions, timeout_s: float, memory_bytes: int) -> bytes:
    if not data:
        raise EmptyFile
    head = {
        "work": "parse",
        "name": name,
        "memory_bytes": memory_bytes,
        "cpu_s": cpu_limit_s(options, timeout_s),
        "options": asdict(options),
        "max_output_bytes": options.max_output_bytes,
    }
    return orjson.dumps(head) + b"\n" + data


def cpu_limit_s(options: ParseOptions, timeout_s: float) -> int:
    """Seconds of computing, on all cores, that a process may spend on reading a file."""
    return int(timeout_s + options.ocr_threads * _most_computing(options)) + 5


def allowance_of(options: ParseOptions, timeout_s: float, split_timeout_s: float = 0.0) -> Allowance:
    """Time by the clock; OCR may go beyond the limit by what the options say, whatever the process asks."""
    return Allowance(timeout_s, PATIENCE * _most_computing(options), split_timeout_s)


def _most_computing(options: ParseOptions) -> float:
    return 0.0 if options.ocr == "off" else options.ocr_timeout_s + options.ocr_page_timeout_s


def parse_failure(answer: Answer, timeout_s: float) -> ParseError | None:
    """Why a process that was reading a file ended without an answer; None if there is one."""
    match end_of(answer):
        case "answer":
            return None
        case "time":
            return ParseTimeout(timeout_s=timeout_s)
        case "memory":
            return ParseMemory()
        case "crash":
            return ParseCrashed(exit_code=answer.code, reason=answer.last_words)


def _outcome(answer: Answer, timeout_s: float) -> Parsed:
    failure = parse_failure(answer, timeout_s)
    if failure is not None:
        raise failure
    return decode_result(answer.out)


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
    report = ChildReport(allowance_of(options, timeout_s), on_progress)
    try:
        answer = process.converse_blocking(
            _COMMAND, request, report, options.max_output_bytes, cancelled=cancelled
        )
    except TimeoutError:
        raise ParseTimeout(timeout_s=timeout_s) from None
    except SentTooMuch:
        raise ResultTooLarge(max_bytes=options.max_output_bytes) from None
    return _outcome(answer, timeout_s)


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
    report = ChildReport(allowance_of(options, timeout_s), on_progress)
    try:
        answer = await process.converse(_COMMAND, request, report, options.max_output_bytes)
    except TimeoutError:
        raise ParseTimeout(timeout_s=timeout_s) from None
    except SentTooMuch:
        raise ResultTooLarge(max_bytes=options.max_output_bytes) from None
    # Large results take long to decode; the loop goes on meanwhile.
    return await asyncio.to_thread(_outcome, answer, timeout_s)
