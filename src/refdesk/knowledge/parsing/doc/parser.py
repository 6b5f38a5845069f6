"""DOC → blocks: paragraphs, headings, tables, lists, links and notes; deleted and hidden text is left out."""

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.coverage import finish
from refdesk.knowledge.parsing.doc.layout import Layout, u32
from refdesk.knowledge.parsing.doc.lists import read_lists
from refdesk.knowledge.parsing.doc.pictures import floating_pictures, inline_picture
from refdesk.knowledge.parsing.doc.properties import Paragraph, Properties
from refdesk.knowledge.parsing.embedded_pictures import add_picture
from refdesk.knowledge.parsing.errors import CorruptFile, EmptyFile, NoText, UnsupportedKind
from refdesk.knowledge.parsing.grid import markdown_table
from refdesk.knowledge.parsing.links import linked
from refdesk.knowledge.parsing.numbering import Numbering
from refdesk.knowledge.parsing.ole import OLE_MAGIC, ole_streams

_LINK = re.compile(r"""HYPERLINK\s+(?:\\[a-z]\s+)*"([^"]+)\"""")
_MARKS = {
    "\x0b": "\n",
    "\x0c": "\n",
    "\x0e": "\n",
    "\x1e": "-",
    "\x1f": "",
    "\x01": "",
    "\x08": "",
    "\x05": "",
}
_PICTURES = ("\x01", "\x08")
_MAX_TITLE = 300
_FIELD_DEPTH = 50


class Doc:
    """Word documents of Word 6 to 2003."""

    kind = "doc"
    suffixes = (".doc", ".dot", ".wps")

    def supports(self, name: str, head: bytes) -> bool:
        """An OLE file with a Word stream."""
        if not head.startswith(OLE_MAGIC):
            return False
        return b"\nWordDocument\n" in head or name.lower().endswith(self.suffixes)

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """The final text; headers and footers go to `meta`."""
        streams = ole_streams(data, ("WordDocument", "0Table", "1Table", "Data"))
        main = streams.get("WordDocument")
        if main is None:
            raise UnsupportedKind("The file is an old Office file, but no Word document.")
        layout = Layout.read(main, streams)
        text = layout.text()
        properties = Properties.read(layout)
        found = BlockList()
        bounds = _bounds(layout.counts, len(text))
        walker = _Walker(
            layout, text, properties, found, options, read_lists(layout), floating_pictures(layout)
        )
        walker.notes = _notes(layout, bounds)
        headers = walker.plain(*bounds["headers"]) if "headers" in bounds else ""
        running = list(dict.fromkeys(line.strip() for line in headers.split("\n") if line.strip()))
        for line in running if options.include_running else ():
            found.add("paragraph", line)
        walker.walk(*bounds["text"])
        if "boxes" in bounds:
            walker.walk(*bounds["boxes"])
        comments = walker.plain(*bounds["comments"]) if "comments" in bounds else ""
        if options.include_comments:
            for line in comments.split("\n"):
                found.add("paragraph", line)
        if not found.blocks:
            raise NoText if "\x01" in text or "\x08" in text else EmptyFile("The document holds no text.")
        left_out = [line for line in comments.split("\n") if line.strip()]
        meta = {
            "running_headers": running,
            "comments_left_out": None if options.include_comments else len(left_out) or None,
        }
        sources = [
            walker.plain(*bounds[part])
            for part in ("text", "boxes", "footnotes", "endnotes")
            if part in bounds
        ]
        sources += [comments] if options.include_comments else []
        sources += running if options.include_running else []
        return finish(name, self.kind, found, meta, "".join(sources))


def _bounds(counts: dict[str, int], length: int) -> dict[str, tuple[int, int]]:
    """Where each part of the text begins and ends; parts without text are left out."""
    bounds: dict[str, tuple[int, int]] = {}
    at = 0
    for name, size in counts.items():
        if size:
            bounds[name] = (min(at, length), min(at + size, length))
        at += size
    return bounds


