"""The active index of a base and the one built beside it, on the same questions: which of them finds more.

The questions are those of the base's test sets and those attached to its paragraphs. What attached questions
find by themselves is left out of the search, or both indexes would find everything. Only figures are kept, no
question and no text: who may read the figures need not be somebody who may see each document.
"""

from collections.abc import Iterator, Sequence
from uuid import UUID

import structlog
from fastapi import APIRouter
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import BoundEditor, Scope
from refdesk.evaluation import metrics
from refdesk.evaluation.cases import Case, CaseResult, Expected, Searcher, run_cases
from refdesk.evaluation.expectations import Library
from refdesk.evaluation.repository import TestSetRepository
from refdesk.evaluation.service import TestSets
from refdesk.jobs import JobContext, enqueue, task
from refdesk.kit.clock import now
from refdesk.kit.errors import AppError
from refdesk.kit.web import Tx
from refdesk.knowledge import KnowledgeBaseRepository
from refdesk.knowledge.indexing import IndexBuild
from refdesk.knowledge.rebuilding import (
    IndexBuildNotReady,
    IndexBuildRepository,
    IndexBuilds,
    IndexBuildView,
    IndexComparison,
    LegFigures,
    ModeComparison,
    after_build,
)
from refdesk.retrieval import Retriever, SearchRequest

log = structlog.get_logger(__name__)
router = APIRouter(prefix="/api/v1/knowledge-bases/{knowledge_base_id}/index-builds", tags=["evaluation"])

COMPARE_INDEXES = "compare-indexes"
MODES = ("blend", "embedding")
"""By words alone both indexes find the same."""

MOST_QUESTIONS = 500
MOST_SETS = 100
_DEPTH = 10
_FIRST = 5


async def _enqueue(session: AsyncSession, scope: Scope, build: IndexBuild) -> None:
    await enqueue(
        session,
        COMPARE_INDEXES,
        lock=f"compare-indexes:{build.id}",
        unique=True,
        line=build.id,
        workspace_id=str(scope.workspace_id),
        build_id=str(build.id),
    )


after_build.append(_enqueue)


@router.post(
    "/{build_id}/compare",
    operation_id="compareIndexBuild",
    summary="Compare the two indexes anew on the knowledge base's test questions",
    status_code=202,
)
async def compare_index_build(
    knowledge_base_id: UUID, build_id: UUID, session: Tx, scope: BoundEditor
) -> IndexBuildView:
    found = await IndexBuildRepository(session, scope).get(knowledge_base_id, build_id)
    if found.state not in ("built", "switched"):
        raise IndexBuildNotReady(state=found.state)
    await _enqueue(session, scope, found)
    return await IndexBuilds(session, scope).view(knowledge_base_id, build_id)


@task(COMPARE_INDEXES)
async def compare_indexes(context: JobContext, workspace_id: str, build_id: str) -> None:
    """Run the questions on both indexes and keep the figures with the build."""
    scope = Scope.system(UUID(workspace_id))
    async with context.database.transaction() as session:
        pair = await _pair(session, scope, UUID(build_id))
        if pair is None:
            return
        base_id, active, other = pair
        cases, available, attached = await _cases(session, scope, base_id)
        repository = IndexBuildRepository(session, scope)
        models = [index.model_id for key in (active, other) if (index := await repository.index(key))]
    retriever = context.service(Retriever)
    modes: list[ModeComparison] = []
    problem: dict[str, str | None] | None = None
    try:
        for mode in MODES if cases else ():
            modes.append(await _compare(retriever, scope, base_id, (active, other), cases, mode))
    except AppError as error:
        log.warning("index_build.not_compared", code=error.code, build_id=build_id)
        problem = {"code": error.code, "reason": error.text, "hint": error.hint_text}
    async with context.database.transaction() as session:
        if await _pair(session, scope, UUID(build_id)) != pair:
            return  # switched or discarded meanwhile: the figures would stand under the wrong names
        build = await IndexBuildRepository(session, scope).find(UUID(build_id), lock=True)
        if build is not None:
            build.comparison = IndexComparison(
                questions=len(cases),
                available=available,
                attached=attached,
                active_model_id=models[0],
                other_model_id=models[1],
                modes=[] if problem else modes,
                error=problem,
                compared_at=now(),
            ).model_dump(mode="json")


