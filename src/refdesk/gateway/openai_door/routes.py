"""`/v1` of the gateway alone: `model` names a model of the workspace."""

import base64
from typing import Any

import structlog
from fastapi import APIRouter, Request, Response

from refdesk.accounts import Asker
from refdesk.gateway.clients import Gateway, GatewayDep
from refdesk.gateway.embedding import embed_texts as embedded
from refdesk.gateway.errors import WrongModelKind
from refdesk.gateway.invoking.invoker import find_model, require_models
from refdesk.gateway.openai_door.answering import answer_chat, as_json
from refdesk.gateway.openai_door.schemas import (
    ChatRequest,
    EmbeddingsRequest,
    ModelCard,
    ModelCards,
    OpenAIError,
)
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.routing.snapshot import RoutedModel

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
    return await answer_chat(gateway, scope, model, body, request.state.request_id)


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
    texts = [body.input] if isinstance(body.input, str) else body.input
    made = await embedded(gateway, scope, model.id, texts, input_type=body.input_type, purpose=purpose)
    items = [
        {
            "object": "embedding",
            "index": at,
            "embedding": base64.b64encode(vector.astype("<f4").tobytes()).decode()
            if body.encoding_format == "base64"
            else vector.tolist(),
        }
        for at, vector in enumerate(made.vectors)
    ]
    tokens = made.usage.input_tokens
    usage: dict[str, Any] = {"prompt_tokens": tokens, "total_tokens": tokens}
    if made.usage.is_estimated:
        usage["estimated"] = True
    return as_json({"object": "list", "data": items, "model": body.model, "usage": usage}, {})


async def _named(gateway: Gateway, scope: Asker, wanted: str, kind: str) -> RoutedModel:
    model = await find_model(gateway, scope, wanted)
    structlog.contextvars.bind_contextvars(model_id=str(model.id))
    if model.row.kind != kind:
        raise WrongModelKind(needed=kind, found=model.row.kind)
    return model
