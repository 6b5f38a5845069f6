"""Where to cut a text that is longer than the limit: sentence end, else softer marks, else anywhere.

One object a text, so that sentence ends are found once and each cut is a bisection: linear in all.
"""

import re
import unicodedata

from refdesk.knowledge.splitting.sentences import sentences
from refdesk.knowledge.splitting.sizing import Sizing, last_at_or_before

_SOFT = re.compile(r"\n|[，、,:：]\s?|\s+")
_WINDOW = 2000
# No person writes that many marks on one letter; going back over all of a run made each cut one character.
_MOST_JOINED = 32


class Cutter:
    """Cuts spans of `text`, measured by `sizing`, with sentence ends found lazily for each span."""

    def __init__(self, text: str, sizing: Sizing) -> None:
        self.text = text
        self.sizing = sizing

    def fill(self, start: int, end: int, first_budget: int, budget: int) -> list[tuple[int, int]]:
        """Cut [start, end) into spans of at most `budget` (the first of `first_budget`), ends at sentences.

        The first span is empty (start, start) where not even one sentence fits the first budget but would
        fit a whole one.
        """
        ends = [start + e for _, e in sentences(self.text[start:end])]
        spans: list[tuple[int, int]] = []
        at = start
        room = first_budget
        while at < end:
            furthest = min(self.sizing.reach(at, room), end) if room > 0 else at
            if furthest >= end:
                spans.append((at, end))
                break
            cut = last_at_or_before(ends, furthest, at)
            if cut is None:
                cut = at if room < budget else self.hard(at, furthest)
            spans.append((at, cut))
            at = cut
            while at < end and self.text[at].isspace():
                at += 1
            room = budget
        return spans

    def hard(self, start: int, furthest: int) -> int:
        """No sentence end in reach: cut at a comma or space in the last third, else between characters."""
        low = max(start + (furthest - start) * 2 // 3, furthest - _WINDOW)
        soft = [m.end() for m in _SOFT.finditer(self.text, low, furthest)]
        if soft and soft[-1] > start:
            return soft[-1]
        furthest = max(furthest, start + 1)
        cut = furthest
        while cut < len(self.text) and _joins(self.text[cut]):
            cut -= 1
            if cut <= max(start, furthest - _MOST_JOINED):
                return furthest
        return cut


def _joins(char: str) -> bool:
    """Whether a character belongs to the one before: combining marks, joiners, variation selectors."""
    return (
        bool(unicodedata.combining(char))
        or char in "\u200d\ufe0f\ufe0e"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
    )
