"""HTTP of comparisons: for editors, since they tell of prompts and settings."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query

from refdesk.accounts import Editor
from refdesk.chat import Runs
from refdesk.evaluation.comparing.schemas import ComparedQuestion, ComparisonView, NewComparison
from refdesk.evaluation.comparing.service import Comparisons
from refdesk.kit.web import Page, PageQuery, Tx

router = APIRouter(prefix="/api/v1", tags=["evaluation"])


@router.post(
    "/test-sets/{test_set_id}/comparisons",
    operation_id="createComparison",
    summary="Ask a test set's questions of several modes and settings, in the background",
    status_code=202,
)
async def create_comparison(
    test_set_id: UUID, body: NewComparison, session: Tx, scope: Editor, runs: Runs
) -> ComparisonView:
    return await Comparisons(session, scope).create(runs, test_set_id, body)


@router.get(
    "/test-sets/{test_set_id}/comparisons",
    operation_id="listComparisons",
    summary="The comparisons of a test set with their figures, the newest first",
    response_model=Page[ComparisonView],
)
async def list_comparisons(test_set_id: UUID, session: Tx, scope: Editor) -> Page[ComparisonView]:
    found = await Comparisons(session, scope).of_set(test_set_id)
    return Page(items=found, total=len(found))


@router.get(
    "/comparisons/{comparison_id}",
    operation_id="getComparison",
    summary="A comparison: how far it is, and the figures of each variant so far",
)
async def get_comparison(comparison_id: UUID, session: Tx, scope: Editor) -> ComparisonView:
    return await Comparisons(session, scope).get(comparison_id)


@router.get(
    "/comparisons/{comparison_id}/answers",
    operation_id="listComparedAnswers",
    summary="The questions of a comparison with the answers beside each other, for whoever ran it",
    response_model=Page[ComparedQuestion],
)
async def list_compared_answers(
    comparison_id: UUID,
    session: Tx,
    scope: Editor,
    page: Annotated[PageQuery, Depends()],
    differing: Annotated[bool, Query(description="Only questions that came out differently.")] = False,
) -> Page[ComparedQuestion]:
    return await Comparisons(session, scope).questions(
        comparison_id, limit=page.limit, cursor=page.cursor, differing=differing
    )


@router.post(
    "/comparisons/{comparison_id}/cancel",
    operation_id="cancelComparison",
    summary="Ask no more questions; the answers that are there stay",
)
async def cancel_comparison(comparison_id: UUID, session: Tx, scope: Editor) -> ComparisonView:
    return await Comparisons(session, scope).cancel(comparison_id)


@router.delete(
    "/comparisons/{comparison_id}",
    operation_id="deleteComparison",
    summary="Delete a comparison with its answers",
    status_code=204,
)
async def delete_comparison(comparison_id: UUID, session: Tx, scope: Editor) -> None:
    await Comparisons(session, scope).delete(comparison_id)
