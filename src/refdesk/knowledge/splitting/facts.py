"""What is known of a paragraph beside its text: tables, code, pictures, and what OCR read in it.

The keys are those by which skills are chosen for a passage (`has_table`, `has_image`, `image_url`,
`ocr_text`, `confidence_score`); a key that says nothing is left out.
"""

import re
from collections.abc import Iterable
from typing import Any

from refdesk.knowledge.parsing.blocks import Block

_IMAGE = re.compile(r"!\[[^\]\n]*\]\(\s*<?([^)\s>]+)")
_MAX_URLS = 20


def facts_of(blocks: Iterable[Block], content: str) -> dict[str, Any]:
    """Facts of a paragraph that is made of these blocks; `confidence_score` is 0–1, weighted by length."""
    facts: dict[str, Any] = {}
    pictures = 0
    recognised: list[Block] = []
    for block in blocks:
        if block.kind == "table":
            facts["has_table"] = True
        elif block.kind == "code":
            facts["has_code"] = True
        pictures += block.pictures
        if block.confidence is not None:
            recognised.append(block)
    urls = list(dict.fromkeys(_IMAGE.findall(content)))[:_MAX_URLS] if "![" in content else []
    if pictures or urls:
        facts["has_image"] = True
    if urls:
        facts["image_url"] = urls
    if recognised:
        facts["ocr_text"] = "\n\n".join(block.text for block in recognised)
        length = sum(len(block.text) for block in recognised)
        score = sum(len(block.text) * (block.confidence or 0.0) for block in recognised) / length
        facts["confidence_score"] = round(score, 3)
    return facts


def joined_facts(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Facts of two paragraphs that became one; the lower confidence counts."""
    joined = {**first, **second}
    if "ocr_text" in first and "ocr_text" in second:
        joined["ocr_text"] = f"{first['ocr_text']}\n\n{second['ocr_text']}"
        joined["confidence_score"] = min(first["confidence_score"], second["confidence_score"])
    if "image_url" in first and "image_url" in second:
        joined["image_url"] = list(dict.fromkeys([*first["image_url"], *second["image_url"]]))[:_MAX_URLS]
    return joined
