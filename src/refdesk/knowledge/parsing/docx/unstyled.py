"""Headings of documents whose author used no styles: numbered or bold lines that stand alone.

Asked only where a document has no heading at all; there a chapter number or a bold line is the best there is.
"""

import re
from dataclasses import replace

from refdesk.knowledge.parsing.blocks import BlockList
from refdesk.knowledge.parsing.docx.numbering import W
from refdesk.knowledge.parsing.xml_tree import Element

_HAN = "零〇一二三四五六七八九十百千两"
# Number of a heading → its level; without bold letters only the first three are sure enough.
_NUMBERS = (
    (re.compile(rf"^第\s*[{_HAN}\d]+\s*[编編篇部卷]"), 1),
    (re.compile(rf"^第\s*[{_HAN}\d]+\s*章|^(?:chapter|part)\s+(?:\d+|[ivxlc]+)\b", re.IGNORECASE), 1),
    (re.compile(rf"^第\s*[{_HAN}\d]+\s*[节節]"), 2),
    (re.compile(rf"^[{_HAN}]+\s*[、．.]"), 1),
    (re.compile(rf"^[（(]\s*[{_HAN}]+\s*[）)]"), 2),
    (re.compile(r"^\d{1,2}(?:[.．]\d{1,2}){2}(?!\d)"), 3),
    (re.compile(r"^\d{1,2}[.．]\d{1,2}(?!\d)"), 2),
    (re.compile(r"^\d{1,2}(?:[.．、]|\s)\s*\D"), 1),
)
_SURE = 3
_MAX_CHARS = 50
_ENDS = tuple("。.;；,，:：!！?？")


def is_strong(paragraph: Element) -> bool:
    """Whether all letters of a paragraph are bold."""
    found = False
    for run in paragraph.iter(f"{W}r"):
        if not any((text.text or "").strip() for text in run.iter(f"{W}t")):
            continue
        mark = run.find(f"{W}rPr/{W}b")
        if mark is None or mark.get(f"{W}val") in ("0", "false"):
            return False
        found = True
    return found


def label_unstyled(found: BlockList, strong: set[int]) -> None:
    """Turn lines into headings; `strong` are the places of the blocks that are all bold."""
    if any(block.kind == "heading" for block in found.blocks):
        return
    levels = {
        at: level
        for at, block in enumerate(found.blocks)
        if block.kind in ("paragraph", "list_item") and (level := _level(block.text, bold=at in strong))
    }
    # Where most of it would be headings, bold letters mean something else.
    if len(levels) > len(found.blocks) / 2:
        return
    for at, level in levels.items():
        found.blocks[at] = replace(found.blocks[at], kind="heading", level=level)


def _level(text: str, *, bold: bool) -> int:
    if len(text) > _MAX_CHARS or "\n" in text or text.endswith(_ENDS):
        return 0
    for place, (number, level) in enumerate(_NUMBERS):
        if number.match(text) and (bold or place < _SURE):
            return level
    return 2 if bold and sum(map(str.isalpha, text)) > 1 else 0
