"""Rows of a region → paragraphs: which lines belong together."""

import re
from dataclasses import dataclass, field
from itertools import pairwise

from refdesk.knowledge.parsing.blocks import Box
from refdesk.knowledge.parsing.layout.aligned import tables_in
from refdesk.knowledge.parsing.layout.segments import Row, Segment, is_cjk, join, rows_of

_LIST = re.compile(
    r"^(?:[•●▪■◆◇○◦‣➢➤✓√\uf0b7\uf0a7\uf06c\uf0d8·*–—-]\s+\S|[•●▪■◆➢\uf0b7\uf06c]|[（(]?\d{1,2}[.)）、．]\s*(?!\d)\S"
    r"|[（(][一二三四五六七八九十]{1,3}[）)]|[①-⑳]|[a-z][.)]\s)"
)
_ENDS = re.compile(r"[.。!！?？:：;；…][\"'”’」』）)\]]*$")
_DIVIDED = re.compile(r"[^\W\d_]-$")
_NUMBERED = re.compile(
    r"^(?:第\s*[一二三四五六七八九十百零〇\d]+\s*[章节節篇编編部条]|[一二三四五六七八九十]{1,3}、"
    r"|\d{1,2}(?:\.\d{1,2}){1,4}\.?\s|[（(][一二三四五六七八九十]{1,3}[）)])"
)


# Lists of names or figures have no full stops; without an end they would grow over a whole file.
_MAX_JOINED_LINES = 120
# Lines further apart than this are never of one paragraph, nor is one that starts so far left of the last.
_PARTING_GAP, _OUTDENT = 2.2, 6.0


@dataclass(slots=True)
class Text:
    """A paragraph of a page (or a table, where `table` is set) before its kind is known."""

    text: str
    size: float
    bold: bool
    lines: int
    page: int
    boxes: list[Box] = field(default_factory=list[Box])
    listed: bool = False
    table: str = ""
    full_width: bool = False
    turned: bool = False
    confidence: float | None = None


def texts_of(region: list[Segment], page: int) -> list[Text]:
    """Paragraphs and tables of one region."""
    out: list[Text] = []
    rows = rows_of(region)
    low, high = min(s.x0 for s in region), max(s.x1 for s in region)
    usual = _usual_gaps(rows)
    pending: list[Segment] = []
    for item in tables_in(rows):
        tables = [item] if isinstance(item, Segment) else [s for s in item if s.table]
        if tables:
            _flush(pending, out, page, low, high)
            out.extend(_table(segment, page) for segment in tables)
            rest = [] if isinstance(item, Segment) else [s for s in item if not s.table]
            pending = [join(rest)] if rest else []
            continue
        line = _line(item) if not isinstance(item, Segment) else item
        if pending and _starts(pending, line, low, high, usual):
            _flush(pending, out, page, low, high)
            pending = []
        pending.append(line)
    _flush(pending, out, page, low, high)
    return out


def _line(row: Row) -> Segment:
    return join(row)


def _table(segment: Segment, page: int) -> Text:
    box = Box(page, round(segment.x0, 1), round(segment.y0, 1), round(segment.x1, 1), round(segment.y1, 1))
    return Text("", segment.size, bold=False, lines=0, page=page, boxes=[box], table=segment.table)


def _usual_gaps(rows: list[Row]) -> dict[float, float]:
    """Font size → the usual gap between two lines of a paragraph, where the region shows one."""
    gaps: dict[float, list[float]] = {}
    for above, below in pairwise(rows):
        if abs(above[0].size - below[0].size) < 0.3:
            gaps.setdefault(round(below[0].size), []).append(below[0].y0 - above[0].y1)
    # The lower quartile: gaps between paragraphs and around tables are in there too.
    return {size: sorted(found)[len(found) // 4] for size, found in gaps.items() if len(found) >= 2}


def _starts(
    pending: list[Segment], line: Segment, low: float, high: float, usual: dict[float, float]
) -> bool:
    """Whether a line begins a new paragraph after `pending`."""
    last = pending[-1]
    size = max(line.size, last.size)
    gap = line.y0 - last.y1
    expected = usual.get(round(line.size), 0.75 * size)
    if len(pending) > 1:
        expected = min(expected, pending[-1].y0 - pending[-2].y1)
    if gap > max(expected + 0.4 * size, 0.6 * size) or gap > _PARTING_GAP * size or gap < -3 * size:
        return True
    if abs(line.size - last.size) > 0.6 or line.bold != last.bold:
        return True
    if _LIST.match(line.text) or _NUMBERED.match(line.text):
        return True
    if _DIVIDED.search(last.text) and line.text[0].islower():
        return False  # a divided word
    if abs((line.x0 + line.x1) - (last.x0 + last.x1)) < 5 and min(line.x0, last.x0) > low + 1.5 * size:
        return False  # centred lines
    if last.x0 - line.x0 > _OUTDENT * size:
        return True
    short = last.x1 < high - 0.12 * (high - low)
    indented = line.x0 > last.x0 + 1.2 * line.size and len(pending) > 1
    first_indent = (
        line.x0 > low + 1.2 * line.size and abs(last.x0 - low) < 0.5 * size and not _LIST.match(last.text)
    )
    if indented or first_indent:
        return True
    # A line that ends early with a full stop ends its paragraph.
    if short and _ENDS.search(last.text):
        return True
    # So does one that ends so early that the next word would have fitted.
    first_word = line.text.split(" ", 1)[0]
    width = (
        (line.x1 - line.x0) / max(1, len(line.text)) * (1 if is_cjk(line.text[0]) else len(first_word) + 1)
    )
    return high - last.x1 > width + 2 * size and high - last.x1 > 0.25 * (high - low)


def _flush(pending: list[Segment], out: list[Text], page: int, low: float, high: float) -> None:
    if not pending:
        return
    text = pending[0].text
    for line in pending[1:]:
        text = glue(text, line.text)
    box = Box(
        page,
        round(min(s.x0 for s in pending), 1),
        round(min(s.y0 for s in pending), 1),
        round(max(s.x1 for s in pending), 1),
        round(max(s.y1 for s in pending), 1),
    )
    longest = max(pending, key=lambda s: len(s.text))
    out.append(
        Text(
            text,
            longest.size,
            all(s.bold for s in pending),
            len(pending),
            page,
            [box],
            listed=bool(_LIST.match(text)),
            full_width=pending[-1].x1 > high - 0.12 * (high - low),
        )
    )


def glue(text: str, following: str) -> str:
    """Two lines as running text: a hyphenated word joined, no space between Han characters."""
    if text.endswith("-") and len(text) > 2 and text[-2].isalpha() and following[:1].islower():
        return text[:-1] + following
    if text.endswith(("-", "/")) and len(text) > 1 and not text[-2].isspace() and text[-2].isalnum():
        return text + following
    if is_cjk(text[-1:]) and is_cjk(following[:1]):
        return text + following
    return f"{text} {following}"


def continues(before: Text, after: Text) -> bool:
    """Whether a paragraph runs on over a column or page break."""
    if before.table or after.table or after.listed or not before.text or not after.text:
        return False
    if before.lines > _MAX_JOINED_LINES or abs(before.size - after.size) > 0.3 or before.bold != after.bold:
        return False
    first = after.text[0]
    if _DIVIDED.search(before.text) and first.islower():
        return True
    if not before.full_width or _ENDS.search(before.text):
        return False
    return first.islower() or before.text.endswith("-") or (is_cjk(first) and not _NUMBERED.match(after.text))
