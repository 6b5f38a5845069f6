"""What differs between two versions, so that a person can read it: paragraphs side by side, then words.

Bounded on any input: paragraphs are aligned in linear time, and words are compared only where both sides are
short enough; longer ones are compared by lines, still longer ones are shown as replaced.
"""

import re
import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Literal

from refdesk.knowledge.versions.records import ParagraphRecord
from refdesk.knowledge.versions.resemblance import Wanted, counterparts

Kind = Literal["added", "removed", "changed", "moved"]
PartKind = Literal["equal", "insert", "delete"]
type _Stretch = tuple[PartKind, Sequence[str]]

# SequenceMatcher looks at the product of both lengths, more than once where much repeats itself.
_MOST_CELLS = 250_000
_BUDGET_S = 2.0
# A word with the white space after it; Han characters and signs by themselves.
_HAN = r"\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af"
_WORDS = re.compile(rf"(?:[{_HAN}]|[^\W{_HAN}]+|[^\w\s])\s*|\s+")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of text that both have (`equal`), or only the later (`insert`) or the earlier (`delete`)."""

    op: PartKind
    text: str


@dataclass(frozen=True, slots=True)
class Side:
    """A paragraph of one of the versions; `position` counts from 0."""

    record: ParagraphRecord
    position: int


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. `before` is None for what was added, `after` for what was removed."""

    kind: Kind
    before: Side | None
    after: Side | None


@dataclass(slots=True)
class Comparison:
    """All changes in the order of the later version, and how many paragraphs are the same in both."""

    changes: list[Change] = field(default_factory=list[Change])
    unchanged: int = 0


def compare(before: Sequence[ParagraphRecord], after: Sequence[ParagraphRecord]) -> Comparison:
    """The paragraphs that differ. One that was edited or whose text changed in the file is `changed`."""
    partner = _partners(before, after)
    stays = _longest_rise([partner[j] for j in range(len(after)) if j in partner])
    comparison = Comparison()
    # What was removed is shown behind the paragraph it stood behind.
    partner_of = {i: j for j, i in partner.items()}
    removed_after: dict[int, list[Change]] = {}
    last = -1
    for i, record in enumerate(before):
        if i in partner_of:
            last = partner_of[i]
        else:
            removed_after.setdefault(last, []).append(Change("removed", Side(record, i), None))
    comparison.changes += removed_after.get(-1, [])
    for j, record in enumerate(after):
        change = _change(before, j, record, partner.get(j), stays)
        if change is None:
            comparison.unchanged += 1
        else:
            comparison.changes.append(change)
        comparison.changes += removed_after.get(j, [])
    return comparison


def _change(
    before: Sequence[ParagraphRecord], j: int, record: ParagraphRecord, i: int | None, stays: set[int]
) -> Change | None:
    if i is None:
        return Change("added", None, Side(record, j))
    same = (before[i].title, before[i].title_chain, before[i].content) == (
        record.title,
        record.title_chain,
        record.content,
    )
    if same and i in stays:
        return None
    return Change("moved" if same else "changed", Side(before[i], i), Side(record, j))


def _partners(before: Sequence[ParagraphRecord], after: Sequence[ParagraphRecord]) -> dict[int, int]:
    """Index in `before` by index in `after`: the same row, else the same text, else a changed form of it."""
    partner: dict[int, int] = {}
    used: set[int] = set()
    keys: tuple[Callable[[ParagraphRecord], object], ...] = (
        lambda record: record.id,
        lambda record: (tuple(record.title_chain), record.title, record.content),
        lambda record: record.content,
    )
    for key in keys:
        waiting: dict[object, list[int]] = {}
        for i in range(len(before) - 1, -1, -1):
            if i not in used:
                waiting.setdefault(key(before[i]), []).append(i)
        for j, record in enumerate(after):
            if j not in partner and waiting.get(key(record)):
                partner[j] = waiting[key(record)].pop()
                used.add(partner[j])
    left = [i for i in range(len(before)) if i not in used]
    free = [j for j in range(len(after)) if j not in partner]
    wanted = [Wanted(before[i].content, (*before[i].title_chain, before[i].title), 1) for i in left]
    for i, found in zip(left, counterparts(wanted, after, free), strict=True):
        for j in found:
            partner[j] = i
    return partner


def _longest_rise(values: Sequence[int]) -> set[int]:
    """The values of a longest rising subsequence (Fredman 1975): the paragraphs that did not move."""
    ends: list[int] = []
    at: list[int] = []
    for value in values:
        place = bisect_left(ends, value)
        ends[place : place + 1] = [value]
        at.append(place)
    kept: set[int] = set()
    wanted = len(ends) - 1
    for value, place in zip(reversed(values), reversed(at), strict=True):
        if place == wanted:
            kept.add(value)
            wanted -= 1
    return kept


def all_parts(changes: Sequence[Change]) -> list[list[Part]]:
    """The parts of each change, for as long as the budget of time lasts; then whole texts."""
    deadline = time.monotonic() + _BUDGET_S
    return [_parts_of(change, exact=time.monotonic() < deadline) for change in changes]


def _parts_of(change: Change, *, exact: bool) -> list[Part]:
    if change.before is None:
        return [Part("insert", change.after.record.content)] if change.after is not None else []
    if change.after is None:
        return [Part("delete", change.before.record.content)]
    before, after = change.before.record.content, change.after.record.content
    return parts(before, after) if exact else _whole(before, after)


def parts(before: str, after: str) -> list[Part]:
    """Both texts as one sequence of parts; equal and deleted parts make `before`, equal and inserted ones
    `after`."""
    if before == after:
        return [Part("equal", after)] if after else []
    for pattern in (_WORDS, _LINES):
        old, new = pattern.findall(before), pattern.findall(after)
        head, tail = _common_ends(old, new)
        middle = old[head : len(old) - tail], new[head : len(new) - tail]
        if len(middle[0]) * len(middle[1]) <= _MOST_CELLS:
            start: _Stretch = ("equal", old[:head])
            end: _Stretch = ("equal", old[len(old) - tail :])
            return _joined([start, *_opcodes(*middle), end])
    return _whole(before, after)


def _common_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    shorter = min(len(old), len(new))
    head = 0
    while head < shorter and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return head, tail


def _opcodes(old: Sequence[str], new: Sequence[str]) -> list[_Stretch]:
    found: list[_Stretch] = []
    for op, i, i2, j, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if op == "equal":
            found.append(("equal", old[i:i2]))
        else:
            found.append(("delete", old[i:i2]))
            found.append(("insert", new[j:j2]))
    return found


def _joined(pieces: Sequence[_Stretch]) -> list[Part]:
    return [Part(op, "".join(words)) for op, words in pieces if words]


def _whole(before: str, after: str) -> list[Part]:
    old: _Stretch = ("delete", [before] if before else [])
    new: _Stretch = ("insert", [after] if after else [])
    return _joined([old, new])
