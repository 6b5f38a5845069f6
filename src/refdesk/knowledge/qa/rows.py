"""A table of questions and answers → rows: pure, used within the limited process only (see `child`).

Columns are found by their names in English or Chinese, in any order, also as other systems' templates write
them (`分段内容（必填…）`). A row with a fault is told by its number and the others are kept.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from refdesk.knowledge.parsing.archive import member_names
from refdesk.knowledge.parsing.binary import looks_binary
from refdesk.knowledge.parsing.blocks import ParseOptions
from refdesk.knowledge.parsing.encoding import decode
from refdesk.knowledge.parsing.errors import ParseError
from refdesk.knowledge.parsing.unpacking import ZIP_MAGIC, check_sizes, open_zip, read_member
from refdesk.knowledge.qa.errors import QaColumnsMissing, QaTooManyRows, QaUnreadable

MAX_ROWS = 50_000
MAX_TITLE_CHARS = 2_000
MAX_CONTENT_CHARS = 100_000
MAX_QUESTION_CHARS = 500
MAX_QUESTIONS = 100
# Header rows are looked for among the first rows: some tables begin with a heading.
HEADER_ROWS = 10
MAX_COLUMNS = 200
_NAMES = {
    "title": ("title", "标题", "標題", "分段标题", "段落标题", "heading"),
    "content": ("content", "内容", "內容", "分段内容", "段落内容", "正文", "answer", "答案", "回答", "答"),
    "questions": ("questions", "question", "问题", "問題", "相关问题", "问", "提问"),
}
_COLUMNS = {name: column for column, names in _NAMES.items() for name in names}
_NOTE = re.compile(r"[（(【\[:：*].*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class QaRow:
    """A row that can be imported: its number as programs show it, from 1, and the file or sheet it is in."""

    number: int
    place: str
    title: str
    content: str
    questions: list[str]


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot, and why. Row 0 stands for a whole sheet or member of an archive."""

    number: int
    place: str
    code: str
    reason: str


@dataclass(slots=True)
class QaTable:
    """What a file holds."""

    rows: list[QaRow] = field(default_factory=list[QaRow])
    bad: list[BadRow] = field(default_factory=list[BadRow])

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def read_table(data: bytes, name: str, options: ParseOptions) -> QaTable:
    """All rows of a file. Raises `QaColumnsMissing`, `QaTooManyRows`, `QaUnreadable` and parse errors."""
    table = QaTable()
    if data.startswith((ZIP_MAGIC, b"PK\x05\x06")) and not _is_workbook(data):
        if _is_document(data):
            raise QaUnreadable("The file is no table, but a document of another kind.")
        _read_archive(data, options, table)
    else:
        _read_file(data, name, "", options, table)
    return table


def _is_workbook(data: bytes) -> bool:
    with open_zip(data) as archive:
        return any(name.startswith("xl/") for name in archive.namelist())


def _is_document(data: bytes) -> bool:
    """Whether these are the parts of an Office file, an OpenDocument file or an e-book."""
    with open_zip(data) as archive:
        return not {"[Content_Types].xml", "mimetype"}.isdisjoint(archive.namelist())


def _read_archive(data: bytes, options: ParseOptions, table: QaTable) -> None:
    left = options.max_unpacked_bytes
    found = False
    with open_zip(data) as archive:
        infos = [info for info in archive.infolist() if not info.is_dir()]
        for info, path in zip(infos, member_names(infos), strict=True):
            if not path.lower().endswith((".csv", ".tsv", ".xlsx", ".xls")) or "__MACOSX/" in path:
                continue
            found = True
            try:
                check_sizes(info.file_size, info.compress_size, options, left)
                content = read_member(archive, info, left)
                left -= len(content)
                _read_file(content, path, path, options, table)
            except QaTooManyRows:
                raise
            except (ParseError, QaColumnsMissing, QaUnreadable) as error:
                table.bad.append(BadRow(0, path, error.code, error.text))
    if not found:
        raise QaUnreadable("The archive holds neither CSV nor XLSX files.")
    if not table.rows and all(bad.code == QaColumnsMissing.code for bad in table.bad):
        raise QaColumnsMissing


