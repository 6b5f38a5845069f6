"""The HTTP client's connections, made and read by aiohttp.

The client library's own transport parses in Python, which takes about half as much again of the processor for
each part of a model's stream. Whom one may connect to is for the caller to decide.
"""

import asyncio
import io
import socket
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

import aiohttp
import httpx
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

# Servers behind proxies send long cookies and policies; aiohttp's own limit is 8 KB.
_MAX_HEADER_BYTES = 64 * 1024
_KEEP_ALIVE_S = 30.0
_STALE_CONNECTIONS = 2
"""How many kept connections in a row may turn out to be closed."""
_LARGE_BODY_BYTES = 512 * 1024
_OWN_HEADERS = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")

type Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Name and port → addresses. Raises `OSError` for a name that is not known."""

type AddressCheck = Callable[[str], None]
"""Raises for an address that may not be connected to."""

type Headers = Mapping[str, str] | Sequence[tuple[str, str]]
type Content = bytes | io.BytesIO | AsyncGenerator[bytes] | None


class Waits(NamedTuple):
    """The longest waits of an exchange in seconds; None waits for ever."""

    connect_s: float | None
    pool_s: float | None
    read_s: float | None


@lru_cache(maxsize=64)
def _timeout(waits: Waits) -> aiohttp.ClientTimeout:
    for_both = None if waits.connect_s is None or waits.pool_s is None else waits.connect_s + waits.pool_s
    return aiohttp.ClientTimeout(
        total=None, connect=for_both, sock_connect=waits.connect_s, sock_read=waits.read_s
    )


class _Resolver(AbstractResolver):
    def __init__(self, resolve: Resolver) -> None:
        self._resolve = resolve

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        try:
            addresses = await self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise OSError(f"the name {host} is not known") from error
        return [
            {
                "hostname": host,
                "host": address,
                "port": port,
                "family": socket.AF_INET6 if ":" in address else socket.AF_INET,
                "proto": socket.IPPROTO_TCP,
                "flags": socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            }
            for address in addresses
        ]

    async def close(self) -> None:
        pass


@contextmanager
def mapped() -> Generator[None]:
    """aiohttp's failures as those of the client library."""
    try:
        yield
    except aiohttp.ConnectionTimeoutError as error:
        raise httpx.ConnectTimeout(str(error)) from error
    except TimeoutError as error:  # all others of aiohttp are of this kind too
        raise httpx.ReadTimeout("Nothing was received in time.") from error
    except aiohttp.ClientConnectorError as error:
        raise httpx.ConnectError(str(error)) from error
    except aiohttp.ServerDisconnectedError as error:  # which may show the head it had read so far
        raise httpx.RemoteProtocolError("The server closed the connection before its answer.") from error
    except aiohttp.ClientOSError as error:
        raise httpx.ReadError(str(error)) from error
    except aiohttp.InvalidURL as error:
        raise httpx.UnsupportedProtocol(str(error)) from error
    except aiohttp.ClientError as error:  # ended before its time, or not HTTP
        raise httpx.RemoteProtocolError(str(error)) from error


