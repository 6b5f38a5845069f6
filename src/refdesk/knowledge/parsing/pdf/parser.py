"""PDF → blocks: reads every page, then decides over the whole document what runs, what is a heading."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from refdesk.kit.wording import counted
from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.coverage import finish
from refdesk.knowledge.parsing.errors import (
    CorruptFile,
    EmptyFile,
    NoText,
    PasswordRequired,
    PasswordWrong,
    ProtectionUnsupported,
    TooManyPages,
)
from refdesk.knowledge.parsing.identify import BINARY_MARKS
from refdesk.knowledge.parsing.layout.blocks import add_blocks
from refdesk.knowledge.parsing.layout.headings import body_size, label_by_entries, label_by_size
from refdesk.knowledge.parsing.layout.lines import Text
from refdesk.knowledge.parsing.layout.pages import PageInput, PageLayout, lay_out, texts_of_pages
from refdesk.knowledge.parsing.ocr import allowance, require_memory
from refdesk.knowledge.parsing.ocr.report import pages_in_words, report_ocr
from refdesk.knowledge.parsing.pdf.filled import with_written
from refdesk.knowledge.parsing.pdf.glyphs import Frame, PageGlyphs, read_glyphs
from refdesk.knowledge.parsing.pdf.legibility import Quality, quality_of
from refdesk.knowledge.parsing.pdf.outline import link_entries, outline_entries
from refdesk.knowledge.parsing.pdf.pictures import pictured_share
from refdesk.knowledge.parsing.pdf.rules import rules_of
from refdesk.knowledge.parsing.pdf.unseen import drop_unseen
from refdesk.knowledge.parsing.pdf.vendor import Handle, PdfiumError, pdfium, raw
from refdesk.knowledge.parsing.progress import report

if TYPE_CHECKING:
    from refdesk.knowledge.parsing.pdf.scanned import Scans

_META = {
    "Title": "title",
    "Author": "author",
    "Subject": "subject",
    "Keywords": "keywords",
    "Producer": "producer",
    "CreationDate": "created",
    "ModDate": "modified",
}
_FORMAT_ERROR, _PASSWORD_ERROR, _SECURITY_ERROR = 3, 4, 5
# A page with so few characters beside a picture that covers so much of it is a scan with a stamp.
_FEW_CHARS, _MOSTLY_PICTURE = 100, 0.5
# A PDF ends with this mark, give or take what mail programs and servers put behind it.
_END, _END_WITHIN = b"%%EOF", 4096
_OFF_HINT = "Set REFDESK_OCR to auto, or upload a version with a text layer."
_NO_PAGES = re.compile(rb"/Type\s*/Pages\b[^>]{0,200}/Count\s+0\b|/Count\s+0\b[^>]{0,200}/Type\s*/Pages\b")


class Pdf:
    """PDF files, with a text layer or without."""

    kind = "pdf"
    suffixes = (".pdf",)

    def supports(self, name: str, head: bytes) -> bool:
        """The mark in the first kilobyte; a name alone only where the content is no readable text."""
        if head.startswith(BINARY_MARKS):  # an archive may hold one, unpacked, near its beginning
            return False
        return b"%PDF-" in head[:1024] or (name.lower().endswith(".pdf") and not _is_other_text(head))

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Blocks in reading order, each with its page and boxes."""
        document = _open(data, options)
        try:
            count = len(document)
            if count == 0:
                raise EmptyFile("The PDF has no pages.")
            if count > options.max_pages:
                raise TooManyPages(pages=count, limit=options.max_pages)
            reading = _Reading(document, name, options)
            if _END not in data[-_END_WITHIN:]:
                reading.found.warn(
                    "damaged-file", "The file is cut off or damaged; what could be recovered was read."
                )
            return reading.run()
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
        if reason == _SECURITY_ERROR:
            raise ProtectionUnsupported from error
        if reason == _PASSWORD_ERROR or "password" in str(error).lower():
            raise (PasswordWrong if options.password else PasswordRequired) from error
        if _NO_PAGES.search(data):
            raise EmptyFile("The PDF has no pages.") from error
        raise CorruptFile(reason=str(error)) from error


