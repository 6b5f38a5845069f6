"""Blocks → sections: the flat form of the tree of headings."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from refdesk.knowledge.parsing.blocks import Block, Parsed
from refdesk.knowledge.splitting.patterns import Mark, pattern_marks
from refdesk.knowledge.splitting.titles import MAX_TITLE, clean_title


@dataclass(slots=True)
class Piece:
    """A part of a section's body: a whole block, or the part of one beside a heading found by a pattern."""

    kind: str
    start: int
    end: int
    block: Block


@dataclass(slots=True)
class Section:
    """A heading with what stands below it up to the next one.

    `start` is where its heading starts, or that of the first parent without a body of its own, which would
    otherwise be covered by nobody.
    """

    heading: str = ""
    title: str = ""
    level: int = 0
    chain: tuple[str, ...] = ()
    start: int = 0
    heading_end: int = 0
    head_block: Block | None = None
    body: list[Piece] = field(default_factory=list[Piece])


def sections(parsed: Parsed, patterns: tuple[str, ...], deepest: int | None) -> Iterator[Section]:
    """Sections in order. Headings deeper than `deepest` stay in the body as text of their own.

    One at a time: with all of them in memory, Python's collector made 100,000 cost 13 times 10,000.
    """
    heads = _Heads(pattern_marks(parsed.blocks, patterns)) if patterns else None
    return _without_empty_parents(_flattened(parsed, heads, deepest))


def _flattened(parsed: Parsed, heads: "_Heads | None", deepest: int | None) -> Iterator[Section]:
    stack: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    current = Section()
    for block in parsed.blocks:
        for first, last, level in _parts(block, heads):
            start, end = _trimmed(parsed.text, first, last)
            if start == end:
                continue
            if level is None or (deepest is not None and level > deepest):
                if block.kind == "code":  # the indentation of its first line is part of it
                    start = parsed.text.rfind("\n", first, start) + 1 or first
                current.body.append(Piece(block.kind, start, end, block))
                continue
            if current.heading or current.body:
                yield current
            while len(stack) > 1 and stack[-1][0] >= level:
                stack.pop()
            chain = stack[-1][1]
            heading = parsed.text[start:end]
            current = Section(heading, clean_title(heading), level, chain, start, end, block)
            stack.append((level, (*chain, current.title)))
    if current.heading or current.body:
        yield current


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _parts(block: Block, heads: "_Heads | None") -> list[tuple[int, int, int | None]]:
    """Spans of a block with the heading level of each, None for body text."""
    end = block.offset + len(block.text)
    if heads is None:
        is_heading = block.kind == "heading" and len(block.text) <= MAX_TITLE
        return [(block.offset, end, (block.level or 1) if is_heading else None)]
    parts: list[tuple[int, int, int | None]] = []
    at = block.offset
    for start, stop, level in heads.before(end):
        if start > at:
            parts.append((at, start, None))
        parts.append((start, stop, level))
        at = stop
    if at < end:
        parts.append((at, end, None))
    return parts


class _Heads:
    """Headings found by patterns, handed out block by block in the order of the text."""

    def __init__(self, marks: list[Mark]) -> None:
        self._marks = marks
        self._next = 0

    def before(self, end: int) -> Iterator[Mark]:
        """Those not handed out yet that start before `end`."""
        while self._next < len(self._marks) and self._marks[self._next][0] < end:
            start, stop, level = self._marks[self._next]
            self._next += 1
            # A match longer than a title may be is a body, whatever the pattern says.
            if stop - start <= MAX_TITLE:
                yield start, stop, level


def _without_empty_parents(found: Iterator[Section]) -> Iterator[Section]:
    """A heading directly above a deeper one lives on in the chain; the first child's span takes it in."""
    pending: int | None = None
    section = next(found, None)
    while section is not None:
        following = next(found, None)
        if not section.body and following is not None and following.level > section.level:
            pending = section.start if pending is None else pending
        else:
            if not section.heading:
                section.start = section.body[0].start
            if pending is not None:
                section.start = pending
                pending = None
            yield section
        section = following
