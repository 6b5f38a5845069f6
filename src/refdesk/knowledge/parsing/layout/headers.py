"""Headers of several rows: names over groups of columns join the names below them, `group / name`.

A Markdown table has one header row, and that one is repeated where a table is cut.
"""

from collections.abc import Callable, Sequence

from refdesk.knowledge.parsing.sheets.header import is_value

type Place = tuple[int, int]

_DEEPEST = 3
_BETWEEN = " / "


def with_joined_header(cells: list[list[str]], owner: Sequence[Sequence[Place]]) -> list[list[str]]:
    """The rows with their header rows as one. `owner` tells of each place where its merged cell begins.

    Only a cell that spans some, not all, of the columns makes another header row: a cell that spans rows
    may as well be the first of a body that goes on from the page before.
    """
    depth = 1
    while depth < min(_DEEPEST, len(cells) - 1) and _has_groups(cells, owner, depth - 1):
        depth += 1
    if depth == 1:
        return cells
    header: list[str] = []
    for column in range(len(cells[0])):
        texts = [cells[top][left] for top, left in (owner[row][column] for row in range(depth))]
        header.append(_BETWEEN.join(dict.fromkeys(text for text in texts if text)))
    # A cell that begins in the header and reaches into the body stays in the header.
    return [header, *cells[depth:]]


def _has_groups(cells: list[list[str]], owner: Sequence[Sequence[Place]], row: int) -> bool:
    """Whether cells of the row span columns that have names of their own, and no values, below them."""
    width = len(cells[row])
    below = cells[row + 1]
    if any(is_value(text) for text in (*cells[row], *below) if text):
        return False
    spans: dict[Place, list[int]] = {}
    for column in range(width):
        if owner[row][column][0] == row:
            spans.setdefault(owner[row][column], []).append(column)
    groups = [columns for columns in spans.values() if 1 < len(columns) < width]
    named = [sum(1 for column in columns if below[column]) for columns in groups]
    return any(count > 1 for count in named)


# A column without a group costs this share of a column's width: enough to decide between groups that stand
# as well over one column as over three, less than half a column, by which one too many shifts the middle.
# Behind the first group it costs twice: mostly it is the first column that has none.
_ALONE = 0.15

type Interval = tuple[float, float]
type Groups = list[tuple[int, int]]


def groups_over(labels: Sequence[Interval], columns: Sequence[Interval]) -> Groups | None:
    """Which columns each label of the row above belongs to: first and last, one pair a label, left to right.

    Labels and columns are intervals across the page. All labels stand over the middle, or all begin at the
    left edge, of their columns; what fits them best together is taken. None where there is no such choice.
    """
    found = [choice for off in (_off_middle, _off_left) if (choice := _best(labels, columns, off))]
    return min(found)[1] if found else None


def _off_middle(label: Interval, columns: Interval) -> float:
    return abs(sum(label) - sum(columns)) / 2


def _off_left(label: Interval, columns: Interval) -> float:
    return abs(label[0] - columns[0])


def _best(
    labels: Sequence[Interval], columns: Sequence[Interval], off: Callable[[Interval, Interval], float]
) -> tuple[float, Groups] | None:
    """The cheapest groups of neighbouring columns, and their cost in points."""
    alone = _ALONE * (columns[-1][1] - columns[0][0]) / len(columns)
    # reached[at]: least cost of the labels so far over the columns before `at`, and their groups.
    reached: dict[int, tuple[float, Groups]] = {at: (alone * at, []) for at in range(len(columns) + 1)}
    for label in labels:
        chosen: dict[int, tuple[float, Groups]] = {}
        for first, (cost, before) in reached.items():
            for last in range(first, len(columns)):
                span = (columns[first][0], columns[last][1])
                if label[1] < span[0] or label[0] > span[1]:
                    continue
                found = (cost + off(label, span), [*before, (first, last)])
                chosen[last + 1] = min(chosen.get(last + 1, found), found)
        for at in range(1, len(columns) + 1):
            if at - 1 in chosen:
                stepped = (chosen[at - 1][0] + 2 * alone, chosen[at - 1][1])
                chosen[at] = min(chosen.get(at, stepped), stepped)
        reached = chosen
    return reached.get(len(columns))


def joined_names(above: Sequence[str], spans: Sequence[tuple[int, int]], names: Sequence[str]) -> list[str]:
    """One name a column: that of its group, then its own."""
    header = list(names)
    for text, (first, last) in zip(above, spans, strict=True):
        for column in range(first, last + 1):
            header[column] = _BETWEEN.join(part for part in (text, names[column]) if part)
    return header
