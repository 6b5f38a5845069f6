"""One page at a time over the guarded client: every redirect judged anew, and never more time, bytes or
unpacked bytes than allowed, whatever the server sends.

Unpacking is done here and in small steps: one packed block of 64 KiB can hold 64 MiB, which a client that
unpacks by itself would hand over whole.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self
from urllib.parse import urlsplit

import httpx

from refdesk import __version__
from refdesk.kit.http import Resolver, allowed_addresses, guarded_client, system_resolver
from refdesk.kit.settings import Settings
from refdesk.knowledge.sources.addresses import normalised
from refdesk.knowledge.sources.errors import (
    PageEncodingUnknown,
    PageTimeout,
    PageTooLarge,
    PageUnreachable,
    RedirectRefused,
    TooManyRedirects,
)

ROBOT_NAME = "Refdesk"
MAX_REDIRECTS = 10
PRIVATE_SETTING = "REFDESK_CRAWL_PRIVATE_ADDRESSES"
# Somebody waits for the answer; what a slow name server would say, the run says.
_JUDGED_WITHIN_S = 5.0
_STEP = 256 * 1024
_REDIRECTS = frozenset((301, 302, 303, 307, 308))


def user_agent(settings: Settings) -> str:
    """Who asks, with the version, and where to complain if the server has a public address."""
    more = f" (+{settings.public_url})" if settings.public_url else ""
    return f"{ROBOT_NAME}/{__version__}{more}"


async def require_allowed(address: str, settings: Settings, resolver: Resolver = system_resolver) -> None:
    """Judge a start address at once, as a run would. Raises `AddressRefused`.

    A name that is not known, or not in time, passes: only a run can tell whether it stays so.
    """
    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        async with asyncio.timeout(_JUDGED_WITHIN_S):
            await allowed_addresses(
                parts.hostname or "",
                port,
                allow_private=settings.crawl_private_addresses,
                setting=PRIVATE_SETTING,
                resolver=resolver,
            )
    except (OSError, UnicodeError):  # `TimeoutError` is one
        return


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer. `address` is where it came from in the end; `body` is unpacked, empty for errors and 304."""

    address: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def content_type(self) -> str:
        """Without parameters, in small letters; empty where the server does not say."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str | None:
        for part in self.headers.get("content-type", "").split(";")[1:]:
            name, _, value = part.partition("=")
            if name.strip().lower() == "charset" and value.strip():
                return value.strip().strip("\"'")
        return None


class Permit(Protocol):
    """Whether a redirect's target may be fetched."""

    async def __call__(self, address: str) -> bool: ...


async def anywhere(address: str) -> bool:
    """A permit for all addresses; where they may lead is still the guarded client's business."""
    return True


class Fetcher(AbstractAsyncContextManager["Fetcher"]):
    """Fetches pages for one run of a source. Use as an asynchronous context manager."""

    def __init__(self, settings: Settings, *, max_bytes: int, resolver: Resolver = system_resolver) -> None:
        self._timeout_s = settings.crawl_page_timeout_s
        self._max_bytes = max_bytes
        self._client = guarded_client(
            allow_private=settings.crawl_private_addresses,
            timeout=httpx.Timeout(self._timeout_s, connect=min(10.0, self._timeout_s)),
            max_connections=16,
            setting=PRIVATE_SETTING,
            resolver=resolver,
        )
        self._headers = {
            "User-Agent": user_agent(settings),
            "Accept": "text/html,application/xhtml+xml,*/*;q=0.5",
            "Accept-Encoding": "gzip, deflate",
        }

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def fetch(
        self,
        address: str,
        *,
        headers: Mapping[str, str] | None = None,
        permit: Permit = anywhere,
        wanted: Callable[[Fetched], Awaitable[bool]] | None = None,
        max_bytes: int | None = None,
    ) -> Fetched:
        """The answer at the end of the redirects.

        `wanted` sees the answer before its body is read; if it says no the body stays empty. Raises
        `PageTimeout`, `PageTooLarge`, `PageUnreachable`, `PageEncodingUnknown`, `TooManyRedirects`,
        `RedirectRefused`, and `AddressRefused` of the guarded client.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._follow(
                    address, headers or {}, permit, wanted, max_bytes or self._max_bytes
                )
        except (TimeoutError, httpx.TimeoutException):
            raise PageTimeout(timeout_s=self._timeout_s) from None
        except httpx.InvalidURL as error:
            raise PageUnreachable(reason=str(error)) from None
        except (httpx.TransportError, OSError) as error:
            raise PageUnreachable(reason=str(error)[:300]) from None

    async def _follow(
        self,
        address: str,
        headers: Mapping[str, str],
        permit: Permit,
        wanted: Callable[[Fetched], Awaitable[bool]] | None,
        max_bytes: int,
    ) -> Fetched:
        seen = {address}
        for _ in range(MAX_REDIRECTS + 1):
            async with self._client.stream("GET", address, headers={**self._headers, **headers}) as response:
                target = response.headers.get("location")
                if response.status_code not in _REDIRECTS or not target:
                    answer = Fetched(address, response.status_code, dict(response.headers), b"")
                    if not 200 <= answer.status < 300 or (wanted is not None and not await wanted(answer)):
                        return answer
                    body = await _unpacked(response, max_bytes)
                    return Fetched(address, answer.status, answer.headers, body)
            following = normalised(target, address)
            if following is None or not await permit(following):
                raise RedirectRefused(target=target[:500])
            if following in seen:
                # A page that sends its visitor back with a cookie is a circle to whoever keeps none.
                raise TooManyRedirects(target=following)
            seen.add(following)
            if urlsplit(following).netloc != urlsplit(address).netloc:
                headers = {}  # an ETag of one server means nothing to another
            address = following
        raise TooManyRedirects


async def _unpacked(response: httpx.Response, max_bytes: int) -> bytes:
    claimed = response.headers.get("content-length", "")
    if claimed.isdigit() and int(claimed) > max_bytes:
        raise PageTooLarge(max_bytes=max_bytes)
    packing = response.headers.get("content-encoding", "identity").strip().lower()
    if packing in ("gzip", "x-gzip", "deflate"):
        parts = _inflated(response.aiter_raw(_STEP), packing)
    elif packing in ("", "identity"):
        parts = response.aiter_raw(_STEP)
    else:
        raise PageEncodingUnknown(content_encoding=packing[:100])
    body = bytearray()
    async for part in parts:
        body += part
        if len(body) > max_bytes:
            raise PageTooLarge(max_bytes=max_bytes)
    return bytes(body)


async def _inflated(raw: AsyncIterator[bytes], packing: str) -> AsyncIterator[bytes]:
    """Unpacked pieces of at most 256 KiB each. `deflate` is zlib's form, or the bare one of old servers."""
    unpacker = zlib.decompressobj(31 if packing != "deflate" else 15)
    started = False
    async for data in raw:
        while data:
            try:
                part = unpacker.decompress(data, _STEP)
            except zlib.error:
                if started or packing != "deflate":
                    raise PageEncodingUnknown from None
                unpacker = zlib.decompressobj(-15)
                started = True
                continue
            started = True
            data = unpacker.unconsumed_tail
            if part:
                yield part
            elif not data or unpacker.eof:
                break
            await asyncio.sleep(0)
    if started and not unpacker.eof:
        raise PageEncodingUnknown("The page broke off in the middle.")
