"""What paragraphs and characters of a binary Word document are: style, table, list, hidden, deleted."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from refdesk.knowledge.parsing.doc.layout import Layout, u16, u32
from refdesk.knowledge.parsing.errors import CorruptFile

_PAGE = 512
_OPERANDS = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}
_TITLE = 62
_CHAIN = 20


@dataclass(frozen=True, slots=True)
class Paragraph:
    """`level` is the heading level from 1; `list_id` is 0 outside lists.

    `inner_cell` and `inner_row_end` end a cell and a row of a table inside a cell.
    """

    style: int = 0
    level: int | None = None
    title: bool = False
    in_table: bool = False
    row_end: bool = False
    inner_cell: bool = False
    inner_row_end: bool = False
    list_id: int = 0
    list_level: int = 0


@dataclass(slots=True)
class Properties:
    """Properties by byte of the main stream; `pictures` are places of the data stream by position."""

    layout: Layout
    starts: list[int] = field(default_factory=list[int])
    found: list[Paragraph] = field(default_factory=list[Paragraph])
    gone: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    pictures: dict[int, int] = field(default_factory=dict[int, int])

    @classmethod
    def read(cls, layout: Layout) -> "Properties":
        """All of them; a document without (Word 6, damaged pages) has plain paragraphs."""
        made = cls(layout)
        styles = _styles(layout.part(1))
        entries: list[tuple[int, Paragraph]] = []
        for first, _, data in _runs(layout, layout.part(13), wide=True):
            if len(data) < 2:
                entries.append((first, Paragraph()))
                continue
            style = u16(data, 0)
            entries.append((first, _paragraph(styles.get(style, Paragraph()), data[2:])))
        entries.sort(key=lambda entry: entry[0])
        made.starts = [first for first, _ in entries]
        made.found = [paragraph for _, paragraph in entries]
        for first, last, data in _runs(layout, layout.part(12), wide=False):
            given = dict(_sprms(data))
            if any(given.get(code, b"")[:1] == b"\x01" for code in (0x0800, 0x083C)):
                made.gone.extend(layout.position_runs(first, last))
            if len(given.get(0x6A03, b"")) == 4:
                for start, _ in layout.position_runs(first, last):
                    made.pictures[start] = int.from_bytes(given[0x6A03], "little")
        return made

    def paragraph(self, position: int) -> Paragraph:
        """Properties of the paragraph that ends with the character at a position."""
        at = bisect_right(self.starts, self.layout.offset(position)) - 1
        return self.found[at] if at >= 0 else Paragraph()


def _runs(layout: Layout, index: bytes, *, wide: bool) -> Iterator[tuple[int, int, bytes]]:
    """(first byte, last byte, properties) of each run, from the pages the index names."""
    count = (len(index) - 4) // 8
    for i in range(max(0, count)):
        number = u32(index, 4 * (count + 1) + 4 * i) & 0x3F_FFFF
        page = layout.main[number * _PAGE : (number + 1) * _PAGE]
        if len(page) < _PAGE:
            continue  # a damaged page costs structure, not text
        runs = page[-1]
        step = 13 if wide else 1
        for run in range(runs):
            at = 4 * (runs + 1) + step * run
            if at >= _PAGE:
                break
            place = page[at] * 2
            yield u32(page, 4 * run), u32(page, 4 * run + 4), _properties(page, place, wide=wide)


def _properties(page: bytes, place: int, *, wide: bool) -> bytes:
    if place == 0 or place >= _PAGE - 1:
        return b""
    size = page[place]
    if not wide:
        return page[place + 1 : place + 1 + size]
    if size:
        return page[place + 1 : place + 2 * size]
    return page[place + 2 : place + 2 + 2 * page[place + 1]]


def _sprms(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 2 <= len(data):
        code = u16(data, at)
        at += 2
        if code == 0xD608:
            size = u16(data, at) + 1 if at + 2 <= len(data) else len(data)
        elif code >> 13 == 6:
            size = data[at] + 1 if at < len(data) else 0
        else:
            size = _OPERANDS[code >> 13]
        yield code, data[at : at + size]
        at += max(size, 1)


def _paragraph(base: Paragraph, data: bytes) -> Paragraph:
    made = base
    for code, operand in _sprms(data):
        value = int.from_bytes(operand[:2], "little")
        first = operand[0] if operand else 0
        if code == 0x2416:
            made = replace(made, in_table=first == 1)
        elif code == 0x2417:
            made = replace(made, row_end=first == 1)
        elif code == 0x244B:
            made = replace(made, inner_cell=first == 1)
        elif code == 0x244C:
            made = replace(made, inner_row_end=first == 1)
        elif code == 0x2640:
            made = replace(made, level=first + 1 if first < 9 else None)
        elif code == 0x460B:
            made = replace(made, list_id=value if value < 0xF801 else 0)
        elif code == 0x260A:
            made = replace(made, list_level=min(first, 8))
    return made


def _styles(sheet: bytes) -> dict[int, Paragraph]:
    """What paragraph styles give, with what they inherit; headings have numbers whatever their language."""
    if len(sheet) < 6:
        return {}
    head = u16(sheet, 0)
    count, base = u16(sheet, 2), u16(sheet, 4)
    at = 2 + head
    own: dict[int, tuple[int, int, bytes]] = {}
    for number in range(count):
        if at + 2 > len(sheet):
            break
        size = u16(sheet, at)
        entry = sheet[at + 2 : at + 2 + size]
        at += 2 + size + size % 2
        if len(entry) >= base >= 10 and u16(entry, 2) & 0xF == 1:
            own[number] = (u16(entry, 0) & 0xFFF, u16(entry, 2) >> 4, _style_properties(entry, base))
    return {number: _resolved(number, own, 0) for number in own}


def _style_properties(entry: bytes, base: int) -> bytes:
    """Paragraph properties of a style: after its name, the first of its property sets."""
    try:
        at = base + 2 + 2 * u16(entry, base) + 2
        size = u16(entry, at)
    except CorruptFile:
        return b""
    return entry[at + 4 : at + 2 + size] if size >= 2 else b""


def _resolved(number: int, own: dict[int, tuple[int, int, bytes]], depth: int) -> Paragraph:
    if number not in own or depth > _CHAIN:
        return Paragraph()
    identity, parent, data = own[number]
    made = replace(_resolved(parent, own, depth + 1), style=number)
    if 1 <= identity <= 9:
        made = replace(made, level=identity)
    elif identity == _TITLE:
        made = replace(made, title=True)
    return _paragraph(made, data)
