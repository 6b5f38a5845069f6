"""The words of a question for sources that match words only.

Full text in PostgreSQL and MariaDB knows words between spaces. Chinese, Japanese and Korean words are looked
for as they stand, which reads every row: slow on large tables, and better than finding nothing.
"""

import re
from dataclasses import dataclass

from refdesk.knowledge.indexing import tokenize
from refdesk.retrieval.function_words import background_frequency

MAX_WORDS = 24

# Han with its extensions, kana, and hangul; all else is taken for words between spaces, codes in one piece.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+")
_SPACED = re.compile(r"\w+(?:[-._/]\w+)*")


@dataclass(frozen=True, slots=True)
class AskedWords:
    """`spaced` are words between spaces, `unspaced` those of scripts without."""

    spaced: tuple[str, ...]
    unspaced: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.spaced) + len(self.unspaced)


def asked_words(query: str) -> AskedWords:
    """As they are written: the other side folds and stems in its own way.

    Without the words that only say how something is asked, unless there are no others.
    """
    spaced: list[str] = _SPACED.findall(_UNSPACED.sub(" ", query))
    unspaced = [word for run in _UNSPACED.findall(query) for word in _words_of(run)]
    told = list(dict.fromkeys((*spaced, *unspaced)))
    telling = [word for word in told if not background_frequency(word.lower())] or told
    kept = telling[:MAX_WORDS]
    return AskedWords(
        tuple(word for word in kept if not _UNSPACED.match(word)),
        tuple(word for word in kept if _UNSPACED.match(word)),
    )


def _words_of(run: str) -> list[str]:
    """Words of a run of characters as they stand in it; pairs of characters where it was folded away."""
    words = [word for word in tokenize(run) if word in run]
    return words or [run[at : at + 2] for at in range(max(len(run) - 1, 1))]
