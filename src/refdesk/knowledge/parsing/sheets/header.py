"""Which rows of a region are its title and its header, and what each column is called."""

import re
from dataclasses import dataclass

from refdesk.knowledge.parsing.sheets.model import Range
from refdesk.knowledge.parsing.sheets.regions import Region, Rows

_NUMBER = re.compile(r"^[-+(]*[^\w\s]?\s?\d[\d\s.,:/'’-]*(?:[eE][-+]?\d+)?\s?(?:[%‰)€£元]|[A-Z]{3}|[AP]M)*$")
_YEAR = re.compile(r"^(?:19|20)\d\d(?:\.0)?$")
_MAX_DEPTH = 5
_MAX_LABEL = 200


@dataclass(frozen=True, slots=True)
class Shape:
    """`titles` rows stand above the header, `depth` rows are the header; 0 where there is none."""

    titles: int
    depth: int
    labels: dict[int, str]


def is_value(text: str) -> bool:
    """Whether a text is a number, a date or a time; a year may be a heading and is none of them."""
    return bool(_NUMBER.match(text)) and not _YEAR.match(text)


def shape_of(region: Region, merged: list[Range]) -> Shape:
    """Title rows, header rows and the names of the columns of a region."""
    rows = region.rows
    titles = 0
    if region.right > region.left:
        while titles < len(rows) - 1 and _texts(rows, titles) == 1 and _is_title(rows, titles):
            titles += 1
    if titles and titles == len(rows) - 1 and _texts(rows, titles) < 2:
        titles = 0
    if not _is_header(rows, titles, region):
        return Shape(titles, 0, {})
    depth = _depth(rows, titles, merged)
    return Shape(titles, depth, _labels(rows[titles : titles + depth], merged))


def _texts(rows: Rows, at: int) -> int:
    return sum(1 for text in rows[at][1].values() if text)


def _is_title(rows: Rows, at: int) -> bool:
    """A lone text at the left, above a wider row: the header of a single column is not one."""
    first = next(column for column, text in rows[at][1].items() if text)
    left = min(c for _, cells in rows for c in cells)
    return first == left and not is_value(rows[at][1][first])


def _is_header(rows: Rows, at: int, region: Region) -> bool:
    if len(rows) - at < 2:
        return False
    cells = rows[at][1]
    texts = [text for text in cells.values() if text]
    if not texts or any(is_value(text) or len(text) > _MAX_LABEL for text in texts):
        return False
    if all(_YEAR.match(text) for text in texts):
        return len(texts) > 1 and not all(_YEAR.match(text) for text in rows[at + 1][1].values() if text)
    return len(set(texts)) > 1 or len(texts) == 1 or bool(region.declared)


def _depth(rows: Rows, at: int, merged: list[Range]) -> int:
    first = rows[at][0]
    starting = [area for area in merged if area.top == first and _touches(rows[at], area)]
    deepest = max((area.bottom - area.top + 1 for area in starting), default=1)
    across = any(area.right > area.left for area in starting)
    depth = 1
    if deepest > 1:
        depth = deepest
    elif across or _is_group_row(rows, at):
        depth = 2
    depth = min(depth, _MAX_DEPTH, len(rows) - at - 1)
    # Rows below the first belong to the header only while they hold names, not values.
    for extra in range(1, depth):
        if any(is_value(text) for text in rows[at + extra][1].values() if text):
            return extra
    return max(depth, 1)


def _touches(row: tuple[int, dict[int, str]], area: Range) -> bool:
    return bool(row[1].get(area.left))


def _is_group_row(rows: Rows, at: int) -> bool:
    """Names over groups of columns without merging: gaps above, names below, then values."""
    if len(rows) - at < 3:
        return False
    above, names, values = (rows[at + i][1] for i in range(3))
    filled = [text for text in names.values() if text]
    if any(is_value(text) for text in filled) or len([t for t in above.values() if t]) > len(filled) / 2 + 1:
        return False
    numbers = sum(1 for text in values.values() if is_value(text))
    gaps = [c for c in names if c not in above and names[c]]
    return len(gaps) >= 2 and len(filled) > 2 and numbers >= len(filled) / 2


def _labels(rows: Rows, merged: list[Range]) -> dict[int, str]:
    columns = sorted({c for _, cells in rows for c in cells})
    parts: dict[int, list[str]] = {column: [] for column in columns}
    for index, (at, cells) in enumerate(rows):
        spans = {
            c: cells.get(area.left, "")
            for area in merged
            if area.top == at and area.right > area.left
            for c in range(area.left, area.right + 1)
        }
        group = ""
        for column in columns:
            text = cells.get(column, "") or spans.get(column, "")
            if not text and not spans and index < len(rows) - 1 and column not in cells:
                text = group
            group = text or group
            if text and text not in parts[column]:
                parts[column].append(text)
    return {column: " ".join(" / ".join(texts).split()) for column, texts in parts.items() if texts}
