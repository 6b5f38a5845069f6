"""Sending one request and raising what goes wrong as a `ModelError`."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol
from urllib.parse import quote

import httpx
import orjson

from refdesk.gateway.errors import (
    ModelBadResponse,
    ModelError,
    ModelInterrupted,
    ModelNotThere,
    ModelTimeout,
    ModelUnavailable,
)
from refdesk.gateway.wires.refusals import (
    MAX_VENDOR_MESSAGE_CHARS,
    error_class,
    message_of,
    plain_words,
    retry_after_s,
)
from refdesk.kit.crypto import mask
from refdesk.kit.http import GuardedClient, ResponseTooLarge, read_beginning, read_limited

HTTP_OK = 200
HTTP_UNAUTHORIZED = 401
MAX_ERROR_BYTES = 64 * 1024
REQUEST_ID_HEADER = "X-Request-ID"

type Sign = Callable[[str, str, bytes], Mapping[str, str]]
"""Method, whole URL and body → headers that prove the key."""

type Sort = Callable[[str], type[ModelError] | None]
"""A vendor's words → the error they mean, None where they tell nothing."""


@dataclass(frozen=True, slots=True)
class Authentication:
    """In which header a key goes, and what stands before it."""

    header: str = "Authorization"
    prefix: str = "Bearer "


BEARER = Authentication()


class Tokens(Protocol):
    """Bearer tokens that end and are renewed."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be seen in an error."""
        ...

    async def token(self) -> str:
        """One that is good now. Raises `ModelError`s."""
        ...

    def drop(self, token: str) -> None:
        """The server refused this one."""
        ...


type Signs = Callable[[str], type[ModelError] | None]
"""What a vendor's own codes and phrases mean, None where they mean nothing known."""


@lru_cache(maxsize=64)
def _timeout(patience_s: float) -> httpx.Timeout:
    return httpx.Timeout(patience_s, connect=10.0)


@dataclass(frozen=True, slots=True)
class Connection:
    """Where a vendor's server is and how to enter. `base_url` ends before what the wire's paths begin with.

    `sign` replaces the key's header where a vendor wants a signature of each request, `tokens` where the key
    is changed for a token; `secrets` are further strings that must never be seen in an error. `sort` is asked
    first what a vendor's words mean.
    """

    client: GuardedClient
    base_url: str
    api_key: str | None = field(repr=False)
    timeout_s: float = 60.0
    authentication: Authentication = BEARER
    query: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    extra_headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    sign: Sign | None = field(default=None, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    sort: Sort | None = None
    tokens: Tokens | None = field(default=None, repr=False)

    @property
    def headers(self) -> dict[str, str]:
        headers = dict(self.extra_headers)
        if self.api_key and self.sign is None and self.tokens is None:
            headers[self.authentication.header] = self.authentication.prefix + self.api_key
        return headers

    def url(self, path: str) -> str:
        """The whole address of a path of the wire."""
        url = self.base_url.rstrip("/") + path
        if self.query:
            pairs = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in self.query)
            url += ("&" if "?" in path else "?") + pairs
        return url

    @asynccontextmanager
    async def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        timeout_s: float | None = None,
        request_id: str | None = None,
    ) -> AsyncGenerator[httpx.Response]:
        """A streamed response with status 200. Everything else is raised as a `ModelError`.

        `body` is bytes as they are or anything JSON can hold. `timeout_s` bounds the wait for the first byte
        and between any two parts. Leaving the block, also by cancellation, closes the socket.
        """
        timeout = _timeout(timeout_s or self.timeout_s)
        headers = self.headers
        content = None
        if body is not None:
            content = body if isinstance(body, bytes) else orjson.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        if request_id is not None and request_id.isascii() and request_id.isprintable():
            headers[REQUEST_ID_HEADER] = request_id
        url = self.url(path)
        if self.sign is not None:
            headers |= self.sign(method, url, content or b"")
        token = ""
        if self.tokens is not None:
            token = await self.tokens.token()
            headers["Authorization"] = f"Bearer {token}"
        try:
            async with self.client.exchange(
                method, url, content=content, headers=headers, timeout=timeout
            ) as response:
                if response.status_code != HTTP_OK:
                    if self.tokens is not None and response.status_code == HTTP_UNAUTHORIZED:
                        self.tokens.drop(token)
                    raise self._refusal(response, await read_beginning(response, MAX_ERROR_BYTES))
                yield response
        except (httpx.HTTPError, httpx.InvalidURL, ResponseTooLarge) as error:
            raise self.failure(error, timeout_s or self.timeout_s) from error

    async def json(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        timeout_s: float | None = None,
        request_id: str | None = None,
    ) -> Any:
        """The parsed body of a response with status 200."""
        async with self.send(method, path, body, timeout_s=timeout_s, request_id=request_id) as response:
            raw = await read_limited(response)
        try:
            return orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            raise self.bad_response(raw) from error

    def failure(self, error: Exception, timeout_s: float) -> ModelError:
        """What a failure of the client, after `timeout_s` at most, means for the model."""
        match error:
            case httpx.ConnectTimeout():
                return ModelUnavailable("The model's server did not accept the connection.")
            case httpx.TimeoutException():
                return ModelTimeout(timeout_s=timeout_s)
            case httpx.RemoteProtocolError() | httpx.ReadError() | httpx.WriteError():
                return ModelInterrupted(vendor_message=self.clean(str(error)))
            case ResponseTooLarge():
                return ModelBadResponse(
                    "The model's server sent more than is accepted.", max_bytes=error.details["max_bytes"]
                )
            case httpx.InvalidURL() | httpx.UnsupportedProtocol():
                return ModelNotThere("The base URL is not a valid http(s) address.")
            case _:
                return ModelUnavailable(vendor_message=self.clean(str(error)))

    def bad_response(self, raw: bytes) -> ModelBadResponse:
        """The error for a body that is not what the protocol says; shows how it begins."""
        # Cleaned before it is cut: half a key is a secret too.
        start = self.clean(plain_words(raw[:MAX_ERROR_BYTES]))[:200]
        return ModelBadResponse(vendor_message=start or "an empty body")

    def in_band(self, error: Any) -> ModelError:
        """The error for a vendor's error object, or its words, within an answer of status 200."""
        text = message_of({"error": error}) or "an error without a message"
        return self._class(text)(vendor_message=self.clean(text))

    def clean(self, text: str) -> str:
        """A vendor's words without the key, short enough to be shown."""
        renewed = self.tokens.secrets if self.tokens is not None else ()
        for secret in (self.api_key, *self.secrets, *renewed):
            if secret:
                text = text.replace(secret, mask(secret))
        return text.strip()[:MAX_VENDOR_MESSAGE_CHARS]

    def _refusal(self, response: httpx.Response, raw: bytes) -> ModelError:
        status = response.status_code
        try:
            body = orjson.loads(raw)
            text = message_of(body) or ""
        except orjson.JSONDecodeError:
            body = text = plain_words(raw)
        # Where the body has no words of a code, Amazon's header does.
        amazon = response.headers.get("x-amzn-errortype", "").partition(":")[0]
        if amazon and amazon not in text:
            text = f"{amazon}: {text}"
        details: dict[str, Any] = {"status_code": status, "vendor_message": self.clean(text)}
        after = retry_after_s(response.headers, body)
        if after is not None and status in (429, 503, 529):
            details["retry_after_s"] = after
        return self._class(text, status)(**details)

    def _class(self, text: str, status: int | None = None) -> type[ModelError]:
        return (self.sort(text) if self.sort is not None else None) or error_class(text, status)
