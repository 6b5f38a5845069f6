"""Strings of binary workbooks: one or two bytes a character, with formats between them ([MS-XLS] 2.5).

Strings of the shared table go on over the ends of records, and each part tells anew how wide it is.
"""

import struct


def string(data: bytes) -> str:
    """A string with a count of 16 bits."""
    return _after_count(data[2:], struct.unpack_from("<H", data)[0])


def _after_count(data: bytes, count: int) -> str:
    flags = data[0]
    begin = 1 + (2 if flags & 8 else 0) + (4 if flags & 4 else 0)
    return _chars(data[begin:], count, wide=bool(flags & 1))


def _chars(data: bytes, count: int, *, wide: bool) -> str:
    if wide:
        return data[: 2 * count].decode("utf-16-le", "replace")
    return data[:count].decode("latin-1")


def text_of_object(parts: list[bytes]) -> str:
    """The text of a box or a note: its length is in the record, its characters in the parts that follow."""
    left = struct.unpack_from("<H", parts[0], 10)[0]
    found: list[str] = []
    for part in parts[1:]:
        if left <= 0 or not part:
            break
        wide = bool(part[0] & 1)
        text = _chars(part[1:], left, wide=wide)
        left -= (len(part) - 1) // (2 if wide else 1)
        found.append(text)
    return "".join(found).replace("\r\n", "\n").replace("\r", "\n")


def shared_strings(parts: list[bytes]) -> list[str]:
    """All strings of the shared table, in the order of their numbers."""
    count = struct.unpack_from("<I", parts[0], 4)[0]
    reader = _Parts(parts, 8)
    return [reader.string() for _ in range(min(count, sum(map(len, parts)) // 3 + 1)) if not reader.ended]


class _Parts:
    """Reads over the ends of the parts of a record."""

    def __init__(self, parts: list[bytes], at: int) -> None:
        self._parts = parts
        self._part = 0
        self._at = at

    @property
    def ended(self) -> bool:
        """Whether nothing is left."""
        return self._part >= len(self._parts) - 1 and self._at >= len(self._parts[-1])

    def _bytes(self, count: int) -> bytes:
        taken = bytearray()
        while count and not self.ended:
            if self._at >= len(self._parts[self._part]):
                self._part, self._at = self._part + 1, 0
            piece = self._parts[self._part][self._at : self._at + count]
            self._at += len(piece)
            count -= len(piece)
            taken += piece
        return bytes(taken)

    def string(self) -> str:
        """The next string; a part that begins inside its characters begins with their width."""
        count, flags = struct.unpack("<HB", self._bytes(3))
        runs = struct.unpack("<H", self._bytes(2))[0] if flags & 8 else 0
        extra = struct.unpack("<I", self._bytes(4))[0] if flags & 4 else 0
        wide = bool(flags & 1)
        found: list[str] = []
        while count and not self.ended:
            if self._at >= len(self._parts[self._part]):
                self._part, self._at = self._part + 1, 0
                wide = bool(self._bytes(1)[0] & 1)
            there = (len(self._parts[self._part]) - self._at) // (2 if wide else 1)
            taken = min(count, there)
            if not taken:
                raise ValueError("a string is cut off")
            found.append(_chars(self._bytes(taken * (2 if wide else 1)), taken, wide=wide))
            count -= taken
        self._bytes(4 * runs + extra)
        return "".join(found)
