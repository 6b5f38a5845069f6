"""Relations in Markdown tables: of parameters, of products, of error codes.

Three shapes: parameter and value in columns, of what the title names; a thing in each row with its values in
the columns; a thing in each column with its values in the rows.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from refdesk.knowledge.graph.extraction.facts import MAX_LABEL_CHARS, Fact
from refdesk.knowledge.graph.extraction.names import is_code, is_value, name_of, plain
from refdesk.knowledge.graph.extraction.words import WORDS

MAX_CELL_CHARS = 80
MAX_ROWS = 500

_ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"^[\s|:\-]+$")
_CELL = re.compile(r"(?<!\\)\|")
_PARAMETER = WORDS["parameter-heads"]
_VALUE = WORDS["value-heads"]
_REMARK = WORDS["remark-heads"]
_CODE = WORDS["code-heads"]
_MEANING = WORDS["meaning-heads"]
_REMEDY = WORDS["remedy-heads"]
_EMPTY = frozenset(("", "-", "—", "–", "--", "/", "n/a", "无", "…", "..."))


@dataclass(frozen=True, slots=True)
class _Row:
    cells: Sequence[str]
    start: int
    end: int


def facts_of_tables(text: str, subject: str | None) -> Iterator[Fact]:
    """All relations in the tables of a text; `subject` is what tables of parameters are about."""
    for header, rows in _tables(text):
        yield from _facts(header, rows, subject)


def without_tables(text: str) -> str:
    """The text with every table's characters as spaces, so that places stay."""
    return _ROW.sub(lambda match: " " * len(match.group()), text)


def _tables(text: str) -> Iterator[tuple[_Row, list[_Row]]]:
    block: list[_Row] = []
    for match in _ROW.finditer(text):
        if block and text[block[-1].end : match.start()].strip(" \t\r") != "\n":
            yield from _table(block)
            block = []
        block.append(_Row(_cells(match.group()), match.start(), match.end()))
    yield from _table(block)


def _table(block: list[_Row]) -> Iterator[tuple[_Row, list[_Row]]]:
    rows = [row for row in block if not all(_RULE.match(cell) or not cell for cell in row.cells)]
    if len(rows) >= 2 and len(rows[0].cells) >= 2:
        yield rows[0], rows[1 : MAX_ROWS + 1]


def _cells(line: str) -> list[str]:
    parts = _CELL.split(line.strip())[1:-1]
    return [" ".join(plain(part).replace("\\|", "|").replace("<br>", " ").split()) for part in parts]


def _facts(header: _Row, rows: list[_Row], subject: str | None) -> Iterator[Fact]:
    heads = [_bare(cell) for cell in header.cells]
    if heads[0] in _CODE or (
        all(row.cells and is_code(row.cells[0]) for row in rows) and _is_of_codes(heads)
    ):
        yield from _of_codes(heads, header, rows)
    elif heads[0] in _PARAMETER and (len(heads) == 2 or heads[1] in _VALUE):
        yield from _of_parameters(rows, subject)
    elif heads[0] in _PARAMETER and heads[0] not in ("名称", "项目") and len(heads) > 2:
        yield from _transposed(header, rows)
    else:
        yield from _of_rows(heads, header, rows)


def _is_of_codes(heads: Sequence[str]) -> bool:
    return any(head in _MEANING or head in _REMEDY for head in heads[1:])


def _of_codes(heads: Sequence[str], header: _Row, rows: list[_Row]) -> Iterator[Fact]:
    for row in rows:
        code = _name(row, 0)
        if code is None:
            continue
        for place in range(1, min(len(row.cells), len(heads))):
            text = row.cells[place]
            if _is_empty(text, longest=200):
                continue
            head = heads[place]
            kind = "means" if head in _MEANING else "resolved_by" if head in _REMEDY else "attribute"
            if kind == "attribute" and (head in _REMARK or len(text) > MAX_CELL_CHARS):
                continue
            yield _fact(row, code, kind, header.cells[place], text, is_text=kind != "attribute")


def _of_parameters(rows: list[_Row], subject: str | None) -> Iterator[Fact]:
    if subject is None:
        return
    for row in rows:
        if len(row.cells) > 1 and row.cells[0] and not _is_empty(row.cells[1]):
            yield _fact(row, subject, "attribute", row.cells[0], row.cells[1])


def _transposed(header: _Row, rows: list[_Row]) -> Iterator[Fact]:
    for place, cell in enumerate(header.cells[1:], start=1):
        thing = name_of(cell)
        if thing is None or _bare(cell) in _REMARK or _bare(cell) in _VALUE:
            continue
        for row in rows:
            if len(row.cells) > place and row.cells[0] and not _is_empty(row.cells[place]):
                yield _fact(row, thing, "attribute", row.cells[0], row.cells[place])


def _of_rows(heads: Sequence[str], header: _Row, rows: list[_Row]) -> Iterator[Fact]:
    first = 1 if heads[0] in ("序号", "编号", "no", "no.", "#") and len(heads) > 2 else 0
    for row in rows:
        thing = _name(row, first)
        if thing is None or is_value(thing):
            continue
        for place in range(first + 1, min(len(row.cells), len(heads))):
            if heads[place] and heads[place] not in _REMARK and not _is_empty(row.cells[place]):
                yield _fact(row, thing, "attribute", header.cells[place], row.cells[place])


def _fact(row: _Row, source: str, kind: str, label: str, target: str, *, is_text: bool = False) -> Fact:
    return Fact(
        source=source,
        kind=kind,
        label=label[:MAX_LABEL_CHARS],
        target=target,
        start=row.start,
        end=row.end,
        target_is_value=is_text or is_value(target) or name_of(target) is None,
    )


def _name(row: _Row, place: int) -> str | None:
    return name_of(row.cells[place]) if len(row.cells) > place else None


def _is_empty(cell: str, longest: int = MAX_CELL_CHARS) -> bool:
    return cell.casefold() in _EMPTY or len(cell) > longest


def _bare(cell: str) -> str:
    return cell.strip(" *:：").casefold()
