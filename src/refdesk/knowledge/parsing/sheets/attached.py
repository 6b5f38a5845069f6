"""What hangs on a sheet of an XLSX beside its cells: declared tables, notes, drawings, printed headers."""

import re

from refdesk.knowledge.parsing.container import Container
from refdesk.knowledge.parsing.sheets.model import Sheet, cell_place, cell_range
from refdesk.knowledge.parsing.sheets.raw import raw_drawn
from refdesk.knowledge.parsing.xml_tree import Element

_EMBED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed"
_RID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
# Codes of headers and footers (ECMA-376 part 1, 18.3.1.46): sections, fonts, and what changes by page or day.
_CODE = re.compile(r'&(?:"[^"]*"|\d+|K(?:[0-9A-Fa-f]{6}|\d\d[+-]\d{3})|[A-Za-z&])')
_PARTS = re.compile(r"&[LCR]")
_COPIED = "[Threaded comment]"


def read_attached(sheet: Sheet, container: Container, member: str) -> list[str]:
    """Fill in tables, notes, texts and pictures of a sheet; returns the drawn texts read independently."""
    for part in container.related(member, "table"):
        root = container.xml(part)
        area = cell_range(root.get("ref", "")) if root is not None else None
        if area:
            sheet.tables.append(area)
    _notes(sheet, container, member)
    raw: list[str] = []
    for part in container.related(member, "drawing"):
        raw.append(raw_drawn(container.prepared(part)))
        root = container.xml(part)
        if root is not None:
            _drawing(sheet, container, part, root)
    sheet.drawn = [text for text in sheet.drawn if text.strip()]
    return raw


def _notes(sheet: Sheet, container: Container, member: str) -> None:
    """Notes, and the threads of newer programs, which leave a note with a hint for older ones."""
    threads: dict[tuple[int, int], list[str]] = {}
    for part in container.related(member, "threadedComment"):
        root = container.xml(part)
        for node in root.iterfind("{*}threadedComment") if root is not None else ():
            place = cell_place(node.get("ref", ""))
            text = "".join(t.text or "" for t in node.iterfind("{*}text")).strip()
            if place and text:
                threads.setdefault(place, []).append(text)
    for part in container.related(member, "comments"):
        root = container.xml(part)
        for node in root.iterfind("{*}commentList/{*}comment") if root is not None else ():
            place = cell_place(node.get("ref", ""))
            text = "".join(t.text or "" for t in node.iterfind(".//{*}t")).strip()
            if place and text and not (place in threads and text.startswith(_COPIED)):
                sheet.notes.append((*place, text))
    for place, texts in threads.items():
        sheet.notes.append((*place, "\n".join(texts)))
    sheet.notes.sort()


def _drawing(sheet: Sheet, container: Container, part: str, root: Element) -> None:
    for body in root.iterfind(".//{*}txBody"):
        lines = ("".join(t.text or "" for t in p.iterfind(".//{*}t")) for p in body.iterfind("{*}p"))
        sheet.drawn.append("\n".join(line for line in lines if line.strip()))
    for blip in root.iter("{*}blip"):
        picture = container.relation_target(part, blip.get(_EMBED, ""))
        if picture is not None:
            sheet.pictures.append(picture)
    for node in root.iter("{*}chart"):
        member = container.relation_target(part, node.get(_RID, ""))
        chart = container.xml(member) if member is not None else None
        # Its values are cells of the workbook; only its titles stand nowhere else.
        for title in chart.iter("{*}title") if chart is not None else ():
            sheet.drawn.append("".join(t.text or "" for t in title.iter("{*}t")))


def read_running(sheet: Sheet, node: Element) -> None:
    """Header and footer of the printed pages of a sheet, without what changes from page to page."""
    for child in node:
        name = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
        lines = sheet.header if name.endswith("Header") else sheet.footer
        for part in _PARTS.split(child.text or ""):
            text = " ".join(_CODE.sub(lambda m: _shown(m[0], sheet.name), part).split())
            if any(c.isalnum() for c in text) and text not in lines:
                lines.append(text)


def _shown(code: str, name: str) -> str:
    return {"&&": "&", "&A": name}.get(code, "")
