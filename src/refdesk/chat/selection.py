"""Choosing the sentences that answer: words with their rarity, likeness of meaning, and no repetition.

Pure functions. Weights were set by hand on a handful of questions over the sample texts of the tests and are
not fitted to any benchmark.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from refdesk.chat.units import Unit, units
from refdesk.knowledge.indexing import tokenize
from refdesk.retrieval import Hit

MOST_QUOTED = 5
MOST_CHARS = 1_500
MOST_LIST_ITEMS = 12

# Shares of a candidate's score: words, meaning, and how well its paragraph was found.
W_LEXICAL, W_DENSE, W_HIT = 0.45, 0.4, 0.15
# A sentence joins the answer from this share of the best one's score.
KEEP_SHARE = 0.72
# Two sentences of which one repeats so much of the other are one.
REPEATS = 0.8

_STOP = frozenset(
    [
        "的",
        "了",
        "是",
        "在",
        "和",
        "与",
        "吗",
        "呢",
        "啊",
        "吧",
        "什么",
        "怎么",
        "怎样",
        "如何",
        "哪些",
        "哪个",
        "哪里",
        "多少",
        "几",
        "为什么",
        "请问",
        "有",
        "能",
        "可以",
        "会",
        "要",
        "我",
        "你",
        "它",
        "这",
        "那",
        "个",
        "a",
        "an",
        "the",
        "is",
        "are",
        "was",
        "were",
        "be",
        "do",
        "doe",
        "did",
        "how",
        "what",
        "which",
        "who",
        "whom",
        "when",
        "where",
        "whi",
        "why",
        "can",
        "could",
        "should",
        "would",
        "may",
        "of",
        "to",
        "in",
        "on",
        "at",
        "for",
        "with",
        "by",
        "from",
        "and",
        "or",
        "it",
        "i",
        "you",
        "we",
        "they",
        "this",
        "that",
        "there",
        "ani",
        "some",
        "my",
        "your",
    ]
)
_QUANTITY = re.compile(
    r"多少|几[个天年次台人]|多[久长大高]|上限|最[大小多少高低]|何时|什么时候|哪[年天]"
    r"|how (?:many|much|long|often|far|big)|when\b|maximum|minimum|limit",
    re.IGNORECASE,
)
_STEPS = re.compile(r"怎么|怎样|如何|步骤|流程|how (?:do|can|to|should)|steps?\b", re.IGNORECASE)
_FIGURE = re.compile(r"\d|[一二三四五六七八九十百千两]+[个天年月日次台人名项条倍分秒时小]")
_DEPENDENT = re.compile(
    r"^(?:它|他|她|其|该|此|这|那|因此|所以|但是?|然而|否则|此外|同时|另外"
    r"|(?:It|They|This|These|That|Those|He|She|However|Therefore|Otherwise|Also|But|So|Then|Its|Their)\b)"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A quotable unit of a hit. `lexical` is 0–1: the share of the question's weight its words carry."""

    hit: Hit
    place: int
    siblings: Sequence[Unit]
    tokens: frozenset[str]
    lexical: float
    bonus: float
    needs_heading: bool

    @property
    def unit(self) -> Unit:
        return self.siblings[self.place]

    @property
    def text(self) -> str:
        return self.hit.content[self.unit.start : self.unit.end]

    @property
    def heading(self) -> str:
        return self.hit.title or (self.hit.title_chain[-1] if self.hit.title_chain else "")

    @property
    def text_in_context(self) -> str:
        """The text with its heading and, for a table row, the table's head."""
        head = self.hit.content[slice(*self.unit.head)].splitlines()[0] + "\n" if self.unit.head else ""
        return f"{self.heading}\n{head}{self.text}" if self.heading else head + self.text

    def follows(self, other: "Candidate") -> bool:
        """Whether this unit comes right after the other in the same paragraph and may be quoted with it."""
        together = {self.unit.kind, other.unit.kind}
        return (
            self.hit is other.hit
            and self.place == other.place + 1
            and (len(together) == 1 or together == {"sentence", "item"})
            and self.unit.head == other.unit.head
        )

    def at(self, place: int) -> "Candidate":
        """A neighbour, taken along for the sake of this one."""
        return Candidate(self.hit, place, self.siblings, frozenset(), self.lexical, 0.0, False)


type Likeness = Mapping[int, tuple[float, NDArray[np.float32]]]


