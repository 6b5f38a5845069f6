"""What people are told about OCR: pages read, pages left out, pages that are hard to read."""

from typing import Any

from refdesk.knowledge.parsing.blocks import BlockList, ParseWarning

_LOW = 0.8
_LISTED = 20
_LIMITS = (
    "OCR has a limit of pages and time for one file: split the file, or raise REFDESK_OCR_MAX_PAGES or "
    "REFDESK_OCR_TIMEOUT_S."
)


def skipped_pictures(count: int) -> ParseWarning:
    """The warning that pictures inside a file were not read."""
    what = "One picture was" if count == 1 else f"{count} pictures were"
    return ParseWarning("ocr-skipped", f"{what} not read. {_LIMITS}")


def report_ocr(
    found: BlockList, sure: dict[int, float], skipped: list[int], cut_short: list[int]
) -> dict[str, Any]:
    """Warnings on `found`; returns `ocr_pages` and `confidence_score` for the meta data.

    `sure`: page → mean confidence of its characters, 0 where no text was found. `skipped`: pages that were
    not read because the allowance was spent; `cut_short`: pages read in part.
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
            f"Read in part, because it took too long: {pages_in_words(cut_short)}.",
            cut_short[0],
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
    score = sum(read.values()) / len(read) if read else 0.0
    return {"ocr_pages": sorted(sure), "confidence_score": round(score, 3)}


def pages_in_words(numbers: list[int]) -> str:
    """Such as “page 3” or “pages 1, 2, 5 …”."""
    shown = ", ".join(map(str, numbers[:_LISTED])) + (" …" if len(numbers) > _LISTED else "")
    return f"page {shown}" if len(numbers) == 1 else f"pages {shown}"
