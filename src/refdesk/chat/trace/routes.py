"""HTTP of traces."""

from uuid import UUID

from fastapi import APIRouter, status

from refdesk.accounts import Asker, Editor
from refdesk.chat.routes import Runs
from refdesk.chat.schemas import RunOut
from refdesk.chat.trace.schemas import RunAgain, TraceOut
from refdesk.chat.trace.service import TraceService
from refdesk.kit.web import DatabaseDep, Tx

router = APIRouter(prefix="/api/v1/runs", tags=["runs"])


@router.get(
    "/{run_id}/trace",
    operation_id="getRunTrace",
    summary="What a run did: stages, channels, calls of tools and models; for editors prompts and candidates",
    response_model=TraceOut,
)
async def get_run_trace(run_id: UUID, session: Tx, scope: Asker) -> TraceOut:
    return await TraceService(session, scope).get(run_id)


@router.post(
    "/{run_id}/again",
    operation_id="runAgain",
    summary="Ask a run's question again with other settings, for this one answer",
    response_model=RunOut,
    status_code=status.HTTP_202_ACCEPTED,
)
async def run_again(run_id: UUID, body: RunAgain, runs: Runs, database: DatabaseDep, scope: Editor) -> RunOut:
    async with database.transaction() as session:
        submission = await TraceService(session, scope).again(run_id, body)
    return await runs.submit(scope, submission)
