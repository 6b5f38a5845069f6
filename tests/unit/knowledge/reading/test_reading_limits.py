"""Splitting in the limited process: the same paragraphs as without it, and every limit holds there too."""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil
import pytest

from refdesk.kit.errors import AppError
from refdesk.knowledge.parsing import ParseError, ParseOptions, ParseTimeout, parse
from refdesk.knowledge.parsing.wire import encode_parsed
from refdesk.knowledge.reading import (
    Limits,
    check_patterns_in_subprocess,
    limited,
    read_in_subprocess,
    read_limited,
    split_in_subprocess,
)
from refdesk.knowledge.splitting import PatternInvalid, PatternTooSlow, SplitSettings, check_patterns, split
from refdesk.knowledge.splitting.errors import SplitCrashed, SplitMemory, SplitTimeout, SplitTooLarge

_TEXT = (
    "---\ntitle: Terms\n---\n# One\n\nFirst. Second!\n\n## Two\n\n|a|b|\n|-|-|\n|1|2|\n\n"
    "```\ncode\n```\n\n![p](x.png) 条款一。条款二。\n"
).encode()
_SMALL = SplitSettings(limit=50)
# Counting tokens of it takes seconds and 500 MB, reading it neither.
_PATHOLOGICAL = ("字" * 400 + "\n\n").encode() * 15_000
_BY_TOKENS = SplitSettings(profile="compact")
_OPTIONS = ParseOptions()


def _children() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children()
        if child.is_running() and any("child.py" in part for part in child.cmdline())
    ]


