"""DOC: lists with their numbers, notes, boxes, comments, headers, tables in cells, pictures."""

import struct

import pytest
from tests.unit.knowledge.parsing.ole_files import CELL, ROW_END, Para, doc
from tests.unit.knowledge.parsing.pictures import picture_of

from refdesk.knowledge.parsing import Parsed, ParseOptions, parse

_OUTLINE, _LIST, _DEPTH, _PICTURE = 0x2640, 0x460B, 0x260A, 0x6A03
_INNER_CELL, _INNER_ROW = 0x244B, 0x244C


def _read(data: bytes, options: ParseOptions | None = None) -> Parsed:
    return parse(data, "a.doc", options)


def _texts(parsed: Parsed) -> list[str]:
    return [block.text for block in parsed.blocks]


def _listed(use: int, depth: int = 0) -> bytes:
    return struct.pack("<HH", _LIST, use) + struct.pack("<HB", _DEPTH, depth)


def _level(form: int, text: str, start: int = 1, flags: int = 0) -> bytes:
    head = struct.pack("<IBB", start, form, flags) + b"\0" * 9 + struct.pack("<BIIBBBB", 0, 0, 0, 0, 2, 0, 0)
    return head + b"pp" + struct.pack("<H", len(text)) + text.encode("utf-16-le")


def _lists(*levels: bytes, start: int | None = None) -> tuple[dict[int, bytes], bytes]:
    """One list, used once as it is and once with a beginning of its own."""
    listed = struct.pack("<HII18sBB", 1, 7, 0, b"", 0, 0)
    uses = b"".join(struct.pack("<IIIBBBB", 7, 0, 0, changes, 0, 0, 0) for changes in (0, 1))
    changed = struct.pack("<I", 0) + struct.pack("<III", 0, start or 1, 16)
    padded = [*levels, *[_level(255, "")] * (9 - len(levels))]
    # Levels lie behind the part that the header names, so it must be the last one.
    return {74: struct.pack("<I", 2) + uses + changed, 73: listed}, b"".join(padded)


def test_headings_follow_outline_levels_and_built_in_styles() -> None:
    own = struct.pack("<HB", _OUTLINE, 1)
    assert [(b.kind, b.level) for b in _read(doc([Para("A", 1), Para("B", 0, own), Para("C")])).blocks] == [
        ("heading", 1),
        ("heading", 2),
        ("paragraph", None),
    ]


def test_lists_have_their_numbers_and_a_second_use_begins_where_it_says() -> None:
    tables, loose = _lists(_level(0, "\0."), _level(2, "\0.(\x01)"), start=5)
    paragraphs = [
        Para("a", 0, _listed(1)),
        Para("b", 0, _listed(1, 1)),
        Para("c", 0, _listed(1, 1)),
        Para("d", 0, _listed(1)),
        Para("e", 0, _listed(2)),
    ]
    parsed = _read(doc(paragraphs, tables=tables, loose=loose))
    assert _texts(parsed) == ["1. a", "1.(i) b", "1.(ii) c", "2. d", "5. e"]
    assert parsed.coverage == 1.0


def test_headings_have_the_number_of_their_list_and_bullets_are_no_numbers() -> None:
    tables, loose = _lists(_level(39, "第\0章"), _level(23, "\uf0b7"))
    parsed = _read(
        doc([Para("总则", 1, _listed(1)), Para("x", 0, _listed(1, 1))], tables=tables, loose=loose)
    )
    assert [(b.kind, b.text) for b in parsed.blocks] == [("heading", "第一章 总则"), ("list_item", "- x")]


def test_damaged_lists_cost_the_numbers_only() -> None:
    tables, loose = _lists(_level(0, "\0."))
    damaged = tables | {73: struct.pack("<H", 60_000)}
    assert _texts(_read(doc([Para("a", 0, _listed(1))], tables=damaged, loose=loose))) == ["- a"]


def _with_notes(options: ParseOptions | None = None) -> Parsed:
    references = struct.pack("<IIH", 4, 13, 0)
    return _read(
        doc(
            [Para("Text\x02 body\x02 end"), Para("Next")],
            behind={
                "footnotes": [Para("\x02 foot")],
                "endnotes": [Para("\x02 last")],
                "headers": [Para("Confidential")],
                "comments": [Para("really?")],
                "boxes": [Para("in the box")],
            },
            tables={
                2: references,
                3: struct.pack("<III", 0, 6, 7),
                46: struct.pack("<IIH", 10, 13, 0),
                47: struct.pack("<III", 0, 6, 7),
            },
        ),
        options,
    )


