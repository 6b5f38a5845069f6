"""DOCX → blocks in the order of the document."""

import re
from typing import Any

from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.container import Container
from refdesk.knowledge.parsing.coverage import finish
from refdesk.knowledge.parsing.docx.attached import Attached
from refdesk.knowledge.parsing.docx.numbering import W, read_numbering
from refdesk.knowledge.parsing.docx.raw import raw_diagrams, raw_notes, raw_text
from refdesk.knowledge.parsing.docx.runs import MC, Inline, R, RunReader
from refdesk.knowledge.parsing.docx.styles import Style, Styles, number_of, outline_level
from refdesk.knowledge.parsing.docx.unstyled import is_strong, label_unstyled
from refdesk.knowledge.parsing.errors import CorruptFile, EmptyFile, NoText
from refdesk.knowledge.parsing.grid import markdown_table
from refdesk.knowledge.parsing.numbering import Numbering
from refdesk.knowledge.parsing.unpacking import ZIP_MAGIC
from refdesk.knowledge.parsing.xml_tree import Element

_CODE_STYLE = re.compile(r"\bcode\b|sourcecode|html preformatted|代码|verbatim")
_QUOTE_STYLE = re.compile(r"quote|引用|block text")
_CAPTION_STYLE = re.compile(r"^(?:caption|题注|image caption|table caption)$")
_MAX_TITLE = 300


