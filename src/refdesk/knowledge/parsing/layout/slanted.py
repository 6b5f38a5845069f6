"""Text that stands oblique on its page (watermarks, stamps, labels of charts), and watermarks that do not.

It is never laid out with level text, whose lines it crosses. A watermark (it lies over level text or comes
back, and is faint or large, or does both) is taken out as running lines are; what else is oblique becomes
paragraphs of its own behind the level text of its page. Of text that stands level or upright only what is
faint, large and over other text can be a watermark; no heading lies over the text below it.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from refdesk.knowledge.parsing.blocks import Box
from refdesk.knowledge.parsing.layout.columns import regions
from refdesk.knowledge.parsing.layout.glyph import Glyph
from refdesk.knowledge.parsing.layout.lines import Text, texts_of
from refdesk.knowledge.parsing.layout.segments import Segment, runs_of, segment_of

_CELL = 20.0  # points; a grid of level glyphs, so that each oblique one meets its neighbours only
_COVERS = 0.25
_LARGE, _HUGE = 1.5, 2.5


@dataclass(frozen=True, slots=True)
class SlantedGlyph:
    """A glyph as it stands on the page, and as it would stand if the page were turned until it is level."""

    glyph: Glyph
    level: Glyph
    angle: int
    """Degrees clockwise of its reading direction."""
    is_faint: bool


@dataclass(frozen=True, slots=True)
class SlantedRun:
    """Oblique glyphs that follow each other, as a segment of the page that was set level."""

    segment: Segment
    glyphs: tuple[Glyph, ...]
    angle: int
    is_over: bool
    """Whether it lies over level text."""
    is_faint: bool

    @property
    def turn(self) -> int | None:
        """Quarter turns clockwise that set it level; None where it is oblique."""
        return None if self.angle % 90 else -self.angle // 90 % 4

    @property
    def key(self) -> str:
        """Its text without spaces: what comes back has the same."""
        return "".join(self.segment.text.split())


def level_point(x: float, y: float, angle: float) -> tuple[float, float]:
    """A point (origin top left) after turning its page about the origin until `angle` is level."""
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return x * cos + y * sin, y * cos - x * sin


def slanted_runs(slanted: Sequence[SlantedGlyph], others: Iterable[Glyph]) -> list[SlantedRun]:
    """Runs of the oblique glyphs of one page; `others` are its remaining glyphs."""
    if not slanted:
        return []
    cells: defaultdict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    for glyph in others:
        x, y = (glyph.x0 + glyph.x1) / 2, (glyph.y0 + glyph.y1) / 2
        cells[int(x // _CELL), int(y // _CELL)].append((x, y))
    by_angle: defaultdict[int, list[SlantedGlyph]] = defaultdict(list)
    for one in slanted:
        by_angle[one.angle].append(one)
    out: list[SlantedRun] = []
    for angle, alike in by_angle.items():
        whole = {id(one.level): one for one in alike}
        for run in runs_of(one.level for one in alike):
            members = [whole[id(level)] for level in run]
            over = sum(_covers(one.glyph, cells) for one in members)
            faint = sum(one.is_faint for one in members)
            is_over, is_faint = over >= _COVERS * len(run), faint * 2 > len(run)
            glyphs = tuple(one.glyph for one in members)
            out.append(SlantedRun(segment_of(run), glyphs, angle, is_over, is_faint))
    return out


def _covers(glyph: Glyph, cells: dict[tuple[int, int], list[tuple[float, float]]]) -> bool:
    """Whether the middle of a level glyph lies inside the box of this one."""
    columns = range(int(glyph.x0 // _CELL), int(glyph.x1 // _CELL) + 1)
    rows = range(int(glyph.y0 // _CELL), int(glyph.y1 // _CELL) + 1)
    return any(
        glyph.x0 <= x <= glyph.x1 and glyph.y0 <= y <= glyph.y1
        for column in columns
        for row in rows
        for x, y in cells.get((column, row), ())
    )


def watermarks(pages: Iterable[Iterable[SlantedRun]], usual_size: float) -> set[str]:
    """Keys of the runs that are watermarks; `usual_size` is the size of type of the level text."""
    alike: defaultdict[str, list[SlantedRun]] = defaultdict(list)
    for runs in pages:
        for run in runs:
            alike[run.key].append(run)
    return {key for key, runs in alike.items() if _is_watermark(runs, usual_size)}


def _is_watermark(runs: list[SlantedRun], usual_size: float) -> bool:
    is_over, repeats = any(run.is_over for run in runs), len(runs) > 1
    if runs[0].turn is not None:
        return is_over and (repeats or runs[0].segment.size >= _HUGE * usual_size)
    stands_out = any(run.is_faint or run.segment.size >= _LARGE * usual_size for run in runs)
    return (is_over and repeats) or (stands_out and (is_over or repeats))


def slanted_texts(runs: Iterable[SlantedRun], page: int) -> list[Text]:
    """Paragraphs of oblique text, each direction for itself, with boxes on the page as it is shown."""
    by_angle: defaultdict[int, list[Segment]] = defaultdict(list)
    for run in runs:
        by_angle[run.angle].append(run.segment)
    out: list[Text] = []
    for angle, segments in by_angle.items():
        for region in regions(segments):
            for text in texts_of(region, page):
                text.boxes = [_as_shown(box, angle) for box in text.boxes]
                text.turned = True
                out.append(text)
    return out


def _as_shown(box: Box, angle: int) -> Box:
    """The smallest upright box around a box of the page that was set level."""
    corners = [level_point(x, y, -angle) for x in (box.x0, box.x1) for y in (box.y0, box.y1)]
    left, top = (min(corner[axis] for corner in corners) for axis in (0, 1))
    right, low = (max(corner[axis] for corner in corners) for axis in (0, 1))
    return Box(box.page, round(left, 1), round(top, 1), round(right, 1), round(low, 1))
