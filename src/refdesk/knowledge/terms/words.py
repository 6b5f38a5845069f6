"""What may be a word of a term base."""

from collections.abc import Sequence
from dataclasses import dataclass

from refdesk.knowledge.indexing import key_of, tokenize
from refdesk.knowledge.terms.errors import TermInvalid

MAX_WORD_CHARS = 100
MAX_SYNONYMS = 50
MAX_WORDS = 20_000
"""Words of one base, synonyms included."""

SEPARATORS = ";；"


@dataclass(frozen=True, slots=True)
class CleanTerm:
    """A word and its synonyms without repetitions, each with its key, the word's first."""

    word: str
    synonyms: tuple[str, ...]
    keys: tuple[str, ...]


def clean_word(word: str) -> tuple[str, str]:
    """The word as it is kept, and its key. Raises `TermInvalid`."""
    kept = " ".join(word.split())
    if not kept:
        raise TermInvalid("A term needs at least one character.")
    if len(kept) > MAX_WORD_CHARS:
        raise TermInvalid(f"A term has at most {MAX_WORD_CHARS} characters.", word=kept[:MAX_WORD_CHARS])
    if any(mark in kept for mark in SEPARATORS):
        raise TermInvalid("A term cannot hold a semicolon: it separates synonyms.", word=kept)
    key = key_of(kept)
    if not tokenize(key):
        raise TermInvalid("A term needs letters or digits.", word=kept)
    return kept, key


def clean_term(word: str, synonyms: Sequence[str]) -> CleanTerm:
    """Raises `TermInvalid` for any word of them."""
    kept, key = clean_word(word)
    by_key = {key: kept}
    for synonym in synonyms:
        if synonym.strip():
            other, other_key = clean_word(synonym)
            by_key.setdefault(other_key, other)
    if len(by_key) > MAX_SYNONYMS + 1:
        raise TermInvalid(f"A term has at most {MAX_SYNONYMS} synonyms.", word=kept)
    return CleanTerm(kept, tuple(by_key.values())[1:], tuple(by_key))
