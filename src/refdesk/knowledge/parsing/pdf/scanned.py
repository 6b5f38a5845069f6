"""Pages of a PDF read by OCR: drawn at 200 dpi, read, and joined with what text layer they have.

Owns when a page is read: no text at all, text that is no language, a picture over the page with little text
beside it. Text that only looks odd is compared with what OCR sees, and kept where both agree.
"""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from refdesk.knowledge.parsing.layout.glyph import Glyph
from refdesk.knowledge.parsing.layout.pages import PageInput
from refdesk.knowledge.parsing.ocr import Allowance
from refdesk.knowledge.parsing.ocr.detection import Image
from refdesk.knowledge.parsing.ocr.picture_pages import page_input
from refdesk.knowledge.parsing.ocr.placing import placed
from refdesk.knowledge.parsing.ocr.reading import OcrPage, reader
from refdesk.knowledge.parsing.pdf.vendor import Handle

_DPI = 200
_LONGEST_PX = 3_600
_SHORTEST_PX = 600
_AGREE, _SURE, _ENOUGH = 0.7, 0.85, 0.5


@dataclass(slots=True)
class Scans:
    """What OCR did in one file, page by page."""

    left: Allowance
    sure: dict[int, float] = field(default_factory=dict[int, float])
    skipped: list[int] = field(default_factory=list[int])
    agreed: list[int] = field(default_factory=list[int])

    def read(self, page: Handle, number: int) -> tuple[PageInput, OcrPage] | None:
        """The page as OCR sees it; None where the allowance is spent."""
        if not self.left.is_left:
            self.skipped.append(number)
            return None
        image, points = _drawn(page)
        with self.left.page() as deadline:
            seen = reader(self.left.threads).read(image, deadline)
        self.sure[number] = seen.confidence
        return page_input(placed(seen, image, points), seen, points, number, 1.0), seen


def _drawn(page: Handle) -> tuple[Image, float]:
    """The page as a picture (BGR), and the length of a pixel in points."""
    width, height = page.get_size()
    scale = _DPI / 72
    scale = min(max(scale, _SHORTEST_PX / max(1.0, min(width, height))), _LONGEST_PX / max(width, height))
    bitmap = page.render(scale=scale, draw_annots=True, may_draw_forms=False)
    pixels: Image = np.ascontiguousarray(bitmap.to_numpy()[:, :, :3])
    return pixels, 1 / scale


def contradicts(text: str, seen: OcrPage) -> bool:
    """Whether OCR is sure of another text than the layer's, by the characters of both."""
    layer = Counter(c.lower() for c in text if c.isalnum())
    read = Counter(c.lower() for line in seen.lines for c in line.text if c.isalnum())
    if seen.confidence < _SURE or read.total() < _ENOUGH * layer.total():
        return False
    return (layer & read).total() < _AGREE * max(layer.total(), read.total(), 1)


def joined(scan: PageInput, layer: list[Glyph]) -> PageInput:
    """The scan with the page's own text, which wins where both have some."""
    if not layer:
        return scan
    rows: dict[int, list[Glyph]] = {}
    for glyph in layer:
        for row in range(int(glyph.y0 // 20), int(glyph.y1 // 20) + 1):
            rows.setdefault(row, []).append(glyph)

    def is_covered(glyph: Glyph) -> bool:
        x, y = (glyph.x0 + glyph.x1) / 2, (glyph.y0 + glyph.y1) / 2
        return any(
            g.x0 - 2 <= x <= g.x1 + 2 and g.y0 - 2 <= y <= g.y1 + 2 for g in rows.get(int(y // 20), ())
        )

    scan.by_turn[0] = [*layer, *(g for g in scan.by_turn.get(0, ()) if not is_covered(g))]
    return scan
