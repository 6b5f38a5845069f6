"""XLS: numbers as shown, links, notes, boxes, merged cells, strings over the ends of records."""

import struct

import pytest
from tests.unit.knowledge.parsing.ole_files import record, xls_of

from refdesk.knowledge.parsing import Parsed, ParseOptions, parse
from refdesk.knowledge.parsing.sheets import xls

_STRING, _FORMAT, _STYLE, _STRINGS, _MORE = 0x204, 0x41E, 0xE0, 0xFC, 0x3C
_TABLE = ParseOptions(sheet_form="table")


def _read(cells: bytes, book: bytes = b"", options: ParseOptions = _TABLE) -> Parsed:
    return parse(xls_of(book, cells, "Sheet1"), "a.xls", options)


def _text(row: int, column: int, text: str) -> bytes:
    encoded = struct.pack("<HB", len(text), 1) + text.encode("utf-16-le")
    return record(_STRING, struct.pack("<HHH", row, column, 0) + encoded)


def _formats(*codes: str) -> bytes:
    """Formats 200, 201, …; style 0 is the general one, 1, 2, … are theirs."""
    out = b"".join(
        record(_FORMAT, struct.pack("<HHB", 200 + i, len(code), 1) + code.encode("utf-16-le"))
        for i, code in enumerate(codes)
    )
    styles = (0, *(200 + i for i in range(len(codes))), 9)
    return out + b"".join(record(_STYLE, struct.pack("<HH16x", 0, number)) for number in styles)


def test_numbers_are_shown_as_their_formats_say() -> None:
    cells = (
        record(0x203, struct.pack("<HHHd", 0, 0, 1, 45413.0))
        + record(0x27E, struct.pack("<HHHi", 0, 1, 2, 1250 << 2 | 3))
        + record(0xBD, struct.pack("<HHHiHiH", 0, 2, 3, 25 << 2 | 3, 0, 7 << 2 | 2, 3))
        + record(0x06, struct.pack("<HHHdHIH", 0, 4, 1, 45414.0, 0, 0, 0))
    )
    parsed = _read(cells, _formats("yyyy-mm-dd", '"€" 0.00'))
    assert parsed.text == "2024-05-01; € 12.50; 25%; 7; 2024-05-02"
    assert parsed.coverage == 1.0


def test_links_notes_and_boxes_are_read() -> None:
    address = "https://a.example/x\0".encode("utf-16-le")
    link = struct.pack("<HHHH16sII", 0, 0, 0, 0, b"s" * 16, 2, 3) + bytes.fromhex(
        "e0c9ea79f9bace118c8200aa004ba90b"
    )

    def drawn(number: int, text: str) -> bytes:
        head = record(0x5D, struct.pack("<HHHH", 0x15, 18, 0x19, number).ljust(22, b"\0"))
        size = struct.pack("<HH6xHHI", 0, 0, len(text), 16, 0)
        return (
            head
            + record(0x1B6, size)
            + record(_MORE, b"\0" + text.encode("latin-1"))
            + record(_MORE, b"\0" * 16)
        )

    cells = (
        _text(0, 0, "Manual")
        + _text(0, 1, "b")
        + record(0x1B8, link + struct.pack("<I", len(address)) + address)
        + drawn(1, "check\rthis")
        + drawn(2, "in the box")
        + record(0x1C, struct.pack("<HHHH", 6, 1, 0, 1) + b"\2\0\0me")
    )
    parsed = _read(cells)
    assert [b.text for b in parsed.blocks] == ["[Manual](https://a.example/x); b", "in the box"]
    assert parsed.meta["comments_left_out"] == 1
    assert parsed.coverage == 1.0
    asked = _read(cells, options=ParseOptions(include_comments=True))
    assert asked.blocks[-1].text == "B7: check\nthis"


def _shared(*texts: str) -> bytes:
    """A table of strings, the last of which goes on in a further record, there with two bytes a character."""
    listed = b"".join(struct.pack("<HB", len(t), 0) + t.encode("latin-1") for t in texts[:-1])
    last = texts[-1]
    listed += struct.pack("<HBH", len(last), 8, 1) + last[:3].encode("latin-1")
    rest = b"\1" + last[3:].encode("utf-16-le") + b"\0" * 4
    return record(_STRINGS, struct.pack("<II", len(texts), len(texts)) + listed) + record(_MORE, rest)


def _reference(column: int, number: int) -> bytes:
    return record(0xFD, struct.pack("<HHHI", 0, column, 0, number))


def test_shared_string_over_the_end_of_a_record_is_whole() -> None:
    parsed = _read(_reference(0, 1) + _reference(1, 0), _shared("one", "abc波ß"))
    assert parsed.text == "abc波ß; one"
    assert parsed.coverage == 1.0


def test_merged_cell_stands_once_and_truth_and_errors_are_shown() -> None:
    cells = (
        _text(0, 0, "wide over two")
        + _text(1, 0, "a")
        + record(0x205, struct.pack("<HHHBB", 1, 1, 0, 1, 0))
        + record(0xE5, struct.pack("<HHHHH", 1, 0, 0, 0, 1))
    )
    parsed = _read(cells)
    assert parsed.text.count("wide over two") == 1
    assert "TRUE" in parsed.text
    assert parsed.coverage == 1.0


def test_value_that_is_not_given_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = _text(0, 0, "text") + record(0x203, struct.pack("<HHHd", 0, 1, 0, 4711.0))
    shown = xls.shown_value
    monkeypatch.setattr(xls, "shown_value", lambda value: "" if value == 4711 else shown(value))
    parsed = _read(cells)
    assert (parsed.text, parsed.extracted_chars, parsed.kept_chars) == ("text", 5, 4)


def test_hidden_rows_and_columns_are_read_and_reported() -> None:
    def row(number: int, flags: int) -> bytes:
        return record(0x208, struct.pack("<HHHHIHH", number, 0, 3, 255, 0, flags, 0))

    hidden = record(0x7D, struct.pack("<HHHHHH", 1, 2, 2304, 0, 1, 0))
    shown = record(0x7D, struct.pack("<HHHHHH", 3, 3, 2304, 0, 0, 0))
    texts = b"".join(
        _text(r, c, f"r{r}c{c}") for r, c in ((0, 0), (0, 1), (0, 3), (1, 0), (1, 3), (2, 0), (2, 3))
    )
    rows = row(0, 0x100) + row(1, 0x120) + row(2, 0x120) + row(9, 0x120)
    parsed = _read(hidden + shown + rows + texts)
    (warning,) = parsed.warnings
    assert (warning.code, dict(warning.details)) == ("hidden-cells", {"rows": 2, "columns": 1})
    assert warning.message == "2 hidden rows and 1 hidden column hold text, which was read."
    assert all(text in parsed.text for text in ("r0c1", "r1c0", "r2c3"))
    assert parsed.coverage == 1.0
