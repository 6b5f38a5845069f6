"""Sending one request and sorting what goes wrong."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, cast

import httpx
import orjson

from refdesk.gateway.errors import (
    ModelAuthentication,
    ModelBadResponse,
    ModelContextExceeded,
    ModelError,
    ModelInterrupted,
    ModelNotThere,
    ModelQuota,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
)
from refdesk.kit.clock import now
from refdesk.kit.crypto import mask
from refdesk.kit.errors import AppError
from refdesk.kit.http import read_limited

HTTP_OK, HTTP_TOO_MANY_REQUESTS = 200, 429
MAX_ERROR_BYTES = 64 * 1024
MAX_VENDOR_MESSAGE_CHARS = 500
CONTEXT_SIGNS = ("context_length_exceeded", "maximum context length", "context window", "too many tokens")
QUOTA_SIGNS = ("insufficient_quota", "exceeded_current_quota", "insufficient balance", "余额不足", "欠费")


@dataclass(frozen=True, slots=True)
class Connection:
    """Where an OpenAI-compatible server is and how to enter. `base_url` ends before `/chat/completions`."""

    client: httpx.AsyncClient
    base_url: str
    api_key: str | None
    timeout_s: float = 60.0

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}

    @asynccontextmanager
    async def send(
        self, method: str, path: str, body: dict[str, Any] | None = None, *, timeout_s: float | None = None
    ) -> AsyncGenerator[httpx.Response]:
        """A streamed response with status 200. Everything else is raised as a `ModelError`.

        `timeout_s` bounds the wait for the first byte and between any two parts.
        """
        timeout = httpx.Timeout(timeout_s or self.timeout_s, connect=10.0)
        content = None if body is None else orjson.dumps(body)
        headers = self.headers | ({"Content-Type": "application/json"} if content is not None else {})
        url = self.base_url.rstrip("/") + path
        try:
            async with self.client.stream(
                method, url, content=content, headers=headers, timeout=timeout
            ) as response:
                if response.status_code != HTTP_OK:
                    raise self._refusal(response, await read_limited(response, MAX_ERROR_BYTES))
                yield response
        except httpx.ConnectTimeout as error:
            raise ModelUnavailable("The model's server did not accept the connection.") from error
        except httpx.TimeoutException as error:
            raise ModelTimeout(timeout_s=timeout_s or self.timeout_s) from error
        except httpx.ConnectError as error:
            raise ModelUnavailable(vendor_message=self._clean(str(error))) from error
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError) as error:
            raise ModelInterrupted(vendor_message=self._clean(str(error))) from error
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise ModelNotThere("The base URL is not a valid http(s) address.") from error
        except httpx.HTTPError as error:
            raise ModelUnavailable(vendor_message=self._clean(str(error))) from error

    async def json(
        self, method: str, path: str, body: dict[str, Any] | None = None, *, timeout_s: float | None = None
    ) -> Any:
        """The parsed body of a response with status 200."""
        async with self.send(method, path, body, timeout_s=timeout_s) as response:
            raw = await read_limited(response)
        try:
            return orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            raise self.bad_response(raw) from error

    def bad_response(self, raw: bytes) -> ModelBadResponse:
        """The error for a body that is not what the protocol says; shows how it begins."""
        start = raw[:200].decode("utf-8", "replace").strip()
        return ModelBadResponse(vendor_message=self._clean(start) or "an empty body")

    def in_band(self, error: Any) -> ModelError:
        """The error for a vendor's error object sent with status 200 or within a stream."""
        text = _message_of({"error": error}) or "an error without a message"
        kind = _by_text(text) or ModelUnavailable
        return kind(vendor_message=self._clean(text))

    def _refusal(self, response: httpx.Response, raw: bytes) -> AppError:
        status = response.status_code
        try:
            text = _message_of(orjson.loads(raw)) or ""
        except orjson.JSONDecodeError:
            text = raw[:MAX_VENDOR_MESSAGE_CHARS].decode("utf-8", "replace")
        details: dict[str, Any] = {"status_code": status, "vendor_message": self._clean(text)}
        if status == HTTP_TOO_MANY_REQUESTS and (after := _retry_after(response)) is not None:
            details["retry_after_s"] = after
        return (_by_text(text, status) or _by_status(status))(**details)

    def _clean(self, text: str) -> str:
        if self.api_key:
            text = text.replace(self.api_key, mask(self.api_key))
        return text.strip()[:MAX_VENDOR_MESSAGE_CHARS]


def _by_text(text: str, status: int = 400) -> type[ModelError] | None:
    lowered = text.lower()
    if any(sign in lowered for sign in QUOTA_SIGNS):
        return ModelQuota
    if status < 500 and any(sign in lowered for sign in CONTEXT_SIGNS):
        return ModelContextExceeded
    return None


def _by_status(status: int) -> type[ModelError]:
    match status:
        case 401 | 403:
            return ModelAuthentication
        case 402:
            return ModelQuota
        case 404:
            return ModelNotThere
        case 408 | 504:
            return ModelTimeout
        case 429:
            return ModelRateLimited
        case _ if status >= 500:
            return ModelUnavailable
        case _ if status >= 400:
            return ModelRefused
        case _:
            return ModelBadResponse


def _message_of(body: Any) -> str | None:
    """The vendor's words in any of the shapes seen: OpenAI's, FastAPI's, plain `message`, a bare string."""
    if isinstance(body, str):
        return body
    if not isinstance(body, dict):
        return None
    for name in ("error", "message", "detail", "error_msg", "msg"):
        value: Any = body.get(name)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(value, str) and value:
            return value
        if isinstance(value, dict):
            inner = cast("dict[str, Any]", value)
            parts = [str(inner[key]) for key in ("code", "type", "message") if inner.get(key)]
            if parts:
                return ": ".join(dict.fromkeys(parts))
        if isinstance(value, list) and value:
            return orjson.dumps(value).decode()
    return None


def _retry_after(response: httpx.Response) -> float | None:
    value = response.headers.get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - now()).total_seconds())
    except (TypeError, ValueError):
        return None
