"""Tables of questions and answers: found columns, kept and refused rows, encodings, archives, templates."""

import io
import zipfile
from typing import Any

import pytest
from python_calamine import CalamineWorkbook

from refdesk.kit.errors import AppError
from refdesk.kit.settings import Settings
from refdesk.knowledge.parsing.blocks import ParseOptions
from refdesk.knowledge.qa import rows as rows_module
from refdesk.knowledge.qa.errors import QaColumnsMissing, QaTooManyRows, QaUnreadable
from refdesk.knowledge.qa.reading import read_limited
from refdesk.knowledge.qa.rows import QaTable, read_table
from refdesk.knowledge.qa.templates import template


def read(data: bytes | str, name: str = "a.csv", **options: Any) -> QaTable:
    raw = data.encode() if isinstance(data, str) else data
    return read_table(raw, name, ParseOptions(**options))


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name + ".csv", data)
    return buffer.getvalue()


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_the_templates_are_read_as_they_are(language: Any, kind: Any) -> None:
    table = read(template(language, kind), f"t.{kind}")
    assert [len(row.questions) for row in table.rows] == [2, 1]
    assert [bool(row.title) for row in table.rows] == [True, False]
    assert table.bad == []


def test_the_xlsx_template_is_a_workbook_others_can_open() -> None:
    workbook = CalamineWorkbook.from_filelike(io.BytesIO(template("zh", "xlsx")))
    assert workbook.get_sheet_by_index(0).to_python()[0] == ["标题", "内容", "问题"]
    assert template("zh", "csv").startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize(
    "header",
    [
        "title,content,questions",
        "Content;Questions;Title",
        "问题\t标题\t内容",
        "分段标题（选填）,分段内容（必填，问题答案，最长不超过4096个字符）,问题（选填，单元格内一行一个）",
    ],
)
def test_columns_are_found_by_name_in_any_order(header: str) -> None:
    mark = next(mark for mark in ",;\t" if mark in header and header.count(mark) >= 2)
    names = [name[:2] for name in header.replace("，", "").split(mark)]
    values = {
        "ti": "T",
        "Ti": "T",
        "co": "C",
        "Co": "C",
        "qu": "Q",
        "Qu": "Q",
        "问题": "Q",
        "标题": "T",
        "内容": "C",
    }
    if "分段" in header:
        line = "T,C,Q"
    else:
        line = mark.join(values[name] for name in names)
    (row,) = read(f"{header}\n{line}\n").rows
    assert (row.title, row.content, row.questions, row.number) == ("T", "C", ["Q"], 2)


def test_questions_stand_one_a_line_each_once() -> None:
    (row,) = read('content,questions\n"Line one\nline two","How?\r\n  Why  so? \n\nHow?"\n').rows
    assert row.content == "Line one\nline two"
    assert row.questions == ["How?", "Why so?"]


def test_bad_rows_are_told_by_number_and_the_others_are_kept() -> None:
    long = "x" * 501
    table = read(f"title,content,questions\nA,first,\n,,\nB,,Why?\nC,second,{long}\nD,third,What?\n")
    assert [(row.number, row.content) for row in table.rows] == [(2, "first"), (6, "third")]
    assert [(bad.number, bad.code) for bad in table.bad] == [(4, "content-missing"), (5, "question-too-long")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "big5", "utf-16"])
def test_any_encoding_is_read(encoding: str) -> None:
    text = (
        "標題,內容,問題\n退款,訂單可在三十天內退貨,多久之內可以退貨\n" * 1
        + ","
        + "客服熱線的服務時間為工作日" * 5
        + ",\n"
    )
    table = read(text.encode(encoding))
    assert table.rows[0].content == "訂單可在三十天內退貨"
    assert len(table.rows) == 2


def test_a_heading_above_the_header_is_passed_over() -> None:
    assert [row.number for row in read("Our questions\n\ntitle,content\nA,B\n").rows] == [4]


def test_files_without_the_column_or_of_another_kind_are_refused() -> None:
    with pytest.raises(QaColumnsMissing):
        read("name,price\nlamp,3\n")
    for data in (b"", b"\x89PNG\r\n\x1a\n" + bytes(range(32)) * 9, zipped()):
        with pytest.raises((QaUnreadable, AppError)):
            read(data)


def test_an_archive_gives_the_rows_of_all_its_tables_and_tells_what_it_could_not_read() -> None:
    archive = zipped(
        a=b"content\nfirst\n",
        **{"sub/b": "内容\n第二\n".encode("gb18030")},
        c=b"name\nx\n",
        **{"_" + "_MACOSX/d": b"content\nno\n"},
    )
    table = read(archive, "a.zip")
    assert [(row.place, row.content) for row in table.rows] == [("a.csv", "first"), ("sub/b.csv", "第二")]
    assert [(bad.place, bad.code) for bad in table.bad] == [("c.csv", "qa-columns-missing")]


def test_bombs_and_too_many_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = zipped(a=b"content\n" + b"0" * 20_000_000)
    table = read(zipped(a=b"content\nx\n", b=b"content\n" + b"0" * 20_000_000), "a.zip")
    assert [bad.code for bad in table.bad] == ["unpacked-too-large"]
    assert read(bomb, "a.zip").rows == []
    monkeypatch.setattr(rows_module, "MAX_ROWS", 3)
    with pytest.raises(QaTooManyRows):
        read("content\n" + "x\n" * 5)


async def test_the_limited_process_gives_rows_and_errors() -> None:
    table = await read_limited("标题,内容\n甲,乙\n,\n丙,\n".encode(), "a.csv", Settings())
    assert [row.content for row in table.rows] == ["乙"]
    assert [bad.number for bad in table.bad] == [4]
    with pytest.raises(QaColumnsMissing):
        await read_limited(b"a,b\n1,2\n", "a.csv", Settings())


def test_a_document_of_another_kind_is_not_called_an_archive() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<document/>")
    with pytest.raises(QaUnreadable, match="a document of another kind"):
        read(buffer.getvalue(), "a.docx")
