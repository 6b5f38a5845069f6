"""Whether evidence carries a sentence: figures, codes and names first, then what is said of them, then words.

A rule that finds a contradiction names it; what is left is decided by the share of the sentence's content
that one reading of the evidence holds. Thresholds were set on the development half of the labelled sentences
in `tests/unit/chat/evidence_cases.py`; `benchmarks/evidence_marking.py` prints both halves' figures.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from refdesk.chat.evidence.alignment import Reading, clauses, match, readings
from refdesk.chat.evidence.lexicon import OPPOSITES
from refdesk.chat.evidence.talk import claim_of
from refdesk.chat.evidence.words import MARK, Number, Words, analyse

Reason = Literal[
    "verbatim",
    "supported",
    "no-claim",
    "number-not-in-evidence",
    "code-not-in-evidence",
    "name-not-in-evidence",
    "mixed-up",
    "negation-differs",
    "opposite",
    "not-in-evidence",
    "not-checked",
]

COVERAGE = 0.62
# A similarity (calibrated) from which a sentence in another language than the evidence counts as carried.
CROSS_LANGUAGE = 0.5

_CONDITION = re.compile(
    r"(?:时|时候|的话|情况下)$|^(?:如果|若|当|一旦|只要|除非)|^(?:if|when|once|unless|while|whenever)\b",
    re.IGNORECASE,
)
_SPACE = re.compile(r"[\s*_`#>|，,。.;；:：!！?？\"'“”]+")


@dataclass(frozen=True, slots=True)
class Source:
    """A text that was in the prompt, with the headings above it."""

    text: str
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`score` 0–1 tells how well the evidence carries the sentence."""

    supported: bool
    score: float
    reason: Reason


