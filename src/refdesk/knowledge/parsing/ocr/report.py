"""What people are told about OCR: pages read, pages left out, pages that are hard to read."""

from typing import Any

from refdesk.knowledge.parsing.blocks import BlockList, ParseWarning

_LOW = 0.8
_LISTED = 20
_LIMITS = (
    "OCR has a limit of pages and time for one file: split the file, or raise REFDESK_OCR_MAX_PAGES or "
    "REFDESK_OCR_TIMEOUT_S."
)

_PAGE_LIMIT = "Raise REFDESK_OCR_PAGE_TIMEOUT_S and read the file again."


def skipped_pictures(count: int) -> ParseWarning:
    """The warning that pictures inside a file were not read."""
    what = "One picture was" if count == 1 else f"{count} pictures were"
    return ParseWarning("ocr-skipped", f"{what} not read. {_LIMITS}")


def incomplete(pages: list[int]) -> str:
    """What is said of pages read in part; that of one page names it beside the text, not in it."""
    which = "" if len(pages) == 1 else f": {pages_in_words(pages)}"
    return f"Read in part, because OCR took too long{which}. {_PAGE_LIMIT}"


def cut_pictures(count: int) -> ParseWarning:
    """The warning that pictures inside a file were read in part."""
    what = "One picture was" if count == 1 else f"{count} pictures were"
    return ParseWarning("ocr-incomplete", f"{what} read in part, because OCR took too long. {_PAGE_LIMIT}")


def report_ocr(
    found: BlockList, sure: dict[int, float], skipped: list[int], cut_short: dict[int, float]
) -> dict[str, Any]:
    """Warnings on `found`; returns `ocr_pages` and `confidence_score` for the meta data.

    `sure`: page → mean confidence of its characters, 0 where no text was found. `skipped`: pages that were
    not read because the allowance was spent; `cut_short`: pages read in part → share of their characters
    that was read. The others lower the score like characters of no confidence.
    """
    if skipped:
        found.warn(
            "ocr-skipped",
            f"Not read: {pages_in_words(skipped)}. {_LIMITS}",
            skipped[0],
        )
    if cut_short:
        found.warn(
            "ocr-incomplete",
            incomplete(list(cut_short)),
            min(cut_short),
        )
    low = [page for page, value in sure.items() if 0 < value < _LOW]
    if low:
        found.warn(
            "low-confidence",
            f"Hard to read, so that parts of the text may be wrong: {pages_in_words(low)}.",
            low[0],
        )
    read = {page: value for page, value in sure.items() if value}
    if not sure:
        return {}
    score = sum(value * cut_short.get(page, 1.0) for page, value in read.items()) / len(read) if read else 0.0
    return {"ocr_pages": sorted(sure), "confidence_score": round(score, 3)}


def pages_in_words(numbers: list[int]) -> str:
    """Such as “page 3” or “pages 1, 2, 5 …”."""
    shown = ", ".join(map(str, numbers[:_LISTED])) + (" …" if len(numbers) > _LISTED else "")
    return f"page {shown}" if len(numbers) == 1 else f"pages {shown}"
