"""Where the question's words stand in a text: for people who look at hits, in no way part of ranking."""

import re

from refdesk.knowledge.indexing import fold, tokenize
from refdesk.retrieval.function_words import background_frequency
from refdesk.retrieval.query import TermedQuery

_WORD = re.compile(r"\w+(?:[-_.']\w+)*")
_MOST = 200
"""Places marked in one text."""


def words_to_mark(query: str) -> frozenset[str]:
    """The tokens of a question that say what it is about."""
    tokens = TermedQuery.read(query).tokens.values()
    return frozenset(token for token in tokens if background_frequency(token) == 0.0)


def places_of(words: frozenset[str], content: str) -> list[tuple[int, int]]:
    """Spans of `content` (in characters) that hold one of the words, in order and apart from each other.

    Words between spaces are compared by their tokens, so that other forms and other spellings of a code are
    marked too; in scripts without spaces the words themselves are looked for.
    """
    if not words:
        return []
    # One character for one, so that places stay; what folds to several is left as it is.
    folded = "".join(
        one if len(one) == 1 else character for character in content for one in (fold(character),)
    )
    spans: list[tuple[int, int]] = []
    unspaced = sorted((word for word in words if not word.isascii()), key=len, reverse=True)
    if unspaced:
        pattern = "|".join(re.escape(word) for word in unspaced)
        spans += [match.span() for match in re.finditer(pattern, _lowered(folded))]
    for match in _WORD.finditer(folded):
        # A run of Han characters with a code in it: only the parts that are not Han are words.
        for part in re.finditer(r"[!-~]+", match.group()):
            if not words.isdisjoint(tokenize(part.group())):
                spans.append((match.start() + part.start(), match.start() + part.end()))
    return _apart(sorted(spans))[:_MOST]


def _lowered(text: str) -> str:
    """In lower case, one character for one."""
    return "".join(one if len(one := character.lower()) == 1 else character for character in text)


def _apart(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
