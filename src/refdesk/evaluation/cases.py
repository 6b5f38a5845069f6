"""Questions with what they should find, run one after another, and each judged. No HTTP and no tables.

A question is judged by what the settings return, gate and number of hits included: as a person gets it, not
as the ranking would be without a threshold.
"""

import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.evaluation import metrics
from refdesk.kit.errors import AppError
from refdesk.retrieval import DropReason, Hit, SearchRequest, SearchResult

Outcome = Literal["hit", "elsewhere", "missed", "refused", "answered", "unjudged", "failed"]
"""What came of a question. `hit`: something expected was returned. `elsewhere`: something was found, but
nothing that was expected. `missed`: nothing was found. `refused`: rightly nothing. `answered`: something for
a question without an answer. `unjudged`: nothing is expected, or nothing of it is there for the caller.
`failed`: the search ended with an error."""

FAILURES_IN_A_ROW = 5
"""After so many the run ends with the error: the model is down, not the questions wrong."""


class Searcher(Protocol):
    """What runs the questions: the retriever, or a test's stand-in."""

    async def search(self, scope: Scope, request: SearchRequest) -> SearchResult: ...


@dataclass(frozen=True, slots=True)
class Expected:
    """What should be found, as far as the caller may know of it.

    `unavailable` counts expected documents and paragraphs that are gone or hidden from the caller: they take
    no part in the judgement. `unknown` are names that fit no document.
    """

    document_ids: frozenset[UUID] = frozenset()
    paragraph_ids: frozenset[UUID] = frozenset()
    nothing: bool = False
    unavailable: int = 0
    unknown: tuple[str, ...] = ()

    @property
    def is_judged(self) -> bool:
        return bool(self.document_ids or self.paragraph_ids) or self.is_unanswerable

    @property
    def is_unanswerable(self) -> bool:
        """Whether nothing should be found. Never because what was expected has gone."""
        return self.nothing and not (
            self.document_ids or self.paragraph_ids or self.unavailable or self.unknown
        )

    def key(self, hit: Hit) -> str:
        """What a hit counts as: the expected paragraph it is, else its document."""
        return f"p:{hit.paragraph_id}" if hit.paragraph_id in self.paragraph_ids else f"d:{hit.document_id}"

    def relevance(self) -> dict[str, float]:
        return {f"d:{key}": 1.0 for key in self.document_ids} | {
            f"p:{key}": 1.0 for key in self.paragraph_ids
        }


