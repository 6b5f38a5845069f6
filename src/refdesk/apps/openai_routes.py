"""The OpenAI-compatible door: chat completions, models, embeddings. Errors come in OpenAI's shape.

A completion is an ordinary run (saved, checked, cited) where `model` chooses an application or a knowledge
base; where it chooses a chat model, that one is asked by itself.
"""

import base64
from collections.abc import Callable, Coroutine
from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import ValidationError

from refdesk.accounts import Asker, BoundKey, Scope
from refdesk.apps.errors import ModelNameUnknown
from refdesk.apps.openai_models import Target, find_embedding_model, find_target, list_cards
from refdesk.apps.openai_runs import as_chunks, as_completion, submission_of
from refdesk.apps.openai_schemas import (
    ChatCompletion,
    ChatCompletionRequest,
    EmbeddingItem,
    EmbeddingList,
    EmbeddingRequest,
    EmbeddingUsage,
    ModelList,
    OpenAIError,
)
from refdesk.chat import Runs
from refdesk.gateway import ChatRequest, Gateway, GatewayDep, Purpose, answer_chat, embed_texts
from refdesk.kit.errors import AppError, MalformedJson
from refdesk.kit.problem import openai_body
from refdesk.kit.sse import EventStreamResponse
from refdesk.kit.web import DatabaseDep


class _OpenAIRoute(APIRoute):
    """Answers errors as OpenAI does, whatever part raised them."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handler(request: Request) -> Response:
            try:
                return await handle(request)
            except AppError as error:
                body = openai_body(error.status, error.code, error.text, error.hint_text)
                retry_after_s = error.details.get("retry_after_s")
                headers = {"Retry-After": str(int(retry_after_s))} if retry_after_s else None
                return JSONResponse(body, error.status, headers)
            except RequestValidationError as error:
                first = error.errors()[0]
                if first["type"] == "json_invalid":  # its place is a number of characters, not a field
                    return JSONResponse(openai_body(400, MalformedJson.code, MalformedJson.message), 400)
                field = ".".join(str(part) for part in first["loc"][1:])
                message = f"{field or 'body'}: {first['msg']}"
                return JSONResponse(openai_body(400, "invalid", message, param=field or None), 400)

        return handler


router = APIRouter(
    prefix="/v1",
    tags=["openai"],
    route_class=_OpenAIRoute,
    responses={400: {"model": OpenAIError}, 401: {"model": OpenAIError}, 404: {"model": OpenAIError}},
)


@router.post(
    "/chat/completions",
    operation_id="createChatCompletion",
    summary="Answer the last user message from an application or a knowledge base, or by a model itself",
    response_model=ChatCompletion,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def create_chat_completion(
    body: ChatCompletionRequest,
    request: Request,
    scope: Asker,
    runs: Runs,
    database: DatabaseDep,
    gateway: GatewayDep,
    response: Response,
) -> Any:
    # By id a model is found in memory; a name may be an application's or a base's first.
    model_id = await gateway.find_chat_model(scope, body.model, by_name=False)
    target = Target()
    if model_id is None:
        async with database.transaction() as session:
            try:
                target = await find_target(session, scope, body.model)
            except ModelNameUnknown:
                model_id = await gateway.find_chat_model(scope, body.model, by_name=True)
                if model_id is None:
                    raise
    if model_id is not None:
        return await _by_model(gateway, scope, model_id, request)
    run = await runs.submit(scope, submission_of(body, target))
    if body.stream:
        with_usage = body.stream_options is not None and body.stream_options.include_usage
        return EventStreamResponse(as_chunks(runs.follow(scope, run.id), run, body.model, with_usage))
    answer, headers = await as_completion(runs.follow(scope, run.id), run, body.model)
    response.headers.update(headers)
    return answer


async def _by_model(gateway: Gateway, scope: Scope, model_id: UUID, request: Request) -> Response:
    """A model asked by itself: its request may hold tools, images and more that no application takes."""
    try:
        body = ChatRequest.model_validate_json(await request.body())
    except ValidationError as error:
        raise RequestValidationError(
            [{**one, "loc": ("body", *one["loc"])} for one in error.errors(include_url=False)]
        ) from error
    model = gateway.routing.snapshot.get(scope, model_id)
    return await answer_chat(gateway, scope, model, body, request.state.request_id)


@router.get(
    "/models",
    operation_id="listOpenAIModels",
    summary="What `model` may name: applications, knowledge bases, embedding models",
    response_model=ModelList,
)
async def list_models(scope: Asker, database: DatabaseDep) -> ModelList:
    async with database.transaction() as session:
        return ModelList(data=await list_cards(session, scope))


@router.post(
    "/embeddings",
    operation_id="createEmbeddings",
    summary="Embed texts with an embedding model of the workspace",
    response_model=EmbeddingList,
)
async def create_embeddings(
    body: EmbeddingRequest, scope: Asker, gateway: GatewayDep, database: DatabaseDep
) -> EmbeddingList:
    if scope.resource is not None:
        raise BoundKey.of(*scope.resource)
    async with database.transaction() as session:
        model = await find_embedding_model(session, scope, body.model)
    made = await embed_texts(
        gateway, scope, model.id, body.texts(), input_type=body.input_type, purpose=Purpose("gateway")
    )
    items = [
        EmbeddingItem(
            index=at,
            embedding=base64.b64encode(vector.astype("<f4").tobytes()).decode()
            if body.encoding_format == "base64"
            else [float(value) for value in vector],
        )
        for at, vector in enumerate(made.vectors)
    ]
    tokens, estimated = made.usage.input_tokens, made.usage.is_estimated
    usage = EmbeddingUsage(prompt_tokens=tokens, total_tokens=tokens, estimated=estimated)
    return EmbeddingList(data=items, model=body.model, usage=usage)
