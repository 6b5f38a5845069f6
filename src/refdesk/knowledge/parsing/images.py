"""Pictures: PNG, JPEG, TIFF with all its pages, WEBP, BMP and GIF, read by OCR.

A frame is a page; boxes are in pixels of the picture as it is shown, that is, turned as its camera meant it.
"""

import struct
from dataclasses import replace
from typing import Any

from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.coverage import finish
from refdesk.knowledge.parsing.errors import NoText, TooManyPages
from refdesk.knowledge.parsing.ocr import allowance, require_memory
from refdesk.knowledge.parsing.ocr.report import report_ocr
from refdesk.knowledge.parsing.progress import report

_MAGIC = (
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF87a",
    b"GIF89a",
    b"II*\x00",
    b"MM\x00*",
    b"II+\x00",
    b"MM\x00+",
)
_BITMAP_HEADERS = (12, 40, 52, 56, 64, 108, 124)


class Picture:
    """Pictures of any kind that can be read."""

    kind = "image"
    suffixes = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif")

    def supports(self, name: str, head: bytes) -> bool:
        """By the first bytes alone."""
        if head.startswith(_MAGIC) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP"):
            return True
        return (
            head[:2] == b"BM"
            and len(head) >= 26
            and head[6:10] == b"\0\0\0\0"
            and struct.unpack_from("<I", head, 14)[0] in _BITMAP_HEADERS
        )

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Blocks in reading order; a picture without text is `NoText`."""
        require_memory()
        # Loaded here, so that choosing a parser does not load OpenCV.
        from refdesk.knowledge.parsing.layout.blocks import add_blocks
        from refdesk.knowledge.parsing.layout.headings import body_size, label_by_size
        from refdesk.knowledge.parsing.layout.pages import PageLayout, texts_of_pages
        from refdesk.knowledge.parsing.ocr.picture_pages import laid_out, read_frame
        from refdesk.knowledge.parsing.ocr.pictures import open_picture

        picture = open_picture(data)
        if options.ocr == "off":
            raise NoText("The file is a picture, and reading pictures is switched off.", hint=_OFF_HINT)
        if picture.frames > options.max_pages:
            raise TooManyPages(pages=picture.frames, limit=options.max_pages)
        left = allowance(options)
        found = BlockList()
        pages: list[PageLayout] = []
        sure: dict[int, float] = {}
        skipped: list[int] = []
        cut_short: dict[int, float] = {}
        unread = 0
        sizes: list[list[int]] = []
        source: list[str] = []
        for frame in picture.read():
            sizes.append([frame.width, frame.height])
            if not left.is_left:
                skipped.append(frame.number)
            else:
                page = read_frame(frame, left)
                pages.append(laid_out(page, frame, frame.number))
                source.extend(line.text for line in page.lines)
                sure[frame.number] = page.confidence
                if page.is_cut_short:
                    cut_short[frame.number] = page.chars / (page.chars + page.unread_chars)
                    unread += page.unread_chars
            report(frame.number, picture.frames)
        texts, running = texts_of_pages(pages)
        if not texts:
            raise NoText("No text was found in the picture.", hint=_NO_TEXT_HINT)
        add_blocks(found, texts, label_by_size(texts, body_size(texts)))
        meta: dict[str, Any] = {
            "page_count": picture.frames if picture.frames > 1 else None,
            "format": picture.format.lower(),
            "page_sizes": sizes[:1] if len({tuple(size) for size in sizes}) == 1 else sizes,
            "created": picture.taken,
            "running_headers": running.lines,
            "running_chars": running.chars or None,
        }
        meta |= report_ocr(found, sure, skipped, cut_short)
        parsed = finish(name, self.kind, found, meta, "".join(source))
        # Running lines are kept in `meta` once, so all their repetitions count as kept.
        kept = min(parsed.extracted_chars, parsed.kept_chars + running.chars)
        # A page that was not read counts like an average one of those that were.
        unread += len(skipped) * parsed.extracted_chars // max(1, sum(map(bool, sure.values())))
        return replace(parsed, extracted_chars=parsed.extracted_chars + unread, kept_chars=kept)


_OFF_HINT = "Set REFDESK_OCR to auto, or type the text into a document of its own."
_NO_TEXT_HINT = "If it does hold text, upload a larger or sharper picture."
