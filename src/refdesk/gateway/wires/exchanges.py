"""What the wires for speech, pictures and video share: asking for JSON, sending files, fetching results.

Results lie at addresses that a vendor names. They are fetched through the same guarded client as everything
else, without the model's key, and bounded while they arrive.
"""

import base64
import binascii
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any, cast
from urllib.parse import urlsplit

import httpx

from refdesk.gateway.errors import ModelBadResponse, ModelError, ModelInterrupted, ModelTimeout
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.images import public_client
from refdesk.gateway.wires.refusals import body_error
from refdesk.kit.http import AddressRefused, ResponseTooLarge

MAX_REDIRECTS = 3
HTTP_OK = 200
RESULT_HINT = "Results are fetched from the model's own server and from public addresses only."
type Field = tuple[str | None, bytes | str] | tuple[str | None, bytes | str, str]
"""File name or None, content, media type."""


class ResultNotFetched(ModelError):
    """The vendor named an address for its result that does not give it."""

    code = "model-result-not-fetched"
    message = "The model's result could not be fetched."
    hint = "Try again; results lie at the vendor for a limited time."


async def ask(
    connection: Connection,
    method: str,
    path: str,
    body: Any = None,
    *,
    timeout_s: float | None = None,
    request_id: str | None = None,
) -> dict[str, Any]:
    """The JSON object of a vendor's answer. An error within it is raised as one."""
    answer = await connection.json(method, path, body, timeout_s=timeout_s, request_id=request_id)
    if not isinstance(answer, dict):
        raise connection.bad_response(str(answer).encode())
    members = cast("dict[str, Any]", answer)
    if (words := body_error(members)) is not None:
        raise connection.in_band(words)
    return members


def with_headers(connection: Connection, headers: Mapping[str, str]) -> Connection:
    """The connection with further headers in each request."""
    return replace(connection, extra_headers=(*connection.extra_headers, *headers.items()))


def multipart(connection: Connection, fields: Mapping[str, Field]) -> tuple[Connection, bytes]:
    """The connection that announces a multipart body, and the body."""
    request = httpx.Request("POST", "http://multipart", files=dict(fields))
    return with_headers(connection, {"Content-Type": request.headers["content-type"]}), request.read()


async def limited(parts: AsyncIterator[bytes], max_bytes: int) -> AsyncGenerator[bytes]:
    """The parts, until they pass `max_bytes`: then `ResponseTooLarge`."""
    size = 0
    async for part in parts:
        size += len(part)
        if size > max_bytes:
            raise ResponseTooLarge(max_bytes=max_bytes)
        yield part


@asynccontextmanager
async def download(
    connection: Connection, url: str, *, max_bytes: int, timeout_s: float = 60.0
) -> AsyncGenerator[tuple[str, AsyncGenerator[bytes]]]:
    """Media type and content of what lies at an address, as it arrives.

    None of the model's own headers is sent. Beside the model's own server only public addresses are connected
    to, whatever is allowed for models: a vendor's answer must not lead into the network this server stands
    in. Raises `AddressRefused`, `ResponseTooLarge`, `ModelError`.
    """
    async with AsyncExitStack() as opened:
        try:
            response = await _opened(opened, connection, url, timeout_s)
            media_type = response.headers.get("content-type", "").partition(";")[0].strip()
            yield media_type, limited(response.aiter_bytes(), max_bytes)
        except AddressRefused as error:
            raise AddressRefused(hint=RESULT_HINT, **error.details) from error
        except httpx.TimeoutException as error:
            raise ModelTimeout(timeout_s=timeout_s) from error
        except httpx.InvalidURL as error:
            raise ResultNotFetched("The vendor named no http(s) address for its result.") from error
        except httpx.HTTPError as error:
            raise ModelInterrupted(vendor_message=connection.clean(str(error))) from error


async def _opened(
    opened: AsyncExitStack, connection: Connection, url: str, timeout_s: float
) -> httpx.Response:
    """The good response at the end of at most `MAX_REDIRECTS` redirects."""
    own = urlsplit(connection.base_url).netloc.lower()
    for _ in range(MAX_REDIRECTS + 1):
        if not url.lower().startswith(("http://", "https://")):
            raise ResultNotFetched("The vendor named no http(s) address for its result.")
        client = connection.client
        if urlsplit(url).netloc.lower() != own:
            client = await opened.enter_async_context(public_client())
        response = await opened.enter_async_context(client.stream("GET", url, timeout=timeout_s))
        if not response.is_redirect:
            if response.status_code != HTTP_OK:
                raise ResultNotFetched(status_code=response.status_code)
            return response
        url = str(response.url.join(response.headers.get("location", "")))
    raise ResultNotFetched("The result's address leads from one address to the next without end.")


async def fetch(connection: Connection, url: str, *, max_bytes: int, timeout_s: float = 60.0) -> bytes:
    """The whole content of what lies at an address."""
    async with download(connection, url, max_bytes=max_bytes, timeout_s=timeout_s) as (_, parts):
        return b"".join([part async for part in parts])


def decoded(text: Any) -> bytes:
    """Bytes of base64, as a data URL or plain. Raises `ModelBadResponse`."""
    try:
        return base64.b64decode(str(text).rpartition(",")[2], validate=True)
    except (binascii.Error, ValueError) as error:
        raise ModelBadResponse("The server's answer holds base64 that is broken.") from error


def data_url(data: bytes, media_type: str) -> str:
    """The bytes as a data URL."""
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"
