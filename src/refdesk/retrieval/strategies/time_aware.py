"""Newest first: for questions about what holds now."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import ClassVar

from refdesk.knowledge.indexing import term_of, tokenize
from refdesk.retrieval.function_words import background_frequency
from refdesk.retrieval.search import Hit, Ranking, SearchRequest
from refdesk.retrieval.strategies.protocol import Ranker

_NOW = re.compile(
    r"最新|最近|近期|目前|当前|现行|现在|如今|今天|今日|今年|本年度|本月|本周|截至|股价|涨跌幅|行情|"
    r"\b(?:latest|newest|most recent|recent(?:ly)?|current(?:ly)?|today|now(?:adays)?|up[- ]to[- ]date|"
    r"this (?:year|quarter|month|week)|in force|share price|stock price)\b",
    re.IGNORECASE,
)
RECENCY = 0.05
_DEPTH = 20
_ALIKE = 0.3
"""How far apart the similarities of equally relevant hits may be: two steps of the calibrated scale. One is
too little: a rule that says of itself that it is current holds the very word by which it is asked for."""


def asks_for_the_newest(question: str) -> bool:
    """Whether a question is about what holds now: by its words."""
    return _NOW.search(question) is not None


class TimeAware:
    """The plain ranking, and of what is equally relevant the newest in the place of the best.

    Equally relevant are hits that hold the same of the question's own words and are alike in similarity: two
    versions of a rule, two reports of a year. What is newer and about something else stays where it is.
    """

    name: ClassVar[str] = "time-aware"
    descriptions: ClassVar[Mapping[str, str]] = {
        "en": "Of equally relevant documents the newer first; of several versions of one text the newest.",
        "zh": "同样相关时较新的文档在前；同一内容有多个版本时最新的在前。",
    }

    def fits(self, question: str) -> bool:
        return asks_for_the_newest(question)

    async def rank(self, request: SearchRequest, search: Ranker) -> Ranking:
        weighed = replace(request, recency=request.recency or RECENCY)
        found = await search(weighed, depth=max(request.top_n, _DEPTH))
        return replace(found, hits=newest_first(found.hits, subject_of(request.query)))


def subject_of(question: str) -> frozenset[int]:
    """The terms of what a question is about: no words that ask for the newest, no function words."""
    tokens = tokenize(_NOW.sub(" ", question))
    return frozenset(term_of(token) for token in tokens if background_frequency(token) == 0)


def newest_first(hits: Sequence[Hit], subject: frozenset[int]) -> list[Hit]:
    """The same falling scores; equally relevant hits change places until the newest of them leads."""
    ordered = list(hits)
    placed: set[int] = set()
    for first, best in enumerate(hits):
        if first in placed:
            continue
        group = [i for i in range(first, len(hits)) if i not in placed and _alike(best, hits[i], subject)]
        placed.update(group)
        newest = sorted(group, key=lambda i: (-(hits[i].dated or date.min).toordinal(), i))
        for place, source in zip(group, newest, strict=True):
            ordered[place] = replace(hits[source], score=hits[place].score)
    return ordered


def _alike(one: Hit, other: Hit, subject: frozenset[int]) -> bool:
    return one.terms & subject == other.terms & subject and _apart(one, other) < _ALIKE


def _apart(one: Hit, other: Hit) -> float:
    """How far apart two hits with the same words of the subject are: by meaning, where both have that.

    The words they differ in are those that ask for the newest, which an old text holds as well as any.
    """
    if one.dense is not None and other.dense is not None:
        return abs(one.dense.calibrated - other.dense.calibrated)
    return abs(one.similarity - other.similarity)
