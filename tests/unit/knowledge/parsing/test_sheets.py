"""Spreadsheets: cells as shown, tables apart, headers, forms; CSV: delimiters, encodings, quoting."""

import pytest
from tests.unit.knowledge.parsing.ole_files import xls
from tests.unit.knowledge.parsing.package_files import cell, merged, relations, sheet_rows, xlsx

from refdesk.knowledge.parsing import EmptyFile, Parsed, ParseOptions, parse
from refdesk.knowledge.parsing.sheets.shown import shown_number

_PEOPLE = [["Name", "City", "Age"], ["Ann", "Rome", 31], ["Bo", "Oslo", 42]]


def _read(data: bytes, options: ParseOptions | None = None) -> Parsed:
    return parse(data, "a.xlsx", options)


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (1599.99, "#,##0.00", "1,599.99"),
        (-1599.99, '#,##0.00;[Red]("$"#,##0.00)', "($1,599.99)"),
        (0.025, "0%", "3%"),
        (0.025, "0.0%", "2.5%"),
        (43085, "yyyy-mm-dd", "2017-12-16"),
        (43085.127835648, "yyyy/m/d h:mm:ss", "2017/12/16 3:04:05"),
        (43085, 'yyyy"年"m"月"d"日"', "2017年12月16日"),
        (0.5, "h:mm AM/PM", "12:00 PM"),
        (1.25, "[h]:mm", "30:00"),
        (2.5, "# ?/?", "2 1/2"),
        (198_000_000, "0.00E+00", "1.98E+08"),
        (7, "000", "007"),
        (1234.567, "General", "1234.567"),
        (0.1 + 0.2, "General", "0.3"),
        (12, '0 "pcs"', "12 pcs"),
        (12000, "#,##0,", "12"),
        (59, "yyyy-mm-dd", "1900-02-28"),
    ],
)
def test_number_is_shown_as_its_format_says(value: float, code: str, shown: str) -> None:
    assert shown_number(value, code) == shown


def test_dates_count_from_1904_where_the_workbook_says_so() -> None:
    data = xlsx(
        f'<row r="1">{cell("A1", 0, 1)}</row>', formats=["yyyy-mm-dd"], book='<workbookPr date1904="1"/>'
    )
    assert _read(data).text == "1904-01-01"


def test_small_table_becomes_markdown_and_a_long_one_an_item_a_row() -> None:
    assert _read(xlsx(sheet_rows(_PEOPLE))).blocks[0].text.split("\n")[2] == "| Ann | Rome | 31 |"
    long = _read(xlsx(sheet_rows([_PEOPLE[0], *([["Ann", "Rome", 31]] * 100)])))
    assert len(long.blocks) == 100
    assert (long.blocks[0].kind, long.blocks[0].text) == ("list_item", "Name: Ann; City: Rome; Age: 31")


def test_form_of_tables_can_be_chosen() -> None:
    data = xlsx(sheet_rows(_PEOPLE))
    assert _read(data, ParseOptions(sheet_form="rows")).blocks[1].text == "Name: Bo; City: Oslo; Age: 42"
    assert [b.kind for b in _read(data, ParseOptions(sheet_form="table")).blocks] == ["table"]


def test_tables_below_beside_and_at_a_corner_stay_apart() -> None:
    below = sheet_rows(_PEOPLE) + sheet_rows([["Item", "Price"], ["Tea", 3]], top=6)
    assert [b.kind for b in _read(xlsx(below)).blocks] == ["table", "table"]
    beside = sheet_rows([["A", "B", None, "C", "D"], ["x", 1, None, "y", 2]])
    texts = [b.text for b in _read(xlsx(beside)).blocks]
    assert texts[0].startswith("| A | B |")
    assert texts[1].startswith("| C | D |")
    corner = sheet_rows([["A", "B"], ["x", 1]]) + sheet_rows([["C", "D"], ["y", 2]], top=3, left=2)
    assert len(_read(xlsx(corner)).blocks) == 2