class Evidence:
    """Sources, analysed once for all sentences of an answer."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = sources
        self._readings = [reading for source in sources for reading in readings(source.heading, source.text)]
        self._numbers = [number for reading in self._readings for number in reading.numbers]
        self._codes = {code for reading in self._readings for code in reading.codes}
        self._words = {word for reading in self._readings for word in reading.words}
        self._plain = _squeezed("\n".join(f"{source.heading}\n{source.text}" for source in sources))
        self.is_han = _mostly_han("".join(source.text[:400] for source in sources))

    def check(self, sentence: str, similarity: float | None = None) -> Verdict:
        """Judge one sentence of an answer. `similarity`: its calibrated likeness to the best source."""
        sentence = MARK.sub("", sentence).strip().strip("*-•> ").strip()
        squeezed = _squeezed(sentence)
        if len(squeezed) > 3 and squeezed in self._plain:
            return Verdict(True, 1.0, "verbatim")
        sentence = claim_of(sentence)
        if not sentence:
            return Verdict(True, 1.0, "no-claim")
        squeezed = _squeezed(sentence)
        if len(squeezed) > 3 and squeezed in self._plain:
            return Verdict(True, 1.0, "verbatim")
        claim = analyse(sentence)
        missing = self._missing_anchor(claim)
        if missing is not None:
            return Verdict(False, 0.1, missing)
        if self.is_foreign(sentence):
            return _across_languages(claim, similarity)
        return self._by_clauses(sentence, claim)

    def check_code(self, block: str) -> Verdict:
        """Judge a fenced code block: each of its lines must stand in the evidence."""
        lines = [_squeezed(line) for line in block.splitlines()[1:] if not line.startswith(("```", "~~~"))]
        lines = [line for line in lines if line]
        found = sum(line in self._plain for line in lines)
        if found == len(lines):
            return Verdict(True, 1.0, "verbatim")
        return Verdict(False, round(found / len(lines), 3), "not-in-evidence")

    def is_foreign(self, sentence: str) -> bool:
        """Whether the sentence is in another language than the evidence, so that words cannot be compared."""
        return _mostly_han(sentence) != self.is_han

    def _missing_anchor(self, claim: Words) -> Reason | None:
        if any(not _has(number, self._numbers) for number in claim.numbers):
            return "number-not-in-evidence"
        if any(code not in self._codes and code not in self._plain for code in claim.codes):
            return "code-not-in-evidence"
        if any(match(name, self._words) < 0.8 and name not in self._plain for name in claim.names):
            return "name-not-in-evidence"
        return None

    def _by_clauses(self, sentence: str, claim: Words) -> Verdict:
        """The verdict of the whole, or, where several facts are told at once, of the weakest of them."""
        whole = self._align(claim)
        parts = _parts(sentence)
        if whole.supported or len(parts) < 2:
            return whole
        judged = [self._align(part) for part in parts]
        return min(judged, key=lambda verdict: (verdict.supported, verdict.score))

    def _align(self, claim: Words) -> Verdict:
        """The verdict of the reading that suits the claim best."""
        verdicts = [self._against(claim, reading) for reading in self._readings]
        return max(
            verdicts, key=lambda verdict: verdict.score, default=Verdict(False, 0.0, "not-in-evidence")
        )

    def _against(self, claim: Words, reading: Reading) -> Verdict:
        total, found, strayed = 0.0, 0.0, 0.0
        for word, weight in claim.content.items():
            total += weight
            likeness = match(word, reading.words)
            if likeness < 1.0 and weight >= 0.5 and word in self._words:
                # It is said in the evidence, but of something else.
                strayed += weight * (1.0 - likeness if likeness >= 0.8 else 1.0)
                likeness = min(likeness, 0.3)
            found += weight * likeness
        lost = sum(1.5 for number in claim.numbers if not _has(number, reading.numbers))
        lost += sum(1.5 for code in claim.codes if code not in reading.codes)
        anchors = 1.5 * (len(claim.numbers) + len(claim.codes))
        score = (found + anchors - lost) / (total + anchors) if total + anchors else 1.0
        if lost or strayed >= 0.7:
            return Verdict(False, round(score * 0.6, 3), "mixed-up")
        if _opposite(claim, reading):
            return Verdict(False, round(score * 0.7, 3), "opposite")
        if claim.negations != reading.negations and score >= COVERAGE:
            return Verdict(False, round(score * 0.7, 3), "negation-differs")
        if score < COVERAGE:
            return Verdict(False, round(score, 3), "not-in-evidence")
        return Verdict(True, round(score, 3), "supported")


def _across_languages(claim: Words, similarity: float | None) -> Verdict:
    """Words cannot be compared; figures and codes were, and the likeness of meaning decides."""
    if similarity is None:
        similarity = CROSS_LANGUAGE if claim.numbers or claim.codes else 0.0
    supported = similarity >= CROSS_LANGUAGE
    return Verdict(supported, round(similarity, 3), "supported" if supported else "not-in-evidence")


def _parts(sentence: str) -> list[Words]:
    """The facts of a sentence, each by itself; a condition stays with what it is the condition of."""
    joined: list[str] = []
    condition = ""
    for part in clauses(sentence):
        part = f"{condition} {part}".strip()
        condition = part if _CONDITION.search(part) else ""
        if not condition:
            joined.append(part)
    if condition:
        joined.append(condition)
    found = [analyse(part) for part in joined]
    return [words for words in found if words.content or words.numbers or words.codes]


def _opposite(claim: Words, reading: Reading) -> bool:
    own = reading.own.all
    for one, other in OPPOSITES:
        for a, b in ((one, other), (other, one)):
            if claim.all & a and not claim.all & b and own & b and not own & a:
                return True
    return False


def _has(number: Number, among: Sequence[Number]) -> bool:
    return any(number.matches(other) for other in among)


def _squeezed(text: str) -> str:
    return _SPACE.sub("", MARK.sub("", text)).casefold()


def _mostly_han(text: str) -> bool:
    han = len(re.findall(r"[\u3400-\u9fff]", text))
    latin = len(re.findall(r"[A-Za-z]{2,}", text))
    return han > latin