def candidates(query: str, hits: Sequence[Hit]) -> list[Candidate]:
    """All units of the hits, with the weight of the question's words in each."""
    asked = [token for token in dict.fromkeys(tokenize(query)) if token not in _STOP]
    parts: list[tuple[Hit, int, Sequence[Unit], frozenset[str], frozenset[str]]] = []
    for hit in hits:
        heading = frozenset(tokenize(" ".join((*hit.title_chain, hit.title))))
        siblings = units(hit.content)
        start, end = hit.passage or (0, len(hit.content))
        for place, unit in enumerate(siblings):
            if unit.end <= start or unit.start >= end:
                continue
            head = hit.content[slice(*unit.head)] + " " if unit.head else ""
            own = frozenset(tokenize(head + hit.content[unit.start : unit.end]))
            parts.append((hit, place, siblings, own, heading))
    counts = Counter(token for part in parts for token in part[3])
    weights = {
        token: math.log(1 + (len(parts) - counts[token] + 0.5) / (counts[token] + 0.5))
        for token in asked
        if counts[token] or any(token in part[4] for part in parts)
    }
    total = sum(weights.values()) or 1.0
    found: list[Candidate] = []
    for hit, place, siblings, own, heading in parts:
        direct = sum(weight for token, weight in weights.items() if token in own)
        lent = sum(weight for token, weight in weights.items() if token not in own and token in heading)
        unit = siblings[place]
        found.append(
            Candidate(
                hit,
                place,
                siblings,
                own,
                (direct + 0.6 * lent) / total,
                _bonus(query, hit.content[unit.start : unit.end], unit),
                needs_heading=lent > 0.25 * total and unit.kind in ("sentence", "item"),
            )
        )
    return found


def select(query: str, pool: Sequence[Candidate], likeness: Likeness | None) -> list[Candidate]:
    """The units to quote, best first, neighbours they need right after or before them."""
    if not pool:
        return []
    best_hit = max(candidate.hit.score for candidate in pool) or 1.0
    scored: list[tuple[float, int]] = []
    for at, candidate in enumerate(pool):
        rank = candidate.hit.score / best_hit
        if likeness is None:
            score = (W_LEXICAL + W_DENSE) * candidate.lexical + W_HIT * rank
        else:
            dense = likeness[at][0] if at in likeness else 0.0
            score = W_LEXICAL * candidate.lexical + W_DENSE * dense + W_HIT * rank
        scored.append((score + candidate.bonus, at))
    scored.sort(key=lambda item: (-item[0], item[1]))
    limit = KEEP_SHARE * scored[0][0]
    chosen: dict[tuple[int, int], Candidate] = {}
    kept: list[Candidate] = []
    chars = 0
    for score, at in scored:
        candidate = pool[at]
        if score < limit or len(kept) == MOST_QUOTED or chars > MOST_CHARS:
            break
        if any(_repeats(candidate, other) for other in kept):
            continue
        kept.append(candidate)
        for part in _with_neighbours(candidate):
            key = (id(part.hit), part.place)
            if key not in chosen:
                chosen[key] = part
                chars += part.unit.end - part.unit.start
    return list(chosen.values())


def _with_neighbours(candidate: Candidate) -> list[Candidate]:
    """The unit with what it cannot be understood without: what it refers to, the list it opens or is in."""
    place, unit, siblings = candidate.place, candidate.unit, candidate.siblings
    parts = [candidate]
    if unit.kind == "item" and unit.lead is not None:
        if unit.lead < place:
            parts = [candidate.at(at) for at in range(unit.lead, place)][-MOST_LIST_ITEMS:] + parts
    elif unit.kind == "sentence" and place > 0 and _DEPENDENT.search(candidate.text):
        before = siblings[place - 1]
        parts = [candidate.at(place - 1), *parts] if before.kind in ("sentence", "item") else parts
    if unit.kind == "sentence" and candidate.text.endswith((":", "：")):
        following = range(place + 1, min(place + 1 + MOST_LIST_ITEMS, len(siblings)))
        for at in following:
            if siblings[at].kind not in ("item", "code", "row"):
                break
            parts.append(candidate.at(at))
    return parts


def _repeats(one: Candidate, other: Candidate) -> bool:
    if one.hit is other.hit or not one.tokens or not other.tokens:
        return False
    return len(one.tokens & other.tokens) / min(len(one.tokens), len(other.tokens)) >= REPEATS


def _bonus(query: str, text: str, unit: Unit) -> float:
    """A small lead for the shape that such a question asks for."""
    if _QUANTITY.search(query) and _FIGURE.search(text):
        return 0.08
    if _STEPS.search(query) and (unit.kind in ("item", "code") or text.endswith((":", "："))):
        return 0.05
    return 0.0
