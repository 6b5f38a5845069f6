"""What searches bring for questions whose answer is known to be there or not: what gates are fitted on.

One search a question tells both what is found with the answer there and what would be without it: the scores
of a paragraph do not depend on the other paragraphs, but for the weights of words, which one passage in
hundreds hardly changes.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.evaluation.cases import Case, Expected, Searcher
from refdesk.evaluation.errors import RerankerSilent
from refdesk.retrieval import Hit, RerankChoice, SearchRequest, SearchResult

Unanswerable = Literal["named", "left-out"]
"""Where questions without an answer come from: the set names them, or what answers is left out."""

DEPTH = 100
"""Hits looked at for a question: what answers is among them, and so is the best of what does not."""

RERANKED = 30
RERANK_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Seen:
    """One hit: whether it answers, and its scores before any gate. `rerank` on the reranker's own scale."""

    relevant: bool
    both: float
    meaning: float
    rerank: float | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """What a question brought, in order. `has_answer`: something in the base answers it."""

    key: str
    has_answer: bool
    seen: tuple[Seen, ...]

    @property
    def judges(self) -> bool:
        """Whether the question belongs to the half that judges what was fitted on the other half."""
        return bool(blake2b(self.key.encode(), digest_size=1).digest()[0] & 1)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with a key that stays the same from run to run."""

    key: str
    text: str
    expected: Expected

    @classmethod
    def of(cls, case: Case) -> "Question":
        key = str(case.question_id) if case.question_id is not None else case.question
        return cls(key, case.question, case.expected)


async def look_up(
    searcher: Searcher,
    scope: Scope,
    questions: Sequence[Question],
    base_ids: Sequence[UUID],
    *,
    reranker_id: UUID | None = None,
) -> AsyncIterator[Look]:
    """Search for each question by words and meaning, without gates. Raises what searches raise, and
    `RerankerSilent` where a reranker was asked for and gave no order."""
    rerank = None
    if reranker_id is not None:
        rerank = RerankChoice(reranker_id, RERANKED, timeout_s=RERANK_TIMEOUT_S)
    for question in questions:
        request = SearchRequest(
            question.text,
            base_ids,
            mode="blend",
            top_n=DEPTH,
            similarity=0.0,
            apply_gate=False,
            rerank=rerank,
        )
        result = await searcher.search(scope, request)
        if rerank is not None and result.hits and not result.reranked:
            raise RerankerSilent(reason=", ".join(warning.message for warning in result.warnings))
        yield look_of(question, result)


def look_of(question: Question, result: SearchResult) -> Look:
    """The hits of a search, those left out for their number included."""
    relevance = question.expected.relevance()
    hits = [*result.hits, *(hit for hit, _ in result.dropped)]
    seen = tuple(_seen(hit, question.expected.key(hit) in relevance) for hit in hits)
    return Look(question.key, not question.expected.is_unanswerable, seen)


def _seen(hit: Hit, relevant: bool) -> Seen:
    meaning = hit.dense.calibrated if hit.dense is not None else 0.0
    return Seen(
        relevant, hit.combined if hit.combined is not None else hit.similarity, meaning, hit.rerank_score
    )
