"""WebSockets (RFC 6455) over the guarded client's own connections: texts both ways, failures as of HTTP."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
import httpx
from yarl import URL

from refdesk.kit.http_transport import Waits, mapped

MAX_MESSAGE_BYTES = 8 * 1024 * 1024
_CLOSE_WAIT_S = 2.0


class HandshakeRefused(httpx.HTTPError):
    """The server answered the request for a WebSocket with an ordinary answer of this status."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the server refused the WebSocket with status {status}")
        self.status = status


@dataclass(frozen=True, slots=True)
class TextSocket:
    """An open WebSocket of which both sides send texts. `read_s` limits each wait for one."""

    inner: aiohttp.ClientWebSocketResponse
    read_s: float | None

    async def send(self, text: str) -> None:
        """Raises `httpx.HTTPError`s."""
        with mapped():
            await self.inner.send_str(text)

    async def receive(self) -> str | None:
        """The next text; None once the server has closed. Raises `httpx.HTTPError`s."""
        with mapped():
            message = await self.inner.receive(timeout=self.read_s)
        match message.type:
            case aiohttp.WSMsgType.TEXT:
                return str(message.data)
            case aiohttp.WSMsgType.CLOSE | aiohttp.WSMsgType.CLOSED | aiohttp.WSMsgType.CLOSING:
                return None
            case aiohttp.WSMsgType.ERROR:
                raise httpx.RemoteProtocolError(str(message.data))
            case _:
                raise httpx.RemoteProtocolError("The server sent something that is no text.")


@asynccontextmanager
async def opened(session: aiohttp.ClientSession, url: URL, waits: Waits) -> AsyncGenerator[TextSocket]:
    """A WebSocket at an http(s) or ws(s) address, closed at the end of the block.

    Raises `HandshakeRefused` and other `httpx.HTTPError`s.
    """
    timeout = aiohttp.ClientWSTimeout(ws_close=_CLOSE_WAIT_S)  # pyright: ignore[reportCallIssue]
    with mapped():
        try:
            async with asyncio.timeout(waits.connect_s):
                socket = await session.ws_connect(
                    url, timeout=timeout, max_msg_size=MAX_MESSAGE_BYTES, autoping=True
                )
        except aiohttp.WSServerHandshakeError as error:
            raise HandshakeRefused(error.status) from error
    try:
        yield TextSocket(socket, waits.read_s)
    finally:
        await socket.close()
