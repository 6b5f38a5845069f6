"""Slides: pictures, groups, tables, diagrams, links, comments, running places."""

# ruff: noqa: E501 - markup is read better in one piece

import pytest
from tests.unit.knowledge.parsing.package_files import notes, odf, package, pptx, relations, shape
from tests.unit.knowledge.parsing.pictures import picture_of

from refdesk.knowledge.parsing import Parsed, ParseOptions, parse

_RELS = "ppt/slides/_rels/slide99.xml.rels"
_TITLE = shape("T", 'type="title"')
_XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'


def _texts(parsed: Parsed) -> list[str]:
    return [block.text.replace(" ", "") if block.confidence else block.text for block in parsed.blocks]


_FILL = '<p:blipFill><a:blip r:embed="i"/></p:blipFill>'


@pytest.mark.parametrize(
    "drawn",
    [
        f"<p:pic>{_FILL}</p:pic>",
        f"<p:grpSp><p:grpSp><p:pic>{_FILL}</p:pic></p:grpSp></p:grpSp>",
        f"<p:graphicFrame><p:oleObj><p:pic>{_FILL}</p:pic></p:oleObj></p:graphicFrame>",
        '<p:sp><p:spPr><a:blipFill><a:blip r:embed="i"/></a:blipFill></p:spPr></p:sp>',
    ],
    ids=["picture", "in groups", "of an object", "as a fill"],
)
def test_picture_of_a_slide_is_read_once_on_its_page(drawn: str) -> None:
    parts: dict[str, str | bytes] = {
        _RELS: relations(("i", "image", "../media/i.png")),
        "ppt/media/i.png": picture_of("INVOICE 2041"),
    }
    parsed = parse(pptx(_TITLE + drawn + drawn + shape("after"), parts=parts), "a.pptx")  # type: ignore[arg-type]
    assert _texts(parsed) == ["T", "INVOICE2041", "after"]
    assert (parsed.blocks[1].page, parsed.blocks[1].pictures) == (1, 2)
    assert parsed.coverage == 1.0


def _row(*cells: str) -> str:
    return f"<a:tr>{''.join(cells)}</a:tr>"


def _cell(text: str, attributes: str = "") -> str:
    lines = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in text.split("\n"))
    return f"<a:tc {attributes}><a:txBody>{lines}</a:txBody></a:tc>"


def test_merged_cells_stand_once_and_tables_beside_each_other_stay_apart() -> None:
    rows = _row(_cell("wide", 'gridSpan="2"'), _cell("wide", 'hMerge="1"')) + _row(
        _cell("tall\nlines", 'rowSpan="2"'), _cell("1")
    )
    rows += _row(_cell("", 'vMerge="1"'), _cell("2"))
    frame = f"<p:graphicFrame><a:graphic><a:tbl>{rows}</a:tbl></a:graphic></p:graphicFrame>"
    parsed = parse(pptx(_TITLE + frame + frame), "a.pptx")
    table = "| wide |  |\n| --- | --- |\n| tall<br>lines | 1 |\n|  | 2 |"
    assert _texts(parsed) == ["T", table, table]


def test_groups_diagrams_and_links_give_their_text_in_order() -> None:
    link = '<p:sp><p:txBody><a:p><a:r><a:rPr><a:hlinkClick r:id="l"/></a:rPr><a:t>here</a:t></a:r><a:r><a:t> now</a:t></a:r></a:p></p:txBody></p:sp>'
    diagram = '<p:graphicFrame><d:relIds xmlns:d="d" r:dm="m"/></p:graphicFrame>'
    points = "".join(
        f"<d:pt><d:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></d:t></d:pt>" for text in ("Plan", "Do")
    )
    a = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    parts = {
        _RELS: relations(
            ("l", "hyperlink", "https://a.example/"), ("m", "diagramData", "../diagrams/data1.xml")
        ),
        "ppt/diagrams/data1.xml": f'<d:m xmlns:d="d" {a}>{points}</d:m>',
    }
    grouped = f"<p:grpSp>{shape('one')}<p:grpSp>{shape('two')}</p:grpSp></p:grpSp>"
    parsed = parse(pptx(_TITLE + grouped + link + diagram, parts=parts), "a.pptx")
    assert _texts(parsed) == ["T", "one", "two", "[here](https://a.example/) now", "- Plan", "- Do"]
    assert parsed.coverage == 1.0


