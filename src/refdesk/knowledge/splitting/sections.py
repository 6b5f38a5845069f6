"""Blocks → sections: the flat form of the tree of headings."""

from dataclasses import dataclass, field

from refdesk.knowledge.parsing.blocks import Block, Parsed
from refdesk.knowledge.splitting.patterns import pattern_marks
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
    level: int = 0
    chain: tuple[str, ...] = ()
    start: int = 0
    heading_end: int = 0
    head_block: Block | None = None
    body: list[Piece] = field(default_factory=list[Piece])


def sections(parsed: Parsed, patterns: tuple[str, ...], deepest: int | None) -> list[Section]:
    """Sections in order. Headings deeper than `deepest` stay in the body as text of their own."""
    heads = _pattern_heads(parsed, patterns) if patterns else None
    out: list[Section] = []
    stack: list[tuple[int, str]] = []
    current = Section()
    for block in parsed.blocks:
        for start, end, level in _parts(block, heads):
            if level is None or (deepest is not None and level > deepest):
                current.body.append(Piece(block.kind, start, end, block))
                continue
            if current.heading or current.body:
                out.append(current)
            while stack and stack[-1][0] >= level:
                stack.pop()
            heading = parsed.text[start:end]
            current = Section(heading, level, tuple(title for _, title in stack), start, end, block)
            stack.append((level, clean_title(heading)))
    if current.heading or current.body:
        out.append(current)
    return _without_empty_parents(out)


def _parts(
    block: Block, heads: dict[int, list[tuple[int, int, int]]] | None
) -> list[tuple[int, int, int | None]]:
    """Spans of a block with the heading level of each, None for body text."""
    end = block.offset + len(block.text)
    if heads is None:
        is_heading = block.kind == "heading" and len(block.text) <= MAX_TITLE
        return [(block.offset, end, (block.level or 1) if is_heading else None)]
    parts: list[tuple[int, int, int | None]] = []
    at = block.offset
    for start, stop, level in heads.get(block.offset, ()):
        if start > at:
            parts.append((at, start, None))
        parts.append((start, stop, level))
        at = stop
    if at < end:
        parts.append((at, end, None))
    return parts


def _pattern_heads(parsed: Parsed, patterns: tuple[str, ...]) -> dict[int, list[tuple[int, int, int]]]:
    marks = pattern_marks(parsed.blocks, patterns)
    heads: dict[int, list[tuple[int, int, int]]] = {}
    blocks = iter(parsed.blocks)
    block = next(blocks, None)
    for mark in marks:
        while block is not None and block.offset + len(block.text) <= mark.start:
            block = next(blocks, None)
        if block is None:
            break
        # A match longer than a title may be is a body, whatever the pattern says.
        if mark.end - mark.start <= MAX_TITLE:
            heads.setdefault(block.offset, []).append((mark.start, mark.end, mark.level))
    return heads


def _without_empty_parents(found: list[Section]) -> list[Section]:
    """A heading directly above a deeper one lives on in the chain; the first child's span takes it in."""
    out: list[Section] = []
    pending: int | None = None
    for i, section in enumerate(found):
        following = found[i + 1] if i + 1 < len(found) else None
        if not section.body and following is not None and following.level > section.level:
            pending = section.start if pending is None else pending
            continue
        if pending is not None:
            section.start = pending
            pending = None
        elif not section.heading:
            section.start = section.body[0].start
        out.append(section)
    return out
