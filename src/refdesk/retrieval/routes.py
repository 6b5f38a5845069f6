"""The hit test: what a search finds, with the scores of both legs; and the ways of searching it can take."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request

from refdesk.accounts import BoundViewer, Viewer
from refdesk.kit.web import DatabaseDep, Page
from refdesk.retrieval.explaining import Explainer, ExplainRequest, ExplanationView
from refdesk.retrieval.schemas import HitTestRequest, HitTestResult, StrategyView
from refdesk.retrieval.service import Retriever
from refdesk.retrieval.strategies import strategy_choices

router = APIRouter(prefix="/api/v1", tags=["retrieval"])


def get_retriever(request: Request) -> Retriever:
    """The retriever of the running application."""
    retriever: Retriever = request.app.state.retriever
    return retriever


RetrieverDep = Annotated[Retriever, Depends(get_retriever)]


@router.post(
    "/hit-test",
    operation_id="runHitTest",
    summary="Search knowledge bases and see why each paragraph was found",
    response_model=HitTestResult,
)
async def run_hit_test(body: HitTestRequest, scope: BoundViewer, retriever: RetrieverDep) -> HitTestResult:
    for knowledge_base_id in body.knowledge_base_ids:
        scope.require_resource("knowledge_base", knowledge_base_id)
    return HitTestResult.of(await retriever.search(scope, body.to_search()), body.query)


@router.post(
    "/hit-test/explain",
    operation_id="explainHitTest",
    summary="Why a document or paragraph is not among the hits of a search, or where it is",
    response_model=ExplanationView,
)
async def explain_hit_test(
    body: ExplainRequest, scope: BoundViewer, retriever: RetrieverDep, database: DatabaseDep
) -> ExplanationView:
    for knowledge_base_id in body.knowledge_base_ids:
        scope.require_resource("knowledge_base", knowledge_base_id)
    request = body.search()
    found = await Explainer(database, retriever).explain(
        scope, request, document_id=body.document_id, paragraph_id=body.paragraph_id
    )
    return ExplanationView.of(found, request)


@router.get(
    "/strategies",
    operation_id="listStrategies",
    summary="The strategies that a search can take: ours, and those of installed packages",
    response_model=Page[StrategyView],
)
async def list_strategies(scope: Viewer) -> Page[StrategyView]:
    items = [StrategyView.model_validate(choice) for choice in strategy_choices()]
    return Page(items=items, total=len(items))
