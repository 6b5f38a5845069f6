"""PDF → blocks: reads every page, then decides over the whole document what runs, what is a heading."""

import re
from typing import Any

from refdesk.knowledge.parsing.blocks import BlockList, Box, Parsed, ParseOptions
from refdesk.knowledge.parsing.coverage import finish
from refdesk.knowledge.parsing.errors import CorruptFile, EmptyFile, NoText, PasswordRequired, TooManyPages
from refdesk.knowledge.parsing.layout.columns import regions
from refdesk.knowledge.parsing.layout.glyph import Glyph
from refdesk.knowledge.parsing.layout.grids import take_tables
from refdesk.knowledge.parsing.layout.headings import body_size, label_by_entries, label_by_size
from refdesk.knowledge.parsing.layout.lines import Text, continues, glue, texts_of
from refdesk.knowledge.parsing.layout.running import take_running
from refdesk.knowledge.parsing.layout.segments import Segment, segments_of
from refdesk.knowledge.parsing.layout.vertical import is_vertical, vertical_texts
from refdesk.knowledge.parsing.pdf.glyphs import Frame, PageGlyphs, read_glyphs
from refdesk.knowledge.parsing.pdf.legibility import is_nonsense
from refdesk.knowledge.parsing.pdf.outline import link_entries, outline_entries
from refdesk.knowledge.parsing.pdf.rules import rules_of
from refdesk.knowledge.parsing.pdf.vendor import Handle, PdfiumError, pdfium, raw
from refdesk.knowledge.parsing.progress import report

_META = {
    "Title": "title",
    "Author": "author",
    "Subject": "subject",
    "Keywords": "keywords",
    "Producer": "producer",
}
_FORMAT_ERROR, _PASSWORD_ERROR, _SECURITY_ERROR = 3, 4, 5
_LISTED_PAGES = 20
_MAX_UNMAPPED = 0.5
_NO_PAGES = re.compile(rb"/Type\s*/Pages\b[^>]{0,200}/Count\s+0\b|/Count\s+0\b[^>]{0,200}/Type\s*/Pages\b")


class Pdf:
    """PDF files with a text layer."""

    kind = "pdf"
    suffixes = (".pdf",)

    def supports(self, name: str, head: bytes) -> bool:
        """The mark in the first kilobyte; a name alone only where the content is no readable text."""
        if b"%PDF-" in head[:1024]:
            return True
        return name.lower().endswith(".pdf") and not _is_other_text(head)

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Blocks in reading order, each with its page and boxes."""
        document = _open(data, options)
        try:
            count = len(document)
            if count == 0:
                raise EmptyFile("The PDF has no pages.")
            if count > options.max_pages:
                raise TooManyPages(pages=count, limit=options.max_pages)
            return _Reading(document, name).run()
        finally:
            document.close()


def _is_other_text(head: bytes) -> bool:
    """Text of some length under a PDF's name is read as text; a few bytes are a broken PDF."""
    printable = sum(byte >= 32 or byte in (9, 10, 13) for byte in head)
    return len(head) >= 64 and b"\x00" not in head and printable > 0.97 * len(head)


def _open(data: bytes, options: ParseOptions) -> Handle:
    try:
        return pdfium.PdfDocument(data, password=options.password)
    except PdfiumError as error:
        reason = raw.FPDF_GetLastError()
        if reason in (_PASSWORD_ERROR, _SECURITY_ERROR) or "password" in str(error).lower():
            message = "The password is wrong." if options.password else None
            raise PasswordRequired(message) from error
        if _NO_PAGES.search(data):
            raise EmptyFile("The PDF has no pages.") from error
        raise CorruptFile(reason=str(error)) from error


