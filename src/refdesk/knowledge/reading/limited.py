"""The limited process asked for paragraphs: from a file, from a kept parse result, or for headings only.

Parsing and splitting each have a limit of time of their own, and fail with errors of their own (`parse-…`,
`split-…`, `pattern-…`); memory and output are limited for both alike. Functions that end on `_in_subprocess`
are for asyncio and kill the process when they are cancelled.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from refdesk.kit.errors import AppError
from refdesk.kit.settings import Settings
from refdesk.knowledge.parsing import EmptyFile, Parsed, ParseOptions, ParseTimeout, process
from refdesk.knowledge.parsing.child_report import Allowance, ChildReport, OnSplitting
from refdesk.knowledge.parsing.errors import ParseCrashed, ResultTooLarge
from refdesk.knowledge.parsing.limited import (
    DEFAULT_MEMORY_BYTES,
    DEFAULT_TIMEOUT_S,
    allowance_of,
    cpu_limit_s,
    parse_failure,
)
from refdesk.knowledge.parsing.process import Answer, SentTooMuch, end_of
from refdesk.knowledge.parsing.progress import OnProgress
from refdesk.knowledge.parsing.wire import decode_result
from refdesk.knowledge.splitting import PatternMatch, SplitResult, SplitSettings
from refdesk.knowledge.splitting.errors import SplitCrashed, SplitMemory, SplitTimeout, SplitTooLarge
from refdesk.knowledge.splitting.wire import Summary, decode_matches, decode_split, settings_as_json

_COMMAND = process.COMMAND
# Trying patterns needs its text a few times over, and 60 MB for the interpreter; a megabyte is the most.
_CHECK_MEMORY_BYTES = 512 * 1024**2
_CHECK_OUTPUT_BYTES = 256 * 1024**2


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the process: seconds by the clock for each stage, bytes of memory for both."""

    timeout_s: float = DEFAULT_TIMEOUT_S
    split_timeout_s: float = 120.0
    memory_bytes: int = DEFAULT_MEMORY_BYTES

    @classmethod
    def of(cls, settings: Settings) -> "Limits":
        """As the settings of the process have them."""
        return cls(settings.parse_timeout_s, settings.split_timeout_s, settings.parse_memory_bytes)


@dataclass(frozen=True)
class Reading:
    """A file, read and split. `encoded` is the parse result as JSON; empty where it was given."""

    encoded: bytes
    summary: Summary
    result: SplitResult

    @cached_property
    def parsed(self) -> Parsed:
        """The parse result with its blocks. Takes as long as the file is large."""
        return decode_result(self.encoded)


async def read_in_subprocess(
    data: bytes,
    name: str,
    options: ParseOptions,
    settings: SplitSettings,
    limits: Limits,
    *,
    on_progress: OnProgress | None = None,
    on_splitting: OnSplitting | None = None,
) -> Reading:
    """Read and split a file. Raises a `ParseError`, or one of the errors of splitting."""
    request = _read_request(data, name, options, settings, limits)
    allowance = allowance_of(options, limits.timeout_s, limits.split_timeout_s)
    report = ChildReport(allowance, on_progress, on_splitting)
    try:
        answer = await process.converse(_COMMAND, request, report, _most_output(options))
    except (TimeoutError, SentTooMuch) as error:
        raise _stopped(error, report, limits, options.max_output_bytes) from None
    # Large results take long to decode; the loop goes on meanwhile.
    return await asyncio.to_thread(_reading, answer, report, limits)


def read_limited(
    source: Path | bytes,
    name: str,
    options: ParseOptions | None = None,
    settings: SplitSettings | None = None,
    limits: Limits | None = None,
) -> Reading:
    """The same in the calling thread."""
    data = source if isinstance(source, bytes) else source.read_bytes()
    options, settings, limits = options or ParseOptions(), settings or SplitSettings(), limits or Limits()
    request = _read_request(data, name, options, settings, limits)
    report = ChildReport(allowance_of(options, limits.timeout_s, limits.split_timeout_s))
    try:
        answer = process.converse_blocking(_COMMAND, request, report, _most_output(options))
    except (TimeoutError, SentTooMuch) as error:
        raise _stopped(error, report, limits, options.max_output_bytes) from None
    return _reading(answer, report, limits)