class _Body(httpx.AsyncByteStream):
    """The body as it comes. `patience_s` limits each wait for a part, None waits for ever.

    One timer a body, late by at most its own length: aiohttp's own is set anew for every part, which took a
    twentieth of the processor of a server with 500 streams.
    """

    def __init__(self, response: aiohttp.ClientResponse, patience_s: float | None) -> None:
        self._response = response
        self._patience_s = patience_s
        self._loop = asyncio.get_running_loop()
        self._waits_since: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        connection = response.connection  # None: the whole body is there already
        if connection is not None and connection.protocol is not None:
            connection.protocol.read_timeout = None
            connection.protocol.start_timeout()  # which takes away the one that is set

    async def __aiter__(self) -> AsyncIterator[bytes]:
        time = self._loop.time
        if self._patience_s is not None:
            self._timer = self._loop.call_later(self._patience_s, self._look, self._patience_s)
        with mapped():
            self._waits_since = time()
            async for part in self._response.content.iter_any():
                self._waits_since = None
                yield part
                self._waits_since = time()

    def _look(self, patience_s: float) -> None:
        now = self._loop.time()
        since = now if self._waits_since is None else self._waits_since
        if now - since >= patience_s:
            self._response.content.set_exception(aiohttp.SocketTimeoutError("no part came in time"))
            return
        self._timer = self._loop.call_at(since + patience_s, self._look, patience_s)

    async def aclose(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._response.release()


class Transport(httpx.AsyncBaseTransport):
    """Connections of one client. Names are resolved by `resolve`; `check` sees each address connected to."""

    def __init__(
        self, resolve: Resolver, check: AddressCheck, tls: ssl.SSLContext, max_connections: int
    ) -> None:
        self._resolve = resolve
        self._check = check
        self._tls = tls
        self._max_connections = max_connections
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """One exchange; the body is read as it comes."""
        limits: dict[str, float | None] = request.extensions.get("timeout", {})
        # The user and password of an address are in the headers already.
        url = URL(str(request.url.copy_with(userinfo=b"")), encoded=True)
        waits = Waits(limits.get("connect"), limits.get("pool"), limits.get("read"))
        return await self.exchange(request.method, url, _headers(request), _content(request), waits)

    async def exchange(
        self, method: str, url: URL, headers: Headers, content: Content, waits: Waits
    ) -> httpx.Response:
        """One exchange without a request of the client library, which costs more than all the rest of it."""
        with mapped():
            response = await self._head(method, url, headers, content, _timeout(waits))
        extensions: dict[str, Any] = {"http_version": b"HTTP/1.1"}
        if response.reason:
            extensions["reason_phrase"] = response.reason.encode("latin-1", "replace")
        return httpx.Response(
            response.status,
            headers=response.raw_headers,
            stream=_Body(response, waits.read_s),
            extensions=extensions,
        )

    async def _head(
        self, method: str, url: URL, headers: Headers, content: Content, timeout: aiohttp.ClientTimeout
    ) -> aiohttp.ClientResponse:
        """The head of the answer. A kept connection that the server closes while the request is on its way is
        no failure of the request: it goes out again (RFC 9112, 9.3.1). Of 600 calls at the very end of a
        server's patience 253 would have failed."""
        session = self._session or self._open()
        for left in reversed(range(_STALE_CONNECTIONS + 1)):
            kept: list[bool] = []
            try:
                return await session.request(
                    method,
                    url,
                    headers=headers,
                    data=content,
                    allow_redirects=False,
                    timeout=timeout,
                    trace_request_ctx=kept,
                )
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                if not (kept and left and isinstance(content, bytes | None)):
                    raise
        raise AssertionError("the last attempt returns or raises")

    @property
    def session(self) -> aiohttp.ClientSession:
        """What connects; made within the running loop."""
        return self._session or self._open()

    def _open(self) -> aiohttp.ClientSession:
        tracing = aiohttp.TraceConfig()
        tracing.on_connection_reuseconn.append(_note_kept)
        connector = aiohttp.TCPConnector(
            resolver=_Resolver(self._resolve),
            socket_factory=self._socket,
            ssl=self._tls,
            use_dns_cache=False,
            limit=self._max_connections,
            keepalive_timeout=_KEEP_ALIVE_S,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            trace_configs=[tracing],
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=_OWN_HEADERS,
            max_line_size=_MAX_HEADER_BYTES,
            max_field_size=_MAX_HEADER_BYTES,
            trust_env=False,
        )
        return self._session

    def _socket(self, info: Any) -> socket.socket:
        family, kind, protocol, _, address = info
        self._check(str(address[0]))
        made = socket.socket(family, kind, protocol)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made

    async def aclose(self) -> None:
        """End all connections."""
        if self._session is not None:
            await self._session.close()
            await asyncio.sleep(0)  # the loop's turn in which they close


async def _note_kept(_session: object, context: Any, _parameters: object) -> None:
    context.trace_request_ctx.append(True)


def _headers(request: httpx.Request) -> list[tuple[str, str]]:
    # How a body of unknown length is sent is for the connection to say.
    return [
        (name.decode("ascii"), value.decode("latin-1"))
        for name, value in request.headers.raw
        if name.lower() != b"transfer-encoding"
    ]


def as_content(body: bytes) -> Content:
    """A body as aiohttp wants it: large ones as files, which it writes in pieces."""
    return io.BytesIO(body) if len(body) > _LARGE_BODY_BYTES else body or None


def _content(request: httpx.Request) -> Content:
    try:
        return as_content(request.content)
    except httpx.RequestNotRead:
        return _parts(request)


async def _parts(request: httpx.Request) -> AsyncGenerator[bytes]:
    stream = request.stream
    assert isinstance(stream, httpx.AsyncByteStream)
    async for part in stream:
        yield part
