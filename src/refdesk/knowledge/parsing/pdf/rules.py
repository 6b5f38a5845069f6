"""The lines drawn on a page of a PDF, as far as they may be those of a table."""

import ctypes
from collections.abc import Iterable

from refdesk.knowledge.parsing.layout.grids import Rule, merged_rules
from refdesk.knowledge.parsing.pdf.glyphs import Frame
from refdesk.knowledge.parsing.pdf.vendor import Handle, raw

_THIN = 2.5
_MAX_SEGMENTS = 30_000
_MAX_LINES = 4_000


def rules_of(page: Handle, frame: Frame) -> tuple[list[Rule], list[Rule]]:
    """Horizontal and vertical lines of a page, from thin rectangles and straight strokes."""
    across: list[Rule] = []
    down: list[Rule] = []
    left = _MAX_SEGMENTS
    for item in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=3):
        left -= max(1, raw.FPDFPath_CountSegments(item.raw))
        if left < 0 or len(across) + len(down) > _MAX_LINES:
            break
        for x0, y0, x1, y1 in _strokes(item.raw, frame):
            if y1 - y0 <= _THIN < x1 - x0:
                across.append(Rule((y0 + y1) / 2, x0, x1))
            elif x1 - x0 <= _THIN < y1 - y0:
                down.append(Rule((x0 + x1) / 2, y0, y1))
    return merged_rules(across), merged_rules(down)


def _strokes(path: Handle, frame: Frame) -> Iterable[tuple[float, float, float, float]]:
    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(path, ctypes.byref(matrix))
    points: list[tuple[float, float]] = []
    start: tuple[float, float] | None = None
    x, y = ctypes.c_float(), ctypes.c_float()
    for i in range(raw.FPDFPath_CountSegments(path)):
        piece = raw.FPDFPath_GetPathSegment(path, i)
        if not raw.FPDFPathSegment_GetPoint(piece, ctypes.byref(x), ctypes.byref(y)):
            continue
        here = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        kind = raw.FPDFPathSegment_GetType(piece)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            start = here
            points = [here]
        elif kind == raw.FPDF_SEGMENT_LINETO and points:
            yield _shown(points[-1], here, frame)
            points.append(here)
        else:
            points = [here]
        if start and points and raw.FPDFPathSegment_GetClose(piece):
            yield _shown(points[-1], start, frame)


def _shown(a: tuple[float, float], b: tuple[float, float], frame: Frame) -> tuple[float, float, float, float]:
    return frame.box(min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1]))
