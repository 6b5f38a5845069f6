"""What wraps every request: its id, its log line, the size of its body, and headers that protect the page.

Plain ASGI, because Starlette's `BaseHTTPMiddleware` buffers around streams and costs a task a request.
"""

import re
import time
from uuid import uuid4

import orjson
import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from refdesk.server.problems import PROBLEM_TYPE, logged_path, problem_body

log = structlog.get_logger(__name__)

# Bodies of files, each held to the limit of uploads while it streams, not to that of requests.
FILES_PATH = re.compile(
    r"/api/v1/(knowledge-bases/[^/]+/(files|drafts|qa-files)|documents/[^/]+/file|sources/[^/]+/(files|archive)"
    r"|knowledge-base-imports|transcriptions|question-pictures)"
)
# Recordings and pictures to try a model with or to call one, within JSON.
WORKING_FILE_PATH = re.compile(r"/api/v1/conversations/[^/]+/files/content")
MEDIA_PATH = re.compile(r"/api/v1/models/[^/]+/try(/film|/stream)?|/mcp/invoke")
MAX_MEDIA_BYTES = 54 * 1024 * 1024
QUIET_PATHS = ("/healthz", "/readyz")
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "SAMEORIGIN",
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
        "media-src 'self' blob:; "
        "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
    ),
}


def _request_id(headers: Headers) -> str:
    given = headers.get("x-request-id", "")
    acceptable = (
        0 < len(given) <= 128 and given.isascii() and given.replace("-", "").replace("_", "").isalnum()
    )
    return given if acceptable else uuid4().hex


class RequestContext:
    """Gives each request an id (the caller's `X-Request-ID` or a new one) and one log line."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = _request_id(Headers(scope=scope))
        scope.setdefault("state", {})["request_id"] = request_id
        started = time.perf_counter()
        status = 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(
                    message["status"]
                )  # an enumeration's member where the SDK of the protocol answers
                headers = MutableHeaders(scope=message)
                # The operation may have put the id of a body in its place.
                headers["X-Request-ID"] = scope["state"]["request_id"]
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            await self.app(scope, receive, send_with_headers)
            is_quiet = scope["path"] in QUIET_PATHS or (status < 400 and scope["path"].startswith("/assets/"))
            record = log.debug if is_quiet else log.info
            record(
                "request",
                method=scope["method"],
                path=logged_path(scope),
                status=status,
                ms=round((time.perf_counter() - started) * 1000, 1),
            )


def _takes_files(scope: Scope) -> bool:
    pattern = {"POST": FILES_PATH, "PUT": WORKING_FILE_PATH}.get(scope["method"])
    return pattern is not None and pattern.fullmatch(scope["path"]) is not None


class BodyLimit:
    """Refuses bodies over the limit while they arrive, but on the routes that take files.

    Those stream and have limits of their own; what a request says of its content type decides nothing.
    """

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self.app = app
        self.max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _takes_files(scope):
            await self.app(scope, receive, send)
            return
        has_media = scope["method"] == "POST" and MEDIA_PATH.fullmatch(scope["path"]) is not None
        max_bytes = max(MAX_MEDIA_BYTES, self.max_bytes) if has_media else self.max_bytes
        declared = Headers(scope=scope).get("content-length", "0")
        if declared.isdigit() and int(declared) > max_bytes:
            await self._refuse(scope, send)
            return
        seen, started, refused = 0, False, False

        async def limited_receive() -> Message:
            nonlocal seen, refused
            message = await receive()
            if message["type"] == "http.request":
                seen += len(message.get("body", b""))
                if seen > max_bytes:
                    refused = True
                    return {"type": "http.disconnect"}
            return message

        async def watched_send(message: Message) -> None:
            nonlocal started
            if refused and not started:
                return
            started = True
            await send(message)

        try:
            await self.app(scope, limited_receive, watched_send)
        finally:
            if refused and not started:
                await self._refuse(scope, send)

    async def _refuse(self, scope: Scope, send: Send) -> None:
        body = orjson.dumps(
            problem_body(
                scope.get("state", {}).get("request_id"),
                status=413,
                code="too-large",
                title=f"The request body is larger than {self.max_bytes} bytes.",
                hint="The limit is the setting REFDESK_MAX_REQUEST_BYTES.",
                details={"max_bytes": self.max_bytes},
            )
        )
        headers = [(b"content-type", PROBLEM_TYPE.encode()), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": body})
