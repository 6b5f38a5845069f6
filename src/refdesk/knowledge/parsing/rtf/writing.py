"""Paragraphs, tables and what hangs on them, as RTF tells them → blocks."""

import re
from dataclasses import dataclass, field

from refdesk.knowledge.parsing.blocks import BlockList, ParseOptions
from refdesk.knowledge.parsing.embedded_pictures import add_picture
from refdesk.knowledge.parsing.grid import markdown_table

_MAX_TITLE = 300


@dataclass(slots=True)
class Paragraph:
    """What the words since `\\pard` say of the paragraph that is being read."""

    style: int = 0
    outline: int | None = None
    in_table: bool = False
    level: int = 0
    listed: bool = False
    marker: str = ""


@dataclass(frozen=True, slots=True)
class Aside:
    """A note, a comment, a text box or (with `picture`) a picture that hangs on a paragraph."""

    text: str = ""
    picture: bytes | None = None


@dataclass(slots=True)
class Writer:
    """Adds the blocks; `headings` is the heading level of each style that has one."""

    found: BlockList
    options: ParseOptions
    headings: dict[int, int] = field(default_factory=dict[int, int])
    paragraph: Paragraph = field(default_factory=Paragraph)
    asides: list[Aside] = field(default_factory=list[Aside])
    cells: list[str] = field(default_factory=list[str])
    rows: list[list[str]] = field(default_factory=list[list[str]])
    _table_asides: list[Aside] = field(default_factory=list[Aside])

    def begin_paragraph(self) -> None:
        """`\\pard`: the properties begin anew; the number of a list stands before them."""
        marker = self.paragraph.marker
        self.paragraph = Paragraph(marker=marker, listed=bool(marker))

    def end_cell(self, text: str) -> None:
        """The text of a cell is complete."""
        marker = self.paragraph.marker
        self.cells.append(f"{marker} {text}" if marker else text)
        self.paragraph.marker = ""

    def end_row(self) -> None:
        """A row is complete; what hangs on it waits for the end of the table."""
        if self.cells:
            self.rows.append(self.cells)
            self.cells = []
            self._table_asides += self.asides
            self.asides = []

    def end_paragraph(self, text: str) -> None:
        """A paragraph is complete; outside tables it becomes a block."""
        if self.cells:
            self.rows.append([*self.cells, text] if text.strip() else self.cells)
            self.cells, text = [], ""
        paragraph = self.paragraph
        if text.strip() or not paragraph.in_table:
            self.end_table()
        if text.strip():
            self._add(text, paragraph)
        paragraph.marker = ""
        self._hang(self.asides)

    def _add(self, text: str, paragraph: Paragraph) -> None:
        level = self.headings.get(paragraph.style) or None
        if paragraph.outline is not None:
            level = paragraph.outline + 1 if paragraph.outline < 9 else None
        number = paragraph.marker if any(c.isalnum() for c in paragraph.marker) else ""
        if number == "o":  # Word draws a bullet with this letter
            number = ""
        if level and len(text) <= _MAX_TITLE:
            shown = " ".join(text.split())
            self.found.add("heading", f"{number} {shown}" if number else shown, level=min(level, 6))
        elif paragraph.listed:
            self.found.add("list_item", f"{number or '-'} {text.strip()}", level=paragraph.level)
        else:
            self.found.add("paragraph", text)

    def end_table(self) -> None:
        """The rows so far are a table."""
        if self.rows:
            self.found.add("table", markdown_table(self.rows))
            self.rows = []
            self._hang(self._table_asides)

    def _hang(self, asides: list[Aside]) -> None:
        for aside in asides:
            if aside.picture is not None:
                add_picture(self.found, aside.picture, self.options)
            else:
                self.found.add("paragraph", aside.text)
        asides.clear()


def picture_bytes(digits: str, binary: bytes) -> bytes:
    """A picture as it is written: hexadecimal digits, or bytes behind `\\bin`."""
    if binary:
        return binary
    whole = re.sub(r"[^0-9A-Fa-f]+", "", digits)
    return bytes.fromhex(whole[: len(whole) // 2 * 2])
