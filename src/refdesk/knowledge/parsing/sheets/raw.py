"""The independent reading of an XLSX: its cells counted and their texts taken from the bare bytes.

Knows nothing of rows, places and formats, and shares no code with the reader of sheets, so that a cell that
reader loses is missed in the coverage. Numbers are counted only: what they look like is up to their format.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape

_CELL = re.compile(rb"<(?:\w+:)?c(?:\s((?:[^>]*[^/>])?))?>(.*?)</(?:\w+:)?c>", re.DOTALL)
_TYPE = re.compile(rb"""(?:^|\s)t\s*=\s*["'](\w+)["']""")
_VALUE = re.compile(rb"<(?:\w+:)?v(?:\s[^>]*)?>(.*?)</(?:\w+:)?v>", re.DOTALL)
_ITEM = re.compile(rb"<(?:\w+:)?si(?:\s[^>]*)?>(.*?)</(?:\w+:)?si>|<(?:\w+:)?si(?:\s[^>]*)?/>", re.DOTALL)
_TEXT = re.compile(rb"<(?:\w+:)?t(?:\s[^>]*)?>(.*?)</(?:\w+:)?t>", re.DOTALL)
_GUIDE = re.compile(rb"<(?:\w+:)?rPh\b.*?</(?:\w+:)?rPh>", re.DOTALL)
_DRAWN = re.compile(rb"<a:t(?:\s[^>]*)?>(.*?)</a:t>", re.DOTALL)
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
# Stands for a cell that was not read; no text of a sheet holds it.
MISSED = "\ue000"


def raw_strings(content: bytes) -> list[str]:
    """The shared strings in the order of their numbers; `content` is the part that holds them."""
    return [_texts(item[1] or b"") for item in _ITEM.finditer(content)]


def raw_drawn(content: bytes) -> str:
    """The text of the boxes of a drawing."""
    return "".join(_plain(text) for text in _DRAWN.findall(content))


def raw_cells(content: bytes, strings: Sequence[str]) -> Iterator[str]:
    """Texts of the cells of a sheet, an empty one for each that holds a value of another kind."""
    shared: Counter[int] = Counter()
    for cell in _CELL.finditer(content):
        attributes, inner = cell[1] or b"", cell[2]
        found = _TYPE.search(attributes)
        kind = found[1] if found else b"n"
        if kind == b"inlineStr":
            yield _texts(inner)
            continue
        value = _VALUE.search(inner)
        if value is None or not value[1].strip():
            continue
        if kind == b"s":
            shared[int(value[1]) if value[1].isdigit() else -1] += 1
        elif kind == b"str":
            yield _plain(value[1]).removesuffix("T00:00:00")
        else:
            yield ""
    for number, count in shared.items():
        if 0 <= number < len(strings):
            yield from [strings[number]] * count


def _texts(inner: bytes) -> str:
    return "".join(_plain(text) for text in _TEXT.findall(_GUIDE.sub(b"", inner)))


def _plain(text: bytes) -> str:
    return _ESCAPED.sub(lambda m: chr(int(m[1], 16)), unescape(text.decode("utf-8", "replace")))
