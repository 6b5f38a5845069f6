"""Entries of a PDF's outline, and of a contents page whose lines are links inside the document."""

import ctypes
import re
from typing import Any

from refdesk.knowledge.parsing.layout.headings import Entry
from refdesk.knowledge.parsing.pdf.vendor import Handle, PdfiumError, raw

_MAX_ENTRIES = 20_000
_LEADERS = re.compile(r"[\s.·…]*\d*\s*$")


def outline_entries(document: Handle, heights: list[float]) -> list[Entry]:
    """Entries of the outline that name a page and a title."""
    out: list[Entry] = []
    for item in document.get_toc(max_depth=12):
        if len(out) >= _MAX_ENTRIES:
            break
        title = item.get_title().replace("\x00", "").strip()
        target = item.get_dest()
        index = target.get_index() if target is not None else None
        if not title or index is None or not 0 <= index < len(heights):
            continue
        position: list[float] = [float(value) for value in _place(target)]
        y: float | None = heights[int(index)] - position[1] if len(position) >= 2 else None
        out.append(Entry(title, item.level + 1, index + 1, y))
    return out


def _place(target: Handle) -> list[Any]:
    return list(target.get_view()[1]) if target is not None else []


def link_entries(document: Handle, pages: int, heights: list[float]) -> list[Entry]:
    """Entries of a contents page: at least four links inside the document on one of the first pages."""
    for number in range(min(pages, 12)):
        try:
            page = document[number]
            textpage = page.get_textpage()
        except PdfiumError:
            continue  # reported as damaged when its text was read
        found: list[tuple[float, float, Entry]] = []
        position = ctypes.c_int(0)
        link = raw.FPDF_LINK()
        while len(found) < 500 and raw.FPDFLink_Enumerate(
            page.raw, ctypes.byref(position), ctypes.byref(link)
        ):
            target = raw.FPDFLink_GetDest(document.raw, link)
            index = raw.FPDFDest_GetDestPageIndex(document.raw, target) if target else -1
            rect = raw.FS_RECTF()
            if index < number or index >= pages or not raw.FPDFLink_GetAnnotRect(link, ctypes.byref(rect)):
                continue
            text = textpage.get_text_bounded(rect.left, rect.bottom, rect.right, rect.top).replace(
                "\r\n", " "
            )
            title = _LEADERS.sub("", text).strip()
            if len(title) > 1 and not title.isdigit():
                found.append((rect.left, -rect.top, Entry(title, 1, index + 1, None)))
        textpage.close()
        if len(found) >= 4 and len({e.page for _, _, e in found}) >= 2:
            lefts = sorted({round(left / 8) for left, _, _ in found})
            for left, _, entry in found:
                entry.level = min(lefts.index(round(left / 8)) + 1, 6)
            return [entry for _, _, entry in sorted(found, key=lambda f: f[1])]
    return []
