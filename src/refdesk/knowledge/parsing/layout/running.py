"""Running headers, footers and page numbers: lines that come back at the same place of many pages."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass

from refdesk.knowledge.parsing.layout.segments import Segment, join, rows_of

_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"^[ivxlcIVXLC]{1,7}$")
_PAGE_NUMBER = re.compile(
    r"^(?:[-–—·\s]*\d{1,4}[-–—·\s]*|[ivxlcIVXLC]{1,7}|(?:page|p\.|seite)?\s*\d{1,4}\s*(?:of|/|von)\s*\d{1,4}"
    r"|page\s*\d{1,4}|第\s*\d{1,4}\s*页(?:[\s/,，]*共\s*\d{1,4}\s*页)?)$",
    re.IGNORECASE,
)
_ROWS_AT_EDGE = 3
_EDGE = 0.25  # page numbers; other lines must be nearer to the edge
_TEXT_EDGE = 0.13
_NEAR = 6.0
_LARGER = 2.0


@dataclass(slots=True)
class _Candidate:
    page: int
    y: float
    text: str
    segments: list[Segment]


def take_running(pages: list[tuple[float, list[Segment]]]) -> tuple[list[list[Segment]], list[str], int]:
    """Segments of each page without running lines, the distinct lines removed, and their characters.

    `pages` holds the height and the segments of each page. With one page nothing can be told.
    """
    if len(pages) < 2:
        return [segments for _, segments in pages], [], 0
    heading_size = _usual_size(pages) + _LARGER
    groups: dict[str, list[_Candidate]] = defaultdict(list)
    for number, (height, segments) in enumerate(pages):
        for candidate in _edge_rows(number, height, segments):
            # “Chapter 1”, “Chapter 2” at the top of pages run like a header; large ones are headings.
            large = candidate.segments[0].size > heading_size
            groups[candidate.text if large else _shape(candidate.text)].append(candidate)
    removed: set[int] = set()
    lines: dict[str, None] = {}
    chars = 0
    for shape, candidates in groups.items():
        running = [c for near in _by_place(candidates) if _is_running(shape, near, len(pages)) for c in near]
        if running and shape == "#":
            ahead = {_ahead(c) for c in running} - {None}
            known = set(map(id, running))
            running += [
                c for c in candidates if id(c) not in known and len(ahead) == 1 and _ahead(c) in ahead
            ]
        elif running:
            # The first page of a part often has the same line a little higher or lower.
            texts = {c.text for c in running}
            running = [c for c in candidates if c.text in texts or c in running]
        for candidate in running:
            removed |= set(map(id, candidate.segments))
            if not _PAGE_NUMBER.match(candidate.text):
                lines[candidate.text] = None
            chars += len(re.sub(r"\s", "", candidate.text))
    kept = [[s for s in segments if id(s) not in removed] for _, segments in pages]
    return kept, list(lines)[:50], chars


def _usual_size(pages: list[tuple[float, list[Segment]]]) -> float:
    """The size most characters of the file have."""
    sizes: Counter[float] = Counter()
    for _, segments in pages:
        for segment in segments:
            if not segment.table:
                sizes[round(segment.size * 2) / 2] += len(segment.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _edge_rows(number: int, height: float, segments: list[Segment]) -> list[_Candidate]:
    plain = [s for s in segments if not s.table]
    near = [s for s in plain if s.y0 < _EDGE * height or s.y1 > (1 - _EDGE) * height]
    rows = rows_of(near)
    top = [row for row in rows if row[0].y0 < _EDGE * height][:_ROWS_AT_EDGE]
    bottom = [row for row in rows if row[0].y1 > (1 - _EDGE) * height][-_ROWS_AT_EDGE:]
    out: list[_Candidate] = []
    for row in [*top, *(r for r in bottom if r not in top)]:
        low, high = min(s.y0 for s in row), max(s.y1 for s in row)
        members = [s for s in near if low - 0.5 <= s.middle <= high + 0.5]
        text = join(row).text
        outer = low < _TEXT_EDGE * height or high > (1 - _TEXT_EDGE) * height
        if outer or _PAGE_NUMBER.match(text):
            out.append(_Candidate(number, row[0].middle, text, members))
    return out


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
