"""White text that stands on white: nobody sees it, so it must not speak for the document.

A page with white text is drawn once; where the place of a letter is all of one shade, it is hidden.
"""

from refdesk.knowledge.parsing.layout.glyph import Glyph
from refdesk.knowledge.parsing.pdf.glyphs import PageGlyphs
from refdesk.knowledge.parsing.pdf.vendor import Handle

_SCALE = 2.0
_LONGEST = 4_000.0
_CONTRAST = 8


def drop_unseen(page: Handle, read: PageGlyphs) -> int:
    """Take white letters that cannot be seen out of `read.by_turn` and `read.slanted`; returns how many."""
    if not read.pale:
        return 0
    scale = min(_SCALE, _LONGEST / max(read.width, read.height, 1.0))
    bitmap = page.render(scale=scale, grayscale=True, may_draw_forms=False)
    shades = memoryview(bytes(bitmap.buffer))
    wide, high, stride = bitmap.width, bitmap.height, bitmap.stride

    def is_seen(glyph: Glyph) -> bool:
        left, right = max(int(glyph.x0 * scale), 0), min(int(glyph.x1 * scale) + 1, wide)
        top, low = max(int(glyph.y0 * scale), 0), min(int(glyph.y1 * scale) + 1, high)
        lightest, darkest = 0, 255
        for y in range(top, low):
            row = shades[y * stride + left : y * stride + right]
            if row:
                lightest, darkest = max(lightest, *row), min(darkest, *row)
        return lightest - darkest > _CONTRAST

    hidden = {id(glyph) for glyph in read.pale if not is_seen(glyph)}
    for turn, glyphs in read.by_turn.items():
        read.by_turn[turn] = [glyph for glyph in glyphs if id(glyph) not in hidden]
    read.by_turn = {turn: glyphs for turn, glyphs in read.by_turn.items() if glyphs}
    read.slanted = [slanted for slanted in read.slanted if id(slanted.glyph) not in hidden]
    return len(hidden)
