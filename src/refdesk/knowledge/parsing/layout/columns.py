"""Reading order: columns from left to right between what spans them, found recursively.

A gutter is a vertical strip that few segments cross and that has text on both sides. What crosses it splits
the page into bands; within a band the left column is read first. Tables look like columns too: both sides
must be filled like running text, else the band stays one region of rows.
"""

from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import Literal

from refdesk.knowledge.parsing.layout.segments import Segment, is_cjk, rows_of

_STEP = 3.0
_MAX_STEPS = 1_000  # a damaged file may place its text on a page of kilometres
_MIN_ROWS = 3
_MIN_FILL = 0.55
_MAX_DEPTH = 4
# Share of the text's height that may cross a gutter: titles, figures, a table over the page.
_MAX_CROSSING = 0.6


def regions(segments: list[Segment], depth: int = 0) -> list[list[Segment]]:
    """Regions in reading order; inside each, rows are read from top to bottom."""
    gutter = _gutter(segments) if depth < _MAX_DEPTH and len(segments) >= 2 * _MIN_ROWS else None
    if gutter is None:
        return [segments] if segments else []
    out: list[list[Segment]] = []
    for band, crossing in _bands(segments, gutter):
        left = [s for s in band if (s.x0 + s.x1) / 2 < gutter]
        right = [s for s in band if (s.x0 + s.x1) / 2 >= gutter]
        if not crossing and _running_text(left) and _running_text(right):
            out.extend(regions(left, depth + 1))
            out.extend(regions(right, depth + 1))
            out.append([])
        elif out and out[-1]:
            out[-1] = out[-1] + band
        else:
            out.append(list(band))
    return [region for region in out if region]


def _gutter(segments: list[Segment]) -> float | None:
    low, high = min(s.x0 for s in segments), max(s.x1 for s in segments)
    total = sum(s.y1 - s.y0 for s in segments)
    starts, ends = _Heights(segments, "x0"), _Heights(segments, "x1")
    best: tuple[float, float] | None = None
    run: list[float] = []
    run_score = 0.0
    step = max(_STEP, (high - low) / _MAX_STEPS)
    x = low + 0.15 * (high - low)
    while x < low + 0.85 * (high - low):
        left, right = ends.up_to(x), total - starts.before(x)
        crossing = max(0.0, total - left - right)
        score = min(left, right) - crossing if crossing <= _MAX_CROSSING * total else 0.0
        if score > 0.08 * total and (not run or abs(score - run_score) <= 0.02 * total):
            run.append(x)
            run_score = max(run_score, score)
        else:
            best = _better(best, run, run_score)
            run, run_score = ([x], score) if score > 0.08 * total else ([], 0.0)
        x += step
    best = _better(best, run, run_score)
    return best[1] if best else None


class _Heights:
    """Heights of segments summed up from the left, by one of their edges."""

    def __init__(self, segments: list[Segment], edge: Literal["x0", "x1"]) -> None:
        pairs = sorted((s.x0 if edge == "x0" else s.x1, s.y1 - s.y0) for s in segments)
        self._edges = [at for at, _ in pairs]
        self._sums = [0.0, *accumulate(height for _, height in pairs)]

    def up_to(self, x: float) -> float:
        """Those whose edge is at `x` or left of it."""
        return self._sums[bisect_right(self._edges, x)]

    def before(self, x: float) -> float:
        """Those whose edge is left of `x`."""
        return self._sums[bisect_left(self._edges, x)]


def _better(best: tuple[float, float] | None, run: list[float], score: float) -> tuple[float, float] | None:
    if len(run) < 2 or (best is not None and best[0] >= score):
        return best
    return score, run[len(run) // 2]


def _bands(segments: list[Segment], gutter: float) -> list[tuple[list[Segment], bool]]:
    """Runs of segments from top to bottom, each all beside the gutter or all across it."""
    out: list[tuple[list[Segment], bool]] = []
    for segment in sorted(segments, key=lambda s: s.middle):
        crossing = segment.x0 < gutter - 1 and segment.x1 > gutter + 1
        if out and out[-1][1] == crossing:
            out[-1][0].append(segment)
        else:
            out.append(([segment], crossing))
    return out


def _running_text(side: list[Segment]) -> bool:
    if not side:
        return False
    rows = rows_of(side)
    if len(rows) < _MIN_ROWS and not any(s.table for s in side):
        return False
    width = max(s.x1 for s in side) - min(s.x0 for s in side)
    filled = sum(s.x1 - s.x0 for row in rows for s in row) / (len(rows) * width) if width else 0.0
    text = "".join(s.text for s in side)
    digits = sum(c.isdigit() for c in text)
    # A Han character says about as much as three letters.
    weight = sum(3 if is_cjk(c) else 1 for c in text) / len(rows)
    return filled >= _MIN_FILL and weight >= 12 and digits < 0.3 * len(text)
