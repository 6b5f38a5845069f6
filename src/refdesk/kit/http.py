"""The one way out: an HTTP client that decides by the address it really connects to.

Names are resolved here and the connection goes to the very address that was judged, so a name that
answers differently the second time (DNS rebinding) gains nothing, and redirects are judged like any other
request. Link-local, multicast, unspecified and reserved addresses and those of clouds' metadata services are
always refused; private and loopback ones are allowed only where the caller says so.
"""

import asyncio
import base64
import socket
import ssl
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

import httpx
from yarl import URL

from refdesk.kit.errors import AppError
from refdesk.kit.http_socket import TextSocket, opened
from refdesk.kit.http_transport import Resolver, Transport, Waits, as_content

DEFAULT_TIMEOUT = httpx.Timeout(60.0, connect=10.0)
MAX_RESPONSE_BYTES = 64 * 1024 * 1024
# Metadata services outside the link-local range: Alibaba, Oracle, Azure, AWS over IPv6.
METADATA = frozenset(
    ip_address(text) for text in ("100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254")
)
CARRIER_NAT = IPv4Network("100.64.0.0/10")
# Of IANA's registries of special-purpose addresses, those behind which nobody's server can be: protocol
# assignments (192.0.0.8 is a dummy, .9 and .10 answer on whatever network one is in), documentation, AS112,
# AMT, 6to4 relays, reserved. `ipaddress` calls some of them global.
RESERVED = tuple(
    map(
        IPv4Network,
        (
            *("192.0.0.0/24", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "192.88.99.0/24"),
            *("192.31.196.0/24", "192.52.193.0/24", "192.175.48.0/24", "240.0.0.0/4"),
        ),
    )
)
# All of IPv6 that is public lies here; outside are tunnels and old spellings of IPv4 (`::7f00:1`).
GLOBAL_UNICAST = IPv6Network("2000::/3")
RESERVED_V6 = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "2620:4f:8000::/48", "3fff::/20")))


class AddressRefused(AppError):
    """The address lies where this server may not connect to."""

    code = "address-refused"
    status = 422
    message = "This address may not be connected to."
    hint = "Private addresses are allowed by the setting REFDESK_ALLOW_PRIVATE_ENDPOINTS."


class ResponseTooLarge(AppError):
    """A server sent more than the limit."""

    code = "response-too-large"
    status = 502
    message = "The other server sent more than is accepted."


