"""User patterns: regular expressions, one a level, that say what is a heading.

They run with a time budget, so that a pattern with catastrophic backtracking ends in a clear error: the
`regex` package can be interrupted and lets other threads run, `re` does neither. What a budget of time cannot
hold is refused before it is compiled: counts inside counts, which `regex` unrolls (`(a{99999}){99999}` took
all memory there is), and calls of groups, which recurse. Before a pattern is saved it is also tried on long
runs of one character, because catastrophic patterns are mostly harmless on the text at hand.

Headings are shown to the patterns as Markdown (`## Title`), because that is what people write patterns for;
code and tables are blanked out.
"""

import re
import time
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from refdesk.knowledge.parsing.blocks import Block
from refdesk.knowledge.splitting.errors import PatternInvalid, PatternTooSlow
from refdesk.knowledge.splitting.titles import clean_title

if TYPE_CHECKING:  # loading it takes 30 ms, which texts without patterns need not wait for
    import regex

BUDGET_S = 2.0
# Anchored patterns pass some 50 million characters a second; this leaves room for slow but linear ones.
_CHARS_PER_S = 2_000_000
_MAX_PATTERN = 1000
MAX_PATTERNS = 6
# The product of all counts of a pattern: 100,000 compile in 0.1 s to 25 MB.
_MAX_UNROLLED = 100_000
# Also those in sets of characters: a comment with a bracket, `(?#[)`, would hide what follows like a set.
# Under the flag `x` there may be white space, and comments, between the digits.
_COUNT = re.compile(r"\\.|\{([\d\s]*)(?:,([\d\s]*))?\}", re.DOTALL)
_VERBOSE = re.compile(r"\\.|(\(\?[a-zA-Z\d]*x)", re.DOTALL)
_CALL = re.compile(r"\\.|(\(\?(?:R|\d+|&\w+|P>\w+)\))", re.DOTALL)
_PROBE_S = 0.5
# A quadratic pattern passes a run of this length in a millisecond, what doubles with each character never.
_PROBE_CHARS = 400
_PROBES = " a1中.#"


type Mark = tuple[int, int, int]
"""A heading: where it starts and ends in `Parsed.text`, and its level. Of a large file there are 100,000."""


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """What would become a heading: its level (1 is the first pattern), its span and how it would be shown."""

    level: int
    start: int
    end: int
    text: str
    title: str


def check_patterns(patterns: Sequence[str], text: str) -> list[PatternMatch]:
    """Try patterns on a text as people wrote it: the headings they would find, in order, not overlapping.

    Takes bounded time: `BUDGET_S` and a second for each two million characters, and half a second a pattern
    for the probes. Blocks, so call it in a thread; other threads go on meanwhile. Raises `PatternInvalid`
    for what is no pattern and `PatternTooSlow` for what is slow on this text or would be on another.
    """
    if len(patterns) > MAX_PATTERNS:
        raise PatternInvalid(f"At most {MAX_PATTERNS} patterns can be given.", patterns=len(patterns))
    for source in patterns:
        _probe(source)
    return [
        PatternMatch(level, start, end, found, clean_title(found))
        for start, end, level in _apart(_found(text, patterns))
        for found in (text[start:end],)
    ]


def pattern_marks(blocks: tuple[Block, ...], patterns: tuple[str, ...]) -> list[Mark]:
    """Headings by pattern, in order, not overlapping; an earlier pattern wins where two match.

    Raises `PatternInvalid` and `PatternTooSlow`.
    """
    view, view_starts, shifts = _view(blocks)

    def in_text() -> Iterable[Mark]:
        for start, end, level in _found(view, patterns):
            i = max(0, bisect_right(view_starts, start) - 1)
            block = blocks[i]
            first = max(block.offset, start - shifts[i])
            last = min(block.offset + len(block.text), end - shifts[i])
            if last > first:
                yield first, last, level

    return _apart(in_text())


def compiled_pattern(source: str) -> "regex.Pattern[str]":
    """A user's pattern, compiled. Raises `PatternInvalid`."""
    import regex

    if len(source) > _MAX_PATTERN:
        raise PatternInvalid("A split pattern is too long.", pattern=source[:100])
    if any(flag[1] for flag in _VERBOSE.finditer(source)) and "#" in source:
        raise PatternInvalid("A split pattern must not have comments under the flag x.", pattern=source[:100])
    unrolled = 1
    for count in _COUNT.finditer(source):
        largest = max((int(n) for n in map(_digits, count.groups()) if n), default=1)
        unrolled *= max(1, largest)
    if unrolled > _MAX_UNROLLED:
        raise PatternInvalid("The counts of a split pattern are too large.", pattern=source)
    if any(call[1] for call in _CALL.finditer(source)):
        raise PatternInvalid("A split pattern must not call its own groups.", pattern=source)
    try:
        return regex.compile(source, regex.MULTILINE)
    except regex.error as error:
        # The stubs of `regex` do not know what its errors carry.
        wrong: str = getattr(error, "msg", str(error))
        position: int | None = getattr(error, "pos", None)
        place = "" if position is None else f", at character {position + 1}"
        raise PatternInvalid(
            f"The split pattern “{source[:100]}” is not a valid regular expression: {wrong}{place}.",
            pattern=source,
            reason=str(error),
        ) from error
    except (RecursionError, OverflowError, MemoryError, ValueError) as error:
        raise PatternInvalid(pattern=source, reason=type(error).__name__) from error


def _digits(count: str | None) -> str:
    return "".join((count or "").split())


def _found(view: str, patterns: Sequence[str]) -> Iterable[Mark]:
    deadline = time.monotonic() + BUDGET_S + len(view) / _CHARS_PER_S
    for level, source in enumerate(patterns, start=1):
        for begin, end in _matches(source, view, deadline):
            yield begin, end, level


def _apart(marks: Iterable[Mark]) -> list[Mark]:
    """In order of the text; of those that begin together the first one given stays, of the rest the first."""
    taken: dict[int, Mark] = {}
    for mark in marks:
        taken.setdefault(mark[0], mark)
    out: list[Mark] = []
    for mark in sorted(taken.values()):
        if not out or mark[0] >= out[-1][1]:
            out.append(mark)
    return out


def _probe(source: str) -> None:
    """Refuse a pattern that long runs of one thing, then something else, bring to a stand.

    The runs are of everyday characters and of those named in the pattern, behind each of these as a pattern
    may want a beginning; all of them follow at the end, as `regex` skips texts without a required character.
    """
    named = list(dict.fromkeys(c for c in re.sub(r"\\.|[][(){}?*+^$|]", "", source) if c not in "\r\n"))[:12]
    units = dict.fromkeys((*_PROBES, *named, *(f"a{c}" for c in named if not c.isalnum())))
    tail = "\x01" + "".join(named)
    runs = (lead + unit * (_PROBE_CHARS // len(unit)) + tail for lead in ("", *named[:6]) for unit in units)
    _matches(source, "\n\n".join(runs), time.monotonic() + _PROBE_S)


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
    except (TimeoutError, MemoryError):
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
