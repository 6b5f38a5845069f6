"""A chat model asked by itself: the request's JSON to the model's answer as a response, whole or streamed.

What the gateway did before the first token is in the headers; a failure before it has its own status, one
after it is the stream's last event.
"""

from typing import Any

import orjson
import structlog
from fastapi import Response

from refdesk.accounts import Scope
from refdesk.gateway.clients import Gateway
from refdesk.gateway.openai_door.chat import begin_stream, chunks, request_of, warning_headers, whole
from refdesk.gateway.openai_door.schemas import ChatRequest
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.routing.snapshot import RoutedModel
from refdesk.kit.sse import EventStreamResponse


async def answer_chat(
    gateway: Gateway, scope: Scope, model: RoutedModel, body: ChatRequest, request_id: str
) -> Response:
    """The answer of one model. Raises `ModelError`s and `ImageNotUnderstood`."""
    structlog.contextvars.bind_contextvars(model_id=str(model.id))
    completer = await gateway.completer(scope, model.id, Purpose("gateway", request_id=request_id))
    asked = request_of(body, request_id)
    if not body.stream:
        completion = await completer.complete(asked)
        return as_json(whole(completion, body.model), warning_headers(completion.notices))
    head, rest = await begin_stream(completer, asked)
    with_usage = body.stream_options is not None and body.stream_options.include_usage
    frames = chunks(head, rest, body.model, with_usage=with_usage)
    return EventStreamResponse(frames, headers=warning_headers(head))


def as_json(body: dict[str, Any], headers: dict[str, str]) -> Response:
    return Response(orjson.dumps(body), media_type="application/json", headers=headers)
