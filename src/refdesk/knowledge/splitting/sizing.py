"""Sizes in characters or tokens, and where a span of a given size ends.

Tokens are estimated without a tokenizer, as the embedding model may change: one a Chinese, Japanese or Korean
character, one a mark, one for each started group of four letters or three digits of a word. On mixed text
this lies 5–15 % above what multilingual vocabularies give, so a limit in tokens is kept.
"""

import re
from bisect import bisect_left, bisect_right
from typing import Protocol

_TOKEN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]|[A-Za-z]{1,4}|\d{1,3}|[^\W_]{1,2}|\S"
)


class Sizing(Protocol):
    """Measures spans of one text."""

    def size(self, start: int, end: int) -> int:
        """Size of the span."""
        ...

    def reach(self, start: int, budget: int) -> int:
        """The furthest end whose span from `start` is not larger than `budget`."""
        ...


class Characters:
    """One a character."""

    def __init__(self, text: str) -> None:
        self._length = len(text)

    def size(self, start: int, end: int) -> int:
        """Characters between the offsets."""
        return end - start

    def reach(self, start: int, budget: int) -> int:
        """`start + budget`, at most the end of the text."""
        return min(start + budget, self._length)


class Tokens:
    """Estimated tokens; found once for the whole text, then by bisection."""

    def __init__(self, text: str) -> None:
        self._starts = [m.start() for m in _TOKEN.finditer(text)]
        self._length = len(text)

    def size(self, start: int, end: int) -> int:
        """Tokens that begin between the offsets."""
        return bisect_left(self._starts, end) - bisect_left(self._starts, start)

    def reach(self, start: int, budget: int) -> int:
        """The start of the first token that no longer fits, or the end of the text."""
        after = bisect_left(self._starts, start) + budget
        return self._starts[after] if after < len(self._starts) else self._length


def last_at_or_before(positions: list[int], at: int, after: int) -> int | None:
    """The greatest of the sorted `positions` that is ≤ `at` and > `after`."""
    i = bisect_right(positions, at) - 1
    return positions[i] if i >= 0 and positions[i] > after else None
