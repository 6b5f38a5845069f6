"""Regions of a sheet → blocks: titles as headings, small tables as Markdown, others as one item a row."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from refdesk.kit.wording import counted
from refdesk.knowledge.parsing.blocks import BlockList, ParseOptions
from refdesk.knowledge.parsing.coverage import character_counts
from refdesk.knowledge.parsing.errors import EmptyFile, NoText
from refdesk.knowledge.parsing.grid import markdown_table
from refdesk.knowledge.parsing.sheets.header import Shape, is_value, shape_of
from refdesk.knowledge.parsing.sheets.model import Cells, Range, Sheet, column_name
from refdesk.knowledge.parsing.sheets.regions import Region, regions

# Up to here a table fits into one paragraph (4,096 characters) and is read as a whole; longer ones would be
# cut, wider ones lose the eye: there each row says for itself what its values mean.
_TABLE_ROWS = 60
_TABLE_COLUMNS = 16
_TABLE_CHARS = 4_000
_TITLE_CHARS = 120
# Records of delimited text that decide what a long table looks like.
_LOOK_AHEAD = 300
_DEFAULT_NAMES = ("sheet", "工作表", "表", "tabelle", "feuil", "hoja", "シート", "foglio")


@dataclass(slots=True)
class _Table:
    """A table ready to write: names of its columns and its rows, all by column."""

    labels: dict[int, str]
    rows: Sequence[Cells]
    columns: Sequence[int]
    filled_down: bool = False


class Repeated(Counter[str]):
    """Texts that stand in the blocks more often than in the sheets, and how much more often.

    Names of columns before each value and cells merged over several rows: left out of the count, their
    letters would stand in for letters that were lost.
    """

    def characters(self) -> Counter[str]:
        """How often each character was added."""
        total: Counter[str] = Counter()
        for text, times in self.items():
            for char, count in character_counts([text]).items():
                total[char] += count * times
        return total


def write_sheets(
    sheets: Sequence[Sheet],
    found: BlockList,
    options: ParseOptions,
    show: Callable[[str], object] = lambda _: None,
) -> Repeated:
    """Add the blocks of a workbook and report hidden sheets; returns what was added to its cells.

    `show` adds the picture in a member. Raises `EmptyFile` or `NoText` where there is nothing.
    """
    _report_hidden(sheets, found)
    repeated = Repeated()
    shown = [sheet for sheet in sheets if sheet.rows or sheet.drawn or sheet.pictures]
    for sheet in shown:
        if len(shown) > 1 or not _is_default(sheet.name):
            found.add("heading", sheet.name, level=1)
            repeated[sheet.name] += 1
        if options.include_running:
            _write_lines(sheet.header, found)
        sheet.cover_merged()
        _write_regions(sheet, found, options, repeated)
        _write_lines(sheet.drawn, found)
        for member in sheet.pictures:
            show(member)
        if options.include_comments:
            for row, column, text in sheet.notes:
                found.add("paragraph", f"{column_name(column)}{row + 1}: {text}")
        if options.include_running:
            _write_lines(sheet.footer, found)
    if not any(sheet.rows or sheet.drawn for sheet in shown) and not any(b.confidence for b in found.blocks):
        raise NoText if shown else EmptyFile("The workbook holds no text.")
    return repeated


def shown_texts(sheets: Sequence[Sheet]) -> list[str]:
    """The text of every cell and of what lies over the cells; asked for before merged cells are covered."""
    cells = [text for sheet in sheets for row in sheet.rows.values() for text in row.values()]
    return cells + [text for sheet in sheets for text in sheet.drawn]


def sheet_names(sheets: Sequence[Sheet]) -> dict[str, list[str]]:
    """The names of the sheets and what stands on their printed pages, for the metadata."""
    return {
        "sheets": [sheet.name for sheet in sheets],
        "hidden_sheets": [sheet.name for sheet in sheets if sheet.hidden],
        "running_headers": list(
            dict.fromkeys(text for sheet in sheets for text in (*sheet.header, *sheet.footer))
        ),
    }


def _report_hidden(sheets: Sequence[Sheet], found: BlockList) -> None:
    """Warnings of what is hidden and holds text, sheets, rows and columns: it was read all the same."""
    for sheet in sheets:
        if sheet.hidden and sheet.rows:
            found.warn("hidden-sheet", f"The sheet “{sheet.name}” is hidden in the file; its text was read.")
    seen = [sheet for sheet in sheets if not sheet.hidden]
    rows = sum(
        any(sheet.rows[row].values()) for sheet in seen for row in sheet.hidden_rows & sheet.rows.keys()
    )
    columns = sum(map(_hidden_columns, seen))
    if rows or columns:
        what = " and ".join(
            counted(count, f"hidden {noun}", f"hidden {noun}s")
            for count, noun in ((rows, "row"), (columns, "column"))
            if count
        )
        hold = "holds" if rows + columns == 1 else "hold"
        found.warn("hidden-cells", f"{what} {hold} text, which was read.", rows=rows, columns=columns)


def _hidden_columns(sheet: Sheet) -> int:
    """How many hidden columns hold text."""
    if not sheet.hidden_columns:
        return 0
    filled = {column for cells in sheet.rows.values() for column, text in cells.items() if text}
    return sum(any(first <= column <= last for first, last in sheet.hidden_columns) for column in filled)


def write_records(
    records: Iterable[Sequence[str]], found: BlockList, options: ParseOptions, repeated: Repeated
) -> int:
    """Add the records of delimited text as one table; returns how many are not empty.

    `repeated` takes what was added to them.
    """
    coming = iter(records)
    rows = _filled(coming if options.sheet_form == "table" else islice(coming, _LOOK_AHEAD))
    width = max((max(cells) for _, cells in rows), default=0)
    following = next(coming, None)
    if following is not None and not width:
        rows += _filled(chain([following], coming), len(rows))
        width = max((max(cells) for _, cells in rows), default=0)
        following = None
    if not rows:
        return 0
    region = Region(rows, 0, width)
    if following is None:
        _write_region(region, [], found, options, None, repeated)
        return len(rows)
    shape = shape_of(region, [])
    for _, cells in rows[: shape.titles]:
        _write_title(next(iter(cells.values())), found)
    head = (
        [cells.get(column, "") for column in range(width + 1)]
        for _, cells in rows[shape.titles + shape.depth :]
    )
    rest = chain(head, [following], coming)
    return shape.titles + shape.depth + _write_long(rest, shape, width, found, repeated)


def _filled(records: Iterable[Sequence[str]], first: int = 0) -> list[tuple[int, Cells]]:
    rows: list[tuple[int, Cells]] = []
    for at, record in enumerate(records, first):
        cells = {column: text for column, cell in enumerate(record) if (text := cell.strip())}
        if cells:
            rows.append((at, cells))
    return rows


def _write_long(
    records: Iterable[Sequence[str]], shape: Shape, width: int, found: BlockList, repeated: Repeated
) -> int:
    """Rows of a long table as they come, one item each: 200,000 of them are not held as cells.

    Writes what `_row_texts` would. Returns how many are not empty.
    """
    labels = shape.labels
    named = [f"{labels[column]}: " if column in labels else "" for column in range(width + 1)]
    uses, full = [0] * (width + 1), 0
    unused = set(labels)
    kind, level = ("list_item", 0) if labels else ("paragraph", None)
    count = 0
    for record in records:
        if len(record) > len(named):
            named += [""] * (len(record) - len(named))
        cells = zip(named, map(str.strip, record), strict=False)  # a short record leaves names over
        text = "; ".join([name + cell for name, cell in cells if cell])
        if not text:
            continue
        if unused:
            unused -= {column for column, cell in enumerate(record) if cell.strip()}
        if len(record) == width + 1 and all(record):
            full += 1
        else:
            for column, cell in enumerate(record[: width + 1]):
                uses[column] += bool(cell)
        found.add(kind, " ".join(text.split("\n")) if "\n" in text else text, level=level)
        count += 1
    uses = [times + full for times in uses]
    found.add("list_item", "; ".join(labels[column] for column in sorted(unused)), level=0)
    repeated.update({label: uses[column] - 1 for column, label in labels.items() if uses[column] > 1})
    return count


def _is_default(name: str) -> bool:
    return name.strip().lower().rstrip(" 0123456789") in _DEFAULT_NAMES


def _write_regions(sheet: Sheet, found: BlockList, options: ParseOptions, repeated: Repeated) -> None:
    before: tuple[Region, Shape] | None = None
    for region in regions(sheet):
        shape = _write_region(region, sheet.merged, found, options, before, repeated)
        before = (region, shape) if shape.labels else None


def _write_region(
    region: Region,
    merged: list[Range],
    found: BlockList,
    options: ParseOptions,
    before: tuple[Region, Shape] | None,
    repeated: Repeated,
) -> Shape:
    if region.left == region.right and not region.declared and _is_prose(region):
        _write_lines([text for _, cells in region.rows for text in cells.values()], found)
        return Shape(0, 0, {})
    shape = shape_of(region, merged)
    if before is not None and _continues(region, shape, *before):
        shape = Shape(0, 0, before[1].labels)
    for _, cells in region.rows[: shape.titles]:
        _write_title(next(text for text in cells.values() if text), found)
    body = region.rows[shape.titles + shape.depth :]
    filled = _filled_down(body, merged) if shape.labels else None
    columns = sorted({c for _, cells in region.rows for c in cells} | set(shape.labels))
    form = options.sheet_form
    if form == "auto":
        form = "rows" if shape.labels and (filled is not None or _reads_badly(body, columns)) else "table"
        if shape.depth == 0 and not shape.labels and _reads_badly(body, columns):
            form = "rows"
    rows = filled if form == "rows" and filled is not None else [cells for _, cells in body]
    table = _Table(shape.labels, rows, columns)
    if form == "rows" or len(region.rows) == 1:
        _write_rows(table, found, repeated, given=shape.depth > 0)
        if filled is not None and rows is filled:
            _count_copies(filled, [cells for _, cells in body], repeated)
    else:
        _write_table(table, found)
    return shape


def _is_prose(region: Region) -> bool:
    """Lone cells above each other: a list of texts, unless values under a name."""
    texts = [text for _, cells in region.rows for text in cells.values() if text]
    return len(texts) < 2 or not all(is_value(text) for text in texts[1:])


def _write_lines(texts: Sequence[str], found: BlockList) -> None:
    for text in texts:
        found.add("paragraph", text)


def _write_title(text: str, found: BlockList) -> None:
    if len(text) <= _TITLE_CHARS and "\n" not in text and not text.endswith((".", "。", ";", "；")):
        found.add("heading", text, level=2)
    else:
        found.add("paragraph", text)


def _continues(region: Region, shape: Shape, above: Region, named: Shape) -> bool:
    """Whether a region goes on with the table above it, after an empty row."""
    if region.declared or above.declared or shape.titles:
        return False
    if (region.left, region.right) != (above.left, above.right) or region.top - above.rows[-1][0] > 2:
        return False
    first = region.rows[0][1]
    return len(first) > 1 and any(is_value(text) for text in first.values()) and bool(named.labels)


def _filled_down(body: Sequence[tuple[int, Cells]], merged: list[Range]) -> list[Cells] | None:
    """Rows that stand for themselves: the text of a cell merged over several rows in each of them."""
    if not body:
        return None
    first, last = body[0][0], body[-1][0]
    tall = [a for a in merged if a.bottom > a.top and first <= a.top and a.bottom <= last]
    by_row = dict(body)
    tall = [a for a in tall if by_row.get(a.top, {}).get(a.left)]
    if not tall:
        return None
    copies = {at: dict(cells) for at, cells in body}
    for area in tall:
        for row in range(area.top + 1, area.bottom + 1):
            if row in copies and any(copies[row].values()):
                copies[row][area.left] = copies[area.top][area.left]
    return [copies[at] for at, _ in body]


def _reads_badly(body: Sequence[tuple[int, Cells]], columns: Sequence[int]) -> bool:
    """Too long or too wide for one table, or with bars and line breaks that Markdown has to mask."""
    if len(body) > _TABLE_ROWS or len(columns) > _TABLE_COLUMNS:
        return True
    texts = [text for _, cells in body for text in cells.values()]
    return sum(map(len, texts)) > _TABLE_CHARS or any("|" in text or "\n" in text for text in texts)


def _write_table(table: _Table, found: BlockList) -> None:
    header = [[table.labels.get(c, "") for c in table.columns]] if table.labels else []
    rows = [[cells.get(c, "") for c in table.columns] for cells in table.rows]
    found.add("table", markdown_table(header + rows))


def _count_copies(filled: Sequence[Cells], rows: Sequence[Cells], repeated: Repeated) -> None:
    for copy, cells in zip(filled, rows, strict=True):
        repeated.update(text for column, text in copy.items() if text and not cells.get(column))


def _write_rows(table: _Table, found: BlockList, repeated: Repeated, *, given: bool) -> None:
    """`given`: whether the names of the columns stand in this region, or in one above it."""
    for text in _row_texts(table, repeated, given=given):
        found.add("list_item" if table.labels else "paragraph", text, level=0 if table.labels else None)


def _row_texts(table: _Table, repeated: Repeated, *, given: bool) -> Iterable[str]:
    labels = table.labels
    used: Counter[int] = Counter()
    for cells in table.rows:
        parts: list[str] = []
        for column in sorted(cells):
            value = cells[column]
            if not value:
                continue
            used[column] += 1
            if "\n" in value:
                value = " ".join(value.split("\n"))
            label = labels.get(column)
            parts.append(f"{label}: {value}" if label else value)
        yield "; ".join(parts)
    first = 1 if given else 0
    repeated.update({name: used[c] - first for c, name in labels.items() if used[c] > first})
    # Columns that have a name and nothing else would vanish with their names.
    empty = [label for column, label in labels.items() if column not in used]
    if empty:
        yield "; ".join(empty)