def _notes(layout: Layout, bounds: dict[str, tuple[int, int]]) -> dict[int, tuple[str, int, int]]:
    """Position of a reference → (label, start, end) of its note."""
    notes: dict[int, tuple[str, int, int]] = {}
    for name, places, texts in (("footnotes", 2, 3), ("endnotes", 46, 47)):
        if name not in bounds:
            continue
        references, starts = layout.part(places), layout.part(texts)
        count = max(0, (len(references) - 4) // 6)
        for i in range(min(count, len(starts) // 4 - 1)):
            begin = bounds[name][0] + u32(starts, 4 * i)
            label = f"{i + 1}" if name == "footnotes" else f"endnote-{i + 1}"
            notes[u32(references, 4 * i)] = (label, begin, bounds[name][0] + u32(starts, 4 * i + 4))
    return notes


@dataclass(slots=True)
class _Walker:
    layout: Layout
    text: str
    properties: Properties
    found: BlockList
    options: ParseOptions
    lists: Numbering
    floating: dict[int, bytes]
    notes: dict[int, tuple[str, int, int]] = field(default_factory=dict[int, tuple[str, int, int]])
    cells: list[str] = field(default_factory=list[str])
    rows: list[list[str]] = field(default_factory=list[list[str]])
    inner: list[str] = field(default_factory=list[str])
    cell: list[str] = field(default_factory=list[str])
    pending: list[int] = field(default_factory=list[int])
    gone: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def __post_init__(self) -> None:
        self.gone = sorted(self.properties.gone)

    def walk(self, start: int, end: int) -> None:
        begin = start
        carried = ""
        for mark in re.finditer("[\r\x07]", self.text[start:end]):
            at = start + mark.start()
            paragraph = self.properties.paragraph(at)
            text, after = self._inline(begin, at)
            text = carried + text
            carried, begin = "", at + 1
            if mark[0] == "\r" and self._is_gone(at):
                carried = text  # its end was deleted: the paragraph goes on in the next one
                continue
            if mark[0] == "\x07" or paragraph.in_table:
                self._in_table(mark[0], text, paragraph)
            else:
                self._end_table()
                self._paragraph(text, paragraph)
            self._after(after)
        if begin < end or carried:
            text, after = self._inline(begin, end)
            self._end_table()
            self._paragraph(carried + text, Paragraph())
            self._after(after)
        self._end_table()

    def _in_table(self, mark: str, text: str, paragraph: Paragraph) -> None:
        if mark == "\r":
            if paragraph.inner_row_end:
                self.cell.append("; ".join(part for part in self.inner if part.strip()))
                self.inner = []
            elif paragraph.inner_cell:
                self.inner.append(text)
            else:
                self.cell.append(self._labelled(text, paragraph))
        elif paragraph.row_end:
            self.rows.append(self.cells)
            self.cells = []
        else:
            text = self._labelled(text, paragraph)
            self.cells.append("\n".join(part for part in (*self.cell, *self.inner, text) if part.strip()))
            self.inner = []
            self.cell = []

    def _end_table(self) -> None:
        if self.cell:
            self.cells.append("\n".join(self.cell))
        if self.cells:
            self.rows.append(self.cells)
        self.cell, self.cells = [], []
        if self.rows:
            self.found.add("table", markdown_table(self.rows))
            self.rows = []
            pending, self.pending = self.pending, []
            self._after(pending)

    def _paragraph(self, text: str, paragraph: Paragraph) -> None:
        if paragraph.level and len(text) <= _MAX_TITLE:
            shown = self._labelled(" ".join(text.split()), paragraph).removeprefix("- ")
            self.found.add("heading", shown, level=min(paragraph.level, 6))
        elif paragraph.title and not any(block.kind == "heading" for block in self.found.blocks):
            self.found.add("heading", " ".join(text.split()), level=1)
        elif paragraph.list_id and text.strip():
            shown = self._labelled(text.strip(), paragraph)
            self.found.add("list_item", shown, level=paragraph.list_level)
        else:
            self.found.add("paragraph", text)

    def _labelled(self, text: str, paragraph: Paragraph) -> str:
        """The text with the number or the mark of its list."""
        if not paragraph.list_id or not text.strip():
            return text
        label = self.lists.label(str(paragraph.list_id), paragraph.list_level)
        label = "-" if label is None else label
        return f"{label} {text}" if label else text

    def _after(self, positions: list[int]) -> None:
        """Notes and pictures follow their paragraph; those of a table follow the table."""
        if self.rows or self.cells or self.cell:
            self.pending.extend(positions)
            return
        for position in positions:
            if position in self.notes:
                label, start, end = self.notes[position]
                self.found.add("paragraph", f"[^{label}]: {self.plain(start, end).strip()}")
                continue
            picture = self.floating.get(position)
            if position in self.properties.pictures:
                picture = inline_picture(self.layout.data, self.properties.pictures[position])
            if picture is not None:
                add_picture(self.found, picture, self.options)

    def _inline(self, start: int, end: int) -> tuple[str, list[int]]:
        parts: list[str] = []
        after: list[int] = []
        fields: list[tuple[int, str | None]] = []
        hidden = 0
        for at in range(start, end):
            char = self.text[at]
            if char == "\x13":
                if len(fields) > _FIELD_DEPTH:
                    raise CorruptFile(reason="fields are nested too deeply")
                fields.append((len(parts), None))
                hidden += 1
            elif char == "\x14" and fields:
                begin, _ = fields.pop()
                link = _LINK.search("".join(parts[begin:]))
                del parts[begin:]
                fields.append((begin, link[1] if link else ""))
                hidden -= 1
            elif char == "\x15" and fields:
                begin, address = fields.pop()
                if address is None:
                    hidden -= 1
                    del parts[begin:]
                elif address:
                    parts[begin:] = [linked("".join(parts[begin:]), address)]
            elif char == "\x02":
                if at in self.notes:
                    parts.append(f"[^{self.notes[at][0]}]")
                    after.append(at)
            elif char in _PICTURES and (at in self.properties.pictures or at in self.floating):
                if not self._is_gone(at):
                    after.append(at)
            elif hidden or not self._is_gone(at):
                parts.append(_MARKS.get(char, char if char >= " " or char == "\t" else ""))
        return _whole("".join(parts)), after

    def plain(self, start: int, end: int) -> str:
        """Text of a part without codes of fields, deleted and hidden text: the independent reading."""
        shown = "".join(
            c
            for i, c in enumerate(self.text[start:end], start)
            if c in "\r\x13\x14\x15" or not self._is_gone(i)
        )
        before = None
        while before != shown:
            before = shown
            shown = re.sub("\x13[^\x13\x14\x15]*(?:\x14([^\x13\x14\x15]*))?\x15", r"\1", shown)
        shown = re.sub("[\r\x07\x0b\x0c]+", "\n", shown)
        return _whole(re.sub("[\x00-\x08\x0e-\x1d\x1f]", "", shown).replace("\x1e", "-"))

    def _is_gone(self, position: int) -> bool:
        if not self.gone:
            return False
        at = bisect_right(self.gone, (position, 1 << 60)) - 1
        return at >= 0 and self.gone[at][0] <= position < self.gone[at][1]


def _whole(text: str) -> str:
    """Half pairs of UTF-16 joined to the characters they stand for."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
