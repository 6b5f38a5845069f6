"""`/v1` of the gateway alone: `model` names a model of the workspace."""

import base64
from typing import Any

import numpy as np
import orjson
import structlog
from fastapi import APIRouter, Request, Response

from refdesk.accounts import Asker
from refdesk.gateway.clients import Gateway, GatewayDep
from refdesk.gateway.errors import WrongModelKind
from refdesk.gateway.invoking.invoker import find_model, require_models
from refdesk.gateway.openai_door.chat import begin_stream, chunks, request_of, warning_of, whole
from refdesk.gateway.openai_door.schemas import (
    ChatRequest,
    EmbeddingsRequest,
    ModelCard,
    ModelCards,
    OpenAIError,
)
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.routing.snapshot import RoutedModel
from refdesk.kit.sse import EventStreamResponse

router = APIRouter(
    prefix="/v1",
    tags=["openai"],
    responses={status: {"model": OpenAIError} for status in (400, 401, 404, 422, 429)},
)
_SHOWN = ("LLM", "EMBEDDING")
_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {}, "text/event-stream": {"schema": {"type": "string"}}}}
}


@router.post(
    "/chat/completions",
    operation_id="completeChat",
    summary="Let a model of the workspace answer",
    response_class=Response,
    responses=_ANSWERS,
)
async def complete_chat(body: ChatRequest, request: Request, scope: Asker, gateway: GatewayDep) -> Response:
    require_models(scope)
    model = await _named(gateway, scope, body.model, "LLM")
    request_id: str = request.state.request_id
    completer = await gateway.completer(scope, model.id, Purpose("gateway", request_id=request_id))
    asked = request_of(body, request_id)
    if not body.stream:
        completion = await completer.complete(asked)
        return _json(whole(completion, body.model), warning_of(completion.notices))
    head, rest = await begin_stream(completer, asked)
    with_usage = body.stream_options is not None and body.stream_options.include_usage
    frames = chunks(head, rest, body.model, with_usage=with_usage)
    return EventStreamResponse(frames, headers=warning_of(head))


@router.get("/models", operation_id="listChatModels", summary="The models that can be named")
async def list_models(scope: Asker, gateway: GatewayDep) -> ModelCards:
    require_models(scope)
    await gateway.routing.snapshot.ready()
    rows = [model.row for model in gateway.routing.snapshot.all()]
    return ModelCards(
        data=[
            ModelCard(id=row.name, created=int(row.created_at.timestamp()), owned_by=row.provider)
            for row in sorted(rows, key=lambda row: row.name)
            if row.workspace_id == scope.workspace_id and row.kind in _SHOWN
        ]
    )


@router.post("/embeddings", operation_id="embedTexts", summary="Embed texts", response_class=Response)
async def embed_texts(
    body: EmbeddingsRequest, request: Request, scope: Asker, gateway: GatewayDep
) -> Response:
    require_models(scope)
    model = await _named(gateway, scope, body.model, "EMBEDDING")
    purpose = Purpose("gateway", request_id=request.state.request_id)
    embedder = await gateway.embedder(scope, model.id, purpose)
    embed = embedder.embed_queries if body.input_type == "query" else embedder.embed_passages
    texts = [body.input] if isinstance(body.input, str) else body.input
    size = embedder.max_batch
    vectors = np.vstack([await embed(texts[at : at + size]) for at in range(0, len(texts), size)])
    items = [
        {
            "object": "embedding",
            "index": at,
            "embedding": base64.b64encode(vector.astype("<f4").tobytes()).decode()
            if body.encoding_format == "base64"
            else vector.tolist(),
        }
        for at, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": 0, "total_tokens": 0}
    return _json({"object": "list", "data": items, "model": body.model, "usage": usage}, {})


def _json(body: dict[str, Any], headers: dict[str, str]) -> Response:
    return Response(orjson.dumps(body), media_type="application/json", headers=headers)


async def _named(gateway: Gateway, scope: Asker, wanted: str, kind: str) -> RoutedModel:
    model = await find_model(gateway, scope, wanted)
    structlog.contextvars.bind_contextvars(model_id=str(model.id))
    if model.row.kind != kind:
        raise WrongModelKind(needed=kind, found=model.row.kind)
    return model
