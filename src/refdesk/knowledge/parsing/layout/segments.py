"""Glyphs → segments (runs on one baseline without a wide gap) → rows of a region, top to bottom."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from refdesk.knowledge.parsing.layout.glyph import Glyph

# In units of the font size. A space is at least 0.2 wide in common fonts; justified text stretches it to
# 0.8; the gap between the columns of LaTeX's two-column layouts is 1.0 or more.
_SPACE_GAP = 0.17
_SEGMENT_GAP = 1.0
_JOIN_GAP = 0.6


@dataclass(slots=True)
class Segment:
    """A run of text on one line, or a whole ruled table in its place (`table`, Markdown)."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool
    table: str = ""

    @property
    def middle(self) -> float:
        """Vertical middle."""
        return (self.y0 + self.y1) / 2


Row = list[Segment]


def segments_of(glyphs: Iterable[Glyph]) -> list[Segment]:
    """Segments in content order."""
    return [segment_of(run) for run in runs_of(glyphs)]


def runs_of(glyphs: Iterable[Glyph]) -> list[list[Glyph]]:
    """Glyphs that follow each other on one baseline without a wide gap; no run is empty."""
    out: list[list[Glyph]] = []
    for glyph in glyphs:
        if out and _continues(out[-1][-1], glyph):
            out[-1].append(glyph)
        else:
            out.append([glyph])
    return out


def _continues(last: Glyph, glyph: Glyph) -> bool:
    height = min(last.y1 - last.y0, glyph.y1 - glyph.y0) or 1.0
    overlap = min(last.y1, glyph.y1) - max(last.y0, glyph.y0)
    if overlap < 0.4 * height:
        return False
    size = max(last.size, glyph.size)
    gap = glyph.x0 - last.x1
    if gap < -0.5 * size:
        return _rtl(glyph.char) and last.x0 - glyph.x1 < _SEGMENT_GAP * size
    return gap < _SEGMENT_GAP * size


def _rtl(char: str) -> bool:
    return "\u0590" <= char[:1] <= "\u08ff"


def segment_of(run: list[Glyph]) -> Segment:
    """A run as one segment; it must not be empty."""
    parts = [run[0].char]
    for last, glyph in pairwise(run):
        gap = max(glyph.x0 - last.x1, last.x0 - glyph.x1 if _rtl(glyph.char) else 0.0)
        wide = gap > _SPACE_GAP * max(last.size, glyph.size)
        # Between Han characters justification makes gaps that are no spaces.
        if (glyph.space_before and (gap > 0.02 * glyph.size or not is_cjk(last.char))) or (
            wide and not (is_cjk(last.char) and is_cjk(glyph.char))
        ):
            parts.append(" ")
        parts.append(glyph.char)
    sizes = sorted(g.size for g in run)
    return Segment(
        "".join(parts),
        min(g.x0 for g in run),
        min(g.y0 for g in run),
        max(g.x1 for g in run),
        max(g.y1 for g in run),
        sizes[len(sizes) // 2],
        sum(g.bold for g in run) * 2 > len(run),
    )


def is_cjk(char: str) -> bool:
    """Scripts written without spaces, with their punctuation."""
    return "\u2e80" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or "\uff00" <= char <= "\uffef"


def rows_of(segments: list[Segment]) -> list[Row]:
    """Segments grouped into rows that overlap vertically, each from left to right, close ones joined."""
    rows: list[Row] = []
    bounds: list[tuple[float, float]] = []
    for segment in sorted(segments, key=lambda s: (s.middle, s.x0)):
        top, bottom = bounds[-1] if bounds else (0.0, 0.0)
        height = min(bottom - top, segment.y1 - segment.y0)
        if bounds and min(bottom, segment.y1) - max(top, segment.y0) > 0.5 * height:
            rows[-1].append(segment)
            if len(segment.text) > 2:
                bounds[-1] = (min(top, segment.y0), max(bottom, segment.y1))
        else:
            rows.append([segment])
            bounds.append((segment.y0, segment.y1))
    return [_joined(sorted(row, key=lambda s: s.x0)) for row in rows]


def _joined(row: Row) -> Row:
    out: Row = [row[0]]
    for segment in row[1:]:
        last = out[-1]
        size = max(last.size, segment.size)
        if segment.x0 - last.x1 < _JOIN_GAP * size:
            out[-1] = join([last, segment])
        else:
            out.append(segment)
    return out


def join(row: Row) -> Segment:
    """Segments of one row as one, with a space where there is a gap."""
    text = row[0].text
    for last, segment in pairwise(row):
        gap = segment.x0 - last.x1
        han = is_cjk(text[-1:]) and is_cjk(segment.text[:1])
        text += (" " if gap > (_JOIN_GAP if han else _SPACE_GAP) * segment.size else "") + segment.text
    longest = max(row, key=lambda s: len(s.text))
    return Segment(
        text,
        min(s.x0 for s in row),
        min(s.y0 for s in row),
        max(s.x1 for s in row),
        max(s.y1 for s in row),
        longest.size,
        all(s.bold for s in row),
    )