def test_notes_follow_their_paragraph_boxes_the_text_and_headers_are_metadata() -> None:
    parsed = _with_notes()
    assert _texts(parsed) == [
        "Text[^1] body[^endnote-1] end",
        "[^1]: foot",
        "[^endnote-1]: last",
        "Next",
        "in the box",
    ]
    assert parsed.meta["running_headers"] == ["Confidential"]
    assert parsed.meta["comments_left_out"] == 1
    assert parsed.coverage == 1.0


def test_comments_and_headers_are_text_where_asked_for() -> None:
    parsed = _with_notes(ParseOptions(include_comments=True, include_running=True))
    assert _texts(parsed)[0] == "Confidential"
    assert _texts(parsed)[-1] == "really?"
    assert parsed.coverage == 1.0


def test_merged_cell_stands_once_and_a_table_in_a_cell_keeps_its_rows() -> None:
    inner = CELL + struct.pack("<HB", _INNER_CELL, 1)
    inner_end = CELL + struct.pack("<HBHB", _INNER_CELL, 1, _INNER_ROW, 1)
    row = [Para("wide", 0, CELL, "\x07"), Para("", 0, CELL, "\x07"), Para("", 0, ROW_END, "\x07")]
    nested = [
        Para("before", 0, CELL),
        *(Para(text, 0, inner) for text in ("x", "y")),
        Para("", 0, inner_end),
        Para("", 0, CELL, "\x07"),
        Para("b", 0, CELL, "\x07"),
        Para("", 0, ROW_END, "\x07"),
    ]
    parsed = _read(doc([*row, *nested, Para("between"), *row]))
    assert _texts(parsed) == [
        "| wide |  |\n| --- | --- |\n| before<br>x; y | b |",
        "between",
        "| wide |\n| --- |",
    ]
    assert parsed.coverage == 1.0


def _record(kind: int, body: bytes, instance: int = 0, version: int = 0) -> bytes:
    return struct.pack("<HHI", version | instance << 4, kind, len(body)) + body


def _bitmap(text: str) -> bytes:
    return _record(0xF01E, b"u" * 17 + picture_of(text), 0x6E0)


@pytest.mark.parametrize("named", [False, True])
def test_picture_in_the_line_is_read_where_it_stands(named: bool) -> None:
    entry = _record(0xF007, b"\0" * 36 + _bitmap("INVOICE 2041"), 6, 2)
    shape = (b"\x05a.png" if named else b"") + _record(0xF004, b"", 0, 15) + entry
    block = struct.pack("<IHH", 68 + len(shape), 68, 0x66 if named else 0x64).ljust(68, b"\0") + shape
    data = b"\0" * 40 + block
    paragraphs = [Para("Before \x01"), Para("After")]
    parsed = _read(doc(paragraphs, marks={7: struct.pack("<HI", _PICTURE, 40)}, data=data))
    assert [text.replace(" ", "") for text in _texts(parsed)] == ["Before", "INVOICE2041", "After"]
    assert [b.pictures for b in parsed.blocks] == [0, 1, 0]
    assert _texts(_read(doc(paragraphs, marks={7: struct.pack("<HI", _PICTURE, 9_999)}, data=data))) == [
        "Before",
        "After",
    ]


def test_picture_that_floats_is_read_where_it_is_anchored() -> None:
    store = _record(0xF001, _record(0xF007, b"\0" * 36 + _bitmap("TOTAL 4711"), 6, 2), 1, 15)
    shape = _record(0xF00A, struct.pack("<II", 1026, 0)) + _record(
        0xF00B, struct.pack("<HIHI", 0x007F, 0, 0x4104, 1), 2, 3
    )
    drawing = _record(0xF002, _record(0xF003, _record(0xF004, shape, 0, 15), 0, 15), 0, 15)
    tables = {
        40: struct.pack("<II", 6, 13) + struct.pack("<I", 1026).ljust(26, b"\0"),
        50: _record(0xF000, store, 0, 15) + b"\0" + drawing,
    }
    parsed = _read(doc([Para("Before\x08"), Para("After")], tables=tables))
    assert [text.replace(" ", "") for text in _texts(parsed)] == ["Before", "TOTAL4711", "After"]
