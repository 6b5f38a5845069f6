"""Questions judged by what a search returned, and the figures of a run."""

from dataclasses import replace
from uuid import UUID

import pytest

from refdesk.accounts import Scope
from refdesk.evaluation import Case, CaseResult, Expected, judge, run_cases, totals_of
from refdesk.kit.errors import AppError, NotFound, Unavailable
from refdesk.kit.ids import new_id
from refdesk.retrieval import DropReason, Hit, SearchRequest, SearchResult

DOCUMENTS = [UUID(int=n) for n in range(1, 9)]


def hit(document: int, paragraph: int = 0, similarity: float = 0.8) -> Hit:
    return Hit(
        paragraph_id=UUID(int=document * 100 + paragraph),
        document_id=DOCUMENTS[document],
        knowledge_base_id=UUID(int=99),
        document_name=f"document {document}",
        title="",
        title_chain=(),
        content="text",
        page=None,
        boxes=[],
        score=similarity,
        similarity=similarity,
        dense=None,
        lexical=None,
        piece=(0, 4),
    )


def result(*hits: Hit, dropped: list[tuple[Hit, DropReason]] | None = None) -> SearchResult:
    return SearchResult(
        hits=list(hits),
        found=bool(hits),
        best=max((one.similarity for one in hits), default=0.1),
        threshold=0.45,
        candidates=10,
        mode="blend",
        dropped=dropped or [],
    )


def expecting(*documents: int, **more: object) -> Case:
    ids = frozenset(DOCUMENTS[one] for one in documents)
    return Case("q", replace(Expected(document_ids=ids), **more))


def test_a_document_counts_once_however_many_of_its_paragraphs_come() -> None:
    judged = judge(expecting(2), result(hit(1), hit(1, 1), hit(1, 2), hit(2)))
    assert (judged.outcome, judged.rank, judged.mrr_at_10, judged.hit_at_5) == ("hit", 2, 0.5, 1.0)
    assert judged.relevant == (False, False, False, True)


def test_an_expected_paragraph_is_not_met_by_another_of_its_document() -> None:
    wanted = Case("q", Expected(paragraph_ids=frozenset((UUID(int=101),))))
    assert judge(wanted, result(hit(1, 0))).outcome == "elsewhere"
    assert judge(wanted, result(hit(1, 0), hit(1, 1))).rank == 2


def test_what_was_left_out_is_told_with_its_reason() -> None:
    judged = judge(expecting(2), result(hit(1), dropped=[(hit(2), "below_threshold")]))
    assert (judged.outcome, judged.rank, judged.dropped_for) == ("elsewhere", None, "below_threshold")
    assert (judged.hit_at_5, judged.mrr_at_10, judged.ndcg_at_10) == (0.0, 0.0, 0.0)
    assert judge(expecting(2), result()).outcome == "missed"


def test_a_question_without_an_answer_is_right_only_if_nothing_comes() -> None:
    nothing = Case("q", Expected(nothing=True))
    assert judge(nothing, result()).outcome == "refused"
    answered = judge(nothing, result(hit(1)))
    assert (answered.outcome, answered.hit_at_5) == ("answered", None)


@pytest.mark.parametrize(
    "expected",
    [Expected(), Expected(unavailable=1), Expected(nothing=True, unavailable=2), Expected(unknown=("gone",))],
)
def test_what_is_gone_makes_a_question_unjudged_never_unanswerable(expected: Expected) -> None:
    assert judge(Case("q", expected), result()).outcome == "unjudged"
    assert judge(Case("q", expected), result(hit(1))).outcome == "unjudged"


def test_the_figures_are_means_over_the_questions_they_are_about() -> None:
    judged = [
        judge(expecting(1), result(hit(1))),
        judge(expecting(1), result(hit(2))),
        judge(expecting(1, unavailable=1), result()),
        judge(expecting(1), result(hit(2), hit(1))),
        judge(Case("q", Expected(nothing=True)), result()),
        judge(Case("q", Expected(nothing=True)), result(hit(1))),
        judge(Case("q"), result(hit(1))),
        CaseResult(Case("q"), "failed", error="model-timeout"),
    ]
    totals = totals_of(judged)
    assert (totals.questions, totals.answerable, totals.unanswerable) == (8, 4, 2)
    assert (totals.unjudged, totals.failed, totals.incomplete) == (1, 1, 1)
    assert totals.hit_at_5 == 0.5
    assert totals.mrr_at_10 == pytest.approx((1 + 0 + 0 + 0.5) / 4)
    assert (totals.right_found, totals.found_when_there, totals.refused_when_not) == (0.5, 0.75, 0.5)
    assert totals.balanced == pytest.approx(0.625)


def test_figures_of_nothing_are_none() -> None:
    totals = totals_of([])
    assert (totals.hit_at_5, totals.refused_when_not, totals.balanced) == (None, None, None)


class Scripted:
    """Answers or raises in turn."""

    def __init__(self, *answers: SearchResult | AppError) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def search(self, scope: Scope, request: SearchRequest) -> SearchResult:
        self.asked.append(request.query)
        answer = self.answers.pop(0)
        if isinstance(answer, AppError):
            raise answer
        return answer


async def run(searcher: Scripted, count: int) -> list[CaseResult]:
    cases = [Case(f"question {n}") for n in range(count)]
    request = SearchRequest("", [new_id()])
    return [one async for one in run_cases(searcher, Scope.system(new_id()), cases, request)]


async def test_a_question_that_fails_is_told_and_the_run_goes_on() -> None:
    searcher = Scripted(result(hit(1)), Unavailable(), result(hit(1)))
    outcomes = [(one.outcome, one.error) for one in await run(searcher, 3)]
    assert outcomes == [("unjudged", None), ("failed", "unavailable"), ("unjudged", None)]
    assert searcher.asked == ["question 0", "question 1", "question 2"]


async def test_a_run_ends_when_questions_fail_in_a_row_or_the_base_is_gone() -> None:
    with pytest.raises(Unavailable):
        await run(Scripted(*[Unavailable() for _ in range(9)]), 9)
    gone = Scripted(result(hit(1)), NotFound(), result(hit(1)))
    with pytest.raises(NotFound):
        await run(gone, 3)
    assert len(gone.asked) == 2
