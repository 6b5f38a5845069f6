"""Choosing a parser, and reading in a process with limits."""

import asyncio
import io
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from reportlab.pdfgen.canvas import Canvas

from refdesk.knowledge.parsing import (
    EmptyFile,
    ParseCancelled,
    ParseCrashed,
    ParseError,
    ParseMemory,
    ParseOptions,
    ParseTimeout,
    UnsupportedKind,
    choose,
    limited,
    parse,
    parse_in_subprocess,
    parse_limited,
    parsers,
)
from refdesk.knowledge.parsing.errors import ResultTooLarge

_BIG = ("# Heading\n\n" + "some words in a row. " * 50 + "\n\n").encode() * 30_000  # takes a second or two


def test_plain_text_is_asked_last_and_archives_after_all_that_are_packed() -> None:
    kinds = [parser.kind for parser in parsers()]
    assert kinds[-1] == "text"
    assert kinds.index("zip") > max(kinds.index(k) for k in ("docx", "xlsx", "pptx", "odt", "epub"))


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (b"%PDF-1.7 ...", "a.txt", "pdf"),
        (b"PK\x03\x04 .. word/document.xml", "a.bin", "docx"),
        (b"<!DOCTYPE html><html>", "a.txt", "html"),
        (b"<p>fragment</p>", "a.htm", "html"),
        (b"# Title", "A.MD", "markdown"),
        (b"{\\rtf1 x}", "a.doc", "rtf"),
        (b"From: a@b.c\r\nSubject: x\r\nMIME-Version: 1.0\r\n\r\nText", "a.bin", "eml"),
        (b"a,b\n1,2", "a.csv", "csv"),
        (b"anything", "no_ending", "text"),
    ],
)
def test_content_decides_before_the_name(data: bytes, name: str, kind: str) -> None:
    assert choose(data, name).kind == kind


@pytest.mark.parametrize("data", [b"\x7fELF" + bytes(range(64)), b"\xd0\xcf\x11\xe0old"])
def test_what_no_parser_reads_is_refused_with_a_hint(data: bytes) -> None:
    with pytest.raises(UnsupportedKind) as caught:
        parse(data, "a.txt")
    assert caught.value.hint_text


def test_empty_file_is_refused() -> None:
    with pytest.raises(EmptyFile):
        parse_limited(b"", "a.txt")