async def test_paragraphs_are_those_that_splitting_without_a_process_gives(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(_TEXT)
    parsed = parse(_TEXT, "a.md")
    expected = split(parsed, _SMALL)
    assert len(expected.paragraphs) > 2
    waited = await read_in_subprocess(_TEXT, "a.md", _OPTIONS, _SMALL, Limits())
    for reading in (waited, read_limited(path, "a.md", settings=_SMALL)):
        assert reading.result == expected
        assert reading.parsed == parsed
        assert (reading.summary.kind, reading.summary.meta) == (parsed.kind, parsed.meta)
        assert reading.summary.coverage == parsed.coverage
    again = await split_in_subprocess(waited.encoded, _SMALL, Limits(), max_output_bytes=1024**2)
    assert again.result == expected
    assert again.summary == waited.summary


async def test_splitting_is_told_when_it_begins() -> None:
    told: list[str] = []
    await read_in_subprocess(
        _TEXT, "a.md", _OPTIONS, _SMALL, Limits(), on_splitting=lambda: told.append("splitting")
    )
    assert told == ["splitting"]


async def test_a_file_that_cannot_be_read_fails_as_parsing_does() -> None:
    with pytest.raises(ParseError) as caught:
        await read_in_subprocess(b"%PDF-1.4 broken", "a.pdf", _OPTIONS, _SMALL, Limits())
    assert caught.value.code == "corrupt-file"
    with pytest.raises(ParseTimeout):
        await read_in_subprocess(_PATHOLOGICAL, "a.md", _OPTIONS, _SMALL, Limits(timeout_s=0.05))


async def _read(limits: Limits) -> object:
    return await read_in_subprocess(_PATHOLOGICAL, "a.md", _OPTIONS, _BY_TOKENS, limits)


async def _read_blocking(limits: Limits) -> object:
    return read_limited(_PATHOLOGICAL, "a.md", _OPTIONS, _BY_TOKENS, limits)


async def _split_again(limits: Limits) -> object:
    encoded = encode_parsed(parse(_PATHOLOGICAL, "a.md"))
    return await split_in_subprocess(encoded, _BY_TOKENS, limits, max_output_bytes=1024**3)


@pytest.mark.parametrize("way", [_read, _read_blocking, _split_again])
async def test_a_text_that_takes_too_long_to_split_is_stopped(
    way: Callable[[Limits], Awaitable[object]],
) -> None:
    with pytest.raises(SplitTimeout) as caught:
        await way(Limits(split_timeout_s=0.3))
    assert caught.value.details == {"timeout_s": 0.3}
    assert caught.value.hint_text
    assert _children() == []


async def test_a_text_that_takes_too_much_memory_to_split_is_stopped() -> None:
    limits = Limits(memory_bytes=320 * 1024**2)
    whole = await read_in_subprocess(_PATHOLOGICAL, "a.md", _OPTIONS, SplitSettings(), limits)
    assert whole.result.paragraphs, "reading it is within the limit"
    with pytest.raises(SplitMemory):
        await read_in_subprocess(_PATHOLOGICAL, "a.md", _OPTIONS, _BY_TOKENS, limits)


async def test_paragraphs_beyond_the_limit_of_output_are_refused() -> None:
    # Each of the small paragraphs carries the titles above it.
    data = ("# " + "long title " * 20 + "\n\n" + "".join(f"## {n}\n\nx\n\n" for n in range(300))).encode()
    options = ParseOptions(max_output_bytes=40_000)
    with pytest.raises(SplitTooLarge):
        await read_in_subprocess(data, "a.md", options, SplitSettings(), Limits())


async def test_a_slow_pattern_ends_with_its_own_error_and_the_pattern_named() -> None:
    data = ("a" * 40 + "b\n\n").encode()
    with pytest.raises(PatternTooSlow) as caught:
        await read_in_subprocess(
            data, "a.md", _OPTIONS, SplitSettings(patterns=(r"^(a|aa)+$",)), Limits(split_timeout_s=60)
        )
    assert caught.value.details["pattern"] == r"^(a|aa)+$"


async def test_patterns_are_tried_in_a_process_with_the_same_outcome() -> None:
    text = "第一章 总则\n正文。\n1.1 范围"
    patterns = [r"^第.+章.*$", r"^\d+\.\d+ .*$"]
    assert await check_patterns_in_subprocess(patterns, text, timeout_s=30) == check_patterns(patterns, text)
    with pytest.raises(PatternInvalid):
        await check_patterns_in_subprocess(["("], text, timeout_s=30)
    with pytest.raises(SplitTimeout):
        await check_patterns_in_subprocess([r"^(a|aa)+$"], "a" * 40 + "b", timeout_s=0.05)


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("sys.stderr.write('\\x1esplitting\\n'); sys.stderr.flush(); os.abort()", "split-crashed"),
        ("sys.stderr.write('memory allocation of 9 bytes failed'); sys.exit(1)", "parse-memory"),
        (
            "sys.stderr.write('\\x1esplitting\\nmemory allocation of 9 bytes failed'); sys.stderr.flush();"
            " os.abort()",
            "split-memory",
        ),
        ("print('{', flush=True)", "parse-crashed"),
        ("sys.stdout.write('{}\\n{'); sys.stdout.flush()", "split-crashed"),
    ],
)
async def test_a_process_that_ends_badly_is_a_failure_of_its_stage(
    monkeypatch: pytest.MonkeyPatch, script: str, code: str
) -> None:
    aborts = f"import os, sys; sys.stdin.buffer.read(); {script}"
    monkeypatch.setattr(limited, "_COMMAND", (sys.executable, "-I", "-c", aborts))
    with pytest.raises(AppError) as caught:
        await read_in_subprocess(b"text", "a.md", _OPTIONS, _SMALL, Limits())
    assert caught.value.code == code
    assert caught.value.hint_text


async def test_the_stage_told_again_and_again_buys_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = (
        "import sys, time\nsys.stdin.buffer.read()\n"
        "while True:\n  sys.stderr.write('\\x1esplitting\\n\\x1eextend 9000000\\n')\n"
        "  sys.stderr.flush()\n  time.sleep(0.01)"
    )
    monkeypatch.setattr(limited, "_COMMAND", (sys.executable, "-I", "-c", endless))
    begin = time.monotonic()
    with pytest.raises(SplitTimeout):
        await read_in_subprocess(b"text", "a.md", _OPTIONS, _SMALL, Limits(split_timeout_s=0.5))
    assert time.monotonic() - begin < 20


async def test_cancelling_while_it_splits_kills_the_process() -> None:
    begun = asyncio.Event()
    task = asyncio.create_task(
        read_in_subprocess(_PATHOLOGICAL, "a.md", _OPTIONS, _BY_TOKENS, Limits(), on_splitting=begun.set)
    )
    await asyncio.wait_for(begun.wait(), 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert _children() == []


def test_failures_of_splitting_have_hints() -> None:
    assert all(kind.hint for kind in (SplitTimeout, SplitMemory, SplitTooLarge, SplitCrashed))
