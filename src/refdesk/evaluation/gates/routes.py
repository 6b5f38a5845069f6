"""HTTP of calibrations. Whoever may change the workspace's models may run them, a dry run too."""

from collections.abc import AsyncGenerator
from typing import Any

import orjson
from fastapi import APIRouter

from refdesk.accounts import Owner, Scope
from refdesk.evaluation.gates.schemas import CalibrationEvents, CalibrationProgress, CalibrationRequest
from refdesk.evaluation.gates.service import Plan, calibrate, plan_of
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError
from refdesk.kit.sse import EventStreamResponse, frame
from refdesk.kit.web import DatabaseDep, Tx
from refdesk.retrieval import Retriever, RetrieverDep

router = APIRouter(prefix="/api/v1", tags=["evaluation"])

_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events `progress`, one a question, then `result`; or `problem` where it ends early."
        " Leaving the stream cancels the calibration.",
        "model": CalibrationEvents,
    }
}


async def _events(
    database: Database, retriever: Retriever, scope: Scope, plan: Plan
) -> AsyncGenerator[bytes]:
    try:
        async for event in calibrate(database, retriever, scope, plan):
            name = "progress" if isinstance(event, CalibrationProgress) else "result"
            yield frame(name, event.model_dump_json().encode())
    except AppError as error:
        # The status is long sent: the problem comes as the stream's last event.
        problem = {"code": error.code, "title": error.text, "hint": error.hint_text, "details": error.details}
        yield frame("problem", orjson.dumps(problem, default=str))


@router.post(
    "/calibrations",
    operation_id="runCalibration",
    summary="Fit the gates of an embedding model, and of a reranker, on questions; as a stream of events",
    response_class=EventStreamResponse,
    responses=_STREAM,
)
async def run_calibration(
    body: CalibrationRequest, session: Tx, scope: Owner, retriever: RetrieverDep, database: DatabaseDep
) -> EventStreamResponse:
    plan = await plan_of(session, scope, body)
    return EventStreamResponse(_events(database, retriever, scope, plan))
