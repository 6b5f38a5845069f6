"""HTTP of test sets and of batches of questions."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

import orjson
from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from refdesk.accounts import BoundViewer, Editor, Scope, Viewer
from refdesk.evaluation.cases import Case, CaseResult, Totals, run_cases, totals_of
from refdesk.evaluation.comparing.service import Comparisons
from refdesk.evaluation.expectations import Library
from refdesk.evaluation.question_files import read_questions, write_csv, write_jsonl
from refdesk.evaluation.schemas import (
    AddedQuestions,
    BatchRequest,
    CaseResultView,
    NewQuestions,
    NewTestSet,
    QuestionChange,
    QuestionFile,
    RunEvents,
    RunTestSet,
    TestQuestionView,
    TestRunView,
    TestSetChange,
    TestSetView,
    TotalsView,
)
from refdesk.evaluation.service import TestSets
from refdesk.kit.errors import AppError
from refdesk.kit.sse import EventStreamResponse, frame
from refdesk.kit.web import DatabaseDep, Page, PageQuery, Tx
from refdesk.knowledge import KnowledgeBaseRepository, content_disposition
from refdesk.retrieval import (
    HitTestRequest,
    Retriever,
    RetrieverDep,
    SearchRequest,
    SearchSettings,
    check_strategy_name,
    get_mode,
)

router = APIRouter(prefix="/api/v1", tags=["evaluation"])

_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events `result`, one a question, then `totals`; or `problem` where it ends early.",
        "model": RunEvents,
    }
}
_FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
}


def _request_of(settings: SearchSettings, base_ids: Sequence[UUID]) -> SearchRequest:
    """The settings as a search; the query is put in for each question."""
    given = settings.model_dump(include=set(SearchSettings.model_fields))
    get_mode(settings.mode)
    check_strategy_name(settings.strategy)
    return HitTestRequest(**given, query="-", knowledge_base_ids=list(base_ids)).to_search()


async def _events(
    retriever: Retriever,
    scope: Scope,
    cases: Sequence[Case],
    library: Library,
    request: SearchRequest,
    keep: Callable[[Totals], Awaitable[None]] | None = None,
) -> AsyncGenerator[bytes]:
    results: list[CaseResult] = []
    try:
        async for result in run_cases(retriever, scope, cases, request):
            view = CaseResultView.of(len(results), result, library.view(result.case.expected))
            results.append(result)
            yield frame("result", view.model_dump_json().encode())
        totals = totals_of(results)
        if keep is not None:
            await keep(totals)
        yield frame("totals", TotalsView.of(totals).model_dump_json().encode())
    except AppError as error:
        # The status is long sent: the problem comes as the stream's last event.
        problem = {"code": error.code, "title": error.text, "hint": error.hint_text, "details": error.details}
        yield frame("problem", orjson.dumps(problem, default=str))


@router.post(
    "/hit-test/batch",
    operation_id="runHitTestBatch",
    summary="Search for many questions with one setting and judge what comes, as a stream of events",
    response_class=EventStreamResponse,
    responses=_STREAM,
)
async def run_hit_test_batch(
    body: BatchRequest, session: Tx, scope: BoundViewer, retriever: RetrieverDep
) -> EventStreamResponse:
    for knowledge_base_id in body.knowledge_base_ids:
        scope.require_resource("knowledge_base", knowledge_base_id)
    await KnowledgeBaseRepository(session, scope).get_many(body.knowledge_base_ids)
    library = await Library.of_given(session, scope, body.knowledge_base_ids, body.questions)
    cases = [Case(one.question, library.of_input(one)) for one in body.questions]
    request = _request_of(body, body.knowledge_base_ids)
    return EventStreamResponse(_events(retriever, scope, cases, library, request))


@router.get(
    "/test-sets",
    operation_id="listTestSets",
    summary="Test sets by name, with the figures of their last run",
    response_model=Page[TestSetView],
)
async def list_test_sets(
    session: Tx,
    scope: Viewer,
    page: Annotated[PageQuery, Depends()],
    knowledge_base_id: Annotated[UUID | None, Query(description="Only sets of this base.")] = None,
) -> Page[TestSetView]:
    return await TestSets(session, scope).page(
        limit=page.limit, cursor=page.cursor, base_id=knowledge_base_id
    )


@router.post(
    "/test-sets",
    operation_id="createTestSet",
    summary="Keep questions as a test set",
    status_code=201,
    response_model=TestSetView,
)
async def create_test_set(body: NewTestSet, session: Tx, scope: Editor) -> TestSetView:
    return await TestSets(session, scope).create(body)


@router.get(
    "/test-sets/{test_set_id}",
    operation_id="getTestSet",
    summary="A test set",
    response_model=TestSetView,
)
async def get_test_set(test_set_id: UUID, session: Tx, scope: Viewer) -> TestSetView:
    return await TestSets(session, scope).get(test_set_id)


@router.patch(
    "/test-sets/{test_set_id}",
    operation_id="updateTestSet",
    summary="Rename a test set, or give it other knowledge bases",
    response_model=TestSetView,
)
async def update_test_set(test_set_id: UUID, body: TestSetChange, session: Tx, scope: Editor) -> TestSetView:
    return await TestSets(session, scope).change(test_set_id, body)


@router.delete(
    "/test-sets/{test_set_id}",
    operation_id="deleteTestSet",
    summary="Delete a test set with its questions, the figures of its runs and its comparisons",
    status_code=204,
)
async def delete_test_set(test_set_id: UUID, session: Tx, scope: Editor) -> None:
    sets = TestSets(session, scope)
    await sets.get(test_set_id)
    await Comparisons(session, scope).forget_runs_of_set(test_set_id)
    await sets.delete(test_set_id)


@router.get(
    "/test-sets/{test_set_id}/questions",
    operation_id="listTestQuestions",
    summary="The questions of a test set, with what should be found for each",
    response_model=Page[TestQuestionView],
)
async def list_test_questions(
    test_set_id: UUID, session: Tx, scope: Viewer, page: Annotated[PageQuery, Depends()]
) -> Page[TestQuestionView]:
    return await TestSets(session, scope).questions(test_set_id, limit=page.limit, cursor=page.cursor)


@router.post(
    "/test-sets/{test_set_id}/questions",
    operation_id="addTestQuestions",
    summary="Add questions to a test set",
    status_code=201,
    response_model=AddedQuestions,
)
async def add_test_questions(
    test_set_id: UUID, body: NewQuestions, session: Tx, scope: Editor
) -> AddedQuestions:
    return await TestSets(session, scope).add(test_set_id, body.questions)


@router.post(
    "/test-sets/{test_set_id}/import",
    operation_id="importTestQuestions",
    summary="Add the questions of a CSV or JSONL file to a test set",
    status_code=201,
    response_model=AddedQuestions,
)
async def import_test_questions(
    test_set_id: UUID, body: QuestionFile, session: Tx, scope: Editor
) -> AddedQuestions:
    return await TestSets(session, scope).add(test_set_id, read_questions(body.content, body.format))


@router.get(
    "/test-sets/{test_set_id}/export",
    operation_id="exportTestSet",
    summary="The questions of a test set as a CSV or JSONL file",
    response_class=Response,
    responses=_FILE,
)
async def export_test_set(
    test_set_id: UUID, session: Tx, scope: Viewer, format: Literal["csv", "jsonl"] = "csv"
) -> Response:
    sets = TestSets(session, scope)
    name = (await sets.get(test_set_id)).name
    questions = await sets.all_questions(test_set_id)
    written = write_csv(questions) if format == "csv" else write_jsonl(questions)
    media_type = "text/csv; charset=utf-8" if format == "csv" else "application/jsonl"
    headers = {"Content-Disposition": content_disposition(f"{name}.{format}")}
    return Response(written, media_type=media_type, headers=headers)


@router.post(
    "/test-sets/{test_set_id}/run",
    operation_id="runTestSet",
    summary="Run a test set and judge what comes, as a stream of events; figures of editors' runs are kept",
    response_class=EventStreamResponse,
    responses=_STREAM,
)
async def run_test_set(
    test_set_id: UUID,
    body: RunTestSet,
    session: Tx,
    scope: Viewer,
    retriever: RetrieverDep,
    database: DatabaseDep,
) -> EventStreamResponse:
    sets = TestSets(session, scope)
    cases, library = await sets.cases(test_set_id)
    base_ids = body.knowledge_base_ids or await sets.bases_of(test_set_id)
    await KnowledgeBaseRepository(session, scope).get_many(base_ids)
    request = _request_of(body, base_ids)
    # Not which documents: who reads the figures may not be allowed to see them.
    settings = body.model_dump(mode="json", exclude={"document_ids"}) | {
        "knowledge_base_ids": [str(key) for key in base_ids],
        "is_narrowed": body.document_ids is not None,
    }

    async def keep(totals: Totals) -> None:
        async with database.transaction() as later:
            await TestSets(later, scope).keep_run(test_set_id, settings, totals)

    return EventStreamResponse(_events(retriever, scope, cases, library, request, keep))


@router.get(
    "/test-sets/{test_set_id}/runs",
    operation_id="listTestRuns",
    summary="The figures of the last runs of a test set, the newest first",
    response_model=Page[TestRunView],
)
async def list_test_runs(test_set_id: UUID, session: Tx, scope: Viewer) -> Page[TestRunView]:
    runs = await TestSets(session, scope).runs(test_set_id)
    return Page(items=runs, total=len(runs))


@router.patch(
    "/test-questions/{question_id}",
    operation_id="updateTestQuestion",
    summary="Word a question of a test set otherwise, or expect something else of it",
    response_model=TestQuestionView,
)
async def update_test_question(
    question_id: UUID, body: QuestionChange, session: Tx, scope: Editor
) -> TestQuestionView:
    return await TestSets(session, scope).change_question(question_id, body)


@router.delete(
    "/test-questions/{question_id}",
    operation_id="deleteTestQuestion",
    summary="Remove a question from a test set",
    status_code=204,
)
async def delete_test_question(question_id: UUID, session: Tx, scope: Editor) -> None:
    await TestSets(session, scope).delete_question(question_id)
