"""Tables that a page break divides: the rows of the second part belong to the first, its header does not."""

import re

from refdesk.knowledge.parsing.layout.lines import Text

# How far, in points, the edges of both parts may lie apart.
_SAME_EDGE = 6.0
_CELL_BORDER = re.compile(r"(?<!\\)\|")


def continued_rows(before: Text, after: Text) -> list[str] | None:
    """Rows (Markdown) that the table `after` adds to the table `before`; None where it is another table."""
    if not before.table or not after.table or not before.boxes or not after.boxes:
        return None
    upper, lower = before.boxes[-1], after.boxes[0]
    if lower.page != upper.page + 1:
        return None
    if abs(upper.x0 - lower.x0) > _SAME_EDGE or abs(upper.x1 - lower.x1) > _SAME_EDGE:
        return None
    header = before.table.split("\n", 1)[0]
    first, _, *rest = after.table.split("\n")
    if _columns(header) != _columns(first):
        return None
    return rest if first == header else [first, *rest]


def _columns(row: str) -> int:
    return len(_CELL_BORDER.findall(row)) - 1
