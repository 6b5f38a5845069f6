"""DOCX: numbers, notes, changes, forms, symbols and pictures as programs and people write them."""

# ruff: noqa: E501 - XML is read better in one piece

import io
import zipfile

import pytest
from tests.unit.knowledge.parsing.docx_files import cell, docx, listed, p, part, style, table
from tests.unit.knowledge.parsing.package_files import relations
from tests.unit.knowledge.parsing.pictures import picture_of

from refdesk.knowledge.parsing import Parsed, ParseOptions, parse

_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_WP = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"


def _read(body: str, options: ParseOptions | None = None, **parts: str) -> Parsed:
    return parse(docx(body, **parts), "a.docx", options)


def _texts(parsed: Parsed) -> list[str]:
    return [block.text.replace(" ", "") if block.confidence else block.text for block in parsed.blocks]


def _packed(body: str, **parts: str | bytes) -> bytes:
    """A document with parts of its own, also in place of the usual ones."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("word/document.xml", part("document", f"<w:body>{body}</w:body>"))
        for name, content in parts.items():
            package.writestr("word/" + name.replace("__", "/").replace("_dot_", "."), content)
    return out.getvalue()


def _level(at: int, text: str, form: str = "decimal", more: str = "") -> str:
    return f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{more}<w:lvlText w:val="{text}"/></w:lvl>'


def _lists(levels: str, *nums: str) -> str:
    numbers = "".join(
        f'<w:num w:numId="{i}"><w:abstractNumId w:val="1"/>{num}</w:num>' for i, num in enumerate(nums, 1)
    )
    return part("numbering", f'<w:abstractNum w:abstractNumId="1">{levels}</w:abstractNum>{numbers}')


def _numbered(body: str, numbering: str, styles: str = "") -> list[str]:
    return _texts(
        parse(_packed(body, numbering_dot_xml=numbering, styles_dot_xml=part("styles", styles)), "a.docx")
    )


def test_use_of_a_list_may_change_its_levels_and_begin_anew() -> None:
    changed = f'<w:lvlOverride w:ilvl="0">{_level(0, "(%1)", "upperLetter")}</w:lvlOverride>'
    restarted = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>'
    numbering = _lists(_level(0, "%1."), "", changed, restarted)
    body = p("a", listed(1)) + p("b", listed(1)) + p("c", listed(2)) + p("d", listed(3))
    assert _numbered(body, numbering) == ["1. a", "2. b", "(A) c", "7. d"]


def test_level_shows_digits_where_it_is_legal_and_goes_on_where_it_never_restarts() -> None:
    levels = (
        _level(0, "Part %1", "upperRoman")
        + _level(1, "%1.%2", more="<w:isLgl/>")
        + _level(2, "Q%3", more='<w:lvlRestart w:val="0"/>')
    )
    body = (
        p("a", listed(1))
        + p("b", listed(1, 1))
        + p("q", listed(1, 2))
        + p("c", listed(1))
        + p("r", listed(1, 2))
    )
    assert _numbered(body, _lists(levels, "")) == ["Part I a", "1.1 b", "Q1 q", "Part II c", "Q2 r"]


def test_style_of_a_heading_names_the_level_of_the_list() -> None:
    def heading(number: int, parent: str = "") -> str:
        based = f'<w:basedOn w:val="{parent}"/>' if parent else ""
        own = "" if parent else '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
        return f'<w:style w:type="paragraph" w:styleId="T{number}"><w:name w:val="heading {number}"/>{based}{own}</w:style>'

    # The second level of the list belongs to the heading of the first level.
    levels = _level(0, "Book %1") + _level(1, "%2)", more='<w:pStyle w:val="T1"/>')
    assert _numbered(p("a", style("T1")) + p("b", style("T1")), _lists(levels, ""), heading(1)) == [
        "1) a",
        "2) b",
    ]


def test_list_of_a_style_is_numbered_in_a_cell() -> None:
    listed_style = '<w:style w:type="paragraph" w:styleId="L"><w:name w:val="mine"/><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    body = table(cell("a") + f"<w:tc>{p('one', style('L'))}{p('two', style('L'))}</w:tc>")
    assert _numbered(body, _lists(_level(0, "%1."), ""), listed_style) == [
        "| a | 1. one<br>2. two |\n| --- | --- |"
    ]


def test_endnotes_and_notes_of_cells_follow_and_a_note_nobody_shows_is_not_expected() -> None:
    note = f'<w:endnote w:id="3">{p("at the end")}</w:endnote><w:endnote w:id="4">{p("orphan")}</w:endnote>'
    body = '<w:p><w:r><w:t>Text</w:t><w:endnoteReference w:id="3"/></w:r></w:p>' + table(
        cell("a") + '<w:tc><w:p><w:r><w:t>b</w:t><w:footnoteReference w:id="2"/></w:r></w:p></w:tc>'
    )
    foot = f'<w:footnote w:id="2">{p("of the cell")}</w:footnote>'
    parsed = _read(body, endnotes=part("endnotes", note), footnotes=part("footnotes", foot))
    assert _texts(parsed) == [
        "Text[^endnote-1]",
        "[^endnote-1]: at the end",
        "| a | b[^1] |\n| --- | --- |",
        "[^1]: of the cell",
    ]
    assert parsed.coverage == 1.0


def test_note_that_the_parser_loses_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    from refdesk.knowledge.parsing.docx.parser import _Walker

    monkeypatch.setattr(_Walker, "_attached", lambda *_: None)
    body = '<w:p><w:r><w:t>Text</w:t><w:footnoteReference w:id="2"/></w:r></w:p>'
    parsed = _read(body, footnotes=part("footnotes", f'<w:footnote w:id="2">{p("note")}</w:footnote>'))
    assert (parsed.extracted_chars, parsed.kept_chars) == (8, 4)


def test_deleted_cell_is_gone_and_inserted_row_is_there() -> None:
    gone = "<w:cellDel/>"
    body = f"<w:tbl><w:tr>{cell('a')}{cell('old', gone)}{cell('b')}</w:tr><w:tr><w:trPr><w:ins/></w:trPr>{cell('c')}{cell('d')}</w:tr></w:tbl>"
    parsed = _read(body)
    assert _texts(parsed) == ["| a | b |\n| --- | --- |\n| c | d |"]
    assert parsed.coverage == 1.0


def test_links_by_relation_and_by_place_inside() -> None:
    body = (
        '<w:p><w:hyperlink r:id="l"><w:r><w:t>there</w:t></w:r></w:hyperlink><w:r><w:t> and </w:t></w:r>'
        '<w:hyperlink w:anchor="x"><w:r><w:t>below</w:t></w:r></w:hyperlink></w:p>'
    )
    rels = relations(("l", "hyperlink", "https://a.example/"))
    assert _texts(parse(_packed(body, _rels__document_dot_xml_dot_rels=rels), "a.docx")) == [
        "[there](https://a.example/) and below"
    ]


def test_controls_tags_forms_and_hyphens_show_what_word_shows() -> None:
    body = (
        "<w:sdt><w:sdtPr><w:alias w:val='no'/></w:sdtPr><w:sdtContent>"
        + p("control")
        + "</w:sdtContent></w:sdt>"
        "<w:p><w:smartTag><w:r><w:t>Paris</w:t></w:r></w:smartTag><w:sdt><w:sdtContent><w:r><w:t> inline</w:t></w:r></w:sdtContent></w:sdt>"
        "<w:r><w:t> in\u00addex co</w:t><w:softHyphen/><w:t>op e</w:t><w:noBreakHyphen/><w:t>mail</w:t></w:r></w:p>"
        '<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData></w:fldChar></w:r>'
        '<w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t> agreed</w:t></w:r></w:p>'
        '<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="no"/><w:listEntry w:val="yes"/></w:ddList></w:ffData></w:fldChar></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )
    parsed = _read(body)
    assert _texts(parsed) == ["control", "Paris inline index coop e-mail", "☑ agreed", "yes"]
    assert parsed.coverage == 1.0


def test_symbols_are_what_their_font_shows() -> None:
    body = (
        '<w:p><w:r><w:sym w:font="Wingdings" w:char="F0FE"/><w:t xml:space="preserve"> done </w:t><w:sym w:font="Symbol" w:char="F062"/></w:r>'
        '<w:r><w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr><w:t>\uf0b3</w:t></w:r><w:r><w:t> 3</w:t></w:r></w:p>'
    )
    parsed = _read(body)
    assert parsed.text == "☑ done β≥ 3"
    assert parsed.coverage == 1.0


def _blip(relation: str) -> str:
    return f'<a:blip xmlns:a="{_A}" r:embed="{relation}"/>'


def test_pictures_that_float_or_stand_in_cells_are_read_behind_their_place() -> None:
    floating = f'<w:p><w:r><w:t>Before</w:t><w:drawing><wp:anchor xmlns:wp="{_WP}">{_blip("i1")}</wp:anchor></w:drawing></w:r></w:p>'
    old = '<w:p><w:r><w:pict><v:shape><v:imagedata r:id="i2"/></v:shape></w:pict></w:r></w:p>'
    body = floating + table(cell("a") + f"<w:tc>{old}</w:tc>") + p("After")
    data = _packed(
        body,
        _rels__document_dot_xml_dot_rels=relations(
            ("i1", "image", "media/1.png"), ("i2", "image", "media/2.png")
        ),
        media__1_dot_png=picture_of("INVOICE 2041"),
        media__2_dot_png=picture_of("TOTAL 4711"),
    )
    assert _texts(parse(data, "a.docx")) == [
        "Before",
        "INVOICE2041",
        "| a |\n| --- |",
        "TOTAL4711",
        "After",
    ]


def test_formulas_keep_their_letters_in_order() -> None:
    m = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    formula = f'<m:oMath xmlns:m="{m}"><m:r><m:t>E=m</m:t></m:r><m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>'
    parsed = _read(f"<w:p><w:r><w:t>So </w:t></w:r>{formula}</w:p>")
    assert parsed.text.replace(" ", "") == "SoE=mc2"
    assert parsed.coverage == 1.0


@pytest.mark.parametrize("name", ["Plain Text", "Resource", "Quellenangabe Source"])
def test_style_whose_name_only_sounds_like_code_is_running_text(name: str) -> None:
    styles = f'<w:style w:type="paragraph" w:styleId="X"><w:name w:val="{name}"/></w:style>'
    parsed = parse(_packed(p("text", style("X")), styles_dot_xml=part("styles", styles)), "a.docx")
    assert [b.kind for b in parsed.blocks] == ["paragraph"]


def test_words_on_both_sides_of_a_page_break_stay_apart() -> None:
    body = '<w:p><w:r><w:br w:type="page"/><w:t>first</w:t><w:br w:type="page"/><w:t>second</w:t></w:r></w:p>'
    assert _texts(_read(body)) == ["first\nsecond"]


def test_contents_are_text_and_only_the_chapters_are_headings() -> None:
    field = (
        '<w:p><w:pPr><w:pStyle w:val="TOC1"/></w:pPr><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> TOC \\o </w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:hyperlink w:anchor="_1"><w:r><w:t>Intro</w:t></w:r><w:r><w:tab/></w:r>'
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGEREF</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>'
        '<w:r><w:t>1</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:hyperlink></w:p><w:p><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )
    parsed = _read(f"<w:sdt><w:sdtContent>{field}</w:sdtContent></w:sdt>" + p("Intro", style("H1")))
    assert [(b.kind, b.text) for b in parsed.blocks] == [("paragraph", "Intro\t1"), ("heading", "Intro")]
    assert parsed.coverage == 1.0