def test_declared_tables_that_touch_stay_apart() -> None:
    parts = {
        "xl/worksheets/_rels/sheet0.xml.rels": relations(
            ("a", "table", "../tables/a.xml"), ("b", "table", "../tables/b.xml")
        ),
        "xl/tables/a.xml": '<table ref="A1:B2"/>',
        "xl/tables/b.xml": '<table ref="A3:B4"/>',
    }
    rows = sheet_rows([["Name", "Age"], ["Ann", 3], ["Item", "Price"], ["Tea", 9]])
    assert [b.text.split("\n")[0] for b in _read(xlsx(rows, parts=parts)).blocks] == [
        "| Name | Age |",
        "| Item | Price |",
    ]


def test_header_of_two_rows_gives_one_name_a_column() -> None:
    rows = sheet_rows([["Region", "Sales", None], [None, "Q1", "Q2"], ["North", 5, 6]])
    data = xlsx(rows, after=merged("A1:A2", "B1:C1"))
    assert _read(data, ParseOptions(sheet_form="rows")).text == "Region: North; Sales / Q1: 5; Sales / Q2: 6"
    table = _read(data, ParseOptions(sheet_form="table")).text
    assert table.split("\n")[0] == "| Region | Sales / Q1 | Sales / Q2 |"


def test_merged_cell_appears_once_in_a_table_and_in_each_row_that_stands_for_itself() -> None:
    rows = sheet_rows([["Dept", "Name"], ["Law", "Ann"], [None, "Bo"]])
    data = xlsx(rows, after=merged("A2:A3"))
    assert _read(data, ParseOptions(sheet_form="table")).text.count("Law") == 1
    assert [b.text for b in _read(data).blocks] == ["Dept: Law; Name: Ann", "Dept: Law; Name: Bo"]


def test_title_above_a_table_is_a_heading_and_rows_after_a_gap_keep_their_header() -> None:
    rows = sheet_rows([["Staff of the year"], *_PEOPLE]) + sheet_rows([["Cy", "Bern", 50]], top=6)
    parsed = _read(xlsx(rows), ParseOptions(sheet_form="rows"))
    assert (parsed.blocks[0].kind, parsed.blocks[0].text) == ("heading", "Staff of the year")
    assert parsed.blocks[-1].text == "Name: Cy; City: Bern; Age: 50"


def test_hidden_sheet_is_read_and_reported() -> None:
    data = xlsx(
        sheet_rows([["a"]]), sheet_rows([["b"]]), names=["One", "Two"], states=["visible", "veryHidden"]
    )
    parsed = _read(data)
    assert [w.code for w in parsed.warnings] == ["hidden-sheet"]
    assert parsed.meta["hidden_sheets"] == ["Two"]
    assert [b.text for b in parsed.blocks] == ["One", "a", "Two", "b"]


def test_saved_result_of_a_formula_is_read_and_a_missing_one_reported() -> None:
    row = '<row r="1"><c r="A1"><f>1+1</f><v>2</v></c><c r="B1"><f>A1*2</f></c></row>'
    parsed = _read(xlsx(row))
    assert parsed.text == "2"
    assert [w.code for w in parsed.warnings] == ["formulas-without-values"]


def test_links_notes_and_shared_strings() -> None:
    parts = {
        "xl/sharedStrings.xml": "<s:sst xmlns:s='x'><s:si><s:r><s:t>Ma</s:t></s:r><s:r><s:t>nual</s:t></s:r>"
        "<s:rPh><s:t>kana</s:t></s:rPh></s:si></s:sst>",
        "xl/worksheets/_rels/sheet0.xml.rels": relations(
            ("l", "hyperlink", "https://example.org/m"), ("c", "comments", "../c.xml")
        ),
        "xl/c.xml": '<c><commentList><comment ref="B7"><t>check</t></comment></commentList></c>',
    }
    row = '<row r="1"><c r="A1" t="s"><v>0</v></c></row>'
    data = xlsx(row, after='<hyperlinks><hyperlink ref="A1" r:id="l"/></hyperlinks>', parts=parts)
    assert _read(data).text == "[Manual](https://example.org/m)"
    assert _read(data).meta["comments_left_out"] == 1
    assert _read(data, ParseOptions(include_comments=True)).blocks[-1].text == "B7: check"


