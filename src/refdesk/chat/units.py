"""A found paragraph as quotable units: sentences, list items, table rows, code, each with what it needs.

A unit is a span of the paragraph's content, so that a quotation is always the original wording.
"""

import re
from dataclasses import dataclass
from typing import Literal

from refdesk.knowledge.splitting import sentences

Kind = Literal["sentence", "item", "row", "code"]

MAX_CODE_LINES = 15
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_ROW = re.compile(r"\s*\|")
_RULE = re.compile(r"\s*\|?[\s:|-]*-[\s:|-]*\|?\s*$")
_HEADING = re.compile(r"\s*#{1,6}\s")
_ITEM = re.compile(r"\s*(?:[-*+•·●▪◦]\s|\d{1,3}[.)、．]\s?|[（(]?[一二三四五六七八九十\d]{1,3}[）)、])")


@dataclass(frozen=True, slots=True)
class Unit:
    """`head` is the table's head rows for a row; `lead` is the index of the sentence that opens a list."""

    start: int
    end: int
    kind: Kind
    head: tuple[int, int] | None = None
    lead: int | None = None
    language: str = ""


@dataclass(slots=True)
class _Lines:
    """Lines with their offsets."""

    spans: list[tuple[int, int]]

    @classmethod
    def of(cls, text: str) -> "_Lines":
        spans: list[tuple[int, int]] = []
        at = 0
        for line in text.splitlines(keepends=True):
            spans.append((at, at + len(line.rstrip("\r\n"))))
            at += len(line)
        return cls(spans)


def units(text: str) -> list[Unit]:
    """The units of a paragraph's content in order; headings are not units."""
    lines = _Lines.of(text).spans
    found: list[Unit] = []
    at, prose_from = 0, None
    while at < len(lines):
        start, end = lines[at]
        line = text[start:end]
        special = _FENCE.match(line) or _ROW.match(line) or _HEADING.match(line)
        if not special:
            prose_from = start if prose_from is None else prose_from
            at += 1
            continue
        if prose_from is not None:
            _add_prose(text, prose_from, start, found)
            prose_from = None
        if _FENCE.match(line):
            at = _add_code(text, lines, at, found)
        elif _ROW.match(line):
            at = _add_table(text, lines, at, found)
        else:
            at += 1
    if prose_from is not None:
        _add_prose(text, prose_from, len(text), found)
    return found


def _add_prose(text: str, start: int, end: int, found: list[Unit]) -> None:
    lead: int | None = None
    for left, right in sentences(text[start:end]):
        left, right = left + start, right + start
        part = text[left:right]
        if _ITEM.match(part) and (lead is not None or "\n" not in part):
            found.append(Unit(left, right, "item", lead=lead))
            continue
        lead = len(found) if part.endswith((":", "：")) else None
        found.append(Unit(left, right, "sentence"))


def _add_code(text: str, lines: list[tuple[int, int]], at: int, found: list[Unit]) -> int:
    opening = _FENCE.match(text[lines[at][0] : lines[at][1]])
    assert opening is not None
    language = text[lines[at][0] + opening.end() : lines[at][1]].strip()
    first = at + 1
    last = first
    while last < len(lines) and not text[lines[last][0] : lines[last][1]].lstrip().startswith(opening[1]):
        last += 1
    for begin in range(first, last, MAX_CODE_LINES):
        stop = min(begin + MAX_CODE_LINES, last) - 1
        if text[lines[begin][0] : lines[stop][1]].strip():
            found.append(Unit(lines[begin][0], lines[stop][1], "code", language=language))
    return last + 1


def _add_table(text: str, lines: list[tuple[int, int]], at: int, found: list[Unit]) -> int:
    last = at
    while last < len(lines) and _ROW.match(text[lines[last][0] : lines[last][1]]):
        last += 1
    has_head = last - at >= 2 and _RULE.match(text[lines[at + 1][0] : lines[at + 1][1]]) is not None
    head = (lines[at][0], lines[at + 1][1]) if has_head else None
    for row in range(at + 2 if has_head else at, last):
        found.append(Unit(lines[row][0], lines[row][1], "row", head=head))
    return last
