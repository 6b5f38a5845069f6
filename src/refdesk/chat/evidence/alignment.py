"""Evidence as clauses, each with the context in which its words may be read.

A clause is read with the heading above it and with the earlier clauses of its sentence, from which it takes
its subject, except those that run parallel to it ("A has 100, B has 500": nothing of A goes into B). A
sentence that begins with a pronoun is read with the one before it.
"""

import re
from dataclasses import dataclass

from refdesk.chat.evidence.lexicon import SAME
from refdesk.chat.evidence.words import Number, Words, analyse
from refdesk.knowledge.splitting import sentences

_CLAUSE = re.compile(
    r"[，；;：]|,\s|:\s|\s(?=(?:and|but|while|whereas)\s(?:[a-z]+\s){0,3}?(?:is|are|was|were|may|must|can|cannot|has|have|will|do|does|removes?|adds?)\b)|(?<=[\u4e00-\u9fff])(?=而[^且])|。"
)
# What refers to, or is said about, the sentence before.
_PRONOUN = re.compile(
    r"^(?:It|They|This|These|He|She|Its|Their|它|他|她|其|该|此|这)\b|^(?:它|他|她|其|该|此|这)"
    r"|^(?:常见|主要)?(?:的)?(?:原因|办法|方法|做法|步骤|例如|比如)|^(?:The )?(?:[Cc]ommon|[Uu]sual) "
)
_IT = re.compile(r"\b(?:it|they|them|this)\b|它|其|此", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """One clause of the evidence: its own words, and with what it inherits."""

    text: str
    own: Words
    numbers: tuple[Number, ...]
    codes: frozenset[str]
    words: frozenset[str]
    negations: int


def clauses(text: str) -> list[str]:
    """The clauses of a sentence; a number like 1,350 or 02:00 is not cut."""
    return [part.strip(" 。.,，;；") for part in _CLAUSE.split(text) if part and part.strip(" 。.,，;；")]


def readings(heading: str, text: str) -> list[Reading]:
    """All readings of one source, in order."""
    found: list[Reading] = []
    head = analyse(heading)
    previous: list[Words] = []
    for start, end in sentences(text):
        sentence = text[start:end]
        carried = previous if _PRONOUN.search(sentence) else []
        parts = clauses(sentence)
        analysed = [analyse(part) for part in parts]
        for at, (part, own) in enumerate(zip(parts, analysed, strict=True)):
            inherited = [head, *carried]
            inherits_all = bool(_IT.search(part))
            inherited += [earlier for earlier in analysed[:at] if inherits_all or not _parallel(earlier, own)]
            found.append(_reading(part, own, inherited))
        previous = analysed
    return found


def _parallel(earlier: Words, own: Words) -> bool:
    """Two clauses that say the same kind of thing of different subjects: a word in common and own figures."""
    shared = _content(earlier) & _content(own)
    figures = bool(earlier.numbers or earlier.codes) and bool(own.numbers or own.codes)
    return bool(shared) and figures


def _content(words: Words) -> set[str]:
    return {word for word, weight in words.content.items() if weight >= 0.5}


def _reading(text: str, own: Words, inherited: list[Words]) -> Reading:
    numbers, codes, words = list(own.numbers), set(own.codes), set(own.all)
    for other in inherited:
        numbers += other.numbers
        codes |= other.codes
        words |= other.all
    return Reading(text, own, tuple(numbers), frozenset(codes), frozenset(words), own.negations)


def match(word: str, among: frozenset[str] | set[str]) -> float:
    """How well `word` is found among words: 1 itself, 0.9 a synonym, 0.5 a part in common, else 0."""
    if word in among:
        return 1.0
    groups = SAME.get(word)
    if groups and any(groups & SAME.get(other, frozenset()) for other in among):
        return 0.9
    if word.isascii():
        stemmed = word[: max(4, len(word) - 3)]
        return 0.8 if len(word) > 4 and any(other.startswith(stemmed) for other in among) else 0.0
    characters = set(word)
    best = 0.0
    for other in among:
        if not other.isascii():
            shared = len(characters & set(other))
            if shared:
                # 经理 is in 部门经理; 总经理 is more than 经理.
                whole = 0.85 if word in other else 0.5 if other in word and len(other) > 1 else 0.0
                best = max(best, whole, 0.5 * shared / len(characters))
    return best