def _read_file(data: bytes, name: str, place: str, options: ParseOptions, table: QaTable) -> None:
    if data.startswith((ZIP_MAGIC, b"\xd0\xcf\x11\xe0")):
        _read_workbook(data, place, options, table)
        return
    if not data.strip() or looks_binary(data[:65536]):
        raise QaUnreadable
    text = decode(data).text
    if not _take(_delimited(text), place, table):
        raise QaColumnsMissing


def _read_workbook(data: bytes, place: str, options: ParseOptions, table: QaTable) -> None:
    from python_calamine import CalamineError, CalamineWorkbook

    if data.startswith(ZIP_MAGIC):
        with open_zip(data) as archive:
            for info in archive.infolist():
                check_sizes(info.file_size, info.compress_size, options, options.max_unpacked_bytes)
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        names = workbook.sheet_names
        fits = False
        for number, sheet in enumerate(names):
            rows = workbook.get_sheet_by_index(number).iter_rows()
            where = " / ".join(part for part in (place, sheet if len(names) > 1 else "") if part)
            if _take(((i, [_shown(cell) for cell in row]) for i, row in enumerate(rows, 1)), where, table):
                fits = True
            elif len(names) > 1:
                reason = "The sheet has no column “content”."
                table.bad.append(BadRow(0, where, QaColumnsMissing.code, reason))
    except CalamineError as error:
        raise QaUnreadable(reason=str(error)[:200]) from None
    if not fits:
        raise QaColumnsMissing


def _shown(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell)


def _delimited(text: str) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(10 * 1024 * 1024)
    head = "\n".join(text.split("\n", HEADER_ROWS)[:HEADER_ROWS])
    delimiter = max(",\t;|，", key=lambda mark: _score(head, mark))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    number = 1
    try:
        for cells in reader:
            # People's programs count rows, not lines: a cell with line breaks is one row.
            yield number, cells[:MAX_COLUMNS]
            number += 1
    except csv.Error as error:
        raise QaUnreadable(f"Row {number} cannot be read.", reason=str(error)) from None


def _score(head: str, mark: str) -> int:
    """How many known columns the first rows name if they are cut at this mark."""
    return max((len(_columns(line.split(mark))) for line in head.split("\n")), default=0)


def _columns(cells: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for i, cell in enumerate(cells):
        name = _NOTE.sub("", cell.strip().strip('"\ufeff')).strip().lower()
        column = _COLUMNS.get(name)
        if column is not None:
            found.setdefault(column, i)
    return found


def _take(rows: Iterable[tuple[int, Sequence[str]]], place: str, table: QaTable) -> bool:
    """Add the rows below the header. False if there is no header."""
    columns: dict[str, int] = {}
    for number, cells in rows:
        if "content" not in columns:
            columns = _columns(cells)
            if "content" not in columns and number >= HEADER_ROWS:
                return False
            continue
        values = {name: _clean(cells[i]) if i < len(cells) else "" for name, i in columns.items()}
        title, content = values.get("title", ""), values["content"]
        questions = _questions(values.get("questions", ""))
        if not (title or content or questions):
            continue
        fault = _fault(title, content, questions)
        if fault is not None:
            table.bad.append(BadRow(number, place, *fault))
        else:
            table.rows.append(QaRow(number, place, title, content, questions))
        if len(table.rows) + len(table.bad) > MAX_ROWS:
            raise QaTooManyRows(max_rows=MAX_ROWS)
    return "content" in columns


def _clean(cell: str) -> str:
    return cell.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").strip()


def _questions(cell: str) -> list[str]:
    lines = (re.sub(r"\s+", " ", line).strip() for line in cell.split("\n"))
    return list(dict.fromkeys(line for line in lines if line))


def _fault(title: str, content: str, questions: Sequence[str]) -> tuple[str, str] | None:
    if not content:
        return "content-missing", "The content is empty."
    if len(content) > MAX_CONTENT_CHARS:
        return "content-too-long", f"The content has more than {MAX_CONTENT_CHARS:,} characters."
    if len(title) > MAX_TITLE_CHARS:
        return "title-too-long", f"The title has more than {MAX_TITLE_CHARS:,} characters."
    if len(questions) > MAX_QUESTIONS:
        return "too-many-questions", f"There are more than {MAX_QUESTIONS} questions."
    if any(len(question) > MAX_QUESTION_CHARS for question in questions):
        return "question-too-long", f"A question has more than {MAX_QUESTION_CHARS} characters."
    return None
