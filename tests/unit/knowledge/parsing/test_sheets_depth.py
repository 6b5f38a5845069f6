"""Spreadsheets: pictures, drawings, threads of comments, printed headers, what cells may hold."""

# ruff: noqa: E501 - markup is read better in one piece

import io
import zipfile

import pytest
from tests.unit.knowledge.parsing.package_files import cell, merged, odf, relations, sheet_rows, xlsx
from tests.unit.knowledge.parsing.pictures import picture_of

from refdesk.knowledge.parsing import NoText, Parsed, ParseOptions, parse
from refdesk.knowledge.parsing.sheets.shown import shown_number

_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_XDR = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'


def _texts(parsed: Parsed) -> list[str]:
    return [block.text.replace(" ", "") if block.confidence else block.text for block in parsed.blocks]


def _with(data: bytes, members: dict[str, bytes | str]) -> bytes:
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a") as package:
        for name, content in members.items():
            package.writestr(name, content)
    return out.getvalue()


def _drawing(inner: str) -> dict[str, bytes | str]:
    return {
        "xl/worksheets/_rels/sheet0.xml.rels": relations(("d", "drawing", "../drawings/drawing1.xml")),
        "xl/drawings/drawing1.xml": f'<xdr:wsDr xmlns:xdr="{_XDR}" xmlns:a="{_A}" xmlns:r="{_R}">{inner}</xdr:wsDr>',
        "xl/drawings/_rels/drawing1.xml.rels": relations(
            ("p", "image", "../media/image1.png"), ("c", "chart", "../charts/chart1.xml")
        ),
    }


_PIC = '<xdr:twoCellAnchor><xdr:pic><xdr:blipFill><a:blip r:embed="p"/></xdr:blipFill></xdr:pic></xdr:twoCellAnchor>'


def test_picture_that_floats_over_a_sheet_is_read_behind_its_cells() -> None:
    members = {**_drawing(_PIC), "xl/media/image1.png": picture_of("INVOICE 2041")}
    parsed = parse(_with(xlsx(sheet_rows([["cell"]])), members), "a.xlsx")
    assert _texts(parsed) == ["cell", "INVOICE2041"]
    assert parsed.coverage == 1.0
    alone = parse(_with(xlsx(""), members), "a.xlsx")
    assert _texts(alone)[-1] == "INVOICE2041"
    with pytest.raises(NoText):
        parse(_with(xlsx(""), members), "a.xlsx", ParseOptions(ocr="off"))


def test_text_boxes_and_titles_of_charts_are_read() -> None:
    box = (
        "<xdr:grpSp><xdr:sp><xdr:txBody><a:p><a:r><a:t>first</a:t></a:r></a:p><a:p><a:r><a:t>second</a:t></a:r></a:p>"
        "</xdr:txBody></xdr:sp></xdr:grpSp>"
    )
    frame = '<xdr:graphicFrame><c:chart xmlns:c="c" r:id="c"/></xdr:graphicFrame>'
    chart = f'<c:s xmlns:c="c" xmlns:a="{_A}"><c:chart><c:title><a:t>Sales</a:t></c:title></c:chart></c:s>'
    members = {**_drawing(box + frame), "xl/charts/chart1.xml": chart}
    parsed = parse(_with(xlsx(sheet_rows([["cell"]])), members), "a.xlsx")
    assert _texts(parsed) == ["cell", "first\nsecond", "Sales"]
    assert parsed.coverage == 1.0


def test_thread_of_comments_stands_once_instead_of_the_hint_for_old_programs() -> None:
    members: dict[str, bytes | str] = {
        "xl/worksheets/_rels/sheet0.xml.rels": relations(
            ("c", "comments", "../comments1.xml"),
            ("t", "threadedComment", "../threadedComments/t1.xml"),
        ),
        "xl/comments1.xml": '<c><commentList><comment ref="A1"><t>[Threaded comment] Your version …: why?</t></comment>'
        '<comment ref="B2"><t>plain</t></comment></commentList></c>',
        "xl/threadedComments/t1.xml": '<t><threadedComment ref="A1"><text>why?</text></threadedComment>'
        '<threadedComment ref="A1"><text>because</text></threadedComment></t>',
    }
    parsed = parse(
        _with(xlsx(sheet_rows([["cell"]])), members), "a.xlsx", ParseOptions(include_comments=True)
    )
    assert _texts(parsed) == ["cell", "A1: why?\nbecause", "B2: plain"]