def test_limited_process_gives_the_same_result(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("---\ntitle: T\n---\n# One\n\ntext 条款\n", "utf-8")
    assert parse_limited(path, "a.md") == parse(path.read_bytes(), "a.md")


def test_process_loads_neither_the_database_nor_the_web_framework() -> None:
    # That is what keeps its start at 0.11–0.15 s on an idle machine; the room's own imports take over 1 s.
    code = (
        "import runpy, sys; runpy.run_path(sys.argv[1])['_load_parsing_alone']();"
        "import refdesk.knowledge.parsing.selection as s; s.parsers();"
        "print([m for m in ('sqlalchemy', 'fastapi', 'pydantic', 'numpy', 'httpx') if m in sys.modules])"
    )
    child = Path(limited.__file__).with_name("child.py")
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(child)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_error_of_the_process_keeps_its_code_and_details() -> None:
    with pytest.raises(ParseError) as caught:
        parse_limited(b"%PDF-1.4 broken", "a.pdf")
    assert caught.value.code == "corrupt-file"
    assert caught.value.details["reason"]


def test_process_is_stopped_at_the_time_limit() -> None:
    begin = time.perf_counter()
    with pytest.raises(ParseTimeout):
        parse_limited(_BIG, "a.md", timeout_s=0.4)
    assert time.perf_counter() - begin < 20
    assert _children() == []


def test_process_is_stopped_at_the_memory_limit() -> None:
    with pytest.raises(ParseMemory):
        parse_limited(_BIG, "a.md", memory_bytes=96 * 1024**2)


def test_cancelling_from_a_thread_stops_the_process() -> None:
    stop = threading.Event()
    threading.Timer(0.4, stop.set).start()
    with pytest.raises(ParseCancelled):
        parse_limited(_BIG, "a.md", cancelled=stop)
    assert _children() == []


async def test_a_process_that_sends_without_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = "import sys\nwhile True: sys.stdout.buffer.write(b'x' * 65536)"
    monkeypatch.setattr(limited, "_COMMAND", (sys.executable, "-I", "-c", endless))
    options = ParseOptions(max_output_bytes=1024**2)
    with pytest.raises(ResultTooLarge) as caught:
        await parse_in_subprocess(b"text", "a.md", options, timeout_s=60)
    assert caught.value.code == "parse-result-too-large"
    assert _children() == []


@pytest.mark.parametrize(
    ("last_words", "code"),
    [
        ("", "parse-crashed"),
        ("memory allocation of 1988100096 bytes failed\nstack backtrace", "parse-memory"),
    ],
)
async def test_a_library_that_aborts_the_process_is_a_failure_with_a_code_and_the_next_file_is_read(
    monkeypatch: pytest.MonkeyPatch, last_words: str, code: str
) -> None:
    aborts = f"import os, sys; sys.stdin.buffer.read(); sys.stderr.write({last_words!r}); "
    aborts += "sys.stderr.flush(); os.abort()"
    with monkeypatch.context() as patch:
        patch.setattr(limited, "_COMMAND", (sys.executable, "-I", "-c", aborts))
        with pytest.raises(ParseError) as waited:
            await parse_in_subprocess(b"text", "a.xls")
        with pytest.raises(ParseError) as blocked:
            parse_limited(b"text", "a.xls")
    for caught in (waited, blocked):
        assert caught.value.code == code
        assert caught.value.hint_text
    assert (await parse_in_subprocess(b"text", "a.md")).text == "text"


async def test_cancelling_the_task_kills_the_process() -> None:
    task = asyncio.create_task(parse_in_subprocess(_BIG, "a.md"))
    await asyncio.sleep(0.2)
    assert len(_children()) == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert _children() == []


async def test_loop_stays_free_while_a_file_is_read() -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticker = asyncio.create_task(tick())
    parsed = await parse_in_subprocess(_BIG[: len(_BIG) // 20], "a.md")
    ticker.cancel()
    assert len(parsed.blocks) > 1000
    assert ticks >= 5


def _children() -> list[psutil.Process]:
    found: list[psutil.Process] = []
    for process in psutil.Process().children():
        try:
            if any("child.py" in part for part in process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


def _pages(count: int) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    for number in range(count):
        canvas.drawString(72, 700, f"Words of page {number}, which end here.")
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def test_pages_read_are_told_in_order_and_to_the_last() -> None:
    told: list[tuple[int, int]] = []
    here: set[int] = set()
    data = _pages(300)

    def listen(done: int, total: int) -> None:
        told.append((done, total))
        here.add(threading.get_ident())

    parse_limited(data, "a.pdf", on_progress=listen)
    assert told == sorted(told)
    assert told[-1] == (300, 300)
    assert here == {threading.get_ident()}


async def test_pages_read_are_told_on_the_loop() -> None:
    told: list[tuple[int, int]] = []
    await parse_in_subprocess(_pages(3), "a.pdf", on_progress=lambda *counts: told.append(counts))
    assert told[-1] == (3, 3)


def test_what_libraries_write_to_standard_error_is_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    written = "progress 1 2\n\x1eprogress x y\n\x1eprogress 1 2\nlast words"
    noise = f"import sys; sys.stderr.write({written!r}); sys.exit(3)"
    monkeypatch.setattr(limited, "_COMMAND", (sys.executable, "-I", "-c", noise))
    told: list[tuple[int, int]] = []
    with pytest.raises(ParseCrashed) as caught:
        parse_limited(b"text", "a.md", on_progress=lambda *counts: told.append(counts))
    assert told == [(1, 2)]
    assert caught.value.details["reason"] == "last words"
