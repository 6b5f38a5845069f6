"""Tables without lines: rows of several segments whose columns stand under each other."""

import re
from dataclasses import dataclass

from refdesk.knowledge.parsing.grid import markdown_table
from refdesk.knowledge.parsing.layout.headers import groups_over, joined_names
from refdesk.knowledge.parsing.layout.segments import Row, Segment, join
from refdesk.knowledge.parsing.sheets.header import is_value

_MIN_ROWS = 3
_MAX_SINGLES = 2
_MAX_COLUMNS = 40
_PAGE_NUMBER = re.compile(r"^[.·… ]*\d{1,4}$")
_BULLET = re.compile(r"^(?:[•●▪■◦‣·*–—-]|\(?[\da-zA-Z]{1,3}[.)]|\d{1,3}(?:\.\d+)*)$")


def tables_in(rows: list[Row]) -> list[Segment | Row]:
    """The rows in order, with each run that is a table replaced by one segment that holds it."""
    out: list[Segment | Row] = []
    i = 0
    while i < len(rows):
        end = _run_end(rows, i)
        table = _table(rows[i:end]) if end - i >= 2 else None
        if table is not None:
            out.append(table)
            i = end
        else:
            out.append(rows[i])
            i += 1
    return out


def _run_end(rows: list[Row], start: int) -> int:
    """End of the run of table rows from `start`; single segments inside it are wrapped cells."""
    if not _several(rows[start]):
        return start
    end = start + 1
    singles = 0
    i = end
    while i < len(rows):
        gap = rows[i][0].y0 - rows[i - 1][0].y1
        if gap > 3.5 * rows[i][0].size or any(s.table for s in rows[i]):
            break
        if _several(rows[i]):
            singles = 0
            end = i + 1
        else:
            singles += 1
            if singles > _MAX_SINGLES:
                break
        i += 1
    return end


def _several(row: Row) -> bool:
    """Two cells or more; a bullet before its text is no cell."""
    return (
        len(row) >= 2 and not (len(row) == 2 and _BULLET.match(row[0].text)) and not any(s.table for s in row)
    )


def _table(rows: list[Row]) -> Segment | None:
    full = [row for row in rows if _several(row)]
    wide = sum(len(row) >= 3 for row in full)
    if len(full) < _MIN_ROWS and wide < 2:
        return None
    header = _joined_header(rows, full)
    edges, grid = (_columns(full), []) if header is None else (header.edges, [header.names])
    if not 2 <= len(edges) <= _MAX_COLUMNS:
        return None
    spanning = 0
    for row in rows if header is None else rows[2:]:
        cells: list[list[Segment]] = [[] for _ in edges]
        for segment in row:
            touched = [c for c, edge in enumerate(edges) if _overlap(edge, segment) > 2]
            spanning += len(touched) > 1
            cells[touched[0] if touched else _nearest(edges, segment)].append(segment)
        line = [join(cell).text if cell else "" for cell in cells]
        if grid and len(row) == 1 and not _several(row):
            c = next(i for i, cell in enumerate(line) if cell)
            grid[-1][c] = f"{grid[-1][c]} {line[c]}".strip()
        else:
            grid.append(line)
    if spanning > 0.4 * len(rows) or _is_contents(grid):
        return None
    texts = [cell for row in grid for cell in row if cell]
    if sum(map(len, texts)) / len(texts) > 60:
        return None
    flat = [s for row in rows for s in row]
    return Segment(
        "",
        min(s.x0 for s in flat),
        min(s.y0 for s in flat),
        max(s.x1 for s in flat),
        max(s.y1 for s in flat),
        flat[0].size,
        bold=False,
        table=markdown_table(grid),
    )


@dataclass(frozen=True, slots=True)
class _Header:
    """Names of the columns, where two rows make them."""

    edges: list[tuple[float, float]]
    names: list[str]


def _joined_header(rows: list[Row], full: list[Row]) -> _Header | None:
    """The header, if the first row names groups of the columns that the second one names; else None."""
    if len(full) < _MIN_ROWS + 1 or rows[0] is not full[0] or rows[1] is not full[1]:
        return None
    above, names, values = full[:3]
    texts = [segment.text for segment in (*above, *names)]
    if len(above) >= len(names) or any(is_value(text) for text in texts):
        return None
    if sum(is_value(segment.text) for segment in values) < len(values) / 2:
        return None
    edges = _columns(full[1:])
    if not 3 <= len(edges) <= _MAX_COLUMNS:
        return None
    named = [""] * len(edges)
    for segment in names:
        touched = [c for c, edge in enumerate(edges) if _overlap(edge, segment) > 2]
        if len(touched) != 1 or named[touched[0]]:
            return None
        named[touched[0]] = segment.text
    spans = groups_over([(segment.x0, segment.x1) for segment in above], edges)
    if spans is None or all(first == last for first, last in spans):
        return None
    return _Header(edges, joined_names([segment.text for segment in above], spans, named))


def _overlap(edge: tuple[float, float], segment: Segment) -> float:
    return min(edge[1], segment.x1) - max(edge[0], segment.x0)


def _columns(rows: list[Row]) -> list[tuple[float, float]]:
    """Intervals that segments cover, cut where at most a tenth of the rows has text."""
    allowed = len(rows) // 10
    events: list[tuple[float, int]] = []
    for row in rows:
        for segment in row:
            events += [(segment.x0, 1), (segment.x1, -1)]
    events.sort(key=lambda e: (e[0], -e[1]))
    out: list[tuple[float, float]] = []
    depth = 0
    begin: float | None = None
    for x, step in events:
        depth += step
        if depth > allowed and begin is None:
            begin = x
        elif depth <= allowed and begin is not None:
            out.append((begin, x))
            begin = None
    return out


def _nearest(edges: list[tuple[float, float]], segment: Segment) -> int:
    middle = (segment.x0 + segment.x1) / 2
    return min(range(len(edges)), key=lambda c: abs((edges[c][0] + edges[c][1]) / 2 - middle))


def _is_contents(grid: list[list[str]]) -> bool:
    """A printed table of contents: the last column holds page numbers that never fall."""
    last = [next((c for c in reversed(row) if c), "") for row in grid]
    numbers = [int(re.sub(r"\D", "", text)) for text in last if _PAGE_NUMBER.match(text)]
    return (
        len(numbers) >= 0.8 * len(grid)
        and len(grid) >= 3
        and numbers == sorted(numbers)
        and numbers[-1] < 5000
    )
