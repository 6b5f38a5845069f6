"""Glyphs of all pages → paragraphs and tables of the whole file, without running lines and watermarks."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from itertools import chain

from refdesk.knowledge.parsing.blocks import Box
from refdesk.knowledge.parsing.layout.columns import regions
from refdesk.knowledge.parsing.layout.continued import continued_rows
from refdesk.knowledge.parsing.layout.glyph import Glyph
from refdesk.knowledge.parsing.layout.grids import Rule, take_tables
from refdesk.knowledge.parsing.layout.lines import Text, continues, glue, texts_of
from refdesk.knowledge.parsing.layout.running import take_running, usual_size
from refdesk.knowledge.parsing.layout.segments import Segment, segments_of
from refdesk.knowledge.parsing.layout.slanted import (
    SlantedGlyph,
    SlantedRun,
    slanted_runs,
    slanted_texts,
    watermarks,
)
from refdesk.knowledge.parsing.layout.turning import turned_back, turned_glyphs, turned_rules
from refdesk.knowledge.parsing.layout.vertical import is_vertical, vertical_texts

_MAX_MARKS = 50
_FEW = 3  # glyphs that cannot be a table


@dataclass(slots=True)
class PageLayout:
    """A page before it is known what runs: level segments with tables, texts of other directions."""

    number: int
    height: float
    segments: list[Segment] = field(default_factory=list[Segment])
    others: list[Text] = field(default_factory=list[Text])
    seen: "Seen | None" = None
    slanted: list[SlantedRun] = field(default_factory=list[SlantedRun])


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of a page that was read by OCR.

    `lines`: the box of each line, how sure its reading is, and how long; `shown` gives the box on the page
    as people see it, for pages that were turned or set level.
    """

    lines: tuple[tuple[Box, float, int], ...]
    shown: Callable[[Box], Box]

    def confidence(self, boxes: list[Box]) -> float | None:
        """Mean confidence of the characters inside the boxes; None where nothing of it was read by OCR."""
        inside = [
            (sure, chars)
            for line, sure, chars in self.lines
            if any(
                b.x0 - 1 <= (line.x0 + line.x1) / 2 <= b.x1 + 1 and b.y0 <= (line.y0 + line.y1) / 2 <= b.y1
                for b in boxes
            )
        ]
        total = sum(chars for _, chars in inside)
        return sum(sure * chars for sure, chars in inside) / total if total else None


@dataclass(slots=True)
class PageInput:
    """What was found on one page. `by_turn`: quarter turns clockwise that set the glyphs level → glyphs."""

    number: int
    width: float
    height: float
    by_turn: dict[int, list[Glyph]]
    across: list[Rule] = field(default_factory=list[Rule])
    down: list[Rule] = field(default_factory=list[Rule])
    seen: Seen | None = None
    slanted: Sequence[SlantedGlyph] = ()


def lay_out(page: PageInput) -> PageLayout:
    """Tables and segments of one page, each reading direction for itself."""
    out = PageLayout(page.number, page.height, seen=page.seen)
    for run in slanted_runs(page.slanted, chain.from_iterable(page.by_turn.values())):
        if run.turn is None or run.is_over:
            out.slanted.append(run)
        else:
            page.by_turn.setdefault(run.turn, []).extend(run.glyphs)
    for turn in sorted(page.by_turn):
        glyphs = page.by_turn[turn]
        if turn == 0 and is_vertical(glyphs):
            out.others.extend(vertical_texts(glyphs, page.number))
        elif turn == 0:
            out.segments = _segments(glyphs, page.across, page.down)
        else:
            out.others.extend(_turned_texts(page, turn))
    return out


def _segments(glyphs: list[Glyph], across: list[Rule], down: list[Rule]) -> list[Segment]:
    tables, rest = take_tables(glyphs, across, down) if len(glyphs) > _FEW else ([], glyphs)
    segments = segments_of(rest)
    return segments + [Segment("", t.x0, t.y0, t.x1, t.y1, 0.0, bold=False, table=t.text) for t in tables]


def _turned_texts(page: PageInput, turn: int) -> list[Text]:
    """Text that stands upright or upside down, laid out in its own direction; boxes are turned back."""
    glyphs = turned_glyphs(page.by_turn[turn], turn, page.width, page.height)
    rules = turned_rules(page.across, page.down, turn, page.width, page.height)
    out: list[Text] = []
    for region in regions(_segments(glyphs, *rules)):
        for text in texts_of(region, page.number):
            text.boxes = [turned_back(box, turn, page.width, page.height) for box in text.boxes]
            text.turned = True
            out.append(text)
    return out


@dataclass(slots=True)
class Running:
    """Lines that ran on many pages and were taken out: each once, and the characters of all.

    `chars` counts watermarks and headers of tables, too, that a page break had repeated.
    """

    lines: list[str]
    watermarks: list[str]
    chars: int


def texts_of_pages(pages: list[PageLayout]) -> tuple[list[Text], Running]:
    """Paragraphs and tables of all pages in reading order; those a page break divides are joined."""
    marks = _marks(pages, usual_size([(page.height, page.segments) for page in pages]))
    for page in pages:
        page.segments += [run.segment for run in page.slanted if run.turn == 0 and run.key not in marks]
    kept, lines, chars = take_running([(page.height, page.segments) for page in pages])
    chars += sum(len(run.key) for page in pages for run in page.slanted if run.key in marks)
    texts: list[Text] = []
    for page, segments in zip(pages, kept, strict=True):
        for region in regions(segments):
            found = texts_of(region, page.number)
            if page.seen is not None:
                _mark(found, page.seen)
            chars += _append(texts, found)
        texts.extend(page.others)
        texts.extend(slanted_texts(_remaining(page, marks), page.number))
    return texts, Running(lines, list(marks.values())[:_MAX_MARKS], chars)


def _remaining(page: PageLayout, marks: Container[str]) -> list[SlantedRun]:
    """Oblique and upright runs that are no watermarks."""
    return [run for run in page.slanted if run.turn != 0 and run.key not in marks]


def _marks(pages: list[PageLayout], size: float) -> dict[str, str]:
    """Key of each watermark → its text. Where nothing else is written anywhere, there are none."""
    if not any(page.segments or page.others for page in pages):
        return {}
    keys = watermarks((page.slanted for page in pages), size)
    return {run.key: run.segment.text for page in pages for run in page.slanted if run.key in keys}


def _mark(texts: list[Text], seen: Seen) -> None:
    for text in texts:
        text.confidence = seen.confidence(text.boxes)
        text.boxes = [seen.shown(box) for box in text.boxes]


def _append(texts: list[Text], more: list[Text]) -> int:
    """Join a paragraph or table that runs on over a column or page break, then append the rest.

    Returns how many characters of repeated table headers were left out.
    """
    left_out = 0
    if texts and more:
        last, first = texts[-1], more[0]
        if continues(last, first):
            last.text = glue(last.text, first.text)
            last.lines += first.lines
            last.full_width = first.full_width
        elif (rows := continued_rows(last, first)) is not None:
            left_out = sum(not c.isspace() for c in first.table) - sum(not c.isspace() for c in "".join(rows))
            last.table = "\n".join([last.table, *rows])
        else:
            texts.extend(more)
            return 0
        last.boxes.extend(first.boxes)
        sure = [value for value in (last.confidence, first.confidence) if value is not None]
        last.confidence = min(sure, default=None)
        more = more[1:]
    texts.extend(more)
    return left_out
