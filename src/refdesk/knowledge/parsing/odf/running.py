"""Running text of OpenDocument → blocks: headings, lists with numbers, tables, notes, text boxes."""

from dataclasses import dataclass, field

from refdesk.knowledge.parsing.blocks import BlockList
from refdesk.knowledge.parsing.embedded_pictures import Pictures
from refdesk.knowledge.parsing.grid import markdown_table
from refdesk.knowledge.parsing.links import linked
from refdesk.knowledge.parsing.odf.package import DRAW, OFFICE, TABLE, TEXT, XLINK, ListLevel, Styles
from refdesk.knowledge.parsing.ordinals import ordinal
from refdesk.knowledge.parsing.xml_tree import Element, local_name, whole_number

_DROPPED = (
    *(f"{TEXT}{n}" for n in ("tracked-changes", "note-citation", "sequence-decls", "variable-decls")),
    *(f"{TEXT}{n}" for n in ("user-field-decls", "index-title-template", "hidden-text", "page-number")),
    *(f"{TEXT}{n}" for n in ("table-of-content-source", "alphabetical-index-source")),
    *(f"{OFFICE}{n}" for n in ("forms", "event-listeners")),
    f"{TABLE}shapes",
)
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_DRAWINGS = (".svg", ".svm", ".emf", ".wmf")
_MAX_REPEATED = 1_000


@dataclass(slots=True)
class _Inline:
    text: str = ""
    later: list[Element] = field(default_factory=list[Element])


