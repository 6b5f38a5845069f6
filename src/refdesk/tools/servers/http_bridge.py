"""The SDK's HTTP client over the guarded connections of the kit.

The SDK brings a client library of its own, which would connect to any address. Here each of its requests goes
through `kit.http`, so that private addresses, redirects and names that change are judged as everywhere.
Adds the caller's headers, notes the status of answers, bounds their size.
"""

from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
import httpx2

from refdesk.kit.http import guarded_client
from refdesk.tools.servers.caller_headers import EXCHANGE

_NEVER_SENT_TWICE = frozenset(("connection", "transfer-encoding", "host"))


class TooMuch(httpx2.StreamError):
    """More was sent than the limit; the SDK answers the one call with it and keeps the connection."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"more than {max_bytes} bytes were sent")


@contextmanager
def _mapped() -> Generator[None]:
    """The kit's failures as those of the SDK's library, which has the same names for them."""
    try:
        yield
    except httpx.HTTPError as error:
        kind: type[httpx2.HTTPError] = getattr(httpx2, type(error).__name__, httpx2.TransportError)
        raise kind(str(error)) from error
    except httpx.InvalidURL as error:
        raise httpx2.UnsupportedProtocol(str(error)) from error


class _Body(httpx2.AsyncByteStream):
    """The body as it comes. Of a stream of events, which may go on for ever, each event is bounded."""

    def __init__(self, response: httpx.Response, transport: "GuardedTransport", max_bytes: int) -> None:
        self._response = response
        self._transport = transport
        self._max_bytes = max_bytes
        self._is_stream = response.headers.get("content-type", "").startswith("text/event-stream")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        with _mapped():
            async for part in self._response.aiter_raw():
                end = max(part.rfind(b"\n\n"), part.rfind(b"\r\n\r\n")) if self._is_stream else -1
                size = size + len(part) if end < 0 else len(part) - end
                if size > self._max_bytes:
                    self._transport.sent_too_much = True
                    raise TooMuch(self._max_bytes)
                yield part

    async def aclose(self) -> None:
        await self._response.aclose()


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Requests of one tool server at `address`.

    `refusal` is the status of the last answer that was none; `sent_too_much` tells that one was too large,
    `unreachable` why no connection came about.
    """

    def __init__(self, address: str, *, allow_private: bool, max_bytes: int) -> None:
        self._client = guarded_client(allow_private=allow_private, max_connections=100)
        self._origin = _origin_of(address)
        self._max_bytes = max_bytes
        self.refusal: int | None = None
        self.sent_too_much = False
        self.unreachable: str | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """One exchange; the body is read as it comes."""
        headers = [(name, value) for name, value in request.headers.multi_items()]
        exchange = EXCHANGE.get()
        if exchange is not None and _origin_of(str(request.url)) == self._origin:
            headers += exchange.headers.items()
        content = await request.aread()
        sent = httpx.Request(
            request.method,
            str(request.url),
            headers=[pair for pair in headers if pair[0].lower() not in _NEVER_SENT_TWICE],
            content=content,
            extensions={"timeout": request.extensions.get("timeout", {})},
        )
        try:
            with _mapped():
                response = await self._client.send(sent, stream=True)
        except httpx2.ConnectError as error:
            self.unreachable = _why(error, request.url)
            if exchange is not None:
                exchange.was_sent = False
            raise
        self.unreachable = None
        if exchange is not None:
            exchange.status = response.status_code
        self.refusal = response.status_code if response.status_code >= 400 else None
        return httpx2.Response(
            response.status_code,
            headers=response.headers.multi_items(),
            stream=_Body(response, self, self._max_bytes),
        )

    async def aclose(self) -> None:
        await self._client.aclose()


def _why(error: Exception, url: httpx2.URL) -> str:
    """Why no connection came about, without the words of the library."""
    told = str(error).lower()
    if "is not known" in told:
        return f"The name {url.host} is not known."
    if "certificate" in told or "ssl" in told.replace("ssl:default", ""):
        return f"The connection to {url.host} cannot be made safe: its certificate is not accepted."
    return f"Nothing answers at {url.host}:{url.port or (443 if url.scheme == 'https' else 80)}."


def _origin_of(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    return parts.scheme, parts.netloc.rpartition("@")[2].lower()
