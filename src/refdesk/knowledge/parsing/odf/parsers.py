"""The parsers of OpenDocument: texts (ODT), sheets (ODS), slides (ODP)."""

from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.container import Container
from refdesk.knowledge.parsing.coverage import character_counts, finish
from refdesk.knowledge.parsing.embedded_pictures import Pictures
from refdesk.knowledge.parsing.errors import EmptyFile, NoText, TooManyPages
from refdesk.knowledge.parsing.odf.package import DRAW, OFFICE, PRESENTATION, TABLE, TEXT, Package, supports
from refdesk.knowledge.parsing.odf.running import TextReader, picture_of_frame, repeated, table_rows
from refdesk.knowledge.parsing.sheets.model import Range, Sheet
from refdesk.knowledge.parsing.sheets.writing import sheet_names, write_sheets
from refdesk.knowledge.parsing.xml_tree import Element, local_name, whole_number

_CLASS = f"{PRESENTATION}class"
_RUNNING = ("footer", "header", "date-time", "page-number")
# Who wrote a comment, and when.
_SIGNATURES = ("{http://purl.org/dc/elements/1.1/}creator", "{http://purl.org/dc/elements/1.1/}date")
_MAX_COLUMNS = 16_384
_UNSEEN = ("collapse", "filter")


class Odt:
    """Texts of LibreOffice and OpenOffice."""

    kind = "odt"
    suffixes = (".odt", ".ott")

    def supports(self, name: str, head: bytes) -> bool:
        """A package that says it is a text."""
        return supports(name, head, (b"text",), self.suffixes)

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Headings, lists, tables, notes and text boxes; the final text of tracked changes."""
        with Container(data, options) as container:
            package = Package.read(container, "text", options)
            found = BlockList()
            reader = TextReader(
                found, package.styles, options.include_comments, pictures=Pictures(container, found, options)
            )
            for text in package.header if options.include_running else ():
                found.add("paragraph", text)
            reader.walk(package.body)
            for text in package.footer if options.include_running else ():
                found.add("paragraph", text)
            pictures = _pictures(container)
        if not found.blocks:
            raise NoText if pictures else EmptyFile("The document holds no text.")
        meta = package.meta | {
            "running_headers": package.running,
            "comments_left_out": None if options.include_comments else reader.comments or None,
            "pictures": pictures or None,
        }
        return finish(name, self.kind, found, meta, _source(package, options))


class Odp:
    """Slides of LibreOffice and OpenOffice; `Block.page` is the number of the slide."""

    kind = "odp"
    suffixes = (".odp", ".otp", ".odg")

    def supports(self, name: str, head: bytes) -> bool:
        """A package that says it is a presentation or a drawing."""
        return supports(name, head, (b"presentation", b"graphics"), self.suffixes)

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Slides in order, the title first, then the notes."""
        with Container(data, options) as container:
            drawing = b"opendocument.graphics" in data[:256]
            package = Package.read(container, "drawing" if drawing else "presentation", options)
            pictures = _pictures(container)
            found = BlockList()
            shown = Pictures(container, found, options)
            pages = list(package.body.iterfind(f"{DRAW}page"))
            for text in package.header if options.include_running else ():
                found.add("paragraph", text)
            if len(pages) > options.max_pages:
                raise TooManyPages(pages=len(pages), limit=options.max_pages)
            for number, page in enumerate(pages, 1):
                reader = TextReader(
                    found, package.styles, options.include_comments, page=number, pictures=shown
                )
                _slide(page, number, reader)
            for text in package.footer if options.include_running else ():
                found.add("paragraph", text)
        if not found.blocks:
            raise NoText if pictures else EmptyFile("The presentation holds no text.")
        meta = package.meta | {
            "slides": len(pages),
            "pictures": pictures or None,
            "running_footers": package.running,
        }
        return finish(name, self.kind, found, meta, _source(package, options))