class _Reading:
    def __init__(self, document: Handle, name: str) -> None:
        self.document = document
        self.name = name
        self.found = BlockList()
        self.heights: list[float] = []
        self.source: list[str] = []
        self.unreadable: list[int] = []
        self.without_text: list[int] = []
        self.vertical: dict[int, list[Text]] = {}
        self.hidden = 0
        self.doubled = 0

    def run(self) -> Parsed:
        upright: list[tuple[float, list[Segment]]] = []
        turned: list[list[tuple[int, PageGlyphs]]] = []
        count = len(self.document)
        for number in range(1, count + 1):
            segments, others = self._page(number)
            report(number, count)
            upright.append((self.heights[-1], segments))
            turned.append(others)
        kept, running, running_chars = take_running(upright)
        texts: list[Text] = []
        for number, segments in enumerate(kept, start=1):
            for region in regions(segments):
                _append(texts, texts_of(region, number))
            texts.extend(self.vertical.get(number, ()))
            for turn, page in turned[number - 1]:
                texts.extend(_turned_texts(page, turn))
        self._report()
        if not texts:
            raise self._nothing()
        how = self._blocks(texts)
        meta = self._meta() | {"running_headers": running, "headings_from": how}
        # Running lines are kept in `meta` once, so all their repetitions count as kept.
        parsed = finish(self.name, "pdf", self.found, meta, "".join(self.source))
        kept_chars = min(parsed.extracted_chars, parsed.kept_chars + running_chars)
        return Parsed(
            parsed.name,
            parsed.kind,
            parsed.blocks,
            parsed.meta,
            parsed.warnings,
            parsed.extracted_chars,
            kept_chars,
        )

    def _page(self, number: int) -> tuple[list[Segment], list[tuple[int, PageGlyphs]]]:
        """Segments of the main reading direction, tables among them, and the other directions."""
        try:
            page = self.document[number - 1]
            frame = Frame(page)
            read = read_glyphs(page, number, frame)
        except PdfiumError:
            self.found.warn("damaged-page", f"Page {number} is damaged and was left out.", number)
            self.heights.append(0.0)
            return [], []
        self.heights.append(frame.height)
        self.doubled += read.doubled
        if read.invisible and not any(read.by_turn.values()):
            # A scan with a text layer from OCR: the layer is all there is.
            read.by_turn[0] = read.invisible
        elif read.invisible:
            self.hidden += len(read.invisible)
        joined = "".join(
            f" {g.char}" if g.space_before else g.char for glyphs in read.by_turn.values() for g in glyphs
        )
        if not joined.strip():
            self.without_text.append(number)
            return [], []
        if read.unmapped > _MAX_UNMAPPED or is_nonsense(joined):
            self.unreadable.append(number)
            return [], []
        self.source.append("".join(g.char for glyphs in read.by_turn.values() for g in glyphs))
        glyphs = read.by_turn.get(0, [])
        if is_vertical(glyphs):
            self.vertical[number] = vertical_texts(glyphs, number)
            glyphs = []
        tables, rest = take_tables(glyphs, *rules_of(page, frame)) if len(glyphs) > 3 else ([], glyphs)
        segments = segments_of(rest)
        segments += [Segment("", t.x0, t.y0, t.x1, t.y1, 0.0, bold=False, table=t.text) for t in tables]
        others = [(turn, read) for turn in sorted(read.by_turn) if turn != 0]
        page.close()
        return segments, others

    def _report(self) -> None:
        if self.unreadable:
            self.found.warn(
                "unreadable-text",
                f"The text of {_pages(self.unreadable)} cannot be decoded: its fonts lack a character map.",
                self.unreadable[0],
            )
        if self.without_text and len(self.without_text) < len(self.heights):
            self.found.warn(
                "pages-without-text",
                f"{_pages(self.without_text)} hold no text; if they are scans, OCR is needed.",
                self.without_text[0],
            )
        if self.hidden:
            self.found.warn(
                "hidden-text", f"{self.hidden} characters that are not visible on the page were left out."
            )

    def _nothing(self) -> NoText:
        pages = len(self.heights)
        if self.unreadable:
            return NoText(
                "The text of the PDF cannot be decoded: its fonts have no usable character map.",
                hint="Reading it needs OCR, which is not available yet; use another version of the file.",
                pages=pages,
            )
        return NoText("The PDF has no text layer; it seems to be a scan.", pages=pages)

    def _blocks(self, texts: list[Text]) -> str | None:
        """Add all blocks; returns where the headings came from."""
        how: str | None = None
        labels: dict[int, tuple[int, str]] | None = None
        outline = outline_entries(self.document, self.heights)
        if outline:
            labels, how = label_by_entries(texts, outline), "outline"
        if not labels:
            links = link_entries(self.document, len(self.heights), self.heights)
            labels, how = (label_by_entries(texts, links), "links") if links else (None, None)
        if not labels:
            labels = label_by_size(texts, body_size(texts))
            how = "size" if labels else None
        for i, text in enumerate(texts):
            if text.table:
                self.found.add("table", text.table, page=text.page, boxes=text.boxes)
            elif i in labels:
                level, title = labels[i]
                self.found.add("heading", title, level=min(level, 6), page=text.page, boxes=text.boxes)
            else:
                kind = "list_item" if text.listed else "paragraph"
                self.found.add(
                    kind, text.text, level=0 if text.listed else None, page=text.page, boxes=text.boxes
                )
        return how

    def _meta(self) -> dict[str, Any]:
        meta: dict[str, Any] = {
            "page_count": len(self.heights),
            "doubled_chars_removed": self.doubled or None,
        }
        for key, value in self.document.get_metadata_dict(skip_empty=True).items():
            if key in _META:
                meta[_META[key]] = value.replace("\x00", "").strip()
        return meta


def _append(texts: list[Text], more: list[Text]) -> None:
    """Join a paragraph that runs on over a column or page break, then append the rest."""
    if texts and more and continues(texts[-1], more[0]):
        last, first = texts[-1], more[0]
        last.text = glue(last.text, first.text)
        last.lines += first.lines
        last.boxes.extend(first.boxes)
        last.full_width = first.full_width
        more = more[1:]
    texts.extend(more)


def _turned_texts(page: PageGlyphs, turn: int) -> list[Text]:
    """Text that stands upright or upside down, laid out in its own direction; boxes are turned back."""
    glyphs = [_turned(g, turn, page.width, page.height) for g in page.by_turn[turn]]
    back = (4 - turn) % 4
    wide, high = (page.height, page.width) if turn % 2 else (page.width, page.height)
    out: list[Text] = []
    for region in regions(segments_of(glyphs)):
        for text in texts_of(region, page.number):
            text.boxes = [Box(b.page, *_turn(b.x0, b.y0, b.x1, b.y1, back, wide, high)) for b in text.boxes]
            text.turned = True
            out.append(text)
    return out


def _turned(g: Glyph, turn: int, width: float, height: float) -> Glyph:
    return Glyph(g.char, *_turn(g.x0, g.y0, g.x1, g.y1, turn, width, height), g.size, g.bold, g.space_before)


def _turn(
    x0: float, y0: float, x1: float, y1: float, turn: int, width: float, height: float
) -> tuple[float, float, float, float]:
    """A box after turning the page clockwise by `turn` quarters, which sets turned text upright."""
    if turn == 1:
        return height - y1, x0, height - y0, x1
    if turn == 2:
        return width - x1, height - y1, width - x0, height - y0
    if turn == 3:
        return y0, width - x1, y1, width - x0
    return x0, y0, x1, y1


def _pages(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:_LISTED_PAGES])) + (" …" if len(numbers) > _LISTED_PAGES else "")
    return re.sub(r"^", "page " if len(numbers) == 1 else "pages ", shown)