def test_alternatives_are_read_once_and_fields_that_change_are_left_out() -> None:
    both = (
        f'<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice>{shape("new")}'
        f"</mc:Choice><mc:Fallback>{shape('old')}</mc:Fallback></mc:AlternateContent>"
    )
    field = '<p:sp><p:txBody><a:p><a:r><a:t>Page </a:t></a:r><a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p></p:txBody></p:sp>'
    parsed = parse(pptx(_TITLE + both + field), "a.pptx")
    assert _texts(parsed) == ["T", "new", "Page"]
    assert parsed.coverage == 1.0


def test_footers_are_metadata_or_text_and_comments_are_a_choice() -> None:
    slide = _TITLE + shape("body") + shape("ACME", 'type="ftr"')
    thread = '<c:cmLst xmlns:c="c" xmlns:a="a"><c:cm><c:replyLst><c:reply><c:txBody><a:p><a:r><a:t>because</a:t></a:r></a:p></c:txBody></c:reply></c:replyLst><c:txBody><a:p><a:r><a:t>why? </a:t></a:r></a:p></c:txBody></c:cm></c:cmLst>'
    parts = {
        _RELS: relations(("c", "comments", "../comments/a.xml"), ("d", "comments", "../comments/b.xml")),
        "ppt/comments/a.xml": '<p:cmLst xmlns:p="p"><p:cm><p:text>really?</p:text></p:cm></p:cmLst>',
        "ppt/comments/b.xml": thread,
    }
    data = pptx(slide, parts=parts)
    assert _texts(parse(data, "a.pptx")) == ["T", "body"]
    asked = parse(data, "a.pptx", ParseOptions(include_comments=True, include_running=True))
    assert _texts(asked) == ["T", "body", "really?", "becausewhy?", "ACME"]
    assert asked.coverage == 1.0


def test_notes_that_no_parser_shows_are_missed() -> None:
    parts = {_RELS: relations(("n", "notesSlide", "../notes.xml")), "ppt/notes.xml": notes("say this")}
    assert parse(pptx(_TITLE, parts=parts), "a.pptx").extracted_chars == len("Tsaythis")


def _frame(inner: str, role: str = "") -> str:
    return f'<draw:frame presentation:class="{role}">{inner}</draw:frame>'


def _box(text: str, role: str = "") -> str:
    return _frame(f"<draw:text-box><text:p>{text}</text:p></draw:text-box>", role)


def test_opendocument_slide_gives_pictures_tables_lists_and_running_places() -> None:
    svg = '<draw:image xlink:href="Pictures/1.svg"/><draw:image xlink:href="Pictures/1.png"/>'
    table = (
        '<table:table><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>wide</text:p>'
        "</table:table-cell><table:covered-table-cell/></table:table-row><table:table-row><table:table-cell><text:p>a</text:p>"
        "</table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>"
    )
    listed = "<draw:text-box><text:list><text:list-item><text:p>item</text:p></text:list-item></text:list></draw:text-box>"
    page = (
        _box("T1", "title")
        + _frame(svg)
        + f"<draw:g>{_box('grouped')}</draw:g>"
        + _frame(table)
        + _frame(listed)
    )
    body = (
        '<presentation:footer-decl presentation:name="f">ACME</presentation:footer-decl>'
        '<presentation:date-time-decl presentation:name="d">today</presentation:date-time-decl>'
        f'<draw:page draw:style-name="h">{page}{_box("12", "page-number")}</draw:page>'
    )
    styles = (
        '<style:style style:name="h" style:family="drawing-page"><style:drawing-page-properties '
        'presentation:visibility="hidden"/></style:style>'
    )
    content = odf("presentation", body.replace("<draw:image", f"<draw:image {_XLINK}"), styles)
    data = _repacked(content, {"Pictures/1.svg": b"<svg/>", "Pictures/1.png": picture_of("TOTAL 4711")})
    parsed = parse(data, "a.odp")
    assert _texts(parsed) == [
        "T1",
        "TOTAL4711",
        "grouped",
        "| wide |  |\n| --- | --- |\n| a | b |",
        "- item",
    ]
    assert [w.code for w in parsed.warnings] == ["hidden-slide"]
    assert parsed.meta["running_footers"] == ["ACME"]
    assert parsed.coverage == 1.0
    assert _texts(parse(data, "a.odp", ParseOptions(include_running=True)))[-1] == "ACME"


def _repacked(data: bytes, members: dict[str, bytes]) -> bytes:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as source:
        parts: dict[str, str | bytes] = {name: source.read(name) for name in source.namelist()[1:]}
    return package(parts | members, ("mimetype", "application/vnd.oasis.opendocument.presentation"))