async def _pair(session: AsyncSession, scope: Scope, build_id: UUID) -> tuple[UUID, UUID, UUID] | None:
    """The base, its active index and the other one, if there are two to be compared."""
    build = await IndexBuildRepository(session, scope).find(build_id)
    if build is None or build.state not in ("built", "switched"):
        return None
    base = await KnowledgeBaseRepository(session, scope).find(build.knowledge_base_id)
    other = build.previous_index_id if build.state == "switched" else build.index_id
    if base is None or base.active_index_id is None or other is None:
        return None
    return base.id, base.active_index_id, other


async def _cases(session: AsyncSession, scope: Scope, base_id: UUID) -> tuple[list[Case], int, int]:
    """The questions to run, how many there are in all, and how many of those run are attached ones."""
    sets, _ = await TestSetRepository(session, scope).page(limit=MOST_SETS, after=None, base_id=base_id)
    stored: list[Case] = []
    for one in sets:
        cases, library = await TestSets(session, scope).cases(one.id)
        stored += _within(base_id, cases, library)
    attached = [
        Case(question, Expected(paragraph_ids=frozenset(paragraph_ids)))
        for question, paragraph_ids in await IndexBuildRepository(session, scope).attached_questions(base_id)
    ]
    every = [(case, False) for case in stored] + [(case, True) for case in attached]
    step = max(len(every) / MOST_QUESTIONS, 1.0)
    chosen = [every[int(n * step)] for n in range(min(len(every), MOST_QUESTIONS))]
    return [case for case, _ in chosen], len(every), sum(is_attached for _, is_attached in chosen)


def _within(base_id: UUID, cases: Sequence[Case], library: Library) -> Iterator[Case]:
    """The questions of a set that expect something of this base, and only that."""
    here = {key for key, document in library.documents.items() if document.knowledge_base_id == base_id}
    for case in cases:
        documents = case.expected.document_ids & here
        paragraphs = {
            key for key in case.expected.paragraph_ids if library.paragraphs[key].document_id in here
        }
        if documents or paragraphs:
            yield Case(case.question, Expected(documents, frozenset(paragraphs)), case.question_id)


async def _compare(
    searcher: Searcher,
    scope: Scope,
    base_id: UUID,
    indexes: tuple[UUID, UUID],
    cases: Sequence[Case],
    mode: str,
) -> ModeComparison:
    """Without a gate: what is compared is what each index puts first, not what is good enough."""
    results: list[list[CaseResult]] = []
    for index_id in indexes:
        request = SearchRequest(
            "",
            [base_id],
            mode=mode,
            top_n=_DEPTH,
            similarity=0.0,
            apply_gate=False,
            index_id=index_id,
            ignore_questions=True,
        )
        results.append([result async for result in run_cases(searcher, scope, cases, request)])
    return compared(mode, *results)


def compared(mode: str, active: Sequence[CaseResult], other: Sequence[CaseResult]) -> ModeComparison:
    """The figures of two runs of the same questions."""
    pairs = list(zip(active, other, strict=True))
    apart = [1.0 - _shared(one, two) for one, two in pairs]
    return ModeComparison(
        mode=mode,
        active=_figures(active),
        other=_figures(other),
        only_active=sum(bool(one.hit_at_5) and not two.hit_at_5 for one, two in pairs),
        only_other=sum(bool(two.hit_at_5) and not one.hit_at_5 for one, two in pairs),
        disagreement=round(sum(apart) / len(apart), 4) if apart else 0.0,
    )


def _shared(one: CaseResult, two: CaseResult) -> float:
    """What the first hits of both have in common, 0–1 (Jaccard); nothing found by either is the same."""
    first = {hit.paragraph_id for hit in one.hits[:_FIRST]}
    second = {hit.paragraph_id for hit in two.hits[:_FIRST]}
    return len(first & second) / len(first | second) if first | second else 1.0


def _figures(results: Sequence[CaseResult]) -> LegFigures:
    """A question that failed counts as one that found nothing."""
    count = len(results) or 1
    return LegFigures(
        hit_at_5=round(sum(result.hit_at_5 or 0.0 for result in results) / count, 4),
        ndcg_at_10=round(sum(result.ndcg_at_10 or 0.0 for result in results) / count, 4),
        p50_ms=metrics.percentile([result.elapsed_ms for result in results], 0.5),
    )