class Docx:
    """Word documents since 2007."""

    kind = "docx"
    suffixes = (".docx", ".docm", ".dotx")

    def supports(self, name: str, head: bytes) -> bool:
        """A ZIP with the parts of a Word document."""
        if not head.startswith(ZIP_MAGIC):
            return False
        is_package = b"\n[Content_Types].xml\n" in head and b"\nword/" in head
        return is_package or b"word/document.xml" in head or name.lower().endswith(self.suffixes)

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Headings, lists with numbers, tables, text boxes and notes; headers and footers go to `meta`."""
        with Container(data, options) as container:
            return _read(container, name, options)


def _read(container: Container, name: str, options: ParseOptions) -> Parsed:
    main = container.main_part("word/document.xml")
    root = container.xml(main)
    body = root.find(f"{W}body") if root is not None else None
    if body is None:
        raise CorruptFile("The file holds no Word document.")
    relations = container.relations(main)
    found = BlockList()

    def part(kind: str) -> Element | None:
        return container.xml(next(iter(container.related(main, kind)), f"word/{kind}.xml"))

    notes = {kind: _notes(part(f"{kind}s"), kind) for kind in ("footnote", "endnote", "comment")}
    reader = RunReader(
        {key: target for key, (kind, target) in relations.items() if kind == "hyperlink"},
        options.include_comments,
    )
    walker = _Walker(
        found,
        reader,
        Styles.read(part("styles")),
        read_numbering(part("numbering")),
        notes,
        Attached(container, main, found, options),
    )
    running = _running(container, main, reader)
    if options.include_running:
        _write_running(running["header"], found)
    walker.walk(body)
    if options.include_running:
        _write_running(running["footer"], found)
    label_unstyled(found, walker.strong)
    meta: dict[str, Any] = dict(container.core_properties())
    meta["running_headers"] = list(dict.fromkeys(text for texts in running.values() for text in texts))
    if notes["comment"] and not options.include_comments:
        meta["comments_left_out"] = len(notes["comment"])
    pictures = sum(1 for n in container.names if n.startswith("word/media/"))
    meta["pictures"] = pictures or None
    if not found.blocks:
        if pictures:
            raise NoText
        raise EmptyFile("The document holds no text.", hint="It may hold headers and footers only.")
    sources = [raw_text(body), *raw_notes(body, notes, comments=options.include_comments)]
    sources += [*raw_diagrams(container, main), *walker.attached.sources]
    if options.include_running:
        sources += [text for texts in running.values() for text in texts]
    return finish(name, "docx", found, meta, "".join(sources))


class _Walker:
    def __init__(
        self,
        found: BlockList,
        reader: RunReader,
        styles: Styles,
        numbering: Numbering,
        notes: dict[str, dict[str, Element]],
        attached: Attached,
    ) -> None:
        self.found = found
        self.reader = reader
        self.styles = styles
        self.numbering = numbering
        self.notes = notes
        self.attached = attached
        self.strong: set[int] = set()
        self.placed: set[tuple[str, str]] = set()
        self.carried: list[str] = []
        self.code: list[str] = []

    def walk(self, parent: Element) -> None:
        """Blocks of a body, a text box or a content control."""
        self._children(parent)
        self._end_code()

    def _children(self, parent: Element) -> None:
        for child in parent:
            if child.tag == f"{W}p":
                self._paragraph(child)
            elif child.tag == f"{W}tbl":
                self._table(child)
            elif child.tag == f"{W}altChunk":
                self._end_code()
                self.attached.chunk(child.get(f"{R}id", ""))
            elif child.tag in (f"{W}del", f"{W}moveFrom", f"{W}sectPr", f"{W}sdtPr"):
                continue
            elif child.tag == f"{MC}AlternateContent":
                self._children(next(iter(child), child))
            elif isinstance(child.tag, str):
                self._children(child)

    def _paragraph(self, node: Element) -> None:
        properties = node.find(f"{W}pPr")
        inline = self.reader.read(node)
        if properties is not None and properties.find(f"{W}rPr/{W}del") is not None:
            # The paragraph mark was deleted: in the final text this paragraph runs on into the next.
            self.carried.append(inline.text)
            return
        if self.carried:
            inline.text = "".join([*self.carried, inline.text])
            self.carried.clear()
        style = self._style(properties)
        if _CODE_STYLE.search(style.name) and inline.text:
            self.code.append(inline.text)
        else:
            self._end_code()
            before = len(self.found.blocks)
            self._text(inline, properties, style)
            if len(self.found.blocks) > before and is_strong(node):
                self.strong.add(before)
        self._attached(inline)

    def _style(self, properties: Element | None) -> Style:
        node = properties.find(f"{W}pStyle") if properties is not None else None
        return self.styles.resolve(node.get(f"{W}val") if node is not None else "Normal")

    def _text(self, inline: Inline, properties: Element | None, style: Style) -> None:
        own = outline_level(properties)
        outline = own if own is not None else style.outline
        number = number_of(properties)
        if number is None or number[0] == "":
            inherited = style.number
            number = (
                (inherited[0], number[1] if number and number[1] is not None else inherited[1])
                if inherited
                else None
            )
        label = None
        depth = 0
        if number is not None and number[0] not in ("", "0") and inline.text:
            depth = self._depth(number, style, outline)
            label = self.numbering.label(number[0], depth)
        text = f"{label} {inline.text}" if label else inline.text
        if style.name == "title" and outline is None and not self._has_heading():
            self.found.add("heading", inline.text, level=1)
        elif outline is not None and outline <= 9 and len(text) <= _MAX_TITLE:
            self.found.add("heading", text.removeprefix("- ").replace("\n", " "), level=min(outline, 6))
        elif label is not None:
            self.found.add("list_item", text, level=depth)
        elif style.name.startswith("list") and style.name != "list paragraph":
            self.found.add("list_item", text, level=0)
        elif _CAPTION_STYLE.match(style.name):
            self.found.add("caption", text)
        else:
            self.found.add("quote" if _QUOTE_STYLE.search(style.name) else "paragraph", text)

    def _depth(self, number: tuple[str, int | None], style: Style, outline: int | None) -> int:
        """The level in a list: as the paragraph says, or the level that belongs to its style."""
        if number[1] is not None:
            return number[1]
        of_style = self.numbering.level_of_style(number[0], style.ids)
        return of_style if of_style is not None else max(0, (outline or 1) - 1)

    def _has_heading(self) -> bool:
        return any(block.kind == "heading" for block in self.found.blocks)

    def _end_code(self) -> None:
        if self.code:
            self.found.add("code", "\n".join(self.code))
            self.code.clear()

    def _attached(self, inline: Inline) -> None:
        for box in inline.boxes:
            self._children(box)
        for kind, relation in inline.drawings:
            self.attached.draw(kind, relation)
        for kind, number in inline.notes:
            note = self.notes.get(kind, {}).get(number)
            if note is not None and (kind, number) not in self.placed:
                self.placed.add((kind, number))
                shown = self.reader.note_numbers[kind, number]
                label = f"[^{shown if kind == 'footnote' else f'{kind}-{shown}'}]: "
                texts = [self.reader.read(p).text for p in note.iter(f"{W}p")]
                self.found.add("paragraph", label + "\n".join(t for t in texts if t))

    def _table(self, node: Element) -> None:
        self._end_code()
        later: list[Inline] = []
        self.found.add("table", markdown_table(self._grid(node, later)))
        for inline in later:
            self._attached(inline)

    def _grid(self, node: Element, later: list[Inline]) -> list[list[str]]:
        rows: list[list[str]] = []
        for row in _inner(node, "tr"):
            if row.find(f"{W}trPr/{W}del") is not None:
                continue
            before = row.find(f"{W}trPr/{W}gridBefore")
            line = [""] * (_int(before.get(f"{W}val")) if before is not None else 0)
            for cell in _inner(row, "tc"):
                properties = cell.find(f"{W}tcPr")
                if properties is not None and properties.find(f"{W}cellDel") is not None:
                    continue
                span = properties.find(f"{W}gridSpan") if properties is not None else None
                merged = properties.find(f"{W}vMerge") if properties is not None else None
                continued = merged is not None and merged.get(f"{W}val") != "restart"
                text = self._cell(cell, later)
                # A continued cell is empty in Word; where a tool left text in it, losing it would be worse.
                line.append("" if continued and _repeats(rows, len(line), text) else text)
                line.extend([""] * (max(1, _int(span.get(f"{W}val")) if span is not None else 1) - 1))
            rows.append(line)
        return rows

    def _cell(self, cell: Element, later: list[Inline]) -> str:
        parts: list[str] = []
        for child in _content(cell):
            if child.tag == f"{W}p":
                inline = self.reader.read(child)
                properties = child.find(f"{W}pPr")
                style = self._style(properties)
                number = number_of(properties) or style.number
                label = None
                if number and number[0] not in ("", "0") and inline.text:
                    label = self.numbering.label(number[0], self._depth(number, style, style.outline))
                parts.append(f"{label} {inline.text}" if label else inline.text)
                if inline.boxes or inline.notes or inline.drawings:
                    later.append(inline)
            else:
                for row in self._grid(child, later):
                    parts.append("; ".join(text for text in row if text))
        return "\n".join(part for part in parts if part.strip())


def _repeats(rows: list[list[str]], column: int, text: str) -> bool:
    above = next((row[column] for row in reversed(rows) if column < len(row) and row[column]), "")
    return not text or text == above


def _int(value: str | None) -> int:
    return min(int(value), 1000) if value and value.isdigit() else 0


def _inner(node: Element, name: str) -> list[Element]:
    """Rows or cells, through content controls, not through nested tables."""
    out: list[Element] = []
    for child in node:
        if child.tag == f"{W}{name}":
            out.append(child)
        elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins"):
            out.extend(_inner(child, name))
    return out


def _content(cell: Element) -> list[Element]:
    out: list[Element] = []
    for child in cell:
        if child.tag in (f"{W}p", f"{W}tbl"):
            out.append(child)
        elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins"):
            out.extend(_content(child))
    return out


def _notes(root: Element | None, kind: str) -> dict[str, Element]:
    if root is None:
        return {}
    nodes = (n for n in root.iter(f"{W}{kind}") if n.get(f"{W}type") in (None, "normal"))
    return {node.get(f"{W}id", ""): node for node in nodes}


def _running(container: Container, main: str, reader: RunReader) -> dict[str, list[str]]:
    """Texts of headers and of footers, each once: sections and odd and even pages repeat them."""
    found: dict[str, dict[str, None]] = {"header": {}, "footer": {}}
    for kind, texts in found.items():
        parts = container.related(main, kind) or [
            name for name in sorted(container.names) if re.fullmatch(rf"word/{kind}\d*\.xml", name)
        ]
        for name in parts:
            root = container.xml(name)
            for paragraph in root.iter(f"{W}p") if root is not None else ():
                text = reader.read(paragraph).text.strip()
                if text:
                    texts[text] = None
    return {kind: list(texts) for kind, texts in found.items()}


def _write_running(texts: list[str], found: BlockList) -> None:
    for text in texts:
        found.add("paragraph", text)
