"""What people are told about OCR: pages read, pages left out, pages that are hard to read."""

from typing import Any

from refdesk.knowledge.parsing.blocks import BlockList

_LOW = 0.8
_LISTED = 20


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
            f"{pages_in_words(skipped)} were not read: OCR has a limit of pages and time for one file. "
            "Split the file, or raise REFDESK_OCR_MAX_PAGES or REFDESK_OCR_TIMEOUT_S.",
            skipped[0],
        )
    if cut_short:
        found.warn("ocr-incomplete", f"{pages_in_words(cut_short)}: reading took too long.", cut_short[0])
    low = [page for page, value in sure.items() if 0 < value < _LOW]
    if low:
        found.warn(
            "low-confidence",
            f"{pages_in_words(low)}: the text is hard to read, and parts of it may be wrong.",
            low[0],
        )
    read = {page: value for page, value in sure.items() if value}
    if not sure:
        return {}
    score = sum(read.values()) / len(read) if read else 0.0
    return {"ocr_pages": sorted(sure), "confidence_score": round(score, 3)}


def pages_in_words(numbers: list[int]) -> str:
    """Such as “Page 3” or “Pages 1, 2, 5 …”."""
    shown = ", ".join(map(str, numbers[:_LISTED])) + (" …" if len(numbers) > _LISTED else "")
    return f"Page {shown}" if len(numbers) == 1 else f"Pages {shown}"
