"""HTML tables: data or layout, and the grid of the former."""

import re

from selectolax.lexbor import LexborNode

from refdesk.knowledge.parsing.grid import markdown_table

_SPACE = re.compile(r"[ \t\r\n\f\u00a0\u200b]+")
_STRUCTURE = "h1,h2,h3,h4,h5,h6,pre,ul,ol,blockquote"
_MAX_SPAN = 1000
_MAX_DEPTH = 200


def is_layout(table: LexborNode) -> bool:
    """Whether a table only arranges a page: it holds other tables or headings, or has a single column."""
    if table.attributes.get("role") == "presentation":
        return True
    rows = _rows(table)
    if max((len(_cells(row)) for row in rows), default=0) < 2:
        return table.css_first("th") is None
    if table.css_first("table table, " + ", ".join(f"td {tag}" for tag in _STRUCTURE.split(","))) is None:
        return False
    if table.css_first("th") is not None and len(rows) > 1:
        return False
    nested = [t for t in table.css("table") if t.mem_id != table.mem_id]
    if nested:
        inside = sum(len(t.text().strip()) for t in nested)
        return inside > 0.3 * max(1, len(table.text().strip()))
    return len(rows) < 3


def table_markdown(table: LexborNode) -> tuple[str, str, list[str]]:
    """Caption and Markdown of a data table, and the addresses of the pictures in its cells.

    Spans keep their text once, other places stay empty.
    """
    pictures: list[str] = []
    caption = ""
    grid: list[list[str]] = []
    busy: dict[int, int] = {}
    for node in table.css("caption"):
        caption = _SPACE.sub(" ", node.text()).strip()
        break
    for row in _rows(table):
        line: list[str] = []
        column = 0
        following: dict[int, int] = {c: left - 1 for c, left in busy.items() if left > 1}
        for cell in _cells(row):
            while busy.get(column):
                line.append("")
                column += 1
            wide, high = _span(cell, "colspan"), _span(cell, "rowspan")
            line.append(_cell(cell, pictures))
            line.extend([""] * (wide - 1))
            if high > 1:
                following |= dict.fromkeys(range(column, column + wide), high - 1)
            column += wide
        while busy.get(column):
            line.append("")
            column += 1
        busy = following
        grid.append(line)
    return caption, markdown_table(grid), pictures


def _rows(table: LexborNode) -> list[LexborNode]:
    rows: list[LexborNode] = []
    node = table.child
    while node is not None:
        if node.tag == "tr":
            rows.append(node)
        elif node.tag in ("thead", "tbody", "tfoot"):
            rows.extend(_rows(node))
        node = node.next
    return rows


def _cells(row: LexborNode) -> list[LexborNode]:
    cells: list[LexborNode] = []
    node = row.child
    while node is not None:
        if node.tag in ("td", "th"):
            cells.append(node)
        node = node.next
    return cells


def _span(cell: LexborNode, name: str) -> int:
    value = (cell.attributes.get(name) or "1").strip()
    return min(max(int(value), 1), _MAX_SPAN) if value.isdigit() else 1


def _cell(cell: LexborNode, pictures: list[str]) -> str:
    parts: list[str] = []
    _collect(cell, parts, pictures, 0)
    lines = (_SPACE.sub(" ", line).strip() for line in "".join(parts).split("\x1e"))
    return "\n".join(line for line in lines if line)


def _collect(node: LexborNode, parts: list[str], pictures: list[str], depth: int) -> None:
    if depth > _MAX_DEPTH:
        parts.append(node.text(separator=" "))
        return
    child = node.child
    while child is not None:
        tag = child.tag or ""
        if tag == "-text":
            parts.append(child.text_content or "")
        elif tag == "br":
            parts.append("\x1e")
        elif tag == "img":
            pictures.append(child.attributes.get("src") or "")
        elif tag == "rt":
            parts.append(ruby_text(child))
        elif tag in ("td", "th"):
            _collect(child, parts, pictures, depth + 1)
            parts.append("; ")
        elif tag in ("p", "div", "li", "tr", "ul", "ol", "table", "pre"):
            parts.append("\x1e")
            if tag == "li":
                parts.append(marker_of(child))
            _collect(child, parts, pictures, depth + 1)
            parts.append("\x1e")
        elif not tag.startswith(("-", "!", "_")):
            _collect(child, parts, pictures, depth + 1)
        child = child.next


def ruby_text(node: LexborNode) -> str:
    """How a character is read, in brackets where the page draws none itself."""
    text = node.text()
    around = node.parent.css_first("rp") if node.parent is not None else None
    return text if around is not None or not text.strip() else f"({text.strip()})"


def marker_of(item: LexborNode) -> str:
    """What a browser draws before an item of a list inside a cell."""
    parent = item.parent
    if parent is None or parent.tag != "ol":
        return "- "
    start = parent.attributes.get("start") or "1"
    number = int(start) if start.lstrip("-").isdigit() else 1
    before = item.prev
    while before is not None:
        number += before.tag == "li"
        before = before.prev
    return f"{number}. "
