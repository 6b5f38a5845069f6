"""RTF, legacy DOC, notebooks and JSON."""

import json
import struct

import pytest
from tests.unit.knowledge.parsing.ole_files import CELL, ROW_END, Para, doc

from refdesk.knowledge.parsing import CorruptFile, Parsed, parse


def _rtf(body: str, head: str = "") -> Parsed:
    return parse((r"{\rtf1\ansi\ansicpg936" + head + body + "}").encode("latin-1"), "a.rtf")


def test_rtf_decodes_code_pages_fonts_and_unicode() -> None:
    fonts = r"{\fonttbl{\f0 A;}{\f1\fcharset204 B;}}"
    parsed = _rtf(r"\'c4\'e3\'ba\'c3\par{\f1 \'cf\'f0}\par\u20320?\u-10179?\u-8704?\uc0\u252 x\par", fonts)
    assert [b.text for b in parsed.blocks] == ["你好", "Пр", "你😀üx"]


def test_rtf_headings_come_from_styles_and_outline_levels() -> None:
    parsed = _rtf(
        r"\pard\s3 A\par\pard\outlinelevel1 B\par\pard C\par", r"{\stylesheet{\s3 heading 2;}{\s4 x;}}"
    )
    assert [(b.kind, b.level, b.text) for b in parsed.blocks] == [
        ("heading", 2, "A"),
        ("heading", 2, "B"),
        ("paragraph", None, "C"),
    ]


def test_rtf_leaves_out_what_is_hidden_deleted_or_no_text() -> None:
    parsed = _rtf(
        r"{\info{\title T}}{\header run}{\pict 00ff}{\*\unknown no}a{\v no}{\deleted no}b\bin3 xyzc"
        r"{\field{\*\fldinst{HYPERLINK \"https://example.org\"}}{\fldrslt{here}}}\par".replace('\\"', '"')
    )
    assert parsed.text == "abc[here](https://example.org)"
    assert (parsed.meta["title"], parsed.meta["running_headers"]) == ("T", ["run"])


def test_rtf_tables_lists_and_notes() -> None:
    row = (
        r"\trowd\pard\intbl A\cell\pard\intbl B\cell\row\trowd\pard\intbl C\cell\pard\intbl D\cell\row\pard "
    )
    parsed = _rtf(row + r"text{\footnote the note}\par{\listtext 1.\tab}\pard\ls1 item\par")
    assert [(b.kind, b.text) for b in parsed.blocks] == [
        ("table", "| A | B |\n| --- | --- |\n| C | D |"),
        ("paragraph", "text[^1]"),
        ("paragraph", "[^1]: the note"),
        ("list_item", "1. item"),
    ]


def test_rtf_that_is_cut_off_is_read_and_reported() -> None:
    parsed = parse(rb"{\rtf1\ansi {\b some text", "a.rtf")
    assert parsed.text == "some text"
    assert [w.code for w in parsed.warnings] == ["incomplete"]


def test_rtf_nested_deeper_than_anyone_would_is_survived() -> None:
    assert _rtf("{" * 60_000 + "deep" + "}" * 60_000).text == "deep"


def test_old_word_headings_need_no_name_in_any_language() -> None:
    parsed = parse(doc([Para("Übersicht", 1), Para("Teil", 2), Para("Text")]), "a.doc")
    assert [(b.kind, b.level, b.text) for b in parsed.blocks] == [
        ("heading", 1, "Übersicht"),
        ("heading", 2, "Teil"),
        ("paragraph", None, "Text"),
    ]


def test_old_word_tables_lists_and_narrow_text() -> None:
    cells = [Para(text, 0, CELL, "\x07") for text in ("A", "B")]
    rows = [*cells, Para("", 0, ROW_END, "\x07"), *cells, Para("", 0, ROW_END, "\x07")]
    listed = struct.pack("<HH", 0x460B, 1) + struct.pack("<HB", 0x260A, 1)
    parsed = parse(doc([*rows, Para("item", 0, listed), Para("“quoted”")], narrow=True), "a.doc")
    assert [(b.kind, b.level, b.text) for b in parsed.blocks] == [
        ("table", None, "| A | B |\n| --- | --- |\n| A | B |"),
        ("list_item", 1, "- item"),
        ("paragraph", None, "“quoted”"),
    ]


def test_old_word_keeps_the_final_text_and_links_not_the_codes_of_fields() -> None:
    text = 'keep gone \x13 HYPERLINK "https://example.org" \x14here\x15\x13 PAGE \x15 end'
    parsed = parse(doc([Para(text)], deleted=[(5, 10)]), "a.doc")
    assert parsed.text == "keep [here](https://example.org) end"
    assert parsed.coverage == 1.0


def test_old_office_file_of_another_kind_under_a_word_name_is_refused() -> None:
    with pytest.raises(CorruptFile):
        parse(doc([Para("x")])[:1500], "a.doc")


def test_notebook_gives_text_code_and_what_was_printed() -> None:
    cells = [
        {"cell_type": "markdown", "source": "# T\n\ntext"},
        {
            "cell_type": "code",
            "source": ["# no heading\n", "f()"],
            "outputs": [
                {"output_type": "stream", "text": "printed\n"},
                {"data": {"text/html": "<table><tr><td>a</td><td>b</td></tr></table>", "text/plain": "a b"}},
                {"data": {"image/png": "AAAA"}},
                {"output_type": "error", "traceback": ["\x1b[31mBoom\x1b[0m"]},
            ],
        },
    ]
    parsed = parse(json.dumps({"nbformat": 4, "cells": cells}).encode(), "a.ipynb")
    assert [(b.kind, b.text) for b in parsed.blocks] == [
        ("heading", "T"),
        ("paragraph", "text"),
        ("code", "# no heading\nf()"),
        ("code", "printed"),
        ("table", "| a | b |\n| --- | --- |"),
        ("code", "Boom"),
    ]
    assert parsed.meta["pictures"] == 1


def test_json_is_cut_between_its_members_with_escapes_written_out() -> None:
    rows = [{"id": i, "name": "名称" * 50, "path": "a\\u0041"} for i in range(40)]
    parsed = parse(json.dumps({"rows": rows}).encode(), "a.json")
    assert len(parsed.blocks) > 3
    assert all(block.text.count("{") == block.text.count("}") for block in parsed.blocks[1:-1])
    assert "名称" in parsed.text
    assert r"a\\u0041" in parsed.text
    assert parsed.coverage == 1.0


def test_json_nested_too_deep_to_be_checked_is_not_called_invalid() -> None:
    deep = b"[" * 200_000 + b"1" + b"]" * 200_000
    parsed = parse(deep, "deep.json")
    assert [w.code for w in parsed.warnings] == ["json-too-deep"]
    assert parsed.coverage == 1.0


def test_json_that_is_none_is_read_as_text_and_reported() -> None:
    parsed = parse(b'{"a": 1, "b": ', "a.json")
    assert parsed.text.strip() == '{"a": 1, "b":'
    assert [w.code for w in parsed.warnings] == ["invalid-json"]
