"""A picture that was read → glyphs and drawn lines: for layout a page like any with a text layer."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from refdesk.knowledge.parsing.blocks import Box
from refdesk.knowledge.parsing.layout.glyph import Glyph
from refdesk.knowledge.parsing.layout.grids import Rule, merged_rules
from refdesk.knowledge.parsing.layout.segments import is_cjk
from refdesk.knowledge.parsing.layout.turning import turned
from refdesk.knowledge.parsing.ocr.detection import Image
from refdesk.knowledge.parsing.ocr.reading import OcrLine, OcrPage, on_light_ground
from refdesk.knowledge.parsing.ocr.vendor import cv2

# Boxes of lines are about 1.25 times as high as the size of their type.
_SIZE = 0.8
_INSET = 0.2
_SAME_SIZE, _BODY_SIZE = 1.22, 1.3
_NARROW = frozenset("iljtfrI1.,:;'|!()[]{}·")


@dataclass(frozen=True, slots=True)
class PlacedPage:
    """Glyphs and lines of a picture set upright and level, in points of the page.

    `width` and `height` are of the upright page; `shown` gives the box on the page as it is.
    """

    glyphs: list[Glyph]
    across: list[Rule]
    down: list[Rule]
    width: float
    height: float
    shown: Callable[[Box], Box]


def placed(page: OcrPage, image: Image, points: float) -> PlacedPage:
    """`points` is the length of a pixel in points."""
    wide, high = (page.height, page.width) if page.turn % 2 else (page.width, page.height)
    upright: Image = np.ascontiguousarray(np.rot90(image, -page.turn))
    tallest = float(np.median([line.y1 - line.y0 for line in page.lines])) if page.lines else 0.0
    across, down = _rules(_level(upright, page.skew), tallest, points)
    sizes = _sizes(page.lines)
    # From right to left, so that no line is taken to go on in the column beside it.
    glyphs = [
        glyph
        for line, size in sorted(zip(page.lines, sizes, strict=True), key=lambda pair: -pair[0].x0)
        for glyph in _glyphs(line, size, points)
    ]
    width, height = wide * points, high * points

    def shown(box: Box) -> Box:
        return _turned_back(_leaning(box, page.skew, width, height), page.turn, width, height)

    return PlacedPage(glyphs, across, down, width, height, shown)


def _glyphs(line: OcrLine, size_px: float, points: float) -> list[Glyph]:
    """The characters spread over the line by their usual widths; spaces belong to the next one."""
    widths = [_width(char) for char in line.text]
    # Boxes reach a little over the letters; between narrow columns that would close the gap.
    inset = min(_INSET * size_px, 0.1 * (line.x1 - line.x0))
    step = (line.x1 - line.x0 - 2 * inset) / sum(widths)
    middle = (line.y0 + line.y1) / 2
    top, low = (middle - 0.62 * size_px) * points, (middle + 0.62 * size_px) * points
    out: list[Glyph] = []
    x = line.x0 + inset
    space = False
    for char, width in zip(line.text, widths, strict=True):
        end = x + width * step
        if char.isspace():
            space = True
        else:
            out.append(Glyph(char, x * points, top, end * points, low, size_px * points, False, space))
            space = False
        x = end
    return out


def _width(char: str) -> float:
    if is_cjk(char):
        return 1.0
    if char.isspace() or char in _NARROW:
        return 0.3
    return 0.65 if char.isupper() or char in "mwMW@%" else 0.5


def _sizes(lines: Sequence[OcrLine]) -> list[float]:
    """Sizes of type in pixels: lines of nearly one height have one size, whatever letters they hold.

    Boxes of one type differ by a fifth, with the letters that reach up and down; what differs little more
    from most of the text is taken for the same, so that only what is clearly larger becomes a heading.
    """
    heights = [line.y1 - line.y0 for line in lines]
    groups: list[list[int]] = []
    for i in sorted(range(len(lines)), key=lambda i: heights[i]):
        if groups and heights[i] <= _SAME_SIZE * heights[groups[-1][0]]:
            groups[-1].append(i)
        else:
            groups.append([i])
    if not groups:
        return []
    middles = [heights[group[len(group) // 2]] for group in groups]
    most = max(range(len(groups)), key=lambda g: sum(len(lines[i].text) for i in groups[g]))
    sizes = [0.0] * len(lines)
    for group, middle in zip(groups, middles, strict=True):
        is_body = 1 / _BODY_SIZE <= middle / middles[most] <= _BODY_SIZE
        for i in group:
            sizes[i] = (middles[most] if is_body else middle) * _SIZE
    return sizes


def _level(image: Image, skew: float) -> Image:
    if not skew:
        return image
    high, wide = image.shape[:2]
    matrix = cv2.getRotationMatrix2D((wide / 2, high / 2), skew, 1.0)
    levelled: Image = cv2.warpAffine(image, matrix, (wide, high), borderMode=cv2.BORDER_REPLICATE)
    return levelled


def _rules(image: Image, letters_px: float, points: float) -> tuple[list[Rule], list[Rule]]:
    """Level and upright lines that are drawn; they must be longer than letters, `letters_px`, are high."""
    grey = cv2.cvtColor(on_light_ground(image), cv2.COLOR_BGR2GRAY)
    ink = cv2.adaptiveThreshold(grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, 25, 15)
    found: list[list[Rule]] = []
    for is_level in (True, False):
        least = (2.5 if is_level else 1.4) * letters_px
        length = max(24, image.shape[1 if is_level else 0] // 40, round(least))
        kernel = np.ones((1, length) if is_level else (length, 1), dtype=np.uint8)
        lines = cv2.morphologyEx(ink, cv2.MORPH_OPEN, kernel)
        # Gaps that noise has torn.
        lines = cv2.morphologyEx(lines, cv2.MORPH_CLOSE, kernel)
        _, _, stats, _ = cv2.connectedComponentsWithStats(lines)
        rules: list[Rule] = []
        for x, y, wide, high, _area in stats[1:].tolist():
            long, thick = (wide, high) if is_level else (high, wide)
            if thick <= max(12, long // 20):
                at = (y + high / 2) if is_level else (x + wide / 2)
                low = x if is_level else y
                rules.append(Rule(at * points, low * points, (low + long) * points))
        found.append(merged_rules(rules))
    return found[0], found[1]


def _leaning(box: Box, skew: float, width: float, height: float) -> Box:
    """A box of the level page on the page that leans: what encloses its corners."""
    if not skew:
        return box
    angle = math.radians(skew)
    corners = [
        (
            (x - width / 2) * math.cos(angle) - (y - height / 2) * math.sin(angle) + width / 2,
            (x - width / 2) * math.sin(angle) + (y - height / 2) * math.cos(angle) + height / 2,
        )
        for x in (box.x0, box.x1)
        for y in (box.y0, box.y1)
    ]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return Box(box.page, min(xs), min(ys), max(xs), max(ys))


def _turned_back(box: Box, turn: int, width: float, height: float) -> Box:
    """From the upright page (`width` by `height`) to the page as it is shown."""
    x0, y0, x1, y1 = turned(box.x0, box.y0, box.x1, box.y1, (4 - turn) % 4, width, height)
    return Box(box.page, round(x0, 1), round(y0, 1), round(x1, 1), round(y1, 1))
