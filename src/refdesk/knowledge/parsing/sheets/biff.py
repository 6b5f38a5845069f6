"""What a binary workbook (XLS) stores, read record by record ([MS-XLS]): formats, links, notes, texts,
and what is hidden.

Adds to the reader of values (`xls`) what that one does not give, and counts independently of it what there
is. Knows BIFF8 (Excel 97–2003) only; older workbooks are read without. Must not decide what becomes text.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from refdesk.knowledge.parsing.sheets.biff_strings import shared_strings, string, text_of_object
from refdesk.knowledge.parsing.sheets.shown import BUILT_IN, shown_number

_BOF, _EOF, _CONTINUE = 0x809, 0x0A, 0x3C
_SHEET, _STRINGS, _FORMAT, _STYLE, _SINCE_1904 = 0x85, 0xFC, 0x41E, 0xE0, 0x22
_SHARED, _LABEL, _RESULT, _NUMBER, _RK, _MANY_RK, _FORMULA, _TRUTH = (
    *(0xFD, 0x204, 0x207, 0x203),
    *(0x27E, 0xBD, 0x06, 0x205),
)
_ROW, _COLUMNS = 0x208, 0x7D
_LINK, _NOTE, _OBJECT, _TEXT = 0x1B8, 0x1C, 0x5D, 0x1B6
_BIFF8 = 0x600
_WEB_ADDRESS = bytes.fromhex("e0c9ea79f9bace118c8200aa004ba90b")
_MAX_LINKED = 10_000

type Place = tuple[int, int]


@dataclass(slots=True)
class Stored:
    """One sheet: numbers as shown under a format other than the general one, links, notes and boxes.

    `texts` are all texts of cells, `values` counts the cells that hold something else, `boxes` are texts of
    drawn objects by their number.
    """

    shown: dict[Place, str] = field(default_factory=dict[Place, str])
    links: dict[Place, str] = field(default_factory=dict[Place, str])
    notes: dict[Place, str] = field(default_factory=dict[Place, str])
    boxes: dict[int, str] = field(default_factory=dict[int, str])
    hidden_rows: set[int] = field(default_factory=set[int])
    hidden_columns: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    texts: list[str] = field(default_factory=list[str])
    values: int = 0
    drawn: int = 0


def read_stored(stream: bytes) -> list[Stored] | None:
    """The sheets in their order; None where this is no BIFF8 or it is damaged."""
    try:
        return _Book().read(stream)
    except (struct.error, IndexError, ValueError, OverflowError):
        return None


@dataclass(slots=True)
class _Book:
    strings: list[str] = field(default_factory=list[str])
    codes: dict[int, str] = field(default_factory=dict[int, str])
    styles: list[int] = field(default_factory=list[int])
    since_1904: bool = False

    def read(self, stream: bytes) -> list[Stored] | None:
        starts: list[int] = []
        found: dict[int, Stored] = {}
        current: Stored | None = None
        depth = 0
        for at, kind, parts in _records(stream):
            body = parts[0]
            if kind == _BOF:
                if struct.unpack_from("<H", body)[0] != _BIFF8:
                    return None
                depth += 1
                current = found.setdefault(at, Stored()) if depth == 1 else current
            elif kind == _EOF:
                depth -= 1
            elif kind == _SHEET:
                # Only worksheets (0) have cells; charts and macros have records of their own.
                starts += [struct.unpack_from("<I", body)[0]] if body[5] == 0 else []
            elif kind == _STRINGS:
                self.strings = shared_strings(parts)
            elif kind == _FORMAT:
                self.codes[struct.unpack_from("<H", body)[0]] = string(body[2:])
            elif kind == _STYLE:
                self.styles.append(struct.unpack_from("<H", body, 2)[0])
            elif kind == _SINCE_1904:
                self.since_1904 = body[:1] == b"\1"
            elif current is not None and depth == 1:
                self._cell(kind, body, current)
                _beside(kind, parts, current)
        return [found[at] for at in starts]

    def _cell(self, kind: int, body: bytes, sheet: Stored) -> None:
        if kind == _SHARED:
            sheet.texts.append(self.strings[struct.unpack_from("<I", body, 6)[0]])
        elif kind == _LABEL:
            sheet.texts.append(string(body[6:]))
        elif kind == _RESULT:
            sheet.texts.append(string(body))
        elif kind == _NUMBER or (kind == _FORMULA and body[12:14] != b"\xff\xff"):
            self._number(sheet, *struct.unpack_from("<HHHd", body))
        elif kind == _RK:
            row, column, style = struct.unpack_from("<HHH", body)
            self._number(sheet, row, column, style, _compact(body[6:10]))
        elif kind == _MANY_RK:
            row, first = struct.unpack_from("<HH", body)
            for i in range((len(body) - 6) // 6):
                style = struct.unpack_from("<H", body, 4 + 6 * i)[0]
                self._number(sheet, row, first + i, style, _compact(body[6 + 6 * i : 10 + 6 * i]))
        elif kind == _FORMULA:
            sheet.values += body[6] in (1, 2)  # truth and errors; a text follows in a record of its own
        elif kind == _TRUTH:
            sheet.values += 1

    def _number(self, sheet: Stored, row: int, column: int, style: int, value: float) -> None:
        sheet.values += 1
        number = self.styles[style] if style < len(self.styles) else 0
        code = self.codes.get(number) or BUILT_IN.get(number, "General")
        if code != "General":
            sheet.shown[row, column] = shown_number(value, code, since_1904=self.since_1904)


def _records(stream: bytes) -> Iterator[tuple[int, int, list[bytes]]]:
    """(place, kind, parts) of each record; a long one goes on in further ones, which are its parts."""
    at = 0
    waiting: tuple[int, int, list[bytes]] | None = None
    while at + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, at)
        body = stream[at + 4 : at + 4 + size]
        if kind == _CONTINUE and waiting is not None:
            waiting[2].append(body)
        else:
            if waiting is not None:
                yield waiting
            waiting = (at, kind, [body])
        at += 4 + size
    if waiting is not None:
        yield waiting


def _compact(value: bytes) -> float:
    """A number in 32 bits (RK): whole or the upper half of a float, maybe a hundredth of it."""
    bits = struct.unpack("<i", value)[0]
    number = (
        float(bits >> 2) if bits & 2 else struct.unpack("<d", b"\0" * 4 + struct.pack("<i", bits & ~3))[0]
    )
    return number / 100 if bits & 1 else number


def _beside(kind: int, parts: list[bytes], sheet: Stored) -> None:
    """What is hidden; links, notes, and the texts of objects: each follows the record that gives the object's
    number."""
    body = parts[0]
    if kind == _OBJECT:
        sheet.drawn = struct.unpack_from("<H", body, 6)[0]
    elif kind == _TEXT:
        sheet.boxes[sheet.drawn] = text_of_object(parts)
    elif kind == _NOTE:
        row, column, _, number = struct.unpack_from("<HHHH", body)
        if sheet.boxes.get(number):
            sheet.notes[row, column] = sheet.boxes.pop(number)
    elif kind == _ROW:
        if body[12] & 0x20:
            sheet.hidden_rows.add(struct.unpack_from("<H", body)[0])
    elif kind == _COLUMNS:
        if body[8] & 1:
            sheet.hidden_columns.append(struct.unpack_from("<HH", body))
    elif kind == _LINK:
        top, bottom, left, right = struct.unpack_from("<HHHH", body)
        at = body.find(_WEB_ADDRESS)
        if at >= 0 and (bottom - top + 1) * (right - left + 1) <= _MAX_LINKED:
            size = struct.unpack_from("<I", body, at + 16)[0]
            address = body[at + 20 : at + 20 + size].decode("utf-16-le", "replace").partition("\0")[0]
            places = ((row, column) for row in range(top, bottom + 1) for column in range(left, right + 1))
            sheet.links.update(dict.fromkeys(places, address))
