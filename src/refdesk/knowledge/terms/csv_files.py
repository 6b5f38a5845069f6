"""Term bases as tables: two columns, word and synonyms, as spreadsheets write and read them."""

import csv
import io
from collections.abc import AsyncIterable, Iterable, Sequence
from dataclasses import dataclass, field

from refdesk.knowledge.parsing.binary import looks_binary
from refdesk.knowledge.parsing.encoding import decode
from refdesk.knowledge.terms.errors import TermFileTooLarge, TermFileUnreadable
from refdesk.knowledge.terms.words import MAX_WORDS, SEPARATORS

MAX_BYTES = 5 * 1024 * 1024

_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_WORD = frozenset({"word", "term", "词", "词语", "术语", "詞", "詞語", "術語"})
_SYNONYMS = frozenset({"synonyms", "synonym", "同义词", "同義詞", "近义词", "近義詞"})
_TOO_MANY_COLUMNS = (
    "term-line-columns",
    "There are more than two columns; separate synonyms by semicolons.",
)
_CONTROL_CHARACTERS = ("term-line-unreadable", "The line holds control characters.")
# What makes a spreadsheet take a cell for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Row:
    """A row and the line it begins in; `fault` says why it cannot be read, as a code and in words."""

    line: int
    word: str
    synonyms: Sequence[str] = ()
    fault: tuple[str, str] | None = None


@dataclass(slots=True)
class Table:
    """The rows of a file, and as which encoding it was read."""

    encoding: str
    rows: list[Row] = field(default_factory=list[Row])


def write(terms: Iterable[tuple[str, Sequence[str]]]) -> bytes:
    """CSV in UTF-8 with the mark that spreadsheets know it by."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["word", "synonyms"])
    for word, synonyms in terms:
        writer.writerow([_harmless(word), _harmless(";".join(synonyms))])
    return text.getvalue().encode("utf-8-sig")


async def read_body(stream: AsyncIterable[bytes]) -> bytes:
    """A file as it is sent. Raises `TermFileTooLarge` as soon as it is."""
    data = bytearray()
    async for part in stream:
        data += part
        if len(data) > MAX_BYTES:
            raise TermFileTooLarge(max_bytes=MAX_BYTES)
    return bytes(data)


def read(data: bytes) -> Table:
    """Rows of a CSV in any usual encoding, separated by commas or tabs; the first may be a heading.

    Raises `TermFileTooLarge`, `TermFileUnreadable`.
    """
    if len(data) > MAX_BYTES:
        raise TermFileTooLarge(max_bytes=MAX_BYTES)
    if (
        not data.strip()
        or data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0"))
        or looks_binary(data[:65536])
    ):
        raise TermFileUnreadable
    decoded = decode(data)
    text = decoded.text.lstrip("\ufeff")
    first = text.split("\n", 1)[0]
    delimiter = "\t" if first.count("\t") > first.count(",") else ","
    table = Table(decoded.encoding)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line, columns = 1, (0, 1)
    try:
        for cells in reader:
            begins, line = line, reader.line_num + 1
            found = _columns(cells) if begins == 1 else None
            if found is not None:
                columns = found
            elif any(cell.strip() for cell in cells):
                table.rows.append(_row(begins, cells, columns))
            if len(table.rows) > MAX_WORDS:
                raise TermFileTooLarge(f"The file has more than {MAX_WORDS} rows.", max_rows=MAX_WORDS)
    except csv.Error as error:
        raise TermFileUnreadable(f"Line {line} cannot be read.", line=line, reason=str(error)) from None
    return table


def split_synonyms(cell: str) -> list[str]:
    """The words of a cell, separated by semicolons of either width or by line breaks."""
    for mark in SEPARATORS:
        cell = cell.replace(mark, "\n")
    return [word.strip() for word in cell.split("\n") if word.strip()]


def _columns(cells: Sequence[str]) -> tuple[int, int] | None:
    names = [cell.strip().lower() for cell in cells]
    word = next((i for i, name in enumerate(names) if name in _WORD), None)
    if word is None:
        return None
    return word, next((i for i, name in enumerate(names) if name in _SYNONYMS), -1)


def _row(line: int, cells: Sequence[str], columns: tuple[int, int]) -> Row:
    word, synonyms = (_as_entered(cells[i]) if 0 <= i < len(cells) else "" for i in columns)
    extra = [cell for i, cell in enumerate(cells) if i not in columns and cell.strip()]
    if columns == (0, 1) and extra:
        return Row(line, word, fault=_TOO_MANY_COLUMNS)
    if any(ord(mark) < 32 and mark not in "\n\r\t" for mark in word + synonyms):
        return Row(line, word, fault=_CONTROL_CHARACTERS)
    return Row(line, word, split_synonyms(synonyms.replace("\r", "\n")))


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _as_entered(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell
