"""XLSX: cells as shown, cached values of formulas, merged cells, links, notes, text boxes, hidden sheets.

Read row by row with lxml, because format codes (dates, percents), links and declared tables are needed, which
fast value readers do not give. 50,000 rows of 10 cells took 4.1 s with all blocks; openpyxl, read only, took
9.1 s for the bare values.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

from refdesk.kit.wording import counted
from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.container import Container, resolve
from refdesk.knowledge.parsing.coverage import character_counts, finish
from refdesk.knowledge.parsing.embedded_pictures import Pictures
from refdesk.knowledge.parsing.errors import CorruptFile
from refdesk.knowledge.parsing.links import linked
from refdesk.knowledge.parsing.sheets.attached import read_attached, read_running
from refdesk.knowledge.parsing.sheets.model import Cells, Sheet, cell_place, cell_range
from refdesk.knowledge.parsing.sheets.raw import MISSED, raw_cells, raw_strings
from refdesk.knowledge.parsing.sheets.shown import BUILT_IN, general, shown_number
from refdesk.knowledge.parsing.sheets.writing import Repeated, sheet_names, write_sheets
from refdesk.knowledge.parsing.unpacking import ZIP_MAGIC
from refdesk.knowledge.parsing.xml_tree import Element, local_name

_RID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_STRICT_RID = "{http://purl.oclc.org/ooxml/officeDocument/relationships}id"
_PARTS = ("{*}col", "{*}row", "{*}mergeCell", "{*}hyperlink", "{*}headerFooter")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_MAX_CELL = 100_000
_TRUE = ("1", "true")


class Xlsx:
    """Excel workbooks since 2007."""

    kind = "xlsx"
    suffixes = (".xlsx", ".xlsm", ".xltx")

    def supports(self, name: str, head: bytes) -> bool:
        """A ZIP with the parts of a workbook."""
        if not head.startswith(ZIP_MAGIC):
            return False
        return b"\nxl/workbook.xml\n" in head or name.lower().endswith(self.suffixes)

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Sheets in order; tables that lie apart are kept apart."""
        with Container(data, options) as container:
            return _Workbook(container).read(name, options)


@dataclass(slots=True)
class _Counts:
    """`numbers` are the cells read that hold no text, as they are shown."""

    unsaved_formulas: int = 0
    shortened: int = 0
    numbers: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class _Workbook:
    container: Container
    strings: list[str] = field(default_factory=list[str])
    raw: list[str] = field(default_factory=list[str])
    expected: list[str] = field(default_factory=list[str])
    formats: list[str] = field(default_factory=list[str])
    since_1904: bool = False
    counts: _Counts = field(default_factory=_Counts)

    def read(self, name: str, options: ParseOptions) -> Parsed:
        part = self.container.main_part("xl/workbook.xml")
        root = self.container.xml(part)
        if root is None:
            raise CorruptFile("The file holds no workbook.")
        properties = root.find("{*}workbookPr")
        self.since_1904 = properties is not None and properties.get("date1904") in _TRUE
        relations = self.container.relations(part)
        self.strings = self._shared_strings()
        self.formats = self._formats()
        found = BlockList()
        sheets: list[Sheet] = []
        for node in root.iterfind("{*}sheets/{*}sheet"):
            kind, target = relations.get(node.get(_RID) or node.get(_STRICT_RID) or "", ("", ""))
            member = resolve(part, target)
            if kind == "worksheet" and member in self.container.names:
                sheet = self._sheet(node.get("name", ""), member)
                sheet.hidden = node.get("state", "visible") != "visible"
                sheets.append(sheet)
            elif kind == "worksheet":
                found.warn("missing-sheet", f"The sheet “{node.get('name', '')}” is not in the file.")
        if self.counts.unsaved_formulas:
            found.warn(
                "formulas-without-values",
                f"{counted(self.counts.unsaved_formulas, 'formula has', 'formulas have')} no saved result: "
                "open the file in a spreadsheet program and save it again.",
                count=self.counts.unsaved_formulas,
            )
        if self.counts.shortened:
            cut = counted(self.counts.shortened, "cell was", "cells were")
            found.warn("long-cells", f"{cut} cut at {_MAX_CELL:,} characters.", count=self.counts.shortened)
        repeated = write_sheets(sheets, found, options, Pictures(self.container, found, options).add)
        meta = {
            **self.container.core_properties(),
            **sheet_names(sheets),
            "comments_left_out": 0 if options.include_comments else sum(len(s.notes) for s in sheets),
        }
        return finish(name, "xlsx", found, {k: v for k, v in meta.items() if v != 0}, self._source(repeated))

    def _source(self, repeated: Repeated) -> Counter[str]:
        """What should be there: texts from the bare bytes, other cells as shown, and a mark for each of
        these that was not read."""
        missed = sum(1 for text in self.expected if not text) - len(self.counts.numbers)
        texts = [*self.expected, *self.counts.numbers, MISSED * max(0, missed)]
        return character_counts(texts) + repeated.characters()

    def _shared_strings(self) -> list[str]:
        part = "xl/sharedStrings.xml"
        if part not in self.container.names:
            return []
        content = self.container.prepared(part)
        self.raw = raw_strings(content)
        return [_rich_text(node) for node in self.container.elements(content, ("{*}si",))]

    def _formats(self) -> list[str]:
        """Format code by cell style."""
        root = self.container.xml("xl/styles.xml")
        if root is None:
            return []
        own = {n.get("numFmtId"): n.get("formatCode", "") for n in root.iterfind("{*}numFmts/{*}numFmt")}
        ids = [xf.get("numFmtId", "0") for xf in root.iterfind("{*}cellXfs/{*}xf")]
        return [own.get(i) or BUILT_IN.get(int(i) if i.isdigit() else 0, "General") for i in ids]

    def _sheet(self, name: str, member: str) -> Sheet:
        sheet = Sheet(name)
        relations = self.container.relations(member)
        links: dict[tuple[int, int], str] = {}
        at = -1
        content = self.container.prepared(member)
        self.expected.extend(raw_cells(content, self.raw))
        for node in self.container.elements(content, _PARTS):
            kind = local_name(node)
            if kind == "row":
                at = int(node.get("r")) - 1 if (node.get("r") or "").isdigit() else at + 1
                cells = self._row(node)
                if node.get("hidden") in _TRUE:
                    sheet.hidden_rows.add(at)
                if cells:
                    sheet.rows.setdefault(at, {}).update(cells)
            elif kind == "col":
                columns = node.get("min", ""), node.get("max", "")
                if node.get("hidden") in _TRUE and all(column.isdigit() for column in columns):
                    sheet.hidden_columns.append((int(columns[0]) - 1, int(columns[1]) - 1))
            elif kind == "mergeCell":
                area = cell_range(node.get("ref", ""))
                if area:
                    sheet.merged.append(area)
            elif kind == "headerFooter":
                read_running(sheet, node)
            else:
                place = cell_place(node.get("ref", "").partition(":")[0])
                target = relations.get(node.get(_RID) or node.get(_STRICT_RID) or "", ("", ""))[1]
                if place and target:
                    links[place] = target
        sheet.rows = dict(sorted(sheet.rows.items()))
        for (row, column), target in links.items():
            text = sheet.rows.get(row, {}).get(column, "")
            if text:
                sheet.rows[row][column] = linked(text, target)
        self.expected.extend(text for text in read_attached(sheet, self.container, member) if text)
        return sheet

    def _row(self, row: Element) -> Cells:
        cells: Cells = {}
        column = -1
        for cell in row:
            if not cell.tag.endswith("}c"):
                continue
            reference = cell.get("r")
            column = _column(reference.rstrip("0123456789")) if reference else column + 1
            if len(cell) == 0:
                continue
            text = self._cell(cell).strip()
            if text:
                if len(text) > _MAX_CELL:
                    self.counts.shortened += 1
                cells[column] = text[:_MAX_CELL]
        return cells

    def _cell(self, cell: Element) -> str:
        kind = cell.get("t", "n")
        text, computed = "", False
        # By the end of the tag: looking children up by path took half of the time of a large sheet.
        for child in cell:
            tag = child.tag
            if tag.endswith("}v"):
                text = child.text or ""
            elif tag.endswith("}f"):
                computed = True
            elif tag.endswith("}is"):
                return _rich_text(child)
        if not text:
            self.counts.unsaved_formulas += computed and kind != "str"
            return ""
        if kind == "s":
            return self.strings[int(text)] if text.isdigit() and int(text) < len(self.strings) else ""
        if kind == "str":
            return _unescaped(text).removesuffix("T00:00:00")
        shown = self._shown(text, kind, cell.get("s", "0"))
        self.counts.numbers.append(shown)
        return shown

    def _shown(self, text: str, kind: str, style: str) -> str:
        if kind == "b":
            return "TRUE" if text in ("1", "true") else "FALSE"
        if kind != "n":
            return text.removesuffix("T00:00:00") if kind == "d" else text
        try:
            number = float(text)
        except ValueError:
            return text
        code = self.formats[int(style)] if style.isdigit() and int(style) < len(self.formats) else "General"
        if code == "General":
            return general(number)
        return shown_number(number, code, since_1904=self.since_1904)


@lru_cache(maxsize=20_000)
def _column(letters: str) -> int:
    place = cell_place(f"{letters}1")
    return place[1] if place else 0


def _rich_text(node: Element) -> str:
    """Text of a string item: its runs, without the phonetic guides of Japanese."""
    parts: list[str] = []
    for child in node:
        if child.tag.endswith("}t"):
            parts.append(child.text or "")
        elif child.tag.endswith("}r"):
            parts.extend(t.text or "" for t in child.iterfind("{*}t"))
    return _unescaped("".join(parts))


def _unescaped(text: str) -> str:
    """Characters that XML cannot hold are written `_x000D_`."""
    if "_x" in text:
        text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    return text.replace("\r\n", "\n").replace("\r", "") if "\r" in text else text
