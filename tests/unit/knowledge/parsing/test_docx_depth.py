"""DOCX: what lies in other parts, what programs write differently, and what authors do without styles."""

# ruff: noqa: E501 - XML is read better in one piece

import base64
import io
import zipfile

import pytest
from tests.unit.knowledge.parsing.docx_files import cell, docx, listed, p, part, style, table
from tests.unit.knowledge.parsing.pictures import picture_of

from refdesk.knowledge.parsing import CorruptFile, Parsed, ParseOptions, parse

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
_DGM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"


def _rels(**targets: str) -> str:
    rows = "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/{value.split(" ")[0]}" Target="{value.split(" ")[1]}"/>'
        for key, value in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}">{rows}</Relationships>'


def _with(data: bytes, **members: bytes | str) -> bytes:
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a") as package:
        for name, content in members.items():
            package.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return out.getvalue()


def _read(data: bytes, options: ParseOptions | None = None) -> Parsed:
    return parse(data, "a.docx", options)


def _texts(parsed: Parsed) -> list[str]:
    return [block.text for block in parsed.blocks]


def _link(begin: str = "", end: str = "") -> str:
    code = '<w:r><w:instrText xml:space="preserve"> HYPERLINK "https://a.example/x" </w:instrText></w:r>'
    field = "".join(f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin",))
    return (
        f"<w:p><w:r><w:t>{begin}</w:t></w:r>{field}{code}"
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>the page</w:t></w:r>'
        f'<w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t>{end}</w:t></w:r></w:p>'
    )


def test_links_written_as_fields_keep_their_address_and_other_fields_their_result() -> None:
    page = (
        '<w:p><w:fldSimple w:instr=" PAGE "><w:r><w:t>7</w:t></w:r></w:fldSimple>'
        "<w:fldSimple w:instr='HYPERLINK \"https://b.example\"'><w:r><w:t>B</w:t></w:r></w:fldSimple></w:p>"
    )
    parsed = _read(docx(_link("See ", " now.") + page))
    assert _texts(parsed) == ["See [the page](https://a.example/x) now.", "7[B](https://b.example)"]
    assert parsed.coverage == 1.0


def test_main_part_with_another_name_is_found_and_so_are_its_parts() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("[Content_Types].xml", "<Types/>")
        package.writestr("_rels/.rels", _rels(r1="officeDocument word/document2.xml"))
        package.writestr("word/_rels/document2.xml.rels", _rels(r1="styles styles2.xml"))
        package.writestr("word/document2.xml", part("document", f"<w:body>{p('Titel', style('X'))}</w:body>"))
        package.writestr(
            "word/styles2.xml",
            part(
                "styles",
                '<w:style w:type="paragraph" w:styleId="X"><w:name w:val="heading 2"/></w:style>',
            ),
        )
    assert [(b.kind, b.level) for b in _read(out.getvalue()).blocks] == [("heading", 2)]


def test_strict_names_of_the_standard_are_understood() -> None:
    data = docx(p("One", style("H1")) + table(cell("a") + cell("b")))
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w") as strict:
        for name in source.namelist():
            text = source.read(name).decode()
            text = text.replace(
                "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
                "http://purl.oclc.org/ooxml/wordprocessingml/main",
            )
            strict.writestr(name, text)
    assert [b.kind for b in _read(out.getvalue()).blocks] == ["heading", "table"]


def test_charts_and_diagrams_give_their_text() -> None:
    drawing = (
        f'<w:p><w:r><w:drawing><c:chart xmlns:c="{_C}" r:id="c1"/></w:drawing></w:r>'
        f'<w:r><w:drawing><dgm:relIds xmlns:dgm="{_DGM}" r:dm="d1"/></w:drawing></w:r></w:p>'
    )
    series = (
        "<c:ser><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>Sales</c:v></c:pt></c:strCache></c:strRef></c:tx>"
        "<c:cat><c:strRef><c:strCache><c:pt idx='0'><c:v>Q1</c:v></c:pt></c:strCache></c:strRef></c:cat>"
        "<c:val><c:numRef><c:numCache><c:pt idx='0'><c:v>42</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>"
    )
    chart = f'<c:chartSpace xmlns:c="{_C}" xmlns:a="{_A}"><c:chart>{series}</c:chart></c:chartSpace>'
    points = "".join(
        f"<dgm:pt><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>" for text in ("Plan", "Do")
    )
    data = _with(
        docx(p("Before") + drawing),
        word___rels__document_dot_xml_dot_rels=_rels(
            c1="chart charts/chart1.xml", d1="diagramData diagrams/data1.xml"
        ),
        word__charts__chart1_dot_xml=chart,
        word__diagrams__data1_dot_xml=f'<dgm:dataModel xmlns:dgm="{_DGM}" xmlns:a="{_A}">{points}</dgm:dataModel>',
    )
    parsed = _read(data)
    assert _texts(parsed) == ["Before", "|  | Sales |\n| --- | --- |\n| Q1 | 42 |", "- Plan", "- Do"]
    assert parsed.coverage == 1.0


def test_document_inside_the_document_is_read_in_its_place() -> None:
    data = _with(
        docx(p("Before") + '<w:altChunk r:id="h1"/>' + p("After")),
        word___rels__document_dot_xml_dot_rels=_rels(h1="aFChunk chunk.html"),
        word__chunk_dot_html="<html><body><h2>Inner</h2><p>text</p></body></html>",
    )
    assert _texts(_read(data)) == ["Before", "Inner", "text", "After"]


def test_headers_and_footers_stand_around_the_text_when_asked_for() -> None:
    data = _with(
        docx(p("Body")),
        word__header1_dot_xml=part("hdr", p("Secret")),
        word__footer1_dot_xml=part("ftr", p("Page of Acme") + p("Secret")),
    )
    assert _texts(_read(data)) == ["Body"]
    assert _read(data).meta["running_headers"] == ["Secret", "Page of Acme"]
    asked = _read(data, ParseOptions(include_running=True))
    assert _texts(asked) == ["Secret", "Body", "Page of Acme", "Secret"]
    assert asked.coverage == 1.0


def test_list_whose_levels_are_those_of_a_list_style_is_numbered() -> None:
    numbering = part(
        "numbering",
        '<w:abstractNum w:abstractNumId="1"><w:numStyleLink w:val="S"/></w:abstractNum>'
        '<w:abstractNum w:abstractNumId="2"><w:styleLink w:val="S"/><w:lvl w:ilvl="0"><w:start w:val="4"/>'
        '<w:numFmt w:val="decimal"/><w:lvlText w:val="%1)"/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>',
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr(
            "word/document.xml", part("document", f"<w:body>{p('a', listed(1))}{p('b', listed(1))}</w:body>")
        )
        package.writestr("word/numbering.xml", numbering)
    assert _texts(_read(out.getvalue())) == ["4) a", "5) b"]


def _bold(text: str) -> str:
    return f"<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>{text}</w:t></w:r></w:p>"


def test_document_without_styles_takes_numbered_and_bold_lines_as_headings() -> None:
    text = p("正文内容，讲述规定的细节与要求。")
    body = (
        p("第一章 总则") + text + text + _bold("（一）范围") + text + text + _bold("其他事项") + text + text
    )
    assert [(b.level, b.text) for b in _read(docx(body)).blocks if b.kind == "heading"] == [
        (1, "第一章 总则"),
        (2, "（一）范围"),
        (2, "其他事项"),
    ]


def test_bold_sentences_and_documents_with_styles_are_left_alone() -> None:
    sentence = _bold("注意：以下内容必须遵守。") + p("a") + p("b")
    assert not [b for b in _read(docx(sentence)).blocks if b.kind == "heading"]
    styled = p("One", style("H1")) + _bold("Bold line") + p("a") + p("b")
    assert [b.text for b in _read(docx(styled)).blocks if b.kind == "heading"] == ["One"]


def test_hidden_text_is_left_out_and_ruby_is_kept_in_brackets() -> None:
    body = (
        "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:r><w:t>shown </w:t></w:r>"
        "<w:r><w:ruby><w:rt><w:r><w:t>かん</w:t></w:r></w:rt>"
        "<w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>"
    )
    parsed = _read(docx(body))
    assert "secret" not in parsed.text
    assert "漢" in parsed.text
    assert "かん" in parsed.text
    assert parsed.coverage == 1.0


def test_moved_text_stands_once_where_it_was_moved_to_and_deleted_rows_are_gone() -> None:
    body = (
        "<w:p><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom><w:r><w:t>first</w:t></w:r></w:p>"
        "<w:p><w:moveTo><w:r><w:t>moved</w:t></w:r></w:moveTo></w:p>"
        + f"<w:tbl><w:tr>{cell('a')}{cell('b')}</w:tr><w:tr><w:trPr><w:del/></w:trPr>{cell('x')}{cell('y')}</w:tr></w:tbl>"
    )
    assert _texts(_read(docx(body))) == ["first", "moved", "| a | b |\n| --- | --- |"]


def test_list_in_a_cell_keeps_its_numbers_and_a_content_control_its_rows() -> None:
    inner = f"<w:tc>{p('one', listed(1))}{p('two', listed(1))}</w:tc>"
    body = f"<w:tbl><w:tr>{cell('a')}{inner}</w:tr><w:sdt><w:sdtContent><w:tr>{cell('c')}{cell('d')}</w:tr></w:sdtContent></w:sdt></w:tbl>"
    assert _texts(_read(docx(body))) == ["| a | 1. one<br>2. two |\n| --- | --- |\n| c | d |"]


def test_picture_with_text_is_read_where_it_stands_and_one_without_leaves_a_mark() -> None:
    def shown(relation: str) -> str:
        return f'<w:p><w:r><w:drawing><a:blip xmlns:a="{_A}" r:embed="{relation}"/></w:drawing></w:r></w:p>'

    blank = base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="
    )
    data = _with(
        docx(p("Before") + shown("i1") + p("Between") + shown("i2") + p("After")),
        word___rels__document_dot_xml_dot_rels=_rels(i1="image media/1.png", i2="image media/2.png"),
        word__media__1_dot_png=picture_of("INVOICE 2041"),
        word__media__2_dot_png=blank,
    )
    parsed = _read(data)
    assert [b.text.replace(" ", "") for b in parsed.blocks] == ["Before", "INVOICE2041", "Between", "After"]
    assert [b.pictures for b in parsed.blocks] == [0, 1, 1, 0]
    assert (parsed.blocks[1].confidence or 0) > 0.6
    assert _texts(_read(data, ParseOptions(ocr="off"))) == ["Before", "Between", "After"]


@pytest.mark.parametrize("before", ["", "<!-- <a> -->" + " " * 3000])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_document_type_is_refused_wherever_it_hides(before: str, encoding: str) -> None:
    bomb = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>"
    xml = f'<?xml version="1.0" encoding="{encoding}"?>{before}{bomb}' + part("document", "<w:body/>")[38:]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("word/document.xml", xml.encode(encoding))
    with pytest.raises(CorruptFile):
        _read(out.getvalue())
