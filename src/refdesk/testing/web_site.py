"""A small web site on this machine that does what a test says, also what no good server would do.

`site.pages[path]` is what a path answers. Every request is kept in `site.requests`.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

type Body = bytes | Callable[[], AsyncIterator[bytes]]


@dataclass
class Page:
    """An answer. With an `etag`, a request that names it gets 304. A body that is a function is sent in
    pieces, for as long as it gives any."""

    body: Body = b""
    status: int = 200
    content_type: str | None = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict[str, str])
    etag: str | None = None


@dataclass(frozen=True)
class SeenRequest:
    """A request as it came: path with its query, headers in small letters."""

    path: str
    headers: dict[str, str]


@dataclass
class WebSite:
    """The running site."""

    port: int
    pages: dict[str, Page] = field(default_factory=dict[str, Page])
    requests: list[SeenRequest] = field(default_factory=list[SeenRequest])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def paths(self) -> list[str]:
        """Paths asked for, in order, without robots.txt and sitemap.xml."""
        return [r.path for r in self.requests if r.path not in ("/robots.txt", "/sitemap.xml")]

    def page(self, path: str, body: str | bytes, **more: object) -> None:
        """Put an HTML page: `body` is what stands in its body element, or a whole page in bytes."""
        data = body if isinstance(body, bytes) else html(path, body)
        self.pages[path] = Page(data, **more)  # type: ignore[arg-type]

    def redirect(self, path: str, target: str, status: int = 302) -> None:
        self.pages[path] = Page(status=status, headers={"Location": target})


def html(title: str, body: str, head: str = "") -> bytes:
    """A page with this title and body."""
    return (
        f"<!doctype html><html><head><title>{title}</title>{head}</head>"
        f"<body><main>{body}</main></body></html>"
    ).encode()


@asynccontextmanager
async def web_site(port: int = 0) -> AsyncGenerator[WebSite]:
    """A site on the loopback address until the block ends."""
    site = WebSite(0)
    writers: set[asyncio.StreamWriter] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.add(writer)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await _answer(site, reader, writer):
                pass
        writers.discard(writer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", port)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
        for writer in list(writers):
            writer.close()
        await asyncio.sleep(0)


async def _answer(site: WebSite, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """One request; False when the connection is over."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return False
    path = head[0].split(" ")[1]
    pairs = (line.split(":", 1) for line in head[1:] if ":" in line)
    request = SeenRequest(path, {name.strip().lower(): value.strip() for name, value in pairs})
    site.requests.append(request)
    page = site.pages.get(path, Page(b"not here", status=404))
    headers = dict(page.headers)
    if page.content_type is not None and page.status == 200:
        headers["Content-Type"] = page.content_type
    if page.etag is not None:
        headers["ETag"] = page.etag
        if request.headers.get("if-none-match") == page.etag:
            return await _send(writer, 304, headers, b"")
    if isinstance(page.body, bytes):
        return await _send(writer, page.status, headers, page.body)
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {page.status} X\r\n{lines}Connection: close\r\n\r\n".encode())
    async for piece in page.body():
        writer.write(piece)
        await writer.drain()
    return False


async def _send(writer: asyncio.StreamWriter, status: int, headers: dict[str, str], body: bytes) -> bool:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(
        f"HTTP/1.1 {status} X\r\n{lines}Content-Length: {len(body)}\r\n\r\n".encode("latin-1") + body
    )
    await writer.drain()
    return True
