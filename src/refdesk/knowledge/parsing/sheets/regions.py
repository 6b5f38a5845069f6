"""Tables that lie apart on one sheet, found by the empty rows and columns between them."""

from collections.abc import Iterator
from dataclasses import dataclass

from refdesk.knowledge.parsing.sheets.model import Cells, Range, Sheet

_MAX_DEPTH = 40
_MAX_SPACER = 4

type Rows = list[tuple[int, Cells]]


@dataclass(frozen=True, slots=True)
class Region:
    """One table (or lone text): its rows in order and the columns it spans."""

    rows: Rows
    left: int
    right: int
    declared: bool = False

    @property
    def top(self) -> int:
        """The first row."""
        return self.rows[0][0]


def regions(sheet: Sheet) -> list[Region]:
    """Regions in reading order: from the top, side by side from the left."""
    rows: Rows = [(at, cells) for at, cells in sheet.rows.items() if cells]
    found: list[Region] = []
    for area in sheet.tables:
        inside = _within(rows, area)
        if inside:
            found.append(_region(inside, declared=True))
            rows = [(at, _without(at, cells, area)) for at, cells in rows]
            rows = [(at, cells) for at, cells in rows if cells]
    found.extend(_joined(list(_cut(rows, 0))))
    if sheet.tables:
        found.sort(key=lambda region: (region.top, region.left))
    return found


def _joined(found: list[Region]) -> list[Region]:
    """A row of names above an empty row belongs to the table below it."""
    out: list[Region] = []
    for region in found:
        above = out[-1] if out else None
        lone = above is not None and len(above.rows) == 1 and len(above.rows[0][1]) > 1
        if (
            above is not None
            and lone
            and len(region.rows) > 1
            and (above.left, above.right) == (region.left, region.right)
            and region.top - above.top == 2
        ):
            out[-1] = _region([*above.rows, *region.rows])
        else:
            out.append(region)
    return out


def _within(rows: Rows, area: Range) -> Rows:
    out: Rows = []
    for at, cells in rows:
        if area.top <= at <= area.bottom:
            kept = {c: text for c, text in cells.items() if area.left <= c <= area.right}
            if kept:
                out.append((at, kept))
    return out


def _without(at: int, cells: Cells, area: Range) -> Cells:
    if not area.top <= at <= area.bottom:
        return cells
    return {c: text for c, text in cells.items() if not area.left <= c <= area.right}


def _region(rows: Rows, *, declared: bool = False) -> Region:
    columns = {c for _, cells in rows for c in cells}
    return Region(rows, min(columns), max(columns), declared)


def _cut(rows: Rows, depth: int) -> Iterator[Region]:
    """Cut at empty rows, then at empty columns, and so on in turn: diagonal tables come apart as well."""
    bands = list(_bands(rows))
    for band in bands:
        groups = _column_groups(band)
        if len(groups) == 1 or depth > _MAX_DEPTH:
            yield _region(band)
            continue
        for first, last in groups:
            part = _within(band, Range(band[0][0], first, band[-1][0], last))
            yield from _cut(part, depth + 1)


def _bands(rows: Rows) -> Iterator[Rows]:
    """Rows without an empty row between them; also cut where tables touch at a corner only."""
    start, low, high, wide = 0, 0, -1, False
    for i, (at, cells) in enumerate(rows):
        first, last = min(cells), max(cells)
        corner = wide and len(cells) > 1 and (first > high or last < low)
        if i > start and (at > rows[i - 1][0] + 1 or corner):
            yield rows[start:i]
            start, wide = i, False
        if i == start:
            low, high = first, last
        low, high, wide = min(low, first), max(high, last), wide or len(cells) > 1
    if start < len(rows):
        yield rows[start:]


def _column_groups(rows: Rows) -> list[tuple[int, int]]:
    columns = sorted({c for _, cells in rows for c in cells})
    groups: list[tuple[int, int]] = []
    for column in columns:
        if groups and column <= groups[-1][1] + 1:
            groups[-1] = (groups[-1][0], column)
        else:
            groups.append((column, column))
    if len(groups) < 2:
        return groups
    joined = [groups[0]]
    for group in groups[1:]:
        if _is_spacer(rows, joined[-1], group):
            joined[-1] = (joined[-1][0], group[1])
        else:
            joined.append(group)
    return joined


def _is_spacer(rows: Rows, left: tuple[int, int], right: tuple[int, int]) -> bool:
    """Empty columns inside a table: a side is a lone column and both are filled in the same rows.

    Two full tables side by side, or lists of different length, stay apart.
    """
    if right[0] - left[1] > _MAX_SPACER or (left[1] > left[0] and right[1] > right[0]) or len(rows) < 2:
        return False
    filled = [
        [i for i, (_, cells) in enumerate(rows) if any(first <= c <= last for c in cells)]
        for first, last in (left, right)
    ]
    return filled[0] == filled[1] or (filled[0][1:] == filled[1] and len(filled[1]) > 1)
