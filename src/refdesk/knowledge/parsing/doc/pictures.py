"""Pictures of a binary Word document: those in the line and those that float ([MS-DOC] 2.9.190, [MS-ODRAW]).

Gives the bytes of PNG, JPEG and TIFF; drawings made of lines (EMF, WMF) are no pictures that OCR could read.
"""

import struct
from collections.abc import Iterator

from refdesk.knowledge.parsing.doc.layout import Layout, u16, u32
from refdesk.knowledge.parsing.errors import CorruptFile

_STORE_ENTRY, _SHAPE, _SHAPE_ID, _SHAPE_OPTIONS, _DRAWING = 0xF007, 0xF004, 0xF00A, 0xF00B, 0xF002
_BITMAPS = (0xF01D, 0xF01E, 0xF029, 0xF02A)
_PICTURE_OF_SHAPE = 0x0104
_ANCHORS, _DRAWINGS = 40, 50
_FILE_NAMED = 0x66
_MAX_DEPTH = 20


def inline_picture(data: bytes, place: int) -> bytes | None:
    """The picture at a place of the data stream; None where there is none that can be read."""
    try:
        size, head, form = u32(data, place), u16(data, place + 4), u16(data, place + 6)
        begin = place + head
        if form == _FILE_NAMED:
            begin += 1 + data[begin]
        return next(_bitmaps(data[begin : place + size], b""), None)
    except (CorruptFile, IndexError):
        return None


def floating_pictures(layout: Layout) -> dict[int, bytes]:
    """Position of an anchor in the text → the picture that floats there."""
    anchors, drawings = layout.part(_ANCHORS), layout.part(_DRAWINGS)
    count = max(0, (len(anchors) - 4) // 30)
    if not count or not drawings:
        return {}
    try:
        by_shape = _pictures_by_shape(drawings, layout.main)
    except (CorruptFile, IndexError, struct.error):
        return {}
    found: dict[int, bytes] = {}
    for i in range(count):
        picture = by_shape.get(u32(anchors, 4 * (count + 1) + 26 * i))
        if picture is not None:
            found[u32(anchors, 4 * i)] = picture
    return found


def _pictures_by_shape(drawings: bytes, main: bytes) -> dict[int, bytes]:
    store = [_of_entry(body, main) for kind, _, body in _records(drawings, 0) if kind == _STORE_ENTRY]
    by_shape: dict[int, bytes] = {}
    size = 8 + u32(drawings, 4)
    while size + 9 <= len(drawings):
        # Each drawing has a byte before it that tells which text it belongs to.
        record = drawings[size + 1 : size + 9 + u32(drawings, size + 5)]
        size += 1 + len(record)
        if u16(record, 2) != _DRAWING:
            break
        for kind, _, body in _records(record, 0):
            if kind == _SHAPE:
                shape, number = _shape(body)
                if 0 < number <= len(store) and (picture := store[number - 1]) is not None:
                    by_shape[shape] = picture
    return by_shape


def _shape(body: bytes) -> tuple[int, int]:
    """Identity of a shape, and the number (from 1) of its picture in the store; 0 for none."""
    shape = number = 0
    for kind, instance, content in _records(body, _MAX_DEPTH):
        if kind == _SHAPE_ID:
            shape = u32(content, 0)
        elif kind == _SHAPE_OPTIONS:
            for i in range(instance):
                if u16(content, 6 * i) & 0x3FFF == _PICTURE_OF_SHAPE:
                    number = u32(content, 6 * i + 2)
    return shape, number


def _bitmaps(block: bytes, main: bytes) -> Iterator[bytes]:
    for kind, instance, body in _records(block, 0):
        if kind == _STORE_ENTRY:
            picture = _of_entry(body, main)
            if picture is not None:
                yield picture
        elif kind in _BITMAPS:
            yield _content(instance, body)


def _of_entry(body: bytes, main: bytes) -> bytes | None:
    """The picture of an entry of a store: it follows the entry, or lies in the main stream."""
    if len(body) < 36:
        return None
    beside = next((_content(i, b) for k, i, b in _records(body[36 + body[33] :], 0) if k in _BITMAPS), None)
    if beside is not None or not main:
        return beside
    delayed = main[u32(body, 28) :][: 8 + u32(body, 20)]
    return next((_content(i, b) for k, i, b in _records(delayed, 0) if k in _BITMAPS), None)


def _content(instance: int, body: bytes) -> bytes:
    """Bytes of a picture behind one or two check sums and a mark."""
    return body[17 if instance % 2 == 0 else 33 :]


def _records(data: bytes, depth: int) -> Iterator[tuple[int, int, bytes]]:
    """(kind, instance, content) of records, and of those inside containers."""
    at = 0
    while at + 8 <= len(data) and depth <= _MAX_DEPTH:
        head, kind, size = struct.unpack_from("<HHI", data, at)
        body = data[at + 8 : at + 8 + size]
        at += 8 + size
        yield kind, head >> 4, body
        if head & 15 == 15:
            yield from _records(body, depth + 1)
