"""ODT: headings with numbers, tables, boxes, pictures, notes, printed headers, code and quotes."""

# ruff: noqa: E501 - markup is read better in one piece

import io
import zipfile

from tests.unit.knowledge.parsing.package_files import odf
from tests.unit.knowledge.parsing.pictures import picture_of

from refdesk.knowledge.parsing import Parsed, ParseOptions, parse

_XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'


def _texts(parsed: Parsed) -> list[str]:
    return [block.text.replace(" ", "") if block.confidence else block.text for block in parsed.blocks]


def _read(body: str, styles: str = "", options: ParseOptions | None = None, common: str = "") -> Parsed:
    return parse(odf("text", body, styles, common), "a.odt", options)


def _cell(text: str, attributes: str = "") -> str:
    return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"


def _table(*rows: str) -> str:
    return (
        f"<table:table>{''.join(f'<table:table-row>{row}</table:table-row>' for row in rows)}</table:table>"
    )


def test_headings_have_the_level_and_number_of_the_outline() -> None:
    levels = (
        '<text:outline-style><text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/>'
        '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>'
    )
    body = "".join(
        f'<text:h text:outline-level="{level}">{text}</text:h>'
        for level, text in ((1, "A"), (2, "B"), (1, "C"))
    )
    assert [(b.level, b.text) for b in _read(body, common=levels).blocks] == [
        (1, "1. A"),
        (2, "1.1 B"),
        (1, "2. C"),
    ]


def test_heading_inside_a_list_has_the_number_of_the_list() -> None:
    styles = '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="I" style:num-suffix="."/></text:list-style>'
    body = '<text:list text:style-name="L"><text:list-item><text:h text:outline-level="2">Part</text:h></text:list-item></text:list>'
    parsed = _read(body, styles)
    assert [(b.kind, b.level, b.text) for b in parsed.blocks] == [("heading", 2, "I. Part")]


def test_merged_cells_stand_once_nested_tables_in_their_cell_and_adjacent_ones_apart() -> None:
    nested = f"<table:table-cell><text:p>b</text:p>{_table(_cell('x') + _cell('y'))}</table:table-cell>"
    wide = _cell("wide", 'table:number-columns-spanned="2"') + "<table:covered-table-cell/>"
    body = _table(wide, _cell("a") + nested) + _table(_cell("c") + _cell("d"))
    parsed = _read(body)
    assert _texts(parsed) == ["| wide |  |\n| --- | --- |\n| a | b<br>x; y |", "| c | d |\n| --- | --- |"]
    assert parsed.coverage == 1.0


def test_list_in_a_cell_keeps_its_numbers() -> None:
    styles = '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/></text:list-style>'
    items = "".join(f"<text:list-item><text:p>{text}</text:p></text:list-item>" for text in ("one", "two"))
    inner = f'<table:table-cell><text:list text:style-name="L">{items}</text:list></table:table-cell>'
    assert _texts(_read(_table(_cell("a") + inner), styles)) == ["| a | 1. one<br>2. two |\n| --- | --- |"]


def test_pictures_in_the_line_and_those_that_float_are_read_where_they_stand() -> None:
    def frame(number: int, anchor: str) -> str:
        return f'<draw:frame text:anchor-type="{anchor}"><draw:image {_XLINK} xlink:href="Pictures/{number}.png"/></draw:frame>'

    body = (
        f"<text:p>Before {frame(1, 'as-char')}</text:p><text:p>Between</text:p>{frame(2, 'page')}<text:p>After</text:p>"
        + _table(_cell("a") + _cell(f"b{frame(1, 'as-char')}"))
    )
    out = io.BytesIO(odf("text", body))
    with zipfile.ZipFile(out, "a") as package:
        package.writestr("Pictures/1.png", picture_of("INVOICE 2041"))
        package.writestr("Pictures/2.png", picture_of("TOTAL 4711"))
    parsed = parse(out.getvalue(), "a.odt")
    assert _texts(parsed) == [
        "Before",
        "INVOICE2041",
        "Between",
        "TOTAL4711",
        "After",
        "| a | b |\n| --- | --- |",
    ]
    assert [b.pictures for b in parsed.blocks] == [0, 1, 0, 1, 0, 1]
    assert parsed.coverage == 1.0


def test_text_boxes_and_endnotes_follow_their_paragraph() -> None:
    box = "<draw:frame><draw:text-box><text:p>in the box</text:p></draw:text-box></draw:frame>"
    note = '<text:note text:note-class="endnote"><text:note-citation>i</text:note-citation><text:note-body><text:p>the end</text:p></text:note-body></text:note>'
    parsed = _read(f"<text:p>text{box}{note}</text:p><text:p>next</text:p>")
    assert _texts(parsed) == ["text[^1]", "in the box", "[^1]: the end", "next"]
    assert parsed.coverage == 1.0


def test_printed_headers_stand_around_the_text_when_asked_for() -> None:
    common = (
        "<style:master-page><style:header><text:p>Acme <text:page-number>1</text:page-number></text:p></style:header>"
        "<style:footer><text:p>Secret</text:p></style:footer></style:master-page>"
    )
    assert _read("<text:p>Body</text:p>", common=common).meta["running_headers"] == ["Acme", "Secret"]
    asked = _read("<text:p>Body</text:p>", options=ParseOptions(include_running=True), common=common)
    assert _texts(asked) == ["Acme", "Body", "Secret"]
    assert asked.coverage == 1.0


def test_styles_tell_titles_code_quotes_and_captions() -> None:
    body = "".join(
        f'<text:p text:style-name="{style}">{text}</text:p>'
        for style, text in (
            ("Title", "The title"),
            ("P1", "x = 1"),
            ("P1", "# no heading"),
            ("Quotations", "said"),
            ("Caption", "Figure 1"),
        )
    )
    styles = '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Preformatted_20_Text"/>'
    common = '<style:style style:name="Preformatted_20_Text" style:family="paragraph"/>'
    assert [(b.kind, b.text) for b in _read(body, styles, common=common).blocks] == [
        ("heading", "The title"),
        ("code", "x = 1\n# no heading"),
        ("quote", "said"),
        ("caption", "Figure 1"),
    ]


def test_contents_sections_and_fields_are_read_as_shown() -> None:
    body = (
        "<text:table-of-content><text:table-of-content-source><text:index-title-template>never</text:index-title-template>"
        "</text:table-of-content-source><text:index-body><text:p>Intro<text:tab/>1</text:p></text:index-body></text:table-of-content>"
        "<text:section><text:p>by <text:author-name>Al</text:author-name> on <text:date>2 May</text:date></text:p></text:section>"
    )
    parsed = _read(body)
    assert _texts(parsed) == ["Intro\t1", "by Al on 2 May"]
    assert parsed.coverage == 1.0
    assert parsed.extracted_chars == len("Intro1byAlon2May")