class Ods:
    """Sheets of LibreOffice and OpenOffice."""

    kind = "ods"
    suffixes = (".ods", ".ots")

    def supports(self, name: str, head: bytes) -> bool:
        """A package that says it is a spreadsheet."""
        return supports(name, head, (b"spreadsheet",), self.suffixes)

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Cells as shown, tables that lie apart kept apart."""
        with Container(data, options) as container:
            package = Package.read(container, "spreadsheet", options)
            found = BlockList()
            reader = TextReader(BlockList(), package.styles, options.include_comments)
            sheets = [_sheet(table, reader) for table in package.body.iterfind(f"{TABLE}table")]
            for sheet in sheets[:1]:
                sheet.header = package.header
            for sheet in sheets[-1:]:
                sheet.footer = package.footer
            repeated = write_sheets(sheets, found, options, Pictures(container, found, options).add)
        meta = package.meta | sheet_names(sheets)
        meta["comments_left_out"] = (
            None if options.include_comments else sum(len(s.notes) for s in sheets) or None
        )
        source = character_counts([_source(package, options)]) + repeated.characters()
        return finish(name, self.kind, found, meta, source)


def _pictures(container: Container) -> int:
    return sum(1 for member in container.names if member.startswith("Pictures/"))


def _slide(page: Element, number: int, reader: TextReader) -> None:
    shapes = [shape for shape in page if shape.get(_CLASS) not in _RUNNING]
    titles = [shape for shape in shapes if shape.get(_CLASS) == "title"]
    texts = [reader.inline(p).text for title in titles for p in title.iter(f"{TEXT}p", f"{TEXT}h")]
    title = " ".join(" ".join(texts).split())
    before = len(reader.found.blocks)
    if reader.styles.hides("drawing-page", page.get(f"{DRAW}style-name")):
        reader.found.warn("hidden-slide", f"Slide {number} is hidden in the file; its text was read.", number)
    if title or number > 1:
        reader.found.add("heading", title or f"Slide {number}", level=1, page=number)
    for shape in shapes:
        if shape not in titles and local_name(shape) != "notes":
            reader.walk(shape)
    for notes in page.iterfind(f"{PRESENTATION}notes"):
        for frame in notes:
            if frame.get(_CLASS) == "notes":
                lines = [reader.inline(p).text for p in frame.iter(f"{TEXT}p")]
                text = "\n".join(lines).strip()
                reader.found.add("paragraph", f"Notes: {text}" if text else "", page=number)
    if not title and len(reader.found.blocks) == before + 1 and number > 1:
        reader.found.drop_last()


def _sheet(table: Element, reader: TextReader) -> Sheet:
    hidden = reader.styles.hides("table", table.get(f"{TABLE}style-name"))
    sheet = Sheet(table.get(f"{TABLE}name", ""), hidden=hidden)
    column = 0
    for node in table.iter(f"{TABLE}table-column"):
        count = max(1, whole_number(node, f"{TABLE}number-columns-repeated", 1))
        if node.get(f"{TABLE}visibility") in _UNSEEN:
            sheet.hidden_columns.append((column, column + count - 1))
        column += count
    at = 0
    for row in table_rows(table):
        column = 0
        cells: dict[int, str] = {}
        for cell in row:
            if local_name(cell) not in ("table-cell", "covered-table-cell"):
                continue
            later: list[Element] = []
            text = reader.cell(cell, later) or cell.get(f"{OFFICE}value", "") if len(cell) else ""
            count = max(1, whole_number(cell, f"{TABLE}number-columns-repeated", 1))
            if text:
                cells |= dict.fromkeys(range(column, min(column + count, _MAX_COLUMNS)), text)
            for node in later:
                if node.tag == f"{OFFICE}annotation":
                    note = "\n".join(reader.inline(p).text for p in node.iter(f"{TEXT}p"))
                    sheet.notes.append((at, column, note))
                else:
                    _drawn(sheet, node, reader)
            wide, high = _span(cell, "columns"), _span(cell, "rows")
            if wide > 1 or high > 1:
                sheet.merged.append(Range(at, column, at + high - 1, column + wide - 1))
            column += count
        if cells:
            for offset in range(repeated(row, "rows")):
                sheet.rows[at + offset] = dict(cells)
                if row.get(f"{TABLE}visibility") in _UNSEEN:
                    sheet.hidden_rows.add(at + offset)
        at += max(1, whole_number(row, f"{TABLE}number-rows-repeated", 1))
    for shapes in table.iterfind(f"{TABLE}shapes"):
        _drawn(sheet, shapes, reader)
    return sheet


def _drawn(sheet: Sheet, shape: Element, reader: TextReader) -> None:
    """Text boxes and pictures that lie over the cells."""
    sheet.drawn.extend(text for p in shape.iter(f"{TEXT}p") if (text := reader.inline(p).text.strip()))
    for frame in [shape, *shape.iter(f"{DRAW}frame")]:
        sheet.pictures.extend(picture_of_frame(frame)[:1])


def _span(cell: Element, what: str) -> int:
    return max(1, whole_number(cell, f"{TABLE}number-{what}-spanned", 1))


def _source(package: Package, options: ParseOptions) -> str:
    running = [*package.header, *package.footer] if options.include_running else []
    return "".join([*running, _raw_text(package.body, options.include_comments)])


def _raw_text(body: Element, include_comments: bool) -> str:
    """The independent reading: all text nodes but what is deleted, running or about pictures."""
    skipped = {"tracked-changes", "note-citation", "hidden-text", "title", "desc", "page-number"}
    skipped |= {"header-decl", "footer-decl", "date-time-decl", "content-validations", "index-title-template"}
    if not include_comments:
        skipped.add("annotation")
    parts: list[str] = []
    pending = [body]
    while pending:
        node = pending.pop()
        name = local_name(node)
        if node.tail:
            parts.append(node.tail)
        if name in skipped and node.tag != f"{TEXT}title":
            continue
        if node.get(_CLASS) in _RUNNING or not name:
            continue
        if node.tag in _SIGNATURES or name == "page-thumbnail":
            continue
        parts.append(node.text or "")
        pending.extend(node)
    return "".join(parts)
