"""Newest first: for questions about what holds now."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import ClassVar

from refdesk.retrieval.search import Hit, Ranking, SearchRequest
from refdesk.retrieval.selection import overlap
from refdesk.retrieval.strategies.protocol import Ranker

_NOW = re.compile(
    r"最新|最近|近期|目前|当前|现行|现在|如今|今天|今日|今年|本年度|本月|本周|截至|股价|涨跌幅|行情|"
    r"\b(?:latest|newest|most recent|recent(?:ly)?|current(?:ly)?|today|now(?:adays)?|up[- ]to[- ]date|"
    r"this (?:year|quarter|month|week)|in force|share price|stock price)\b",
    re.IGNORECASE,
)
RECENCY = 0.2
_DEPTH = 20
_SAME_TEXT = 0.5
"""Share of terms from which two hits are versions of one text: an amended one keeps most of its words."""


def asks_for_the_newest(question: str) -> bool:
    """Whether a question is about what holds now: by its words."""
    return _NOW.search(question) is not None


class TimeAware:
    """The plain ranking with newer documents before older ones of the same worth, and of several versions of
    one text the newest in the place of the best."""

    name: ClassVar[str] = "time-aware"

    def fits(self, question: str) -> bool:
        return asks_for_the_newest(question)

    async def rank(self, request: SearchRequest, search: Ranker) -> Ranking:
        weighed = replace(request, recency=request.recency or RECENCY)
        found = await search(weighed, depth=max(request.top_n, _DEPTH))
        return replace(found, hits=self.settle(found.hits))

    def settle(self, hits: Sequence[Hit]) -> list[Hit]:
        """Versions of one text, the newest first, whatever a reranker holds of them."""
        return newest_versions_first(hits)


def newest_versions_first(hits: Sequence[Hit]) -> list[Hit]:
    """The same falling scores; versions of one text change places until the newest of them leads."""
    places = list(range(len(hits)))
    grouped: set[int] = set()
    ordered = list(hits)
    for first in places:
        if first in grouped:
            continue
        group = [
            first,
            *(i for i in places[first + 1 :] if i not in grouped and _are_versions(hits[first], hits[i])),
        ]
        grouped.update(group)
        newest = sorted(group, key=lambda i: (-(hits[i].dated or date.min).toordinal(), i))
        for place, source in zip(group, newest, strict=True):
            ordered[place] = replace(hits[source], score=hits[place].score)
    return ordered


def _are_versions(one: Hit, other: Hit) -> bool:
    return one.document_id != other.document_id and overlap(one, other) >= _SAME_TEXT
