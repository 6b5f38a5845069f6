"""Which paragraphs are headings: by the entries of an outline or a contents page, else by font size.

Entries only label what stands on the page: the text of a heading is the page's own. What names no paragraph
of its page labels nothing.
"""

import re
from collections import Counter
from dataclasses import dataclass

from refdesk.knowledge.parsing.layout.lines import Text

_MAX_HEADING = 160
_MAX_LINES = 3
_LARGE, _LARGER = 2.0, 0.5  # points above the body: level 2 and level 3
_SQUEEZE = re.compile(r"[\s\u200b\u3000.．·、:：]+")
_PART = re.compile(r"^第\s*[一二三四五六七八九十百零〇\d]+\s*([篇编編部章节節])")
_ORDER = "篇编編部章节節"
_CHINESE = re.compile(r"^(?:[一二三四五六七八九十]{1,3}、)")
_ENDS = re.compile(r"[。；;，,]$")


@dataclass(slots=True)
class Entry:
    """A title with its level (from 1), its page (from 1), and where on the page if known (from the top)."""

    title: str
    level: int
    page: int
    y: float | None


def body_size(texts: list[Text]) -> float:
    """The size most characters have."""
    sizes: Counter[float] = Counter()
    for text in texts:
        sizes[round(text.size * 2) / 2] += len(text.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def label_by_entries(texts: list[Text], entries: list[Entry]) -> dict[int, tuple[int, str]] | None:
    """Index of a paragraph → (level, heading); None where too few entries are found on their pages."""
    by_page: dict[int, list[int]] = {}
    for i, text in enumerate(texts):
        by_page.setdefault(text.page, []).append(i)
    labels: dict[int, tuple[int, str]] = {}
    for entry in entries:
        wanted = _key(entry.title)
        matches = [
            i
            for i in by_page.get(entry.page, ())
            if i not in labels
            and not texts[i].table
            and texts[i].lines <= _MAX_LINES
            and _names(texts[i].text, wanted)
        ]
        if matches:
            best = min(matches, key=lambda i: (_distance(texts[i], entry), -texts[i].size))
            labels[best] = (
                entry.level,
                entry.title if _is_number_before(texts[best].text, entry.title) else texts[best].text,
            )
    return labels if len(labels) >= max(1, 0.3 * len(entries)) else None


def _distance(text: Text, entry: Entry) -> float:
    if entry.y is None or not text.boxes:
        return 0.0
    return round(abs(text.boxes[0].y0 - entry.y) / 40)


def _key(title: str) -> str:
    return _SQUEEZE.sub("", title).lower()


def _names(text: str, wanted: str) -> bool:
    have = _key(text)
    if not have or not wanted or len(have) > 2 * len(wanted) + 12:
        return False
    return have == wanted or (
        have.endswith(wanted) and len(have) - len(wanted) <= 10 and _numbering(have, wanted)
    )


def _numbering(have: str, wanted: str) -> bool:
    prefix = have[: len(have) - len(wanted)]
    return bool(
        re.fullmatch(
            r"(?:chapter|section|appendix|第|章|节|[\divxlca-z一二三四五六七八九十()（）-])+", prefix
        )
    )


def _is_number_before(text: str, title: str) -> bool:
    return _key(text) != _key(title)


def label_by_size(texts: list[Text], body: float) -> dict[int, tuple[int, str]]:
    """Headings by font size; Chinese part, chapter and section words give levels 1, 2 … in their order."""
    words = {
        found[1]
        for t in texts
        if _may_be_heading(t) and (found := _PART.match(t.text)) and _stands_out(t, body)
    }
    order = {word: level for level, word in enumerate(sorted(words, key=_ORDER.index), start=1)}
    labels: dict[int, tuple[int, str]] = {}
    for i, text in enumerate(texts):
        if not _may_be_heading(text):
            continue
        part = _PART.match(text.text)
        if part and _stands_out(text, body):
            labels[i] = (order[part[1]], text.text)
        elif _CHINESE.match(text.text) and _stands_out(text, body):
            labels[i] = (len(order) + 1 if order else 2, text.text)
        elif text.size > body + _LARGE:
            labels[i] = (2, text.text)
        elif text.size > body + _LARGER:
            labels[i] = (3, text.text)
    # Where most of a document is “larger”, size says nothing.
    large = sum(len(texts[i].text) for i in labels)
    return labels if large <= 0.5 * max(1, sum(len(t.text) for t in texts)) else {}


def _may_be_heading(text: Text) -> bool:
    plain = text.text.strip()
    return (
        not (text.table or text.turned)
        and 1 < len(plain) <= _MAX_HEADING
        and text.lines <= _MAX_LINES
        and any(c.isalpha() for c in plain)
        and not _ENDS.search(plain)
    )


def _stands_out(text: Text, body: float) -> bool:
    return text.lines == 1 and len(text.text) <= 60 and (text.bold or text.size > body + _LARGER)