@dataclass(slots=True)
class TextReader:
    """Walks the content of a document, a text box or a cell; `page` is given to every block."""

    found: BlockList
    styles: Styles
    include_comments: bool
    page: int | None = None
    comments: int = 0
    notes: int = 0
    pictures: Pictures | None = None
    _code: list[str] = field(default_factory=list[str])
    _headings: dict[int, int] = field(default_factory=dict[int, int])
    _lists: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])

    def walk(self, node: Element) -> None:
        """All blocks of a node."""
        self._block(node)
        self._end_code()

    def _children(self, node: Element) -> None:
        for child in node:
            self._block(child)

    def _block(self, node: Element) -> None:
        tag = node.tag
        if tag in _DROPPED or not isinstance(tag, str) or tag.startswith(_SVG):
            return
        if tag == f"{TEXT}h":
            self._heading(node)
        elif tag == f"{TEXT}p":
            self._paragraph(node, None, None)
        elif tag == f"{TEXT}list":
            self._list(node, node.get(f"{TEXT}style-name", ""), 1)
        elif tag == f"{TABLE}table":
            self._end_code()
            later: list[Element] = []
            self.found.add("table", markdown_table(self.grid(node, later)), page=self.page)
            for item in later:
                self._later(item)
        elif tag == f"{OFFICE}annotation":
            self._later(node)
        elif tag == f"{DRAW}frame" and self.pictures is not None:
            self._end_code()
            for member in picture_of_frame(node):
                if self.pictures.add(member, page=self.page):
                    break
            self._children(node)
        else:
            self._children(node)

    def _heading(self, node: Element, label: str | None = None) -> None:
        """A heading; `label` is its number where it stands in a list."""
        self._end_code()
        inline = self.inline(node)
        level = min(max(whole_number(node, f"{TEXT}outline-level", 1), 1), 10)
        text = " ".join(inline.text.split())
        if text:
            if node.get(f"{TEXT}is-list-header") != "true" and self.styles.outline:
                label = self._heading_label(level) or label
            text = f"{label} {text}" if label and label != "-" else text
            self.found.add("heading", text, level=min(level, 6), page=self.page)
        for item in inline.later:
            self._later(item)

    def _heading_label(self, level: int) -> str:
        shape = self.styles.outline.get(level)
        if shape is None:
            return ""
        self._headings[level] = self._headings.get(level, shape.start - 1) + 1
        self._headings = {at: n for at, n in self._headings.items() if at <= level}
        if shape.form in ("none", "bullet"):
            return ""
        first = max(1, level - shape.shown_levels + 1)
        parts = [
            ordinal(self._headings.get(at, 1), self.styles.outline[at].form)
            for at in range(first, level + 1)
            if at in self.styles.outline and self.styles.outline[at].form not in ("none", "bullet")
        ]
        return f"{shape.prefix}{'.'.join(parts)}{shape.suffix}"

    def _paragraph(self, node: Element, label: str | None, depth: int | None) -> None:
        inline = self.inline(node)
        role = self.styles.role(node.get(f"{TEXT}style-name"))
        if role == "code" and depth is None:
            self._code.append(inline.text)
        else:
            self._end_code()
            if depth is not None:
                text = f"{label} {inline.text}" if label and inline.text.strip() else inline.text
                self.found.add("list_item", text, level=depth, page=self.page)
            elif role == "title" and not any(b.kind == "heading" for b in self.found.blocks):
                self.found.add("heading", " ".join(inline.text.split()), level=1, page=self.page)
            elif role in ("quote", "caption"):
                self.found.add("quote" if role == "quote" else "caption", inline.text, page=self.page)
            else:
                self.found.add("paragraph", inline.text, page=self.page)
        for item in inline.later:
            self._later(item)

    def _end_code(self) -> None:
        if self._code:
            self.found.add("code", "\n".join(self._code), page=self.page)
            self._code.clear()

    def _list(self, node: Element, style: str, level: int) -> None:
        shape = self.styles.lists.get(style, {}).get(level)
        continued = node.get(f"{TEXT}continue-numbering") == "true" or node.get(f"{TEXT}continue-list")
        key = (style, level)
        if not continued or key not in self._lists:
            self._lists[key] = (shape.start if shape else 1) - 1
        for item in node:
            first = local_name(item) == "list-item"
            if first:
                self._lists[key] = whole_number(item, f"{TEXT}start-value", self._lists[key] + 1)
            for child in item:
                if child.tag == f"{TEXT}list":
                    self._list(child, child.get(f"{TEXT}style-name") or style, level + 1)
                elif child.tag in (f"{TEXT}p", f"{TEXT}h"):
                    label = self._label(shape, style, level) if first else None
                    if child.tag == f"{TEXT}h":
                        self._heading(child, label)
                    else:
                        self._paragraph(child, label, level - 1)
                    first = False
                else:
                    self._block(child)

    def _label(self, shape: ListLevel | None, style: str, level: int) -> str:
        if shape is None or shape.form == "bullet":
            return "-"
        if shape.form == "none":
            return ""
        levels = self.styles.lists[style]
        first = max(1, level - shape.shown_levels + 1)
        parts = [
            ordinal(self._lists.get((style, at), 1), levels[at].form)
            for at in range(first, level + 1)
            if at in levels
        ]
        return f"{shape.prefix}{'.'.join(parts)}{shape.suffix}"

    def inline(self, node: Element) -> _Inline:
        """Text of one paragraph, and what hangs on it."""
        found = _Inline()
        parts: list[str] = []
        self._walk(node, parts, found)
        found.text = "".join(parts).replace("\u00ad", "").strip("\n")
        return found

    def _walk(self, node: Element, parts: list[str], found: _Inline) -> None:
        self._piece(node.text, parts)
        for child in node:
            tag = child.tag
            name = local_name(child)
            if tag == f"{TEXT}s":
                parts.append(" " * min(whole_number(child, f"{TEXT}c", 1), 200))
            elif tag == f"{TEXT}tab":
                parts.append("\t")
            elif tag == f"{TEXT}line-break":
                parts.append("\n")
            elif tag == f"{TEXT}note":
                self.notes += 1
                child.set("number", str(self.notes))
                parts.append(f"[^{self.notes}]")
                found.later.append(child)
            elif tag == f"{OFFICE}annotation" or (isinstance(tag, str) and tag.startswith(DRAW)):
                found.later.append(child)
            elif tag == f"{TEXT}a":
                inside: list[str] = []
                self._walk(child, inside, found)
                parts.append(linked("".join(inside), child.get(f"{XLINK}href", "")))
            elif name == "ruby-text":
                parts.extend(("(", "".join(child.itertext()), ")"))
            elif tag not in _DROPPED and isinstance(tag, str):
                self._walk(child, parts, found)
            self._piece(child.tail, parts)

    def _piece(self, text: str | None, parts: list[str]) -> None:
        if text:
            # White space of the XML counts as one space; real spaces are elements.
            parts.append(" ".join(text.replace("\n", " ").split(" ")) if "\n" in text else text)

    def _later(self, node: Element) -> None:
        if node.tag == f"{TEXT}note":
            body = node.find(f"{TEXT}note-body")
            lines = [self.inline(p).text for p in body.iter(f"{TEXT}p")] if body is not None else []
            self.found.add("paragraph", f"[^{node.get('number')}]: " + "\n".join(lines), page=self.page)
        elif node.tag == f"{OFFICE}annotation":
            self.comments += 1
            if self.include_comments:
                lines = [self.inline(p).text for p in node.iter(f"{TEXT}p")]
                self.found.add("paragraph", "\n".join(lines), page=self.page)
        else:
            self._block(node)

    def grid(self, table: Element, later: list[Element]) -> list[list[str]]:
        """Rows of cells; places under a merged cell are empty."""
        rows: list[list[str]] = []
        for row in table_rows(table):
            line: list[str] = []
            for cell in row:
                kind = local_name(cell)
                if kind not in ("table-cell", "covered-table-cell"):
                    continue
                text = self.cell(cell, later)
                line.extend(
                    [text] * (repeated(cell, "columns") if text else min(repeated(cell, "columns"), 100))
                )
            rows.extend([line] * (repeated(row, "rows") if any(line) else 1))
        return rows

    def cell(self, cell: Element, later: list[Element]) -> str:
        """Text of a cell: paragraphs, lists and nested tables, a line each."""
        lines: list[str] = []
        for child in cell:
            if child.tag == f"{TABLE}table":
                lines.extend("; ".join(t for t in row if t) for row in self.grid(child, later))
            elif child.tag == f"{OFFICE}annotation" or (
                isinstance(child.tag, str) and child.tag.startswith(DRAW)
            ):
                later.append(child)
            elif child.tag == f"{TEXT}list":
                outer, self.found = self.found, BlockList()
                self._list(child, child.get(f"{TEXT}style-name", ""), 1)
                lines.extend(block.text for block in self.found.blocks)
                self.found = outer
            else:
                for node in child.iter(f"{TEXT}p", f"{TEXT}h"):
                    inline = self.inline(node)
                    lines.append(inline.text)
                    later.extend(inline.later)
        return "\n".join(line for line in lines if line.strip())


def picture_of_frame(frame: Element) -> list[str]:
    """Members of the picture in a frame, the best first: programs store one picture in several formats.

    Drawings made of lines come last, for they are what a reader of pictures knows least.
    """
    images = (image.get(f"{XLINK}href", "").removeprefix("./") for image in frame.iterfind(f"{DRAW}image"))
    return sorted((name for name in images if name), key=lambda name: name.lower().endswith(_DRAWINGS))


def repeated(node: Element, what: str) -> int:
    """How often a row or cell is repeated, to a limit: empty ones fill a sheet to its end."""
    return min(max(whole_number(node, f"{TABLE}number-{what}-repeated", 1), 1), _MAX_REPEATED)


def table_rows(table: Element) -> list[Element]:
    """Rows of a table, through header rows and groups."""
    rows: list[Element] = []
    for child in table:
        if child.tag == f"{TABLE}table-row":
            rows.append(child)
        elif local_name(child) in ("table-header-rows", "table-rows", "table-row-group"):
            rows.extend(table_rows(child))
    return rows
