"""A vendor's own codes and phrases for what can go wrong, read before the general ones.

The same status means a wrong key with one vendor and too long a question with another, and codes that are
bare numbers (Zhipu's 1113 is an empty account) say nothing to whoever does not know the vendor.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from refdesk.gateway.errors import (
    ModelAuthentication,
    ModelContextExceeded,
    ModelError,
    ModelNotThere,
    ModelQuota,
    ModelRateLimited,
)

Sort = Literal["authentication", "quota", "rate_limit", "context", "model"]

_ERRORS: dict[Sort, type[ModelError]] = {
    "quota": ModelQuota,
    "context": ModelContextExceeded,
    "model": ModelNotThere,
    "rate_limit": ModelRateLimited,
    "authentication": ModelAuthentication,
}


@dataclass(frozen=True, slots=True)
class Signs:
    """What a vendor writes for each reason that it tells apart."""

    patterns: tuple[tuple[Sort, re.Pattern[str]], ...] = ()

    @classmethod
    def of(cls, words: Mapping[Sort, Sequence[str]]) -> "Signs":
        """Signs are codes or phrases; they match as whole words, whatever their case.

        They are looked for in the order of `_ERRORS`: "no permission" is also what vendors say of an account
        without money.
        """
        return cls(tuple((sort, _pattern(words[sort])) for sort in _ERRORS if words.get(sort)))

    def __call__(self, text: str) -> type[ModelError] | None:
        """The error that a vendor's words speak of, None if they speak of none that is known."""
        for sort, pattern in self.patterns:
            if pattern.search(text):
                return _ERRORS[sort]
        return None


def _pattern(phrases: Sequence[str]) -> re.Pattern[str]:
    # ASCII: a code beside Chinese words is a word of its own.
    return re.compile(
        "|".join(rf"(?<!\w){re.escape(one)}(?!\w)" for one in phrases), re.IGNORECASE | re.ASCII
    )
