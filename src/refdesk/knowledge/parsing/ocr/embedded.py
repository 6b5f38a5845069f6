"""Pictures inside other files: their text, where they carry any, and nothing but None where they do not."""

import hashlib
from dataclasses import dataclass

from refdesk.knowledge.parsing.blocks import ParseOptions
from refdesk.knowledge.parsing.errors import ParseError
from refdesk.knowledge.parsing.ocr.allowance import allowance, has_memory

# Smaller ones are icons and bullets; a line of text that can be read is at least this large.
_MIN_BYTES = 200
_MIN_SIDE, _MIN_AREA = 16, 3_000
_MIN_CONFIDENCE = 0.6
_MIN_CHARS = 2


@dataclass(frozen=True, slots=True)
class PictureText:
    """Text of a picture in reading order, paragraphs apart by blank lines, tables as Markdown."""

    text: str
    confidence: float


def read_image_text(data: bytes, options: ParseOptions) -> PictureText | None:
    """Text of a picture inside a file, or None: no text, no picture, OCR off, its allowance spent, or a
    picture that was read before in this file (a logo on every slide says what it says once).

    Never raises for what a picture holds; `MemoryError` goes through.
    """
    left = allowance(options)
    if left.mode == "off" or len(data) < _MIN_BYTES:
        return None
    digest = hashlib.sha256(data).digest()
    if digest in left.known:
        return None
    left.known.add(digest)
    if not has_memory():
        left.pictures_skipped += 1
        return None
    # Loaded here: most files hold no picture, and OpenCV takes 0.2 s.
    from refdesk.knowledge.parsing.ocr.picture_pages import laid_out, read_frame
    from refdesk.knowledge.parsing.ocr.pictures import open_picture

    try:
        picture = open_picture(data)
        frame = next(picture.read())
    except ParseError:
        return None
    if min(frame.width, frame.height) < _MIN_SIDE or frame.width * frame.height < _MIN_AREA:
        return None
    if not left.is_left:
        left.pictures_skipped += 1
        return None
    page = read_frame(frame, left)
    if page.is_cut_short:
        left.pictures_cut_short += 1
        left.unread_chars += page.unread_chars
    if page.chars < _MIN_CHARS or page.confidence < _MIN_CONFIDENCE:
        return None
    if page.is_cut_short:
        left.chars_beside += page.chars
    from refdesk.knowledge.parsing.layout.pages import texts_of_pages

    texts, _ = texts_of_pages([laid_out(page, frame, 1)])
    text = "\n\n".join(found.table or found.text for found in texts)
    return PictureText(text, round(page.confidence, 3)) if text else None
