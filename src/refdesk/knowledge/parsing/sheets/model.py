"""A sheet as every reader of spreadsheets leaves it: shown texts by place, sparse, so that gaps are free."""

from dataclasses import dataclass, field

type Cells = dict[int, str]
"""Column (from 0) → shown text; a place covered by a merged cell holds an empty text."""

_MAX_COVERED = 200_000


@dataclass(frozen=True, slots=True)
class Range:
    """Cells from the top left to the bottom right one, both included, counted from 0."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(slots=True)
class Sheet:
    """One sheet. `rows` are in order; `tables` are ranges that the author declared to be tables.

    `drawn` are texts that lie over the cells (boxes, titles of charts), `pictures` the members that hold
    pictures, `header` and `footer` what stands on every printed page. `hidden_columns` are the first and last
    column of each run of hidden ones.
    """

    name: str
    rows: dict[int, Cells] = field(default_factory=dict[int, Cells])
    merged: list[Range] = field(default_factory=list[Range])
    tables: list[Range] = field(default_factory=list[Range])
    notes: list[tuple[int, int, str]] = field(default_factory=list[tuple[int, int, str]])
    drawn: list[str] = field(default_factory=list[str])
    pictures: list[str] = field(default_factory=list[str])
    header: list[str] = field(default_factory=list[str])
    footer: list[str] = field(default_factory=list[str])
    hidden: bool = False
    hidden_rows: set[int] = field(default_factory=set[int])
    hidden_columns: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def cover_merged(self) -> None:
        """Mark the places under merged cells, within what is in use: a merge may span a million rows."""
        last_row = max(self.rows, default=-1)
        last_column = max((max(cells) for cells in self.rows.values() if cells), default=-1)
        clipped: list[Range] = []
        left = _MAX_COVERED
        for area in self.merged:
            area = Range(area.top, area.left, min(area.bottom, last_row), min(area.right, last_column))
            size = (area.bottom - area.top + 1) * (area.right - area.left + 1)
            if area.bottom < area.top or area.right < area.left or size < 2 or size > left:
                continue
            if not self.rows.get(area.top, {}).get(area.left):
                continue
            left -= size
            clipped.append(area)
            for row in range(area.top, area.bottom + 1):
                cells = self.rows.setdefault(row, {})
                for column in range(area.left, area.right + 1):
                    cells.setdefault(column, "")
        self.merged = clipped
        self.rows = dict(sorted(self.rows.items()))


def column_name(column: int) -> str:
    """A column counted from 0 as spreadsheets name it: A, B, … Z, AA."""
    name = ""
    column += 1
    while column:
        column, digit = divmod(column - 1, 26)
        name = chr(65 + digit) + name
    return name


def cell_place(reference: str) -> tuple[int, int] | None:
    """Row and column from 0 of a reference such as `B12`; None where it is none."""
    letters = reference.replace("$", "").rstrip("0123456789")
    digits = reference.replace("$", "")[len(letters) :]
    if not letters.isascii() or not letters.isalpha() or len(letters) > 3 or not 0 < len(digits) < 8:
        return None
    column = 0
    for letter in letters.upper():
        column = column * 26 + ord(letter) - 64
    return int(digits) - 1, column - 1


def cell_range(reference: str) -> Range | None:
    """A range from a reference such as `A1:C3` or `A1`."""
    first, _, second = reference.partition(":")
    start, end = cell_place(first), cell_place(second or first)
    return Range(*start, *end) if start and end else None
