"""Pages in vertical writing (Japanese, old Chinese): columns from right to left, each from top to bottom."""

from itertools import pairwise

from refdesk.knowledge.parsing.blocks import Box
from refdesk.knowledge.parsing.layout.glyph import Glyph
from refdesk.knowledge.parsing.layout.lines import Text
from refdesk.knowledge.parsing.layout.segments import is_cjk

_MIN_GLYPHS = 6


def is_vertical(glyphs: list[Glyph]) -> bool:
    """Whether most glyphs stand under the one before."""
    if len(glyphs) < _MIN_GLYPHS or sum(is_cjk(g.char) for g in glyphs) < 0.7 * len(glyphs):
        return False
    return sum(map(_under, glyphs, glyphs[1:])) > 0.6 * (len(glyphs) - 1)


def vertical_texts(glyphs: list[Glyph], page: int) -> list[Text]:
    """The columns as one paragraph, broken where a column ends early."""
    columns: list[list[Glyph]] = [[glyphs[0]]]
    for last, glyph in pairwise(glyphs):
        if _under(last, glyph):
            columns[-1].append(glyph)
        else:
            columns.append([glyph])
    columns.sort(key=lambda c: -c[0].x0)
    lowest = max(g.y1 for g in glyphs)
    out: list[Text] = []
    fresh = True
    for column in columns:
        text = "".join(g.char for g in column)
        box = Box(
            page,
            round(min(g.x0 for g in column), 1),
            round(column[0].y0, 1),
            round(max(g.x1 for g in column), 1),
            round(column[-1].y1, 1),
        )
        if fresh:
            out.append(Text(text, column[0].size, column[0].bold, 1, page, [box]))
        else:
            out[-1].text += text
            out[-1].lines += 1
            out[-1].boxes.append(box)
        fresh = column[-1].y1 < lowest - 1.5 * column[0].size
    return out


def _under(last: Glyph, glyph: Glyph) -> bool:
    size = max(last.size, glyph.size)
    centre = abs((last.x0 + last.x1) - (glyph.x0 + glyph.x1)) / 2
    return centre < 0.4 * size and 0.4 * size < glyph.y0 - last.y0 < 2 * size
