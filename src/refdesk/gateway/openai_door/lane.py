"""The short way of a program that asks models hundreds of times a second.

An API key that names a model is answered here; whoever and whatever else comes goes on to the ordinary route,
which gives the same answers and tells what is wrong with a request. The framework's part of a call (routing,
dependencies, validation through it) takes longer than all the gateway's.
"""

from math import ceil
from typing import Any, NamedTuple
from uuid import UUID

import structlog
from fastapi import Response
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as AsgiScope

from refdesk.accounts import API_KEY_PREFIX, RecentCallers, Role, Scope
from refdesk.gateway.clients import Gateway
from refdesk.gateway.openai_door.answering import answer_chat
from refdesk.gateway.openai_door.schemas import ChatRequest
from refdesk.gateway.routing.snapshot import RoutedModel
from refdesk.kit.errors import AppError
from refdesk.kit.problem import openai_body

log = structlog.get_logger(__name__)

PATH = "/v1/chat/completions"
_BEARER = "Bearer "


class _Taken(NamedTuple):
    """What the line of the log calls the route."""

    path: str


_TAKEN = _Taken(PATH)


class ChatLane:
    """Plain ASGI before the routes. `by_name`: also by its name, where nothing else can have that."""

    def __init__(self, app: ASGIApp, *, by_name: bool) -> None:
        self.app = app
        self._by_name = by_name

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != PATH or scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        state = scope["app"].state
        caller = await _caller(state.recent_callers, scope)
        if caller is None:
            await self.app(scope, receive, send)
            return
        received = await _messages(receive)
        response = await self._answer(state.gateway, caller, received, scope["state"]["request_id"])
        if response is None:
            await self.app(scope, _again(received, receive), send)
            return
        scope["route"] = _TAKEN
        await response(scope, receive, send)

    async def _answer(
        self, gateway: Gateway, caller: Scope, received: list[Message], request_id: str
    ) -> Response | None:
        if received[-1]["type"] != "http.request":
            return None
        try:
            body = ChatRequest.model_validate_json(b"".join(part.get("body", b"") for part in received))
        except ValidationError:
            return None
        model = self._find(gateway, caller, body.model)
        if model is None:
            return None
        try:
            return await answer_chat(gateway, caller, model, body, request_id)
        except AppError as error:
            if error.status >= 500:
                log.warning("request.failed", code=error.code, path=PATH, details=error.details)
            return _refused(error)

    def _find(self, gateway: Gateway, caller: Scope, wanted: str) -> RoutedModel | None:
        snapshot = gateway.routing.snapshot
        if not snapshot.is_fresh:
            return None
        try:
            model = snapshot.find(UUID(wanted))
        except ValueError:
            if not self._by_name:
                return None
            found = snapshot.find_by(caller, "LLM", wanted, by_name=True)
            model = snapshot.find(found) if found is not None else None
        if model is None or model.row.workspace_id != caller.workspace_id or model.row.kind != "LLM":
            return None
        return model


def _refused(error: AppError) -> Response:
    """An error as OpenAI tells it."""
    body = openai_body(error.status, error.code, error.text, error.hint_text)
    after = error.details.get("retry_after_s")
    return JSONResponse(body, error.status, {"Retry-After": str(ceil(after))} if after else None)


async def _caller(recent: RecentCallers, scope: AsgiScope) -> Scope | None:
    """The caller, if it is an API key that may ask for models."""
    token = workspace = ""
    for name, value in scope["headers"]:
        if name == b"authorization":
            token = value.decode("latin-1")
        elif name == b"x-workspace-id":
            workspace = value.decode("latin-1")
    if scope["query_string"] or not token.startswith(_BEARER + API_KEY_PREFIX):
        return None
    try:
        caller = await recent.get(token.removeprefix(_BEARER).strip(), workspace or None)
    except (AppError, SQLAlchemyError, OSError):
        return None
    if caller.resource is not None:
        return None
    return caller if caller.role >= Role.VIEWER and "ask" in caller.permissions else None


async def _messages(receive: Receive) -> list[Message]:
    """The request's body as it came, or all up to a client that left."""
    received: list[Message] = []
    while True:
        message = await receive()
        received.append(message)
        if message["type"] != "http.request" or not message.get("more_body", False):
            return received


def _again(received: list[Message], receive: Receive) -> Receive:
    """What was read once more, then what comes."""
    left = iter(received)

    async def replay() -> Any:
        return next(left, None) or await receive()

    return replay