async def split_in_subprocess(
    encoded: bytes, settings: SplitSettings, limits: Limits, *, max_output_bytes: int
) -> Reading:
    """Split a parse result, given as JSON. Raises one of the errors of splitting."""
    head = _head("split", limits.memory_bytes, limits.split_timeout_s, max_output_bytes)
    head["settings"] = settings_as_json(settings)
    answer = await _ask(head, encoded, limits.split_timeout_s, max_output_bytes)
    summary, result = await asyncio.to_thread(decode_split, answer.out)
    return Reading(encoded, summary, result)


async def check_patterns_in_subprocess(
    patterns: Sequence[str], text: str, *, timeout_s: float
) -> list[PatternMatch]:
    """`check_patterns` behind limits. Raises `PatternInvalid`, `PatternTooSlow` and errors of splitting."""
    head = _head("check-patterns", _CHECK_MEMORY_BYTES, timeout_s, _CHECK_OUTPUT_BYTES)
    data = orjson.dumps({"patterns": list(patterns), "text": text})
    answer = await _ask(head, data, timeout_s, _CHECK_OUTPUT_BYTES)
    return await asyncio.to_thread(decode_matches, answer.out)


def _head(work: str, memory_bytes: int, timeout_s: float, max_output_bytes: int) -> dict[str, Any]:
    return {
        "work": work,
        "memory_bytes": memory_bytes,
        "cpu_s": int(timeout_s) + 5,
        "max_output_bytes": max_output_bytes,
    }


async def _ask(head: dict[str, Any], data: bytes, timeout_s: float, max_output_bytes: int) -> Answer:
    """What the process answers that does nothing but split."""
    report = ChildReport(Allowance(0.0, 0.0, timeout_s), is_splitting=True)
    try:
        answer = await process.converse(
            _COMMAND, orjson.dumps(head) + b"\n" + data, report, max_output_bytes + 1
        )
    except TimeoutError:
        raise SplitTimeout(timeout_s=timeout_s) from None
    except SentTooMuch:
        raise SplitTooLarge(max_bytes=max_output_bytes) from None
    failure = _split_failure(answer, timeout_s)
    if failure is not None:
        raise failure
    return answer


def _read_request(
    data: bytes, name: str, options: ParseOptions, settings: SplitSettings, limits: Limits
) -> bytes:
    if not data:
        raise EmptyFile
    cpu_s = cpu_limit_s(options, limits.timeout_s) + limits.split_timeout_s
    head = _head("read", limits.memory_bytes, cpu_s, options.max_output_bytes)
    head |= {"name": name, "options": asdict(options), "settings": settings_as_json(settings)}
    return orjson.dumps(head) + b"\n" + data


def _most_output(options: ParseOptions) -> int:
    return 2 * options.max_output_bytes + 2


def _stopped(error: Exception, report: ChildReport, limits: Limits, max_output_bytes: int) -> AppError:
    """Which limit a process met that was stopped from here."""
    if isinstance(error, SentTooMuch):
        kind = SplitTooLarge if report.is_splitting else ResultTooLarge
        return kind(max_bytes=max_output_bytes)
    if report.is_splitting:
        return SplitTimeout(timeout_s=limits.split_timeout_s)
    return ParseTimeout(timeout_s=limits.timeout_s)


def _split_failure(answer: Answer, timeout_s: float) -> AppError | None:
    match end_of(answer):
        case "answer":
            return None
        case "time":
            return SplitTimeout(timeout_s=timeout_s)
        case "memory":
            return SplitMemory()
        case "crash":
            return SplitCrashed(exit_code=answer.code, reason=answer.last_words)


def _reading(answer: Answer, report: ChildReport, limits: Limits) -> Reading:
    failure = (
        _split_failure(answer, limits.split_timeout_s)
        if report.is_splitting
        else parse_failure(answer, limits.timeout_s)
    )
    if failure is not None:
        raise failure
    encoded, _, split = answer.out.partition(b"\n")
    if not split:
        decode_result(encoded)  # raises what the process reported
        raise ParseCrashed(reason="incomplete result")
    summary, result = decode_split(split)
    return Reading(encoded, summary, result)
