"""Small DOC and XLS files made in memory: OLE containers with the streams a reader needs and nothing else."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD


def ole(streams: Mapping[str, bytes]) -> bytes:
    """An OLE container, version 3; a name with slashes lies in folders of these names.

    Streams are padded with zeros, so that none is a small one.
    """
    sectors: list[bytes] = []
    fat: list[int] = []
    tree: dict[str, list[str]] = {"": []}
    for path in streams:
        parts = path.split("/")
        for depth in range(len(parts)):
            child, parent = "/".join(parts[: depth + 1]), "/".join(parts[:depth])
            if child not in tree.setdefault(parent, []):
                tree[parent].append(child)
    order = list(dict.fromkeys(child for children in tree.values() for child in children))
    number = {path: i for i, path in enumerate(order, 1)}
    following = {a: number[b] for children in tree.values() for a, b in pairwise(children)}
    entries = [_entry("Root Entry", 5, _END, 0, child=number[tree[""][0]])]
    for path in order:
        name, right = path.rpartition("/")[2], following.get(path, _FREE)
        if path in tree:
            entries.append(_entry(name, 1, 0, 0, right=right, child=number[tree[path][0]]))
            continue
        content = streams[path].ljust(4096, b"\0")
        size = len(content)
        content = content.ljust(-(-size // 512) * 512, b"\0")
        first, count = len(sectors), len(content) // 512
        sectors += [content[at : at + 512] for at in range(0, len(content), 512)]
        fat += [*range(first + 1, first + count), _END]
        entries.append(_entry(name, 2, first, size, right=right))
    directory = b"".join(entries)
    directory = directory.ljust(-(-len(directory) // 512) * 512, b"\0")
    start = len(sectors)
    count = len(directory) // 512
    sectors += [directory[at : at + 512] for at in range(0, len(directory), 512)]
    fat += [*range(start + 1, start + count), _END]
    # One sector of the table counts 128 sectors; the table counts itself.
    tables = 1
    while len(fat) + tables > 128 * tables:
        tables += 1
    places = list(range(len(fat), len(fat) + tables))
    fat += [_FAT] * tables
    fat += [_FREE] * (128 * tables - len(fat))
    sectors += [struct.pack("<128I", *fat[at : at + 128]) for at in range(0, len(fat), 128)]
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16
    head += struct.pack(
        "<HHHHH6xIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, tables, start, 0, 4096, _END, 0, _END, 0
    )
    head += struct.pack("<109I", *(places + [_FREE] * (109 - tables)))
    return head + b"".join(sectors)


def _entry(name: str, kind: int, start: int, size: int, right: int = _FREE, child: int = _FREE) -> bytes:
    encoded = name.encode("utf-16-le") + b"\0\0"
    return (
        encoded.ljust(64, b"\0")
        + struct.pack("<HBBIII", len(encoded), kind, 1, _FREE, right, child)
        + b"\0" * 36
        + struct.pack("<IQ", start, size)
    )


@dataclass(frozen=True)
class Para:
    """A paragraph of a DOC: its text with its end mark, the built-in style, further properties."""

    text: str
    style: int = 0
    properties: bytes = b""
    end: str = "\r"


CELL = struct.pack("<HB", 0x2416, 1)
ROW_END = CELL + struct.pack("<HB", 0x2417, 1)


# The texts behind the body, in the order in which the header counts them.
_BEHIND = ("footnotes", "headers", "macros", "comments", "endnotes", "boxes", "header_boxes")


def doc(
    paragraphs: Sequence[Para],
    deleted: Sequence[tuple[int, int]] = (),
    *,
    narrow: bool = False,
    behind: Mapping[str, Sequence[Para]] | None = None,
    tables: Mapping[int, bytes] | None = None,
    loose: bytes = b"",
    marks: Mapping[int, bytes] | None = None,
    data: bytes = b"",
) -> bytes:
    """A Word 97 document; `deleted` are ranges of characters, `narrow` stores one byte a character.

    `behind` are the texts of notes, headers, comments and boxes; `tables` are further parts of the table
    stream by their number, `loose` follows the last of them; `marks` are properties of single characters;
    `data` is the stream of pictures.
    """
    behind = behind or {}
    counts = [sum(len(p.text + p.end) for p in paragraphs)]
    counts += [sum(len(p.text + p.end) for p in behind.get(name, ())) for name in _BEHIND]
    paragraphs = [*paragraphs, *(p for name in _BEHIND for p in behind.get(name, ()))]
    text = "".join(p.text + p.end for p in paragraphs)
    width = 1 if narrow else 2
    begin = 2048
    encoded = text.encode("cp1252" if narrow else "utf-16-le")
    pages = begin + -(-len(encoded) // 512) * 512
    starts = [begin]
    for p in paragraphs:
        starts.append(starts[-1] + width * len(p.text + p.end))
    papx = _page(starts, [struct.pack("<H", p.style) + p.properties for p in paragraphs], wide=True)
    gone = struct.pack("<HB", 0x0800, 1)
    ranges = [
        *((a, b, gone) for a, b in deleted),
        *((at, at + 1, given) for at, given in (marks or {}).items()),
    ]
    edges = sorted({begin, starts[-1], *(begin + width * at for a, b, _ in ranges for at in (a, b))})
    given = [
        next((given for a, b, given in ranges if a <= (e - begin) // width < b), b"") for e in edges[:-1]
    ]
    chpx = _page(edges, given, wide=False)
    main = bytearray(pages + 1024)
    struct.pack_into("<HH", main, 0, 0xA5EC, 0x00C1)
    struct.pack_into("<H", main, 0x0A, 0x0200)
    struct.pack_into("<8I", main, 0x4C, *counts)
    main[begin : begin + len(encoded)] = encoded
    main[pages : pages + 512], main[pages + 512 : pages + 1024] = papx, chpx
    place = begin * 2 | 0x40000000 if narrow else begin
    table = bytearray()
    parts = {
        33: b"\x02" + struct.pack("<IIIHIH", 16, 0, len(text), 0, place, 0),
        1: _styles(),
        13: struct.pack("<III", starts[0], starts[-1], pages // 512),
        12: struct.pack("<III", starts[0], starts[-1], pages // 512 + 1),
        **(tables or {}),
    }
    for index, content in parts.items():
        struct.pack_into("<II", main, 0x9A + 8 * index, len(table), len(content))
        table += content
    streams = {"WordDocument": bytes(main), "1Table": bytes(table + loose)}
    return ole(streams | ({"Data": data} if data else {}))


def _page(edges: Sequence[int], properties: Sequence[bytes], *, wide: bool) -> bytes:
    page = bytearray(512)
    struct.pack_into(f"<{len(edges)}I", page, 0, *edges)
    at = 4 * len(edges)
    place = 510
    for content in properties:
        if content:
            if wide:
                packed = bytes([0, (len(content) + 1) // 2]) + content.ljust(-(-len(content) // 2) * 2, b"\0")
            else:
                packed = bytes([len(content)]) + content
            place = (place - len(packed)) // 2 * 2
            page[place : place + len(packed)] = packed
            page[at] = place // 2
        at += 13 if wide else 1
    page[511] = len(properties)
    return bytes(page)


def _styles() -> bytes:
    """Styles 0 (normal) and 1–3 (headings, with names in German as a reader must not need them)."""
    out = struct.pack("<HHH", 4, 4, 10)
    for number in range(4):
        name = "Standard" if number == 0 else f"Gliederung {number}"
        base = 0xFFF if number == 0 else 0
        entry = struct.pack("<HHHHH", number, 1 | base << 4, 0, 0, 0)
        entry += struct.pack("<H", len(name)) + name.encode("utf-16-le") + b"\0\0"
        out += struct.pack("<H", len(entry)) + entry
    return out


def xls(rows: Sequence[Sequence[str | float]], name: str = "Data", *, hidden: bool = False) -> bytes:
    """A BIFF8 workbook with one sheet."""
    sheet = record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0010, 0, 0, 0, 0))
    for r, row in enumerate(rows):
        for c, value in enumerate(row):
            if isinstance(value, str):
                text = struct.pack("<HB", len(value), 1) + value.encode("utf-16-le")
                sheet += record(0x0204, struct.pack("<HHH", r, c, 0) + text)
            else:
                sheet += record(0x0203, struct.pack("<HHHd", r, c, 0, value))
    sheet += record(0x000A, b"")
    return xls_of(b"", sheet[20:-4], name, hidden=hidden)


def xls_of(book: bytes, cells: bytes, name: str = "Data", *, hidden: bool = False) -> bytes:
    """A BIFF8 workbook of records: `book` are those of the workbook, `cells` those of its one sheet."""
    head = record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0005, 0, 0, 0, 0)) + book
    sheet = record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0010, 0, 0, 0, 0)) + cells + record(0x000A, b"")
    bound = struct.pack("<BBBB", int(hidden), 0, len(name), 0) + name.encode("latin-1")
    at = len(head) + 4 + 4 + len(bound) + 4
    return ole(
        {"Workbook": head + record(0x0085, struct.pack("<I", at) + bound) + record(0x000A, b"") + sheet}
    )


def record(kind: int, content: bytes) -> bytes:
    """A record of a binary workbook."""
    return struct.pack("<HH", kind, len(content)) + content
