"""The hit test: what a search finds, with the scores of both legs."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request

from refdesk.accounts import BoundViewer
from refdesk.retrieval.schemas import HitTestRequest, HitTestResult
from refdesk.retrieval.service import Retriever

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
    return HitTestResult.of(await retriever.search(scope, body.to_search()))
