"""Running headers, footers and page numbers: lines that come back at the same place of many pages.

A line is running only where the rest of its pages differs, so that the pages of a form, of labels or of short
notes keep theirs: no page loses all its text, and a file loses at most a third of it. A line whose text is
another on every page (“Sheet 3 of the report”) must stand apart from what is below or above it, too.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from refdesk.knowledge.parsing.layout.segments import Row, Segment, join, rows_of

_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"^[ivxlcIVXLC]{1,7}$")
_PAGE_NUMBER = re.compile(
    r"^(?:[-–—·\s]*\d{1,5}[-–—·\s]*|[ivxlcIVXLC]{1,7}|(?:page|p\.|seite)?\s*\d{1,5}\s*(?:of|/|von)\s*\d{1,5}"
    r"|page\s*\d{1,5}|第\s*\d{1,5}\s*页(?:[\s/,，]*共\s*\d{1,5}\s*页)?)$",
    re.IGNORECASE,
)
_ROWS_AT_EDGE = 3
_EDGE = 0.25  # page numbers; other lines must be nearer to the edge
_TEXT_EDGE = 0.13
_NEAR = 6.0
_LARGER = 2.0
_MAX_SHARE = 1 / 3
# How much wider than between two lines of the body the gap beside a line must be, in sizes of its type.
_APART = 0.5
_SAMPLE = 2_000


@dataclass(slots=True)
class _Candidate:
    page: int
    y: float
    text: str
    segments: list[Segment]
    gap: float
    """Distance to the next row towards the middle of the page; infinite where there is none."""
    inner: "_Candidate | None"
    """The candidate that this row is, if it is one."""

    @property
    def chars(self) -> int:
        """Characters that are not white space."""
        return len("".join(self.text.split()))


def take_running(pages: list[tuple[float, list[Segment]]]) -> tuple[list[list[Segment]], list[str], int]:
    """Segments of each page without running lines, the distinct lines removed, and their characters.

    `pages` holds the height and the segments of each page. With one page nothing can be told.
    """
    if len(pages) < 2:
        return [segments for _, segments in pages], [], 0
    found = [_edge_rows(number, height, segments) for number, (height, segments) in enumerate(pages)]
    groups = _groups(
        [candidate for row in found for candidate in row], usual_size(pages) + _LARGER, len(pages)
    )
    removed = _removable(groups, pages)
    lines: dict[str, None] = {}
    chars = 0
    for candidate in (c for group in groups for c in group if id(c) in removed):
        if not _PAGE_NUMBER.match(candidate.text):
            lines[candidate.text] = None
        chars += candidate.chars
    gone = {id(s) for group in groups for c in group if id(c) in removed for s in c.segments}
    kept = [[s for s in segments if id(s) not in gone] for _, segments in pages]
    return kept, list(lines)[:50], chars


def _groups(candidates: list[_Candidate], heading_size: float, pages: int) -> list[list[_Candidate]]:
    """Lines that come back at one place, those of one kind together."""
    by_shape: dict[str, list[_Candidate]] = defaultdict(list)
    for candidate in candidates:
        # “Chapter 1”, “Chapter 2” at the top of pages run like a header; large ones are headings.
        large = candidate.segments[0].size > heading_size
        by_shape[candidate.text if large else _shape(candidate.text)].append(candidate)
    out: list[list[_Candidate]] = []
    for shape, alike in by_shape.items():
        running = [c for near in _by_place(alike) if _is_running(shape, near, pages) for c in near]
        known = set(map(id, running))
        if running and shape == "#":
            ahead = {_ahead(c) for c in running} - {None}
            running += [c for c in alike if id(c) not in known and len(ahead) == 1 and _ahead(c) in ahead]
        elif running:
            # The first page of a part often has the same line a little higher or lower.
            texts = {c.text for c in running}
            running = [c for c in alike if c.text in texts or id(c) in known]
        if running:
            out.append(running)
    return out


def _removable(groups: list[list[_Candidate]], pages: list[tuple[float, list[Segment]]]) -> set[int]:
    """The candidates (by `id`) that may go: see the head of this file."""
    left = [group for group in groups if _is_fixed(group)]
    usual = _usual_gap(left, pages)
    fixed = {id(c) for group in left for c in group}
    # A line that changes may stand beside one that does not: a header of two lines.
    while more := [
        group
        for group in groups
        if id(group[0]) not in fixed and _share(_stands_apart(c, usual, fixed) for c in group) >= 0.5
    ]:
        left += more
        fixed |= {id(c) for group in more for c in group}
    total = sum(len(s.text or s.table) for _, segments in pages for s in segments)
    while True:
        rests = _rests(left, pages)
        sound = [group for group in left if _differs(group, rests)]
        # Page numbers are no text; of the rest the largest goes first where it would be too much.
        costs = [0 if _PAGE_NUMBER.match(group[0].text) else sum(c.chars for c in group) for group in sound]
        if sum(costs) > _MAX_SHARE * total:
            del sound[costs.index(max(costs))]
        if len(sound) == len(left):
            break
        left = sound
    return {id(c) for group in left for c in group if rests[c.page] is not None or _PAGE_NUMBER.match(c.text)}


def _share(answers: Iterable[bool]) -> float:
    counted = list(answers)
    return sum(counted) / len(counted)


def _is_fixed(group: list[_Candidate]) -> bool:
    """Page numbers, and lines that are the same on most pages."""
    texts = Counter(c.text for c in group)
    return bool(_PAGE_NUMBER.match(group[0].text)) or texts.most_common(1)[0][1] >= max(2, 0.5 * len(group))


def _stands_apart(candidate: _Candidate, usual: float, fixed: set[int]) -> bool:
    if candidate.inner is not None and id(candidate.inner) in fixed:
        return True
    return candidate.gap > usual + _APART * candidate.segments[0].size


def _usual_gap(fixed: list[list[_Candidate]], pages: list[tuple[float, list[Segment]]]) -> float:
    """The distance of two rows, as most have it that are not known to run."""
    running = {id(s) for group in fixed for c in group for s in c.segments}
    gaps: list[float] = []
    for _, segments in pages:
        rows = rows_of([s for s in segments if id(s) not in running and not s.table])
        gaps += [below[0].y0 - above[0].y1 for above, below in pairwise(rows)]
        if len(gaps) > _SAMPLE:
            break
    return max(0.0, median(gaps)) if gaps else 0.0


def _rests(groups: list[list[_Candidate]], pages: list[tuple[float, list[Segment]]]) -> list[int | None]:
    """A hash of what each page keeps without the groups; None where nothing is left."""
    gone = {id(s) for group in groups for c in group for s in c.segments}
    out: list[int | None] = []
    for _, segments in pages:
        texts = tuple(s.text or s.table for s in segments if id(s) not in gone)
        out.append(hash(texts) if texts else None)
    return out


def _differs(group: list[_Candidate], rests: list[int | None]) -> bool:
    """Whether most pages of the group have other text, and not all the same."""
    seen = {c.page for c in group}
    bodies = [rests[page] for page in seen if rests[page] is not None]
    return len(bodies) >= max(2, 0.5 * len(seen)) and len(set(bodies)) >= max(2, 0.5 * len(bodies))


def usual_size(pages: list[tuple[float, list[Segment]]]) -> float:
    """The size most characters of the file have."""
    sizes: Counter[float] = Counter()
    for _, segments in pages:
        for segment in segments:
            if not segment.table:
                sizes[round(segment.size * 2) / 2] += len(segment.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _edge_rows(number: int, height: float, segments: list[Segment]) -> list[_Candidate]:
    plain = [s for s in segments if not s.table]
    rows = rows_of(plain)
    top = [row for row in rows if row[0].y0 < _EDGE * height][:_ROWS_AT_EDGE]
    bottom = [row for row in rows if row[0].y1 > (1 - _EDGE) * height][-_ROWS_AT_EDGE:]
    out: list[_Candidate] = []
    # From the middle outwards, so that each finds the one further in.
    inner: _Candidate | None = None
    for at in range(len(top) - 1, -1, -1):
        gap = rows[at + 1][0].y0 - top[at][0].y1 if at + 1 < len(rows) else math.inf
        inner = _candidate(number, height, top[at], plain, gap, inner)
        if inner is not None:
            out.insert(0, inner)
    inner = None
    first = len(rows) - len(bottom)
    for k, row in enumerate(bottom):
        gap = row[0].y0 - rows[first + k - 1][0].y1 if first + k > 0 else math.inf
        if first + k >= len(top):
            inner = _candidate(number, height, row, plain, gap, inner)
            if inner is not None:
                out.append(inner)
    return out


def _candidate(
    number: int, height: float, row: Row, plain: list[Segment], gap: float, inner: _Candidate | None
) -> _Candidate | None:
    low, high = min(s.y0 for s in row), max(s.y1 for s in row)
    text = join(row).text
    if not (low < _TEXT_EDGE * height or high > (1 - _TEXT_EDGE) * height or _PAGE_NUMBER.match(text)):
        return None
    members = [s for s in plain if low - 0.5 <= s.middle <= high + 0.5]
    return _Candidate(number, row[0].middle, text, members, gap, inner)


def _shape(text: str) -> str:
    stripped = re.sub(r"\s+", "", text)
    return "#" if _ROMAN.match(stripped) else _DIGITS.sub("#", stripped)


def _ahead(candidate: _Candidate) -> int | None:
    """How far the printed page number is ahead of the counted one; None for Roman numbers."""
    digits = re.sub(r"\D", "", candidate.text)
    return int(digits) - candidate.page if digits else None


def _by_place(candidates: list[_Candidate]) -> list[list[_Candidate]]:
    out: list[list[_Candidate]] = []
    for candidate in sorted(candidates, key=lambda c: c.y):
        if out and candidate.y - out[-1][-1].y < _NEAR:
            out[-1].append(candidate)
        else:
            out.append([candidate])
    return out


def _is_running(shape: str, found: list[_Candidate], pages: int) -> bool:
    seen = {c.page for c in found}
    if len(shape) > 200 or len(seen) < 2 or not _same_or_counting(found):
        return False
    if pages == 2:
        return True
    # On left and right pages they differ, and chapters change them: three in a stretch are enough.
    stretch = max(seen) - min(seen) + 1
    number = bool(_PAGE_NUMBER.match(found[0].text))
    return len(seen) >= 3 and len(seen) >= 0.4 * stretch and (number or len(seen) >= min(0.1 * pages, 5))


def _same_or_counting(found: list[_Candidate]) -> bool:
    """Whether the lines are equal, or a number in them counts the pages: “Table 1”, “Table 2” do neither."""
    texts = Counter(c.text for c in found)
    if texts.most_common(1)[0][1] >= max(2, 0.5 * len(found)) or _ROMAN.match(found[0].text):
        return True
    numbers = [[int(n) for n in _DIGITS.findall(c.text)] for c in found]
    return any(
        len({n[k] - c.page for n, c in zip(numbers, found, strict=True)}) == 1
        for k in range(min(map(len, numbers)))
    )
