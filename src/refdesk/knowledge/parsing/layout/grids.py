"""Tables drawn with lines: grid from the lines of a page, glyphs into cells, merged cells once."""

from dataclasses import dataclass

from refdesk.knowledge.parsing.grid import markdown_table
from refdesk.knowledge.parsing.layout.glyph import Glyph
from refdesk.knowledge.parsing.layout.headers import Place, with_joined_header
from refdesk.knowledge.parsing.layout.segments import is_cjk, join, rows_of, segments_of

_NEAR = 3.0
_MAX_CELL_CHARS = 800
_MIN_FILLED = 0.04


@dataclass(slots=True)
class Rule:
    """A straight line: `at` on its axis, from `low` to `high` along the other."""

    at: float
    low: float
    high: float


@dataclass(slots=True)
class RuledTable:
    """A grid with the glyphs that stand in it."""

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    bold: bool = False


def merged_rules(rules: list[Rule]) -> list[Rule]:
    """Pieces of one line joined: both edges of a thin rectangle, and cell borders drawn one by one."""
    out: list[Rule] = []
    groups: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda r: r.at):
        if groups and rule.at - groups[-1][0].at < _NEAR:
            groups[-1].append(rule)
        else:
            groups.append([rule])
    for group in groups:
        at = sum(r.at for r in group) / len(group)
        current: Rule | None = None
        for rule in sorted(group, key=lambda r: r.low):
            if current is not None and rule.low <= current.high + _NEAR:
                current.high = max(current.high, rule.high)
            else:
                current = Rule(at, rule.low, rule.high)
                out.append(current)
    return out


def take_tables(
    glyphs: list[Glyph], across: list[Rule], down: list[Rule]
) -> tuple[list[RuledTable], list[Glyph]]:
    """Tables of a page and the glyphs that stand in none of them."""
    tables: list[RuledTable] = []
    rest = glyphs
    for rows, columns in _components(across, down):
        ys = sorted({r.at for r in rows})
        xs = sorted({r.at for r in columns})
        if len(ys) < 3 or len(xs) < 3:
            continue
        inside = [
            g for g in rest if xs[0] <= (g.x0 + g.x1) / 2 <= xs[-1] and ys[0] <= (g.y0 + g.y1) / 2 <= ys[-1]
        ]
        if len(inside) < _MIN_FILLED * len(xs) * len(ys):
            continue  # squared paper
        cells, owner = _cells(inside, xs, ys, rows, columns)
        filled = [text for row in cells for text in row if text]
        if (
            len(filled) < 3
            or max(map(len, filled)) > _MAX_CELL_CHARS
            or len(filled) < _MIN_FILLED * len(xs) * len(ys)
        ):
            continue
        text = markdown_table(with_joined_header(cells, owner))
        if text.count("\n") < 2 or text.split("\n", 1)[0].count("|") < 3:
            continue
        chosen = set(map(id, inside))
        rest = [g for g in rest if id(g) not in chosen]
        tables.append(RuledTable(xs[0], ys[0], xs[-1], ys[-1], text))
    return tables, rest


def _components(across: list[Rule], down: list[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """Groups of lines that touch each other."""
    parent = list(range(len(across) + len(down)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, row in enumerate(across):
        for j, column in enumerate(down):
            if (
                row.low - _NEAR <= column.at <= row.high + _NEAR
                and column.low - _NEAR <= row.at <= column.high + _NEAR
            ):
                parent[root(i)] = root(len(across) + j)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for i, rule in enumerate([*across, *down]):
        groups.setdefault(root(i), ([], []))[0 if i < len(across) else 1].append(rule)
    return [g for g in groups.values() if len(g[0]) >= 2 and len(g[1]) >= 2]


def _cells(
    glyphs: list[Glyph], xs: list[float], ys: list[float], across: list[Rule], down: list[Rule]
) -> tuple[list[list[str]], list[list[Place]]]:
    """Text of each place of the grid and where its cell begins; a merged cell's text stands there."""
    high, wide = len(ys) - 1, len(xs) - 1
    owner = {(r, c): (r, c) for r in range(high) for c in range(wide)}

    def root(place: tuple[int, int]) -> tuple[int, int]:
        while owner[place] != place:
            place = owner[place]
        return place

    def unite(a: tuple[int, int], b: tuple[int, int]) -> None:
        first, second = sorted((root(a), root(b)))
        owner[second] = first

    upright, level = (
        [[r for r in rules if abs(r.at - edge) < 0.1] for edge in edges]
        for rules, edges in ((down, xs), (across, ys))
    )
    for r in range(high):
        for c in range(wide):
            y, x = (ys[r] + ys[r + 1]) / 2, (xs[c] + xs[c + 1]) / 2
            if c + 1 < wide and not any(d.low <= y <= d.high for d in upright[c + 1]):
                unite((r, c), (r, c + 1))
            if r + 1 < high and not any(a.low <= x <= a.high for a in level[r + 1]):
                unite((r, c), (r + 1, c))
    content: dict[tuple[int, int], list[Glyph]] = {}
    for glyph in glyphs:
        r = _slot(ys, (glyph.y0 + glyph.y1) / 2)
        c = _slot(xs, (glyph.x0 + glyph.x1) / 2)
        content.setdefault(root((r, c)), []).append(glyph)
    cells = [[cell_lines(content.get((r, c), [])) for c in range(wide)] for r in range(high)]
    return cells, [[root((r, c)) for c in range(wide)] for r in range(high)]


def _slot(edges: list[float], value: float) -> int:
    for i in range(len(edges) - 2):
        if value < edges[i + 1]:
            return i
    return len(edges) - 2


def cell_lines(glyphs: list[Glyph]) -> str:
    """Text of one cell: its lines joined as running text."""
    text = ""
    for row in rows_of(segments_of(glyphs)):
        line = join(row).text
        text += line if not text or (is_cjk(text[-1]) and is_cjk(line[0])) else f" {line}"
    return text
