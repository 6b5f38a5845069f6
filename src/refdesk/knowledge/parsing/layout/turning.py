"""Quarter turns of a page: text that stands upright or upside down is laid out as if it were level."""

from refdesk.knowledge.parsing.blocks import Box
from refdesk.knowledge.parsing.layout.glyph import Glyph
from refdesk.knowledge.parsing.layout.grids import Rule


def turned(
    x0: float, y0: float, x1: float, y1: float, turn: int, width: float, height: float
) -> tuple[float, float, float, float]:
    """A box after turning the page (`width` by `height`) clockwise by `turn` quarters."""
    if turn == 1:
        return height - y1, x0, height - y0, x1
    if turn == 2:
        return width - x1, height - y1, width - x0, height - y0
    if turn == 3:
        return y0, width - x1, y1, width - x0
    return x0, y0, x1, y1


def turned_glyphs(glyphs: list[Glyph], turn: int, width: float, height: float) -> list[Glyph]:
    """Glyphs after turning their page clockwise by `turn` quarters."""
    return [
        Glyph(g.char, *turned(g.x0, g.y0, g.x1, g.y1, turn, width, height), g.size, g.bold, g.space_before)
        for g in glyphs
    ]


def turned_rules(
    across: list[Rule], down: list[Rule], turn: int, width: float, height: float
) -> tuple[list[Rule], list[Rule]]:
    """Lines after turning their page clockwise by `turn` quarters; level ones may come to stand upright."""
    if turn == 0:
        return across, down
    level: list[Rule] = []
    upright: list[Rule] = []
    for rule, is_level in [*((r, True) for r in across), *((r, False) for r in down)]:
        ends = (
            (rule.low, rule.at, rule.high, rule.at) if is_level else (rule.at, rule.low, rule.at, rule.high)
        )
        x0, y0, x1, y1 = turned(*ends, turn, width, height)
        if is_level == (turn == 2):
            level.append(Rule(y0, x0, x1))
        else:
            upright.append(Rule(x0, y0, y1))
    return level, upright


def turned_back(box: Box, turn: int, width: float, height: float) -> Box:
    """A box of the turned page on the page as it is shown, which is `width` by `height`."""
    wide, high = (height, width) if turn % 2 else (width, height)
    return Box(box.page, *turned(box.x0, box.y0, box.x1, box.y1, (4 - turn) % 4, wide, high))
