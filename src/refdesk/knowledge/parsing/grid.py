"""Cells → a Markdown table, the one form in which tables travel through Refdesk.

A merged cell holds its text once, in its first row and column; the other places it covers are empty.
"""

import re
from collections.abc import Sequence

_BREAKS = re.compile(r"\s*\n\s*")


def cell_text(text: str) -> str:
    """Text of one cell on one line: pipes escaped, line breaks as `<br>`."""
    return _BREAKS.sub("<br>", text.strip()).replace("\u00a0", " ").replace("|", "\\|")


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as a Markdown table whose first row is the header; empty rows and columns are dropped."""
    kept = [[cell_text(cell) for cell in row] for row in rows if any(cell.strip() for cell in row)]
    if not kept:
        return ""
    width = max(len(row) for row in kept)
    grid = [row + [""] * (width - len(row)) for row in kept]
    used = [i for i in range(width) if any(row[i] for row in grid)]
    lines = ["| " + " | ".join(row[i] for i in used) + " |" for row in grid]
    lines.insert(1, "|" + " --- |" * len(used))
    return "\n".join(lines)