class _Reading:
    def __init__(self, document: Handle, name: str, options: ParseOptions) -> None:
        self.document = document
        self.name = name
        self.options = options
        self.left = allowance(options)
        self.scans: Scans | None = None
        self.found = BlockList()
        self.heights: list[float] = []
        self.source: list[str] = []
        self.unreadable: list[int] = []
        self.doubtful: list[int] = []
        self.without_text: list[int] = []
        self.layers: list[int] = []
        self.unread: dict[int, int] = {}
        self.missing: set[int] = set()
        self.with_text = 0
        self.cut_short: dict[int, float] = {}
        self.hidden = 0
        self.doubled = 0

    def run(self) -> Parsed:
        pages: list[PageLayout] = []
        count = len(self.document)
        for number in range(1, count + 1):
            page = self._page(number)
            pages.append(PageLayout(number, self.heights[-1]) if page is None else lay_out(page))
            report(number, count)
        texts, running = texts_of_pages(pages)
        meta = self._meta() | self._report()
        meta |= {"running_headers": running.lines, "watermarks": running.watermarks}
        meta |= {"running_chars": running.chars or None}
        if not texts:
            raise self._nothing()
        meta["headings_from"] = self._blocks(texts)
        # Running lines are kept in `meta` once, so all their repetitions count as kept.
        parsed = finish(self.name, "pdf", self.found, meta, "".join(self.source))
        kept = min(parsed.extracted_chars, parsed.kept_chars + running.chars)
        unread = sum(self.unread.values()) + len(self.missing) * parsed.extracted_chars // max(
            1, self.with_text
        )
        return replace(parsed, extracted_chars=parsed.extracted_chars + unread, kept_chars=kept)

    def _page(self, number: int) -> PageInput | None:
        """What stands on a page, from its text layer or by OCR; None where nothing does."""
        try:
            page = with_written(self.document, self.document[number - 1], number - 1)
            frame = Frame(page)
            read = read_glyphs(page, number, frame)
            made = self._read(page, number, frame, read)
        except PdfiumError:
            self.found.warn("damaged-page", f"Page {number} is damaged and was left out.", number)
            del self.heights[number - 1 :]
            self.heights.append(0.0)
            self.missing.add(number)
            return None
        page.close()
        if made is not None:
            made.slanted = read.slanted
            is_written = any(made.by_turn.values()) or bool(made.slanted)
            self.with_text += is_written and number not in self.missing
            self.source.extend(g.char for glyphs in made.by_turn.values() for g in glyphs)
            self.source.extend(slanted.glyph.char for slanted in made.slanted)
        return made

    def _read(self, page: Handle, number: int, frame: Frame, read: PageGlyphs) -> PageInput | None:
        self.heights.append(frame.height)
        self.doubled += read.doubled
        self.hidden += read.outside + drop_unseen(page, read)
        if read.invisible and not any(read.by_turn.values()):
            # A scan with a text layer from OCR: the layer is all there is.
            read.by_turn[0] = read.invisible
            self.layers.append(number)
        elif read.invisible:
            self.hidden += len(read.invisible)
        text = "".join(f" {g.char}" if g.space_before else g.char for g in read.written)
        quality = quality_of(text, read.unmapped)
        need = self._need(page, frame, quality, _FEW_CHARS if number in self.layers else len(text))
        if need:
            read.give_back_straight()  # OCR reads them, too, and takes the layer's instead
        layer = PageInput(number, read.width, read.height, read.by_turn)
        if quality in ("usable", "doubtful"):
            layer.across, layer.down = rules_of(page, frame)
        else:
            layer = None
        if need:
            scan = self._scan(page, number, quality, text, layer)
            if scan is not None:
                return scan
        if quality == "nonsense":
            self.unreadable.append(number)
        elif quality == "doubtful" and (self.scans is None or number not in self.scans.agreed):
            self.doubtful.append(number)
        elif quality == "none" and self._shows_something(page):
            self.without_text.append(number)
        if quality != "doubtful" and self._is_missing(number, len(text) if quality == "usable" else 0):
            self.missing.add(number)
        return layer

    def _is_missing(self, number: int, chars: int) -> bool:
        """Whether nobody read what stands on a page, so that it counts like an average page of the file.

        A page on which OCR looked for text and found none was read.
        """
        was_left_out = self.scans is None or number in self.scans.skipped
        if number in self.without_text:
            return was_left_out
        return number in self.unreadable or (
            self.scans is not None and number in self.scans.skipped and chars < _FEW_CHARS
        )

    def _need(self, page: Handle, frame: Frame, quality: Quality, chars: int) -> bool:
        """Whether OCR should look at a page."""
        if self.left.mode == "off":
            return False
        if quality == "usable":
            return self.left.mode == "always" or (
                chars < _FEW_CHARS and pictured_share(page, frame) > _MOSTLY_PICTURE
            )
        return quality != "none" or self._shows_something(page)

    def _shows_something(self, page: Handle) -> bool:
        """Whether anything is drawn on a page: a page that is blank is no scan."""
        return next(iter(page.get_objects(max_depth=1)), None) is not None

    def _scan(
        self, page: Handle, number: int, quality: Quality, text: str, layer: PageInput | None
    ) -> PageInput | None:
        require_memory()
        # Loaded here: most PDFs have a text layer, and OpenCV takes 0.2 s.
        from refdesk.knowledge.parsing.pdf.scanned import Scans, contradicts, joined

        if self.scans is None:
            self.scans = Scans(self.left)
        found = self.scans.read(page, number)
        if found is None:
            return None
        scan, seen = found
        if seen.is_cut_short:
            # What the page's own text says is not lost.
            of_layer = len(text) if layer is not None else 0
            whole = seen.chars + seen.unread_chars
            self.unread[number] = max(0, min(seen.unread_chars, whole - of_layer))
            self.cut_short[number] = 1 - self.unread[number] / whole
        if quality == "doubtful" and not contradicts(text, seen):
            self.scans.agreed.append(number)
        if not seen.lines or number in self.scans.agreed:
            self.scans.sure.pop(number)
            return None
        level = seen.turn == 0 and not seen.skew
        return joined(scan, layer.by_turn.get(0, [])) if layer and quality == "usable" and level else scan

    def _report(self) -> dict[str, Any]:
        """Warn of what is missing; returns what is known of OCR."""
        if self.unreadable:
            self.found.warn(
                "unreadable-text",
                "The fonts lack a usable character map, and the text cannot be decoded: "
                f"{pages_in_words(self.unreadable)}.",
                self.unreadable[0],
            )
        if self.doubtful:
            self.found.warn(
                "doubtful-text",
                f"Text that may have been decoded wrongly was kept: {pages_in_words(self.doubtful)}.",
                self.doubtful[0],
            )
        if self.without_text and len(self.without_text) < len(self.heights):
            self.found.warn(
                "pages-without-text",
                f"No text was found on {pages_in_words(self.without_text)}.",
                self.without_text[0],
            )
        if self.hidden:
            hidden = counted(
                self.hidden,
                "character that is not visible on the page was",
                "characters that are not visible on the page were",
            )
            self.found.warn("hidden-text", f"{hidden} left out.", count=self.hidden)
        meta: dict[str, Any] = {"text_layer_pages": self.layers}
        if self.scans is not None:
            meta |= report_ocr(self.found, self.scans.sure, self.scans.skipped, self.cut_short)
        return meta

    def _nothing(self) -> NoText:
        pages = len(self.heights)
        hint = _OFF_HINT if self.left.mode == "off" else None
        if self.unreadable:
            return NoText(
                "The text of the PDF cannot be decoded: its fonts have no usable character map.",
                hint=hint,
                pages=pages,
            )
        if self.left.mode == "off":
            return NoText("The PDF has no text layer; it seems to be a scan.", hint=hint, pages=pages)
        return NoText("No text was found on the pages of the PDF.", pages=pages)

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
        add_blocks(self.found, texts, labels)
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
