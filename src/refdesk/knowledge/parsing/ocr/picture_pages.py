"""Frames of pictures as pages: read, and laid out in the size of a printed page."""

from dataclasses import replace
from statistics import median

from refdesk.knowledge.parsing.blocks import Box
from refdesk.knowledge.parsing.layout.pages import PageInput, PageLayout, Seen, lay_out
from refdesk.knowledge.parsing.ocr.allowance import Allowance
from refdesk.knowledge.parsing.ocr.pictures import Frame
from refdesk.knowledge.parsing.ocr.placing import PlacedPage, placed
from refdesk.knowledge.parsing.ocr.reading import OcrPage, reader

# Pictures seldom say how large they are meant to be; layout expects type of some 11 points.
_TYPE_POINTS = 11.0
_LINE_PER_TYPE = 0.8


def read_frame(frame: Frame, left: Allowance) -> OcrPage:
    """The lines of a frame, charged to the allowance."""
    with left.page() as deadline:
        return reader(left.threads).read(frame.pixels, deadline)


def laid_out(page: OcrPage, frame: Frame, number: int) -> PageLayout:
    """A frame as a page; boxes are in pixels of the picture as it is shown."""
    heights = [line.y1 - line.y0 for line in page.lines]
    points = _TYPE_POINTS / max(median(heights) * _LINE_PER_TYPE, 1.0) if heights else 1.0
    made = placed(page, frame.pixels, points)
    return lay_out(page_input(made, page, points, number, 1 / (points * frame.scale)))


def page_input(made: PlacedPage, page: OcrPage, points: float, number: int, shown: float) -> PageInput:
    """`shown` is what a point of the laid-out page measures where boxes are shown."""

    def as_shown(box: Box) -> Box:
        back = made.shown(box)
        return replace(
            back,
            x0=round(back.x0 * shown, 1),
            y0=round(back.y0 * shown, 1),
            x1=round(back.x1 * shown, 1),
            y1=round(back.y1 * shown, 1),
        )

    lines = tuple(
        (
            Box(number, line.x0 * points, line.y0 * points, line.x1 * points, line.y1 * points),
            line.confidence,
            len(line.text),
        )
        for line in page.lines
    )
    return PageInput(
        number,
        made.width,
        made.height,
        {0: made.glyphs},
        made.across,
        made.down,
        Seen(lines, as_shown),
    )
