"""Parsed file → paragraphs within the limit, in the order of the text, covering all of it."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from refdesk.knowledge.parsing.blocks import Block, Box, Parsed
from refdesk.knowledge.splitting.cleaning import clean
from refdesk.knowledge.splitting.collecting import without_collecting
from refdesk.knowledge.splitting.cutting import Cutter
from refdesk.knowledge.splitting.facts import facts_of, joined_facts
from refdesk.knowledge.splitting.sections import Piece, Section, sections
from refdesk.knowledge.splitting.settings import (
    UNSTRUCTURED_PDF_LIMIT,
    ParagraphDraft,
    SplitResult,
    SplitSettings,
    Unit,
)
from refdesk.knowledge.splitting.sizing import Characters, Sizing, Tokens
from refdesk.knowledge.splitting.tables import cut_code, cut_table

_STRUCTURED_DEPTH = 2
_FENCES = 10  # two fences with their line breaks, and two characters to spare for longer ones


@dataclass(slots=True)
class _Draft:
    """A paragraph that is still being filled: spans of text, each with an optional repeated header."""

    section: Section
    parts: list[tuple[int, int, str, Piece]] = field(default_factory=list[tuple[int, int, str, Piece]])
    marks: int = 0  # size of what is shown beside the text itself: fences, heading marks, repeated headers

    def put(self, start: int, end: int, header: str, piece: Piece) -> None:
        """Append a span."""
        self.parts.append((start, end, header, piece))
        self.marks += _marks(piece) + (len(header) + 1 if header else 0)


def split(parsed: Parsed, settings: SplitSettings | None = None) -> SplitResult:
    """Paragraphs of a parsed file. Raises `PatternInvalid` and `PatternTooSlow` for user patterns."""
    settings = settings or SplitSettings()
    limit, unit = settings.effective_limit, settings.effective_unit
    structured = settings.profile == "structured"
    if structured and settings.limit is None and parsed.kind == "pdf" and not _has_headings(parsed):
        limit = UNSTRUCTURED_PDF_LIMIT
    text = parsed.text
    sizing: Sizing = Characters(text) if unit == "characters" else Tokens(text)
    filler = _Filler(text, sizing, limit, by_block=structured)
    deepest = _STRUCTURED_DEPTH if structured and not settings.patterns else None
    found = sections(parsed, settings.patterns, deepest)
    drafts = (draft for section in found for draft in filler.fill(section))
    with without_collecting():
        return _finish(text, drafts, settings, limit, sizing)


def _size(content: str, unit: Unit) -> int:
    return len(content) if unit == "characters" else Tokens(content).size(0, len(content))


def _marks(piece: Piece) -> int:
    if piece.kind == "code":
        return _FENCES
    return (piece.block.level or 1) + 1 if piece.kind == "heading" else 0


def _has_headings(parsed: Parsed) -> bool:
    return any(block.kind == "heading" for block in parsed.blocks)


class _Filler:
    def __init__(self, text: str, sizing: Sizing, limit: int, *, by_block: bool) -> None:
        self.text = text
        self.sizing = sizing
        self.limit = limit
        self.by_block = by_block
        self.cutter = Cutter(text, sizing)

    def fill(self, section: Section) -> list[_Draft]:
        """Drafts of one section, each within the limit."""
        if not section.body:
            return [_Draft(section)]
        begin, end = section.body[0].start, section.body[-1].end
        marks = sum(_marks(piece) for piece in section.body)
        drafts = [_Draft(section)]
        if self.sizing.size(begin, end) + marks <= self.limit:
            for piece in section.body:
                drafts[0].put(piece.start, piece.end, "", piece)
        else:
            for piece in section.body:
                self._place(piece, drafts)
        return drafts

    def _room(self, draft: _Draft, upcoming: Piece) -> int:
        """What is left of the limit for the text of `upcoming` when it is joined to the draft."""
        room = self.limit - draft.marks - _marks(upcoming)
        return room - self.sizing.size(draft.parts[0][0], upcoming.start) if draft.parts else room

    def _place(self, piece: Piece, drafts: list[_Draft]) -> None:
        size = self.sizing.size(piece.start, piece.end)
        room = self._room(drafts[-1], piece)
        if size <= room:
            drafts[-1].put(piece.start, piece.end, "", piece)
            return
        whole = piece.kind in ("table", "code", "front_matter") or self.by_block
        if whole and size + _marks(piece) <= self.limit:
            drafts.append(_Draft(drafts[-1].section))
            drafts[-1].put(piece.start, piece.end, "", piece)
            return
        for start, end, header in self._cut(piece, 0 if whole else room):
            joins = start == piece.start and self.sizing.size(start, end) <= room
            if end <= start:
                continue
            if drafts[-1].parts and not joins:
                drafts.append(_Draft(drafts[-1].section))
            drafts[-1].put(start, end, header, piece)

    def _cut(self, piece: Piece, room: int) -> list[tuple[int, int, str]]:
        if piece.kind == "table":
            return cut_table(self.text, piece.start, piece.end, self.cutter, self.limit)
        if piece.kind == "code":
            return cut_code(self.text, piece.start, piece.end, self.cutter, self.limit - _marks(piece))
        spans = self.cutter.fill(piece.start, piece.end, room, self.limit - _marks(piece))
        return [(start, end, "") for start, end in spans]


def _finish(
    text: str, drafts: Iterable[_Draft], settings: SplitSettings, limit: int, sizing: Sizing
) -> SplitResult:
    out: list[ParagraphDraft] = []
    removed = 0
    uncovered: int | None = None
    previous: Section | None = None
    smallest = settings.effective_min_size
    for draft in drafts:
        first = previous is not draft.section
        previous = draft.section
        made, gone = _paragraph(text, draft, settings.with_filter, first=first)
        removed += gone
        if not (made.content or made.title):
            # All of it was filtered out; its neighbour covers it, so that spans leave no gap.
            if out:
                out[-1] = replace(out[-1], end=made.end)
            else:
                uncovered = made.start if uncovered is None else uncovered
            continue
        if uncovered is not None:
            made, uncovered = replace(made, start=uncovered), None
        small = smallest and out and len(made.content) < smallest
        if small and sizing.size(out[-1].start, made.end) <= limit - _FENCES:
            joined = _merged(out[-1], made, draft, text if first else "")
            # What is shown beside the text, such as a repeated header row, counts as well.
            if _size(joined.content, settings.effective_unit) <= limit:
                out[-1] = joined
                continue
        out.append(made)
    return SplitResult(tuple(out), removed, ())


def _paragraph(text: str, draft: _Draft, with_filter: bool, *, first: bool) -> tuple[ParagraphDraft, int]:
    section = draft.section
    chunks: list[tuple[str, bool]] = []
    boxes: dict[Box, None] = {}
    blocks: dict[int, Block] = {}
    for i, (start, end, header, piece) in enumerate(draft.parts):
        if i and piece.block is draft.parts[i - 1][3].block:
            chunks.append((text[draft.parts[i - 1][1] : start], False))
        elif i:
            chunks.append(("\n\n", False))
        if header:
            chunks.append((header + "\n", False))
        chunks.append((_shown(text[start:end], piece), piece.kind == "code"))
        boxes |= dict.fromkeys(piece.block.boxes)
        blocks[piece.block.offset] = piece.block
    if with_filter:
        content, removed = clean(chunks)
    else:
        content, removed = "".join(chunk for chunk, _ in chunks), 0
    head = section.head_block if first else None
    if head is not None:
        blocks[head.offset] = head
    if not draft.parts:
        content = section.heading
    page = draft.parts[0][3].block.page if draft.parts else (head.page if head else None)
    start = section.start if first else draft.parts[0][0]
    end = draft.parts[-1][1] if draft.parts else section.heading_end
    if not draft.parts and head is not None:
        boxes = dict.fromkeys(head.boxes)
    return (
        ParagraphDraft(
            title=section.title,
            title_chain=section.chain,
            content=content,
            page=page,
            boxes=tuple(boxes),
            start=start,
            end=end,
            heading=section.heading,
            meta=facts_of(blocks.values(), content),
        ),
        removed,
    )


def _shown(part: str, piece: Piece) -> str:
    """A block as Markdown, so that a paragraph can be shown and edited as one."""
    if piece.kind == "code":
        fence = "```"
        while fence in part:
            fence += "`"
        return f"{fence}\n{part}\n{fence}"
    if piece.kind == "heading":
        return "#" * (piece.block.level or 1) + " " + part
    return part


def _merged(before: ParagraphDraft, made: ParagraphDraft, draft: _Draft, text: str) -> ParagraphDraft:
    """The two as one; `text` is given where the second brings headings of its own, which become its text."""
    section = draft.section
    heads = text[section.start : section.heading_end] if section.heading else ""
    body = made.content if draft.parts or not heads else ""
    return replace(
        before,
        content="\n\n".join(part for part in (before.content, heads, body) if part),
        boxes=tuple(dict.fromkeys((*before.boxes, *made.boxes))),
        end=made.end,
        meta=joined_facts(before.meta, made.meta),
    )