def test_printed_headers_and_footers_are_metadata_or_text() -> None:
    after = (
        '<headerFooter><oddHeader>&amp;L&amp;14Acme &amp;&amp; Co&amp;C&amp;"Arial,Bold"Confidential&amp;R&amp;D'
        "</oddHeader><oddFooter>&amp;CPage &amp;P of &amp;N</oddFooter><evenFooter>&amp;P</evenFooter></headerFooter>"
    )
    data = xlsx(sheet_rows([["cell"]]), after=after)
    assert parse(data, "a.xlsx").meta["running_headers"] == ["Acme & Co", "Confidential", "Page of"]
    asked = parse(data, "a.xlsx", ParseOptions(include_running=True))
    assert _texts(asked) == ["Acme & Co", "Confidential", "cell", "Page of"]


def test_escaped_characters_shared_formulas_errors_and_truth_are_shown() -> None:
    row = (
        '<row r="1"><c r="A1" t="inlineStr"><is><t>a_x000D_\nb_x0009_c</t></is></c>'
        '<c r="B1" t="str"><f t="shared" si="0"/><v>joined</v></c><c r="C1" t="e"><v>#DIV/0!</v></c>'
        '<c r="D1" t="b"><v>1</v></c><c r="E1" t="d"><v>2024-05-01T00:00:00</v></c></row>'
    )
    parsed = parse(xlsx(row), "a.xlsx", ParseOptions(sheet_form="rows"))
    assert parsed.text == "a b\tc; joined; #DIV/0!; TRUE; 2024-05-01"
    assert parsed.coverage == 1.0


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (5_551_234_567, r"[<=9999999]###\-####;\(###\)\ ###\-####", "(555) 123-4567"),
        (5_551_234, r"[<=9999999]###\-####;\(###\)\ ###\-####", "555-1234"),
        (1_500, '[>=1000]0.0,"k";0', "1.5k"),
        (-3, '"+"0;"-"0;"none"', "-3"),
        (0, '"+"0;"-"0;"none"', "none"),
        (12.5, "[$€-407] #,##0.00", "€ 12.50"),
        (12.5, '_-* #,##0.00 "kr"_-', "12.50 kr"),
        (45413, "[$-409]mmmm d, yyyy;@", "May 1, 2024"),
        (45413, "[$-F800]dddd, mmmm dd, yyyy", "Wednesday, May 01, 2024"),
    ],
)
def test_formats_with_conditions_currencies_and_languages(value: float, code: str, shown: str) -> None:
    assert shown_number(value, code) == shown


def test_opendocument_sheet_gives_notes_boxes_pictures_and_printed_headers() -> None:
    note = "<office:annotation><text:p>a note</text:p></office:annotation>"
    frame = f'<draw:frame {_XLINK}><draw:image xlink:href="Pictures/1.png"/></draw:frame>'
    box = "<draw:frame><draw:text-box><text:p>over the cells</text:p></draw:text-box></draw:frame>"
    body = (
        "<table:content-validations><table:content-validation><table:help-message><text:p>never</text:p>"
        "</table:help-message></table:content-validation></table:content-validations>"
        f'<table:table table:name="Data"><table:shapes>{box}</table:shapes>'
        f"<table:table-row><table:table-cell>{note}{frame}<text:p>cell</text:p></table:table-cell></table:table-row>"
        "</table:table>"
    )
    common = (
        '<style:master-page style:name="Default"><style:header><text:p>Acme</text:p></style:header>'
        "<style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer>"
        '<style:footer-left style:display="false"><text:p>never</text:p></style:footer-left></style:master-page>'
    )
    data = _with(odf("spreadsheet", body, common=common), {"Pictures/1.png": picture_of("TOTAL 4711")})
    parsed = parse(data, "a.ods")
    assert _texts(parsed) == ["Data", "cell", "over the cells", "TOTAL4711"]
    assert parsed.meta["running_headers"] == ["Acme", "Page"]
    assert parsed.meta["comments_left_out"] == 1
    assert parsed.coverage == 1.0
    asked = parse(data, "a.ods", ParseOptions(include_comments=True, include_running=True, ocr="off"))
    assert _texts(asked) == ["Data", "Acme", "cell", "over the cells", "A1: a note", "Page"]


