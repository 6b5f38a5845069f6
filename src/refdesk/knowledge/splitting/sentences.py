"""Sentence ends of Chinese and English, as spans of offsets.

A full stop ends a sentence only before white space and not after an abbreviation, an initial or a list
number; decimals, versions, addresses and file names have no white space after theirs. Closing quotes and
brackets stay with their sentence. A line break ends one only where the next line starts something new
(a blank line, a list item, a table row, a heading): soft-wrapped prose goes on.
"""

import re

_CLOSING = "\"'”’」』）)】》〉］]〗*_"
_END = re.compile(
    rf"[。！？!?；…]+[{re.escape(_CLOSING)}]*"
    rf"|(?<![.\d])\.(?=[{re.escape(_CLOSING)}]*(?:\s|$))[{re.escape(_CLOSING)}]*"
    rf"|(?<=\d)\.(?=[{re.escape(_CLOSING)}]*(?:\s|$))[{re.escape(_CLOSING)}]*"
    # Tried at the first dot only and never given back: a line of 30,000 dots took a minute.
    rf"|(?<!\.)\.{{2,}}+[{re.escape(_CLOSING)}]*+(?=\s|$|[\u3400-\u9fff])"
    r"|\n[ \t]*\n\s*"
    r"|\n(?=[ \t]*(?:[-*+•·●▪◦] |\d{1,3}[.)、．] ?|[（(]?[一二三四五六七八九十\d]{1,3}[）)、]|\||#{1,6} |>"
    r"|第[一二三四五六七八九十百千\d]{1,5}[章节条款]))"
)
_SHORT_FORMS = (
    "mr mrs ms dr prof sr jr st vs etc al fig figs no nos vol pp p ch sec eq eqs ref refs approx "
    "dept est inc ltd co corp gen col sgt capt lt rev hon gov sen rep jan feb mar apr jun jul aug "
    "sep sept oct nov dec mon tue wed thu fri sat sun e.g i.e cf viz a.m p.m u.s u.k u.n ph.d m.d "
    "b.a m.a d.c art para ed eds trans ver v tel ext"
)
_ABBREVIATIONS = frozenset(_SHORT_FORMS.split())
# These may well end a sentence when a capital follows.
_MAY_END = frozenset(["etc", "inc", "ltd", "co", "corp", "a.m", "p.m", "al"])
_WORD_BEFORE = re.compile(r"[\w.]+$")
_LOOK_BACK = 24
_NEXT_WORD = re.compile(r"\s+(\S)")


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans (start, end) of the sentences of `text`, in order, without white space at either side."""
    spans: list[tuple[int, int]] = []
    start = 0
    for found in _END.finditer(text):
        if not _ends(text, found):
            continue
        _add(text, start, found.end(), spans)
        start = found.end()
    _add(text, start, len(text), spans)
    return spans


def _ends(text: str, found: re.Match[str]) -> bool:
    mark = found[0]
    if mark[0] in "!?" and mark.isascii():
        following = text[found.end() : found.end() + 1]
        # A query string or an operator goes on without white space; Chinese text needs none.
        return not following or following.isspace() or ord(following) > 0x2E80
    if mark[0] != "." or mark.startswith(".."):
        return True
    word_match = _WORD_BEFORE.search(text, max(0, found.start() - _LOOK_BACK), found.start())
    word = word_match[0] if word_match else ""
    following = _NEXT_WORD.match(text, found.start() + len(mark))
    if not following:
        return True
    capital = following[1].isupper() or following[1] in "\"'“‘([" or ord(following[1]) > 0x2E80
    lowered = word.lower()
    if lowered in _ABBREVIATIONS:
        return lowered in _MAY_END and capital
    if len(word) == 1 and word.isalpha() and word.isupper():
        return False
    if word.isdigit() and len(word) <= 3:
        # “3. Install” at the head of a line is a list number.
        line = text[max(0, found.start() - _LOOK_BACK) : found.start() - len(word)]
        at_head = not line.rpartition("\n")[2].strip(" \t-*#>（(")
        return not at_head
    return following[1].isdigit() or not following[1].islower()


def _add(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        spans.append((start, end))
