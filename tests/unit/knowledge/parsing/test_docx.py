"""DOCX: structure, final text and guards."""

import io
import zipfile

import pytest
from tests.unit.knowledge.parsing.docx_files import cell, docx, listed, p, part, style, table

from refdesk.knowledge.parsing import CorruptFile, EmptyFile, Parsed, ParseOptions, UnpackedTooLarge, parse


def _read(body: str, options: ParseOptions | None = None, **parts: str) -> Parsed:
    return parse(docx(body, **parts), "a.docx", options)


def test_headings_by_style_inheritance_and_outline_level() -> None:
    parsed = _read(
        p("One", style("H1"))
        + p("Inherited", style("Mine"))
        + p("Outline style", style("Outline"))
        + p("Direct", '<w:outlineLvl w:val="2"/>')
        + p("Body")
    )
    assert [(b.kind, b.level, b.text) for b in parsed.blocks] == [
        ("heading", 1, "One"),
        ("heading", 1, "Inherited"),
        ("heading", 2, "Outline style"),
        ("heading", 3, "Direct"),
        ("paragraph", None, "Body"),
    ]


def test_list_numbers_are_counted_and_restart_below_a_higher_level() -> None:
    parsed = _read(
        p("a", listed(1))
        + p("b", listed(1, 1))
        + p("c", listed(1, 1))
        + p("d", listed(1))
        + p("e", listed(1, 1))
        + p("f", listed(1, 2))
        + p("g", listed(3))
    )
    assert [b.text for b in parsed.blocks] == ["1. a", "1.1 b", "1.2 c", "2. d", "2.1 e", "(i) f", "- g"]
    assert [b.level for b in parsed.blocks] == [0, 1, 1, 0, 1, 2, 0]


def test_chinese_numbers_stand_before_headings() -> None:
    body = "".join(p("标题", style("H1") + listed(2)) for _ in range(11))
    assert [b.text for b in _read(body).blocks][-2:] == ["第十章 标题", "第十一章 标题"]


def test_merged_cells_hold_their_text_once() -> None:
    wide, first = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>'
    parsed = _read(
        table(
            cell("wide", wide) + cell("c"),
            cell("tall", first) + cell("1") + cell("2"),
            cell("", "<w:vMerge/>") + cell("3") + cell("4"),
        )
    )
    assert parsed.blocks[0].text.split("\n") == [
        "| wide |  | c |",
        "| --- | --- | --- |",
        "| tall | 1 | 2 |",
        "|  | 3 | 4 |",
    ]


def test_nested_table_stays_in_its_cell_and_adjacent_tables_stay_apart() -> None:
    inner = table(cell("x") + cell("y"))
    parsed = _read(table(cell("a") + cell("b", after=inner)) + table(cell("c") + cell("d")))
    assert [b.kind for b in parsed.blocks] == ["table", "table"]
    assert "b<br>x; y" in parsed.blocks[0].text
    assert parsed.coverage == 1.0


def test_tracked_changes_give_the_final_text() -> None:
    parsed = _read(
        "<w:p><w:r><w:t>keep </w:t></w:r><w:ins><w:r><w:t>new</w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>old</w:delText></w:r></w:del></w:p>"
        "<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>runs </w:t></w:r></w:p>" + p("on")
    )
    assert [b.text for b in parsed.blocks] == ["keep new", "runs on"]


def test_text_box_is_read_once_though_it_is_stored_twice() -> None:
    box = f"<w:txbxContent>{p('in the box')}</w:txbxContent>"
    parsed = _read(
        "<w:p><w:r><w:t>before</w:t><mc:AlternateContent>"
        f"<mc:Choice Requires='wps'><wps:txbx>{box}</wps:txbx></mc:Choice>"
        f"<mc:Fallback><v:textbox>{box}</v:textbox></mc:Fallback>"
        "</mc:AlternateContent></w:r></w:p>"
    )
    assert [b.text for b in parsed.blocks] == ["before", "in the box"]


def test_footnotes_follow_their_paragraph_and_headers_go_to_meta() -> None:
    note = f'<w:footnote w:id="2">{p("the note")}</w:footnote>'
    rule = f'<w:footnote w:id="-1" w:type="separator">{p("never")}</w:footnote>'
    parsed = _read(
        '<w:p><w:r><w:t>Text</w:t><w:footnoteReference w:id="2"/></w:r></w:p>' + p("Next"),
        footnotes=part("footnotes", rule + note),
        header1=part("hdr", p("Confidential")),
    )
    assert [b.text for b in parsed.blocks] == ["Text[^1]", "[^1]: the note", "Next"]
    assert parsed.meta["running_headers"] == ["Confidential"]


def test_comments_are_left_out_unless_asked_for() -> None:
    body = '<w:p><w:r><w:t>Text</w:t><w:commentReference w:id="0"/></w:r></w:p>'
    comments = part("comments", f'<w:comment w:id="0">{p("really?")}</w:comment>')
    assert "really?" not in _read(body, comments=comments).text
    assert "really?" in _read(body, ParseOptions(include_comments=True), comments=comments).text


def test_lines_of_code_style_become_one_code_block() -> None:
    parsed = _read(p("# not a heading", style("Code")) + p("x = 1", style("Code")) + p("after"))
    assert [(b.kind, b.text) for b in parsed.blocks] == [
        ("code", "# not a heading\nx = 1"),
        ("paragraph", "after"),
    ]


def test_document_nested_deeper_than_the_stack_is_refused() -> None:
    depth = 3000
    with pytest.raises(CorruptFile):
        _read("<w:p>" + "<w:ins>" * depth + "<w:r><w:t>deep</w:t></w:r>" + "</w:ins>" * depth + "</w:p>")


def test_document_without_text_is_reported_as_empty() -> None:
    with pytest.raises(EmptyFile):
        _read(p(""))


def test_zip_bomb_is_refused_before_it_is_unpacked() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("word/document.xml", b"\0" * 40_000_000)
    with pytest.raises(UnpackedTooLarge):
        parse(out.getvalue(), "a.docx")


def test_entities_and_document_types_are_refused() -> None:
    out = io.BytesIO()
    hostile = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><w:document xmlns:w="w">&a;</w:document>'
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("word/document.xml", hostile)
    with pytest.raises(CorruptFile):
        parse(out.getvalue(), "a.docx")


@pytest.mark.parametrize("keep", [0.2, 0.6, 0.95])
def test_cut_off_file_is_reported_as_damaged(keep: float) -> None:
    data = docx(p("some text " * 50))
    with pytest.raises(CorruptFile):
        parse(data[: int(len(data) * keep)], "a.docx")
