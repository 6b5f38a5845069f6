"""Paragraphs and tables of a file → its blocks, once it is known which are headings."""

from functools import partial

from refdesk.knowledge.parsing.blocks import BlockList
from refdesk.knowledge.parsing.layout.lines import Text

_DEEPEST = 6


def add_blocks(found: BlockList, texts: list[Text], labels: dict[int, tuple[int, str]]) -> None:
    """`labels`: index of a text → level and words of the heading it is."""
    for i, text in enumerate(texts):
        pictures = int(text.confidence is not None)  # what OCR read stands in a picture
        add = partial(
            found.add, page=text.page, boxes=text.boxes, confidence=text.confidence, pictures=pictures
        )
        if text.table:
            add("table", text.table)
        elif i in labels:
            level, title = labels[i]
            add("heading", title, level=min(level, _DEEPEST))
        elif text.listed:
            add("list_item", text.text, level=0)
        else:
            add("paragraph", text.text)
