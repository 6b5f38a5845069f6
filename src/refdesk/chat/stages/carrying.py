"""A follow-up without a model: for the search, what it leaves out is carried over from the questions before.

Only questions that lean on something before them get any of it, and only for the search: what is shown and
answered stays as it was typed. Measured in `docs/quality.md`.
"""

import re
from collections.abc import Sequence

_LEANS = re.compile(
    r"\b(?:it|its|they|them|their|theirs|this|that|these|those|he|she|him|her|his|one|ones|either|both|such|same"
    r"|else|there)\b|它|他们|她们|他|她|这|那|该|其|上述|前者|后者|呢[？?]?$|还有|再",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z0-9][\w'-]*|[\u3400-\u9fff]")
# Shorter than this a question seldom says what it is about.
FEW_WORDS, FEW_HAN = 4, 6
MOST_CHARS = 400


def carried(question: str, earlier: Sequence[str]) -> str:
    """What to search for `question`, asked after `earlier` (oldest first)."""
    if not earlier or not leans(question):
        return question
    before = earlier[-1].strip()
    if not before or before == question:
        return question
    return f"{before[:MOST_CHARS]} {question}"


def leans(question: str) -> bool:
    """Whether a question can hardly be understood by itself."""
    words = _WORD.findall(question)
    han = sum(1 for word in words if len(word) == 1 and word >= "\u3400")
    few = len(words) <= FEW_HAN if han * 2 > len(words) else len(words) <= FEW_WORDS
    return few or _LEANS.search(question) is not None
