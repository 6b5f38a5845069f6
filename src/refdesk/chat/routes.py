"""HTTP of conversations and runs. Path operations check, call the service and shape the answer."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Query, Request, Response, status

from refdesk.accounts import Asker, still_admitted
from refdesk.chat.profile import RunSubmission
from refdesk.chat.runs import RunManager
from refdesk.chat.schemas import ConversationDetail, ConversationOut, ConversationPatch, RunCreate, RunOut
from refdesk.chat.service import ConversationService, RunService
from refdesk.kit.sse import EventStreamResponse, parse_event_id
from refdesk.kit.web import Page, PageQuery, Tx

router = APIRouter(prefix="/api/v1")


def get_runs(request: Request) -> RunManager:
    """The run manager of the running application."""
    runs: RunManager = request.app.state.runs
    return runs


Runs = Annotated[RunManager, Depends(get_runs)]


@router.get(
    "/conversations",
    operation_id="listConversations",
    summary="Your conversations, the latest first",
    response_model=Page[ConversationOut],
    tags=["conversations"],
)
async def list_conversations(
    session: Tx,
    scope: Asker,
    query: Annotated[PageQuery, Query()],
    q: Annotated[str, Query(max_length=200, description="Words in the title.")] = "",
) -> Page[ConversationOut]:
    return await ConversationService(session, scope).list(limit=query.limit, cursor=query.cursor, words=q)


@router.get(
    "/conversations/{conversation_id}",
    operation_id="getConversation",
    summary="A conversation with its runs",
    response_model=ConversationDetail,
    tags=["conversations"],
)
async def get_conversation(conversation_id: UUID, session: Tx, scope: Asker) -> ConversationDetail:
    return await ConversationService(session, scope).detail(conversation_id)


@router.get(
    "/conversations/{conversation_id}/events",
    operation_id="followConversation",
    summary="The conversation's runs and title as they change, for every page that shows it",
    response_class=EventStreamResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
    tags=["conversations"],
)
async def follow_conversation(
    conversation_id: UUID, runs: Runs, scope: Asker, request: Request
) -> EventStreamResponse:
    admitted = partial(still_admitted, request, scope)
    return EventStreamResponse(await runs.conversations.frames(scope, conversation_id, admitted))


@router.patch(
    "/conversations/{conversation_id}",
    operation_id="renameConversation",
    summary="Rename a conversation",
    response_model=ConversationOut,
    tags=["conversations"],
)
async def rename_conversation(
    conversation_id: UUID, body: ConversationPatch, session: Tx, scope: Asker
) -> ConversationOut:
    return await ConversationService(session, scope).rename(conversation_id, body.title)


@router.delete(
    "/conversations/{conversation_id}",
    operation_id="deleteConversation",
    summary="Delete a conversation and its runs",
    status_code=status.HTTP_204_NO_CONTENT,
    response_class=Response,
    tags=["conversations"],
)
async def delete_conversation(conversation_id: UUID, session: Tx, scope: Asker) -> None:
    await ConversationService(session, scope).delete(conversation_id)


@router.post(
    "/runs",
    operation_id="createRun",
    summary="Ask a question; the answer is written whether or not anybody listens",
    response_model=RunOut,
    status_code=status.HTTP_202_ACCEPTED,
    tags=["runs"],
)
async def create_run(body: RunCreate, runs: Runs, scope: Asker) -> RunOut:
    bases = tuple(body.knowledge_base_ids) if body.knowledge_base_ids is not None else None
    return await runs.submit(
        scope,
        RunSubmission(
            question=body.question,
            conversation_id=body.conversation_id,
            application_id=body.application_id,
            knowledge_base_ids=bases,
            mode=body.mode,
            retry_of=body.retry_of,
            picture_ids=tuple(dict.fromkeys(body.picture_ids)),
            reply=body.reply.model_dump(exclude_none=True) if body.reply is not None else None,
        ),
    )


@router.get(
    "/runs/{run_id}",
    operation_id="getRun",
    summary="A run: question, answer, citations, evidence, stages",
    response_model=RunOut,
    tags=["runs"],
)
async def get_run(run_id: UUID, session: Tx, scope: Asker) -> RunOut:
    return await RunService(session, scope).get(run_id)


@router.get(
    "/runs/{run_id}/events",
    operation_id="followRun",
    summary="The run's events as they happen, resumable with Last-Event-ID",
    response_class=EventStreamResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
    tags=["runs"],
)
async def follow_run(
    run_id: UUID,
    runs: Runs,
    scope: Asker,
    request: Request,
    last_event_id: Annotated[str | None, Header()] = None,
    after: Annotated[int, Query(ge=0, description="Like Last-Event-ID, for clients without it.")] = 0,
) -> EventStreamResponse:
    frames = await runs.frames(
        scope,
        run_id,
        parse_event_id(last_event_id, after),
        admitted=partial(still_admitted, request, scope),
    )
    return EventStreamResponse(frames)


@router.post(
    "/runs/{run_id}/cancel",
    operation_id="cancelRun",
    summary="Stop a run; what was written so far is kept",
    response_model=RunOut,
    tags=["runs"],
)
async def cancel_run(run_id: UUID, runs: Runs, scope: Asker) -> RunOut:
    return await runs.cancel(scope, run_id)
