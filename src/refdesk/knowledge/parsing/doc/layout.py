"""Where the text of a binary Word document is: its header (FIB) and its pieces ([MS-DOC] 2.5, 2.8.35).

Word 97–2007 keeps text in pieces, each at a place of the main stream, as UTF-16 or as Windows-1252; the order
of the pieces is the order of the text. Word 6 and 95 keep it in one run.
"""

import struct
from bisect import bisect_right
from dataclasses import dataclass, field

from refdesk.knowledge.parsing.errors import CorruptFile, UnsupportedKind

_WORD97 = 0x00C1
_COMPRESSED = 0x4000_0000
_MAX_PIECES = 1_000_000


def u16(data: bytes, at: int) -> int:
    """A 16-bit number. Raises `CorruptFile` past the end."""
    return _number("<H", data, at)


def u32(data: bytes, at: int) -> int:
    """A 32-bit number. Raises `CorruptFile` past the end."""
    return _number("<I", data, at)


def _number(form: str, data: bytes, at: int) -> int:
    try:
        return int(struct.unpack_from(form, data, at)[0])
    except struct.error as error:
        raise CorruptFile(reason="the file ends too early") from error


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters `start`–`end` of the text, at byte `offset` of the main stream, 1 or 2 bytes each."""

    start: int
    end: int
    offset: int
    width: int


@dataclass(slots=True)
class Layout:
    """Main stream, table stream, pictures (`data`) and the map between characters and bytes."""

    main: bytes
    table: bytes
    modern: bool
    counts: dict[str, int]
    pieces: list[Piece]
    data: bytes = b""
    _starts: list[int] = field(default_factory=list[int])

    @classmethod
    def read(cls, main: bytes, tables: dict[str, bytes]) -> "Layout":
        """From the streams. Raises `CorruptFile` and `UnsupportedKind`."""
        if u16(main, 0) not in (0xA5EC, 0xA5DC):
            raise CorruptFile(reason="no Word header")
        flags = u16(main, 0x0A)
        if u16(main, 2) < _WORD97:
            return cls._old(main, flags)
        table = tables.get("1Table" if flags & 0x0200 else "0Table", b"")
        if not table:
            raise CorruptFile(reason="the table of pieces is missing")
        names = ("text", "footnotes", "headers", "macros", "comments", "endnotes", "boxes", "header_boxes")
        counts = {name: u32(main, 0x4C + 4 * i) for i, name in enumerate(names)}
        layout = cls(main, table, True, counts, [], tables.get("Data", b""))
        layout.pieces = _pieces(layout.part(33))
        layout._starts = [piece.start for piece in layout.pieces]
        return layout

    @classmethod
    def _old(cls, main: bytes, flags: int) -> "Layout":
        if flags & 0x0004:
            raise UnsupportedKind("The file was saved in steps by Word 6 or 95, which cannot be read here.")
        start, length = u32(main, 0x18), u32(main, 0x34)
        length = min(length, len(main) - start)
        if length <= 0:
            raise CorruptFile(reason="no text in the file")
        return cls(main, b"", False, {"text": length}, [Piece(0, length, start, 1)], b"", [0])

    def part(self, index: int) -> bytes:
        """A part of the table stream by its number in the header; empty where it is not there."""
        if not self.modern:
            return b""
        start, size = u32(self.main, 0x9A + 8 * index), u32(self.main, 0x9E + 8 * index)
        return self.table[start : start + size] if start + size <= len(self.table) else b""

    def place(self, index: int) -> int:
        """Where a part begins in the table stream."""
        return u32(self.main, 0x9A + 8 * index)

    def text(self) -> str:
        """The whole text: body, footnotes, headers, comments, endnotes, boxes."""
        parts: list[str] = []
        for piece in self.pieces:
            size = (piece.end - piece.start) * piece.width
            content = self.main[piece.offset : piece.offset + size]
            if len(content) < size:
                raise CorruptFile(reason="the text is cut off")
            # Half pairs stay one character each, so that positions keep counting code units.
            parts.append(
                "".join(map(chr, struct.unpack(f"<{size // 2}H", content)))
                if piece.width == 2
                else content.decode("cp1252", "replace")
            )
        return "".join(parts)

    def offset(self, position: int) -> int:
        """The byte of the main stream where a character is."""
        at = bisect_right(self._starts, position) - 1
        piece = self.pieces[max(at, 0)]
        return piece.offset + (position - piece.start) * piece.width

    def position_runs(self, first: int, last: int) -> list[tuple[int, int]]:
        """Characters that lie in bytes `first`–`last` of the main stream, as (start, end)."""
        runs: list[tuple[int, int]] = []
        for piece in self.pieces:
            size = (piece.end - piece.start) * piece.width
            low, high = max(first, piece.offset), min(last, piece.offset + size)
            if low < high:
                start = piece.start + (low - piece.offset) // piece.width
                runs.append((start, piece.start + -(-(high - piece.offset) // piece.width)))
        return runs


def _pieces(clx: bytes) -> list[Piece]:
    at = 0
    while at < len(clx) and clx[at] == 1:
        at += 3 + u16(clx, at + 1)
    if at >= len(clx) or clx[at] != 2:
        raise CorruptFile(reason="the table of pieces is damaged")
    size = u32(clx, at + 1)
    table = clx[at + 5 : at + 5 + size]
    count = (size - 4) // 12
    if count < 1 or count > _MAX_PIECES or len(table) < size:
        raise CorruptFile(reason="the table of pieces is damaged")
    pieces: list[Piece] = []
    for i in range(count):
        start, end = u32(table, 4 * i), u32(table, 4 * i + 4)
        place = u32(table, 4 * (count + 1) + 8 * i + 2)
        if end < start:
            raise CorruptFile(reason="the table of pieces is damaged")
        if place & _COMPRESSED:
            pieces.append(Piece(start, end, (place & ~_COMPRESSED) // 2, 1))
        else:
            pieces.append(Piece(start, end, place, 2))
    return pieces
