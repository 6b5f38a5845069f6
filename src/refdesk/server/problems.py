"""Errors as RFC 9457 problem documents with a stable `code`; the edge where the unexpected is recorded."""

from collections.abc import MutableMapping
from math import ceil
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from sqlalchemy.exc import DataError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from refdesk.kit.border_types import clean_text
from refdesk.kit.errors import (
    AppError,
    HttpError,
    Invalid,
    MalformedJson,
    MethodNotAllowed,
    NotFound,
    TooLarge,
    UnsupportedMediaType,
)
from refdesk.kit.problem import OPENAI_PREFIX, PROBLEM_TYPE, openai_body, problem_body

log = structlog.get_logger(__name__)

# As nginx records it; no standard has a status for a client that left before its request was read.
CLIENT_LEFT = 499
_BY_STATUS = {kind.status: kind for kind in (NotFound, MethodNotAllowed, TooLarge, UnsupportedMediaType)}


def logged_path(scope: MutableMapping[str, Any]) -> str:
    """The template of the route that was taken: paths hold secrets (an invitation's token) and names."""
    return str(getattr(scope.get("route"), "path", "(no route)"))


def _respond(request: Request, *, headers: dict[str, str] | None = None, **members: Any) -> JSONResponse:
    if request.url.path.startswith(OPENAI_PREFIX):
        status, code, title = members["status"], members["code"], members["title"]
        return JSONResponse(openai_body(status, code, title, members.get("hint")), status, headers=headers)
    body = problem_body(getattr(request.state, "request_id", None), **members)
    return JSONResponse(body, members["status"], headers=headers, media_type=PROBLEM_TYPE)


async def _app_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, AppError)
    if error.status >= 500:
        log.warning("request.failed", code=error.code, path=logged_path(request.scope), details=error.details)
    retry_after = error.details.get("retry_after_s")
    headers = {"Retry-After": str(ceil(retry_after))} if isinstance(retry_after, int | float) else {}
    if error.details.get("unread"):
        headers["Connection"] = "close"  # or the rest of a refused upload would be received for nothing
    return _respond(
        request,
        headers=headers,
        status=error.status,
        code=error.code,
        title=error.text,
        hint=error.hint_text,
        details=error.details,
    )


async def _validation_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    problems = [
        {
            "field": clean_text(".".join(str(part) for part in item["loc"][1:])),
            "message": str(item["msg"]).removeprefix("Value error, "),
        }
        for item in error.errors()
    ]
    malformed = any(item["type"] == "json_invalid" for item in error.errors())
    first = problems[0] if problems else {"field": "", "message": "invalid"}
    return _respond(
        request,
        status=MalformedJson.status if malformed else Invalid.status,
        code=MalformedJson.code if malformed else Invalid.code,
        title=MalformedJson.message if malformed else f"{first['field'] or 'request'}: {first['message']}",
        details={"fields": problems},
    )


async def _client_left(_request: Request, _error: Exception) -> Response:
    """For the log line alone: nobody is there to read it."""
    return Response(status_code=CLIENT_LEFT)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, ClientDisconnect):  # FastAPI calls it a body that cannot be parsed
        return await _client_left(request, error)
    code = _BY_STATUS.get(error.status_code, HttpError).code
    return _respond(request, status=error.status_code, code=code, title=str(error.detail))


async def _data_error(request: Request, error: Exception) -> JSONResponse:
    """A value that the border types let through and the database cannot hold; the log says which route."""
    log.warning("request.unstorable", path=logged_path(request.scope), exc_info=error)
    return _respond(
        request, status=Invalid.status, code=Invalid.code, title="A value in the request cannot be stored."
    )


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    log.error("request.crashed", path=logged_path(request.scope), exc_info=error)
    return _respond(
        request,
        status=500,
        code="internal",
        title="Something went wrong on the server.",
        hint="The server's log has the details under this request id.",
    )


def install(app: FastAPI) -> None:
    app.add_exception_handler(AppError, _app_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(ClientDisconnect, _client_left)
    app.add_exception_handler(DataError, _data_error)
    app.add_exception_handler(Exception, _unexpected)