@dataclass(frozen=True, slots=True)
class Case:
    """A question and what it should find. `question_id` where it is one of a stored set."""

    question: str
    expected: Expected = field(default_factory=Expected)
    question_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What came of one question.

    `rank` counts documents (or expected paragraphs), each once, in the order of the hits. `dropped_for`: why
    the best expected hit was left out, where it was a candidate and is not among the hits. `hit_at_5`,
    `mrr_at_10`, `ndcg_at_10` are None for a question that has no answer or is not judged. `error` is the code
    of what failed.
    """

    case: Case
    outcome: Outcome
    hits: tuple[Hit, ...] = ()
    relevant: tuple[bool, ...] = ()
    found: bool = False
    best: float = 0.0
    rank: int | None = None
    dropped_for: DropReason | None = None
    hit_at_5: float | None = None
    mrr_at_10: float | None = None
    ndcg_at_10: float | None = None
    elapsed_ms: float = 0.0
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """Means over the questions of a run; None where there is no question to take it over.

    `hit_at_5`, `mrr_at_10`, `ndcg_at_10`, `right_found`, `found_when_there` are over the `answerable`;
    `refused_when_not` is over the `unanswerable`; `balanced` is the mean of the last two.
    """

    questions: int
    answerable: int
    unanswerable: int
    unjudged: int
    failed: int
    incomplete: int
    hit_at_5: float | None
    mrr_at_10: float | None
    ndcg_at_10: float | None
    right_found: float | None
    found_when_there: float | None
    refused_when_not: float | None
    balanced: float | None
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class TestSetResult:
    """A whole run. `is_complete` is False if some questions were not judged as they were meant."""

    __test__ = False  # pytest takes the name for a class of tests

    request: SearchRequest
    results: tuple[CaseResult, ...]
    totals: Totals

    @property
    def is_complete(self) -> bool:
        return not (self.totals.failed or self.totals.unjudged or self.totals.incomplete)


async def run_cases(
    searcher: Searcher, scope: Scope, cases: Sequence[Case], request: SearchRequest
) -> AsyncIterator[CaseResult]:
    """Search for each question with the settings of `request` and judge what comes.

    A question that fails is one result with its error's code; `FAILURES_IN_A_ROW` of them raise the last
    error.
    """
    failures = 0
    for case in cases:
        started = time.perf_counter()
        try:
            result = await searcher.search(scope, replace(request, query=case.question))
        except AppError as error:
            failures += 1
            if failures >= FAILURES_IN_A_ROW or error.status == 404:
                raise
            yield CaseResult(case, "failed", error=error.code, elapsed_ms=_since(started))
            continue
        failures = 0
        yield judge(case, result, elapsed_ms=_since(started))


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 2)


def judge(case: Case, result: SearchResult, *, elapsed_ms: float = 0.0) -> CaseResult:
    """The outcome and the measures of one search."""
    expected = case.expected
    relevance = expected.relevance()
    ranking = list(dict.fromkeys(expected.key(hit) for hit in result.hits))
    rank = next((place for place, key in enumerate(ranking, 1) if key in relevance), None)
    judged = CaseResult(
        case,
        _outcome(expected, bool(result.hits), rank),
        hits=tuple(result.hits),
        relevant=tuple(expected.key(hit) in relevance for hit in result.hits),
        found=result.found,
        best=result.best,
        rank=rank,
        elapsed_ms=elapsed_ms,
    )
    if not relevance:
        return judged
    left_out = (reason for hit, reason in result.dropped if expected.key(hit) in relevance)
    return replace(
        judged,
        dropped_for=next(left_out, None) if rank is None else None,
        hit_at_5=metrics.hit(ranking, relevance, 5),
        mrr_at_10=metrics.reciprocal_rank(ranking, relevance, 10),
        ndcg_at_10=metrics.ndcg(ranking, relevance, 10),
    )


def _outcome(expected: Expected, returned: bool, rank: int | None) -> Outcome:
    if not expected.is_judged:
        return "unjudged"
    if expected.is_unanswerable:
        return "answered" if returned else "refused"
    if rank is not None:
        return "hit"
    return "elsewhere" if returned else "missed"


def totals_of(results: Sequence[CaseResult]) -> Totals:
    """The figures of a run, or of as much of it as has been run."""
    answerable = [one for one in results if one.outcome in ("hit", "elsewhere", "missed")]
    unanswerable = [one for one in results if one.outcome in ("refused", "answered")]
    found = _mean([one.outcome != "missed" for one in answerable])
    refused = _mean([one.outcome == "refused" for one in unanswerable])
    times = [one.elapsed_ms for one in results if one.outcome != "failed"]
    return Totals(
        questions=len(results),
        answerable=len(answerable),
        unanswerable=len(unanswerable),
        unjudged=sum(one.outcome == "unjudged" for one in results),
        failed=sum(one.outcome == "failed" for one in results),
        incomplete=sum(
            bool(one.case.expected.unavailable or one.case.expected.unknown) and one.outcome != "unjudged"
            for one in results
        ),
        hit_at_5=_mean([one.hit_at_5 or 0.0 for one in answerable]),
        mrr_at_10=_mean([one.mrr_at_10 or 0.0 for one in answerable]),
        ndcg_at_10=_mean([one.ndcg_at_10 or 0.0 for one in answerable]),
        right_found=_mean([one.outcome == "hit" for one in answerable]),
        found_when_there=found,
        refused_when_not=refused,
        balanced=(found + refused) / 2 if found is not None and refused is not None else None,
        p50_ms=metrics.percentile(times, 0.5),
        p95_ms=metrics.percentile(times, 0.95),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