def is_allowed(address: IPv4Address | IPv6Address, *, allow_private: bool) -> bool:
    """Whether a resolved address may be connected to."""
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if isinstance(address, IPv6Address):
        if address.sixtofour or address.teredo or any(address in network for network in RESERVED_V6):
            return False  # a tunnel: where it ends is not judged here
        if address not in GLOBAL_UNICAST:
            local = address.is_loopback or address.is_private or address.is_site_local
            return (
                allow_private
                and local
                and not address.is_link_local
                and address not in METADATA
                and (not address.is_unspecified)
            )
    if address.is_link_local or address.is_multicast or address.is_unspecified or address in METADATA:
        return False
    if any(address in network for network in RESERVED):
        return False
    if address.is_loopback or address.is_private or address in CARRIER_NAT:
        return allow_private
    return address.is_global


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """What the operating system says of a name; it also understands `127.1`, octal and decimal forms."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(item[4][0]) for item in found))


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    # Reading the system's certificates takes 20–100 ms; one context serves all clients.
    return ssl.create_default_context()


async def allowed_addresses(
    host: str,
    port: int,
    *,
    allow_private: bool,
    setting: str = "REFDESK_ALLOW_PRIVATE_ENDPOINTS",
    resolver: Resolver = system_resolver,
) -> list[str]:
    """Those addresses of a name that may be connected to.

    Raises `AddressRefused` if there is none, and `OSError` for a name that is not known.
    """
    addresses = await resolver(host, port)
    allowed = [one for one in addresses if is_allowed(ip_address(one), allow_private=allow_private)]
    if not allowed:
        raise _refused(host, allow_private, setting)
    return allowed


def _refused(host: str, allow_private: bool, setting: str) -> AddressRefused:
    if allow_private:
        return AddressRefused(
            hint="Link-local, reserved and metadata addresses are never allowed.", host=host
        )
    return AddressRefused(hint=f"Private addresses are allowed by the setting {setting}.", host=host)


@lru_cache(maxsize=1024)
def _place(url: str) -> tuple[URL, str | None]:
    """An address without user and password, and these as a header. Raises `InvalidURL` and
    `UnsupportedProtocol`."""
    parsed = httpx.URL(url)
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise httpx.UnsupportedProtocol("Only http and https addresses can be asked.")
    bare = URL(str(parsed.copy_with(userinfo=b"", fragment=None)), encoded=True)
    if not parsed.userinfo:
        return bare, None
    pair = f"{parsed.username}:{parsed.password}".encode()
    return bare, "Basic " + base64.b64encode(pair).decode()


class GuardedClient(httpx.AsyncClient):
    """A client over `Transport`; made by `guarded_client`."""

    def __init__(self, transport: Transport, timeout: httpx.Timeout) -> None:
        super().__init__(transport=transport, timeout=timeout, trust_env=False, follow_redirects=False)
        self._direct = transport
        self._always = {name: self.headers[name] for name in ("Accept", "Accept-Encoding", "User-Agent")}

    @asynccontextmanager
    async def exchange(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        content: bytes | None,
        timeout: httpx.Timeout,
    ) -> AsyncGenerator[httpx.Response]:
        """What `stream` does, at a third of its cost: no cookies, no hooks, no redirects, no `request` in the
        response. Raises `httpx.HTTPError`s and `httpx.InvalidURL`."""
        place, credentials = _place(url)
        sent = {**self._always, **headers}
        if credentials is not None and not any(name.lower() == "authorization" for name in headers):
            sent["Authorization"] = credentials
        waits = Waits(timeout.connect, timeout.pool, timeout.read)
        response = await self._direct.exchange(method, place, sent, as_content(content or b""), waits)
        try:
            yield response
        finally:
            await response.aclose()

    @asynccontextmanager
    async def websocket(self, url: str, *, timeout: httpx.Timeout) -> AsyncGenerator[TextSocket]:
        """A WebSocket at an http(s) address, judged and connected as every request is.

        Raises `HandshakeRefused` and other `httpx.HTTPError`s, and `httpx.InvalidURL`.
        """
        place, _ = _place(url)
        waits = Waits(timeout.connect, timeout.pool, timeout.read)
        async with opened(self._direct.session, place, waits) as socket:
            yield socket


def guarded_client(
    *,
    allow_private: bool,
    timeout: httpx.Timeout = DEFAULT_TIMEOUT,
    max_connections: int = 200,
    setting: str = "REFDESK_ALLOW_PRIVATE_ENDPOINTS",
    resolver: Resolver = system_resolver,
    tls: ssl.SSLContext | None = None,
) -> GuardedClient:
    """A client that refuses addresses as described above and takes no proxy from the environment.

    `setting` is what a refusal names as the way to allow private addresses. `tls` replaces the system's
    certificates.
    """

    async def resolve(host: str, port: int) -> Sequence[str]:
        return await allowed_addresses(
            host, port, allow_private=allow_private, setting=setting, resolver=resolver
        )

    def check(address: str) -> None:
        # What is connected to in the end, names or not: an address in figures is never resolved.
        if not is_allowed(ip_address(address.partition("%")[0]), allow_private=allow_private):
            raise _refused(address, allow_private, setting)

    return GuardedClient(Transport(resolve, check, tls or _tls(), max_connections), timeout)


async def read_limited(response: httpx.Response, max_bytes: int = MAX_RESPONSE_BYTES) -> bytes:
    """The body of a streamed response; raises `ResponseTooLarge` as soon as it passes `max_bytes`."""
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_bytes():
        size += len(part)
        if size > max_bytes:
            raise ResponseTooLarge(max_bytes=max_bytes)
        parts.append(part)
    return b"".join(parts)


async def read_beginning(response: httpx.Response, max_bytes: int) -> bytes:
    """At most the first `max_bytes` of a streamed response; what follows is left unread."""
    parts: list[bytes] = []
    left = max_bytes
    async for part in response.aiter_bytes():
        parts.append(part[:left])
        left -= len(part)
        if left <= 0:
            break
    return b"".join(parts)
