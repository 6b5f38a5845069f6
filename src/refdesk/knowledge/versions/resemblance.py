"""Which paragraph is the changed form of another one: by the words they share, in time linear in the text."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from refdesk.knowledge.versions.records import ParagraphRecord

# From which share of a text's pairs of neighbouring words that another one has, the two count as alike.
RESEMBLANCE = 0.5
# What many of the texts share tells none from another, and looking at it would make the work a product of
# both numbers.
_MOST_HOLDERS = 50
_MOST_LOOKS = 200_000

_WORDS = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]|[^\W_]+")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A text whose changed form is looked for. `title` with its parents; `room`: for how many at most."""

    text: str
    title: tuple[str, ...]
    room: int


def counterparts(
    wanted: Sequence[Wanted], candidates: Sequence[ParagraphRecord], free: Sequence[int]
) -> list[list[int]]:
    """For each text the free candidates (by index) that are a changed form of it, in their order.

    None is given twice, nor more to one text than it has room for: in a table all rows are alike, and a row
    that is new must not be taken for the changed form of another.
    """
    found: list[list[int]] = [[] for _ in wanted]
    if not wanted or not free:
        return found
    given: set[int] = set()
    for _, number, i in sorted(_resemblances(wanted, candidates, free)):
        if i not in given and len(found[number]) < wanted[number].room:
            found[number].append(i)
            given.add(i)
    # A section that was rewritten from its first word to its last is known by its heading.
    by_title: dict[tuple[str, ...], list[int]] = {}
    for i in free:
        by_title.setdefault((*candidates[i].title_chain, candidates[i].title), []).append(i)
    titles = Counter(text.title for text in wanted)
    for number, text in enumerate(wanted):
        alone = by_title.get(text.title, [])
        if not found[number] and text.room and text.title[-1] and titles[text.title] == len(alone) == 1:
            found[number] = [i for i in alone if i not in given]
    return [sorted(indexes) for indexes in found]


def _resemblances(
    wanted: Sequence[Wanted], candidates: Sequence[ParagraphRecord], free: Sequence[int]
) -> Iterator[tuple[float, int, int]]:
    """(distance, number of the text, index of the candidate) of those that are alike."""
    holders: dict[int, list[int]] = {}
    for number, text in enumerate(wanted):
        for pair in _pairs(text.text):
            holders.setdefault(pair, []).append(number)
    most = max(4, min(_MOST_HOLDERS, _MOST_LOOKS // len(wanted)))
    common = {pair for pair, numbers in holders.items() if len(numbers) > most}
    sizes = Counter(number for p, numbers in holders.items() if p not in common for number in numbers)
    for i in free:
        pairs = _pairs(candidates[i].content) - common
        shared = Counter(number for pair in pairs for number in holders.get(pair, ()))
        for number, count in shared.items():
            if count >= RESEMBLANCE * min(len(pairs), sizes[number]):
                yield 1 - 2 * count / (len(pairs) + sizes[number]), number, i


def _pairs(text: str) -> set[int]:
    """Hashes of the pairs of neighbouring words; Han characters count as words. One word is its own pair."""
    words = _WORDS.findall(text.casefold())
    if len(words) == 1:
        return {hash((words[0], ""))}
    return {hash(pair) for pair in pairwise(words)}