def test_opendocument_sheet_keeps_merged_cells_links_and_dates_as_shown() -> None:
    row = (
        '<table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>wide</text:p></table:table-cell>'
        "<table:covered-table-cell/></table:table-row><table:table-row>"
        '<table:table-cell office:value-type="date" office:date-value="2024-05-01"><text:p>1 May 2024</text:p>'
        f'</table:table-cell><table:table-cell><text:p><text:a {_XLINK} xlink:href="https://a.example/">A</text:a>'
        "</text:p></table:table-cell></table:table-row>"
    )
    parsed = parse(
        odf("spreadsheet", f'<table:table table:name="T">{row}</table:table>'),
        "a.ods",
        ParseOptions(sheet_form="table"),
    )
    assert parsed.text.count("wide") == 1
    assert "1 May 2024" in parsed.text
    assert "[A](https://a.example/)" in parsed.text
    assert parsed.coverage == 1.0


def test_cells_the_parser_loses_are_missed() -> None:
    lost = (
        '<row r="1"><c r="A1" t="inlineStr"><is><t>kept</t></is></c></row><row r="1">'
        + cell("A1", 7)
        + "</row>"
    )
    # The second cell takes the place of the first, as in a file that names one place twice.
    parsed = parse(xlsx(lost, after=merged("A1:B1")), "a.xlsx")
    assert parsed.text == "7"
    assert parsed.coverage < 1.0


def test_hidden_rows_and_columns_are_read_and_reported() -> None:
    rows = [
        ["Name", "Salary", "Town"],
        ["Ann", "4100", "Bonn"],
        ["Bob", "3900", "Ulm"],
        ["Eve", "4200", "Rom"],
    ]
    data = sheet_rows(rows)
    hidden = data.replace('<row r="3"', '<row r="3" hidden="1"').replace(
        '<row r="4"', '<row hidden="true" r="4"'
    )
    assert hidden != data
    columns = '<cols><col min="1" max="1" width="9"/><col min="2" max="2" width="9" hidden="1"/><col min="7" max="99" hidden="1"/></cols>'
    parsed = parse(xlsx(columns + hidden), "a.xlsx")
    (warning,) = parsed.warnings
    assert (warning.code, dict(warning.details)) == ("hidden-cells", {"rows": 2, "columns": 1})
    assert warning.message == "2 hidden rows and 1 hidden column hold text, which was read."
    assert parsed.text == parse(xlsx(data), "a.xlsx").text
    assert parsed.coverage == 1.0
    assert parse(xlsx(data), "a.xlsx").warnings == ()


def test_hidden_rows_and_columns_of_opendocument_sheets_are_read_and_reported() -> None:
    def row(*texts: str, more: str = "") -> str:
        cells = "".join(f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in texts)
        return f"<table:table-row{more}>{cells}</table:table-row>"

    columns = (
        '<table:table-column table:number-columns-repeated="1"/><table:table-column-group>'
        '<table:table-column table:visibility="collapse" table:number-columns-repeated="2"/>'
        "</table:table-column-group><table:table-column/>"
    )
    rows = (
        row("Name", "Salary", "Bonus", "Town")
        + row("Ann", "4100", "7", "Bonn", more=' table:visibility="collapse"')
        + row("Bob", "3900", "8", "Ulm", more=' table:visibility="filter"')
        + row("Eve", "4200", "9", "Rom")
    )
    parsed = parse(odf("spreadsheet", f'<table:table table:name="T">{columns}{rows}</table:table>'), "a.ods")
    (warning,) = parsed.warnings
    assert (warning.code, dict(warning.details)) == ("hidden-cells", {"rows": 2, "columns": 2})
    assert all(text in parsed.text for text in ("Salary", "Ann", "3900", "Ulm"))
    assert parsed.coverage == 1.0
