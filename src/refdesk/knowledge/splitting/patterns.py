"""User patterns: regular expressions, one a level, that say what is a heading.

They run on the text with a time budget, so that a pattern with catastrophic backtracking ends in a clear
error: the `regex` package can be interrupted and lets other threads run, `re` does neither. Headings are
shown to the patterns as Markdown (`## Title`), because that is what people write patterns for; code and
tables are blanked out.
"""

import time
from bisect import bisect_right
from dataclasses import dataclass

import regex

from refdesk.knowledge.parsing.blocks import Block
from refdesk.knowledge.splitting.errors import PatternInvalid, PatternTooSlow

BUDGET_S = 2.0
_MAX_PATTERN = 1000


@dataclass(frozen=True, slots=True)
class Mark:
    """A heading: its level and its span in `Parsed.text`."""

    level: int
    start: int
    end: int


def pattern_marks(blocks: tuple[Block, ...], patterns: tuple[str, ...]) -> list[Mark]:
    """Headings by pattern, in order, not overlapping; an earlier pattern wins where two match.

    Raises `PatternInvalid` and `PatternTooSlow`.
    """
    view, view_starts, shifts = _view(blocks)
    deadline = time.monotonic() + BUDGET_S
    taken: dict[int, Mark] = {}
    for level, source in enumerate(patterns, start=1):
        for begin, end in _matches(source, view, deadline):
            i = max(0, bisect_right(view_starts, begin) - 1)
            block = blocks[i]
            limit = block.offset + len(block.text)
            first = max(block.offset, begin - shifts[i])
            last = min(limit, end - shifts[i])
            if last > first and first not in taken:
                taken[first] = Mark(level, first, last)
    out: list[Mark] = []
    for mark in sorted(taken.values(), key=lambda m: m.start):
        if not out or mark.start >= out[-1].end:
            out.append(mark)
    return out


def compiled_pattern(source: str) -> regex.Pattern[str]:
    """A user's pattern, compiled. Raises `PatternInvalid`."""
    if len(source) > _MAX_PATTERN:
        raise PatternInvalid("A split pattern is too long.", pattern=source[:100])
    try:
        return regex.compile(source, regex.MULTILINE)
    except regex.error as error:
        raise PatternInvalid(pattern=source, reason=str(error)) from error


def _matches(source: str, view: str, deadline: float) -> list[tuple[int, int]]:
    compiled = compiled_pattern(source)
    left = deadline - time.monotonic()
    if left <= 0:
        raise PatternTooSlow(pattern=source)
    spans: list[tuple[int, int]] = []
    try:
        for found in compiled.finditer(view, timeout=left, concurrent=True):
            begin, end = found.span()
            while begin < end and view[begin].isspace():
                begin += 1
            while end > begin and view[end - 1].isspace():
                end -= 1
            if end > begin:
                spans.append((begin, end))
    except TimeoutError:
        raise PatternTooSlow(pattern=source) from None
    return spans


def _view(blocks: tuple[Block, ...]) -> tuple[str, list[int], list[int]]:
    """Text for the patterns, where each block starts in it, and what to subtract to come back."""
    parts: list[str] = []
    starts: list[int] = []
    shifts: list[int] = []
    at = 0
    for block in blocks:
        prefix = "#" * (block.level or 1) + " " if block.kind == "heading" else ""
        shown = " " * len(block.text) if block.kind in ("code", "table", "front_matter") else block.text
        starts.append(at)
        shifts.append(at + len(prefix) - block.offset)
        parts.append(prefix + shown)
        at += len(prefix) + len(shown) + 2
    return "\n\n".join(parts), starts, shifts