def test_emptiness_to_the_last_row_and_column_costs_nothing() -> None:
    rows = '<row r="1"><c r="A1"/><c r="B1" t="inlineStr"><is><t>only</t></is></c></row><row r="1048576"/>'
    assert _read(xlsx(rows, after=merged("A1:XFD1048576", "B1:XFD1048576"))).text == "only"


def test_workbook_without_text_is_empty() -> None:
    with pytest.raises(EmptyFile):
        _read(xlsx(""))


def test_old_workbook_gives_the_same_table_and_reports_a_hidden_sheet() -> None:
    parsed = parse(xls([["Name", "Age"], ["Änne", 31], ["波", 4.5]], hidden=True), "a.xls")
    assert parsed.blocks[-1].text.split("\n")[2:] == ["| Änne | 31 |", "| 波 | 4.5 |"]
    assert [w.code for w in parsed.warnings] == ["hidden-sheet"]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_delimiter_is_found(mark: str) -> None:
    text = "\n".join(mark.join(row) for row in (["name", "note"], ["Ann", '"a, b; c"'], ["Bo", "x"]))
    parsed = parse(text.encode(), "a.csv", ParseOptions(sheet_form="rows"))
    assert [b.text for b in parsed.blocks] == ["name: Ann; note: a, b; c", "name: Bo; note: x"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gbk", "utf-16-be"])
def test_encoding_is_found_and_no_mark_stays_in_the_first_name(encoding: str) -> None:
    data = "姓名,城市,说明\n张三,北京,这是一个说明\n李四,上海,我们的产品\n".encode(encoding)
    parsed = parse(data, "a.csv", ParseOptions(sheet_form="rows"))
    assert parsed.blocks[0].text == "姓名: 张三; 城市: 北京; 说明: 这是一个说明"


def test_quoted_line_break_stays_in_its_cell_and_an_open_quote_swallows_nothing() -> None:
    assert len(parse(b'a,b\n1,"x\ny"\n2,z\n', "a.csv").blocks) == 2
    lines = "".join(f"{i},row {i}\n" for i in range(900))
    parsed = parse(('id,text\n7,"open\n' + lines).encode(), "a.csv")
    assert [w.code for w in parsed.warnings] == ["unclosed-quote"]
    assert len(parsed.blocks) == 901


def test_named_delimiter_of_excel_is_followed() -> None:
    assert parse(b"sep=;\na;b\n1,5;2\n", "a.csv").text.split("\n")[2] == "| 1,5 | 2 |"


def test_quotation_mark_behind_a_space_opens_a_cell() -> None:
    parsed = parse(b'name, city\nAnn, "Rome, IT"\nBo, Oslo\n', "a.csv", ParseOptions(sheet_form="rows"))
    assert [b.text for b in parsed.blocks] == ["name: Ann; city: Rome, IT", "name: Bo; city: Oslo"]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1,2,3\n4,5,6,7\n8\n", ["1; 2; 3", "4; 5; 6; 7", "8"]),
        ('a,b\n"he said ""hi""",2\n', ['a: he said "hi"; b: 2']),
        ("a,b\r1,2\r3,4\r", ["a: 1; b: 2", "a: 3; b: 4"]),
        ("id,text\n1,a; b\n2,c; d\n", ["id: 1; text: a; b", "id: 2; text: c; d"]),
    ],
    ids=["rows of different length", "doubled quotes", "old line ends", "other delimiter in cells"],
)
def test_records_are_read_as_they_are_meant(text: str, rows: list[str]) -> None:
    parsed = parse(text.encode(), "a.csv", ParseOptions(sheet_form="rows"))
    assert [b.text for b in parsed.blocks] == rows
    assert parsed.coverage == 1.0
