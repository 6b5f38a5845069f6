"""Questions as files: CSV for spreadsheets, JSON lines for programs; what is written can be read again."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any, cast

from pydantic import ValidationError

from refdesk.evaluation.errors import QuestionFileInvalid
from refdesk.evaluation.schemas import QuestionInput, TestQuestionView

COLUMNS = ("question", "documents", "paragraphs", "nothing", "document_ids")
_NAMES = {
    "question": "question",
    "query": "question",
    "问题": "question",
    "documents": "documents",
    "document": "documents",
    "expected": "documents",
    "文档": "documents",
    "期望文档": "documents",
    "document_ids": "document_ids",
    "文档编号": "document_ids",
    "paragraphs": "paragraphs",
    "paragraph_ids": "paragraphs",
    "段落": "paragraphs",
    "nothing": "nothing",
    "expects_nothing": "nothing",
    "没有答案": "nothing",
    "无答案": "nothing",
}
# In the place of documents: there is no answer.
_NOTHING = "-"
_YES = frozenset(("yes", "y", "true", "1", "x", "是"))
# What a spreadsheet would run as a formula gets a quote before it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_csv(questions: Sequence[TestQuestionView]) -> bytes:
    """With a byte order mark, so that spreadsheets read it as UTF-8."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for one in questions:
        expected = one.expected
        row = [
            one.question,
            "; ".join(document.name for document in expected.documents),
            "; ".join(str(paragraph.id) for paragraph in expected.paragraphs),
            "yes" if expected.nothing else "",
            "; ".join(str(document.id) for document in expected.documents),
        ]
        writer.writerow([f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in row])
    return b"\xef\xbb\xbf" + out.getvalue().encode()


def write_jsonl(questions: Sequence[TestQuestionView]) -> bytes:
    """One object a line: question, documents (id and name), paragraphs (ids), nothing."""
    lines = [
        json.dumps(
            {
                "question": one.question,
                "documents": [{"id": str(doc.id), "name": doc.name} for doc in one.expected.documents],
                "paragraphs": [str(paragraph.id) for paragraph in one.expected.paragraphs],
                "nothing": one.expected.nothing,
            },
            ensure_ascii=False,
        )
        for one in questions
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def read_questions(content: str, kind: str) -> list[QuestionInput]:
    """The questions of a file. Raises `QuestionFileInvalid` with the line at fault."""
    content = content.removeprefix("\ufeff")
    return list(_of_csv(content) if kind == "csv" else _of_jsonl(content))


def _of_csv(content: str) -> Iterator[QuestionInput]:
    delimiter = "\t" if "\t" in content.split("\n", 1)[0] else ","
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True)
    try:
        header = next(reader, list[str]())
        columns = {known: at for at, cell in enumerate(header) if (known := _NAMES.get(cell.strip().lower()))}
        if "question" not in columns:
            raise QuestionFileInvalid(line=1, problem="There is no column “question”.")
        for row in reader:

            def cell(name: str, row: list[str] = row) -> str:
                at = columns.get(name)
                text = row[at].strip() if at is not None and at < len(row) else ""
                return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text

            if not any(field.strip() for field in row):
                continue
            # Ids hold even if the document has been renamed; the names beside them are for people.
            documents = split_list(cell("document_ids")) or split_list(cell("documents"))
            nothing = cell("nothing").lower() in _YES or documents == [_NOTHING]
            yield _question(
                reader.line_num,
                question=cell("question"),
                documents=[] if documents == [_NOTHING] else documents,
                paragraph_ids=split_list(cell("paragraphs")),
                expects_nothing=nothing,
            )
    except csv.Error as error:
        raise QuestionFileInvalid(line=reader.line_num, problem=str(error)) from error


def _of_jsonl(content: str) -> Iterator[QuestionInput]:
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        try:
            given: Any = json.loads(line)
        except ValueError as error:
            raise QuestionFileInvalid(line=number, problem=str(error)) from error
        if not isinstance(given, dict):
            raise QuestionFileInvalid(line=number, problem="The line is not an object.")
        record = cast("dict[str, Any]", given)
        documents: Any = record.get("documents") or []
        named = [
            cast("dict[str, Any]", one).get("id") if isinstance(one, dict) else one
            for one in (cast("list[Any]", documents) if isinstance(documents, list) else [documents])
        ]
        yield _question(
            number,
            question=record.get("question"),
            documents=[] if named == [_NOTHING] else named,
            paragraph_ids=record.get("paragraphs") or [],
            expects_nothing=record.get("nothing") or named == [_NOTHING],
        )


def split_list(text: str) -> list[str]:
    """The parts of a cell, separated by `;` or `；`."""
    return [part for piece in text.replace("；", ";").split(";") if (part := piece.strip())]


def _question(line: int, **values: Any) -> QuestionInput:
    try:
        return QuestionInput(**values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise QuestionFileInvalid(line=line, problem=f"{where}: {first['msg']}") from error
