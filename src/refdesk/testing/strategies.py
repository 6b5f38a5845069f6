"""What every search strategy must keep to; for ours, and for those of other packages.

    @pytest.mark.parametrize("question", QUESTIONS)
    async def test_my_strategy(question): await check_strategy(MyStrategy(), question)

The plain search is a stand-in with fixed hits, so that a check fails for the strategy alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from uuid import UUID, uuid5

from refdesk.knowledge.indexing import term_of, tokenize
from refdesk.retrieval import Hit, Ranking, SearchRequest
from refdesk.retrieval.strategies import Strategy

QUESTIONS = (
    "报销差旅费需要什么发票",
    "目前年假有几天",
    "张三在北京的联系电话是多少",
    "What is the latest price of AirPods Pro?",
    "ERR-1042",
    "?!……",
)
_SPACE = UUID("5d4d9c0e-3f0b-4b5c-9d53-1f6c1a2e7b10")
_TEXTS = (
    "报销差旅费需要发票和行程单。",
    "年假五天，按工龄计算。",
    "年假七天，按工龄计算。",
    "张三，北京办事处，电话 010-555。",
    "AirPods Pro cost 249 dollars.",
    "AirPods Pro cost 199 dollars.",
    "ERR-1042 means that the power failed.",
    "The canteen opens at noon.",
)


def shelved_hits() -> list[Hit]:
    """Eight hits in falling order, of as many documents, the later ones newer."""
    return [
        Hit(
            paragraph_id=uuid5(_SPACE, f"paragraph {i}"),
            document_id=uuid5(_SPACE, f"document {i}"),
            knowledge_base_id=uuid5(_SPACE, "base"),
            document_name=f"document {i}",
            title="",
            title_chain=(),
            content=text,
            page=None,
            boxes=[],
            score=1 - i / 10,
            similarity=0.9 - i / 10,
            dense=None,
            lexical=None,
            piece=(0, len(text)),
            dated=date(2020, 1, 1) + timedelta(days=i),
            terms=frozenset(term_of(token) for token in tokenize(text)),
        )
        for i, text in enumerate(_TEXTS)
    ]


@dataclass(slots=True)
class FixedSearch:
    """A plain search that finds the same hits for every question; notes what it was asked."""

    hits: Sequence[Hit]
    asked: list[SearchRequest] = field(default_factory=list[SearchRequest])

    async def __call__(self, request: SearchRequest, *, depth: int) -> Ranking:
        assert depth >= 1
        self.asked.append(request)
        wanted = request.document_ids
        hits = [hit for hit in self.hits if wanted is None or hit.document_id in wanted]
        return Ranking(hits[: max(depth, 1)], len(hits))


async def check_strategy(strategy: Strategy, question: str) -> None:
    """Raises `AssertionError` where the strategy breaks a rule."""
    request = SearchRequest(question, [uuid5(_SPACE, "base")], top_n=5)
    search = FixedSearch(shelved_hits())
    ranking = await strategy.rank(request, search)
    assert search.asked, "a strategy searches"
    known = {hit.paragraph_id: hit for hit in shelved_hits()}
    found = [hit.paragraph_id for hit in ranking.hits]
    assert len(found) == len(set(found)), "each paragraph comes once"
    assert set(found) <= known.keys(), "a strategy invents no hits"
    assert {hit.paragraph_id for hit in shelved_hits()[:5]} <= set(found), "the plain hits are all ranked"
    scores = [hit.score for hit in ranking.hits]
    assert scores == sorted(scores, reverse=True), "scores fall"
    assert all(0 <= score <= 1 for score in scores), "scores lie within 0 and 1"
    for hit in ranking.hits:
        plain = known[hit.paragraph_id]
        assert replace(hit, score=plain.score) == plain, "only the score is the strategy's to change"
    for asked in search.asked:
        assert set(asked.knowledge_base_ids) <= set(request.knowledge_base_ids), "no other base is searched"
    again = await strategy.rank(request, FixedSearch(shelved_hits()))
    assert again.hits == ranking.hits, "the same question gives the same order"
    nothing = await strategy.rank(request, FixedSearch([]))
    assert nothing.hits == [], "nothing found stays nothing"
    assert isinstance(strategy.fits(question), bool)
