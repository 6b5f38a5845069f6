"""`/mcp/models` and `/mcp/invoke`: the gateway's own door, for programs.

The names are those of X6–X22, kept as given; the Model Context Protocol is something else.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

import orjson
import structlog
from fastapi import APIRouter, Query, Request, Response

from refdesk.accounts import Asker, Viewer
from refdesk.gateway.clients import GatewayDep
from refdesk.gateway.invoking.invoker import StreamedAnswer, begin, require_models
from refdesk.gateway.invoking.listing import find_models
from refdesk.gateway.invoking.schemas import DescribedModel, InvokeAnswer, InvokeRequest
from refdesk.kit.border_types import PlainLine
from refdesk.kit.sse import EventStreamResponse, frame
from refdesk.kit.web import DatabaseDep, Page

router = APIRouter(prefix="/mcp", tags=["gateway"])
WARNING = "X-MCP-Warning"
_STREAMS: dict[int | str, dict[str, Any]] = {
    200: {
        "headers": {WARNING: {"schema": {"type": "string"}, "description": "What was done to answer."}},
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


@router.get("/models", operation_id="listDescribedModels", summary="Models with their descriptors")
async def list_models(
    scope: Viewer,
    gateway: GatewayDep,
    q: Annotated[
        PlainLine, Query(max_length=500, description="Words, or `model_id:NAME`, `kind:…`, `provider:…`.")
    ] = "",
) -> Page[DescribedModel]:
    found = await find_models(gateway, scope, q)
    return Page(items=found, total=len(found))


@router.post(
    "/invoke",
    operation_id="invokeModel",
    summary="Call a model by its descriptor",
    response_model=InvokeAnswer,
    responses=_STREAMS,
)
async def invoke(
    asked: InvokeRequest,
    request: Request,
    response: Response,
    scope: Asker,
    gateway: GatewayDep,
    database: DatabaseDep,
) -> Any:
    require_models(scope)
    if asked.metadata.request_id is not None:
        # The id in the body is the caller's word as the header is: one id in log, answer and at the model.
        request.state.request_id = asked.metadata.request_id
        structlog.contextvars.bind_contextvars(request_id=asked.metadata.request_id)
    invocation = await begin(gateway, database, scope, asked, request.state.request_id)
    if asked.stream:
        streamed = await invocation.stream()
        answer = EventStreamResponse(_frames(streamed))
        if streamed.warnings:
            answer.headers[WARNING] = ", ".join(streamed.warnings)
        return answer
    whole = await invocation.answer()
    if whole.metadata.warnings:
        response.headers[WARNING] = ", ".join(whole.metadata.warnings)
    return whole


async def _frames(streamed: StreamedAnswer) -> AsyncGenerator[bytes]:
    async with aclosing(streamed.events()) as events:
        async for name, data in events:
            yield frame(name, orjson.dumps(data))
