"""One open connection to a tool server.

It lives in a task of its own, because the SDK's scopes must be left where they were entered; calls come from
any task. Once it is lost it is not repaired: whoever holds it takes a new one.
"""

import asyncio
import contextlib
import logging
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, cast

import anyio
import httpx2
import mcp_types as types
from mcp.client.session import ClientSession
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from pydantic import ValidationError

from refdesk import __version__
from refdesk.kit.errors import AppError
from refdesk.tools.errors import ToolServerTimeout
from refdesk.tools.servers.failures import Seen, failure_of
from refdesk.tools.servers.http_bridge import GuardedTransport
from refdesk.tools.servers.listing import MAX_PAGES, Listing, described, sorted_out
from refdesk.tools.servers.process import ServerProcess, process_streams
from refdesk.tools.servers.target import Target

_CLOSE_S = 5.0
# Between two events of a stream; calls have limits of their own.
_STREAM_SILENCE_S = 24 * 3600.0
_SSE = 1024 * 1024
logging.getLogger("mcp.client").setLevel(logging.CRITICAL)  # what it would tell is told here, in words


class _Dispatcher(JSONRPCDispatcher[Any]):
    """Keeps the SDK from refusing a whole list of tools for one that is malformed."""

    raw_tools: list[Any]

    async def send_raw_request(
        self, method: str, params: Any, opts: CallOptions | None = None, **more: Any
    ) -> dict[str, Any]:
        result = await super().send_raw_request(method, params, opts, **more)
        if method != "tools/list":
            return result
        raw: Any = result.get("tools")
        entries = cast("list[Any]", raw) if isinstance(raw, list) else []
        self.raw_tools = entries
        usable = [{"name": tool.name, "inputSchema": tool.parameters} for tool in sorted_out(entries)[0]]
        return result | {"tools": usable}


class Connection:
    """`list_is_stale`: the server said that its tools have changed."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.list_is_stale = True
        self.used_at = time.monotonic()
        self._is_open = False
        self._calls = 0
        self._is_idle = asyncio.Event()
        self._is_idle.set()
        self.process = ServerProcess() if target.transport == "stdio" else None
        self._http: GuardedTransport | None = None
        self._session: ClientSession | None = None
        self._dispatcher: _Dispatcher | None = None
        self._closing = asyncio.Event()
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether calls may be made; once it is false it stays so."""
        return self._is_open and (self.process is None or self.process.exit_code is None)

    def drop(self) -> None:
        """Take it for lost."""
        self._is_open = False

    async def open(self) -> None:
        """Connect and agree on the protocol. Raises `ToolServerFailed`s and `AddressRefused`."""
        self._task = asyncio.create_task(self._live(), name=f"tool-server-{self.target.name}")
        try:
            async with asyncio.timeout(self.target.connect_timeout_s):
                await asyncio.shield(self._ready)
        except TimeoutError as error:
            raise ToolServerTimeout(
                f"The tool server did not answer within {self.target.connect_timeout_s:g} seconds."
            ) from error
        finally:
            if not self.is_open:
                self._abandon()

    async def listed(self, timeout_s: float) -> Listing:
        """All it offers now. Raises as `open` does."""
        session, dispatcher = self._parts()
        try:
            async with asyncio.timeout(timeout_s):
                self.list_is_stale = False
                raw = await self._tools(session, dispatcher)
                tools, left_out = sorted_out(raw)
                capabilities = session.server_capabilities
                resources: list[Any] = []
                prompts: list[Any] = []
                if capabilities is not None and capabilities.resources is not None:
                    resources = await _extra(self._resources(session))
                if capabilities is not None and capabilities.prompts is not None:
                    prompts = await _extra(self._prompts(session))
        except TimeoutError as error:
            raise ToolServerTimeout(
                f"The tool server did not list its tools within {timeout_s:g} seconds."
            ) from error
        except Exception as error:
            raise self.failure(error) from error
        info = session.server_info
        return Listing(
            tools=tuple(tools),
            left_out=tuple(left_out),
            resources=described(resources, "name", "title", "uri", "description", "mimeType"),
            prompts=described(prompts, "name", "title", "description"),
            server=f"{info.name} {info.version}".strip()[:200] if info is not None else "",
            protocol=session.protocol_version or "",
        )

    async def call(self, name: str, arguments: dict[str, Any], meta: dict[str, Any]) -> Any:
        """A `CallToolResult`. Raises what the SDK raises; see `failure`."""
        session, _ = self._parts()
        params = types.CallToolRequestParams(
            name=name, arguments=arguments, _meta=cast("types.RequestParamsMeta", meta)
        )
        # Not `session.call_tool`: it lists tools by itself and refuses results that their own schema does.
        self._calls += 1
        self._is_idle.clear()
        try:
            return await session.send_request(types.CallToolRequest(params=params), types.CallToolResult)
        finally:
            self.used_at = time.monotonic()
            self._calls -= 1
            if not self._calls:
                self._is_idle.set()

    def failure(self, error: BaseException) -> AppError:
        """What happened, in words; a connection that is no longer usable is marked as such."""
        seen = Seen()
        if self._http is not None:
            seen = Seen(self._http.refusal, self._http.sent_too_much, self._http.unreachable)
            self._http.sent_too_much = False
        found, is_lost = failure_of(error, seen, self.process)
        if is_lost or (seen.sent_too_much and self.target.transport == "sse"):
            self._is_open = False
        return found

    async def close(self, patience_s: float = 0.0) -> None:
        """Take no more calls, wait so long for those under way, and leave."""
        self._is_open = False
        if patience_s:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._is_idle.wait(), patience_s)
        self._closing.set()
        if self._task is not None and not self._task.done():
            await asyncio.wait([self._task], timeout=_CLOSE_S)
            self._abandon()

    def _abandon(self) -> None:
        if self._task is not None:
            self._task.cancel()
        if not self._ready.cancel() and not self._ready.cancelled():
            self._ready.exception()  # whoever waited has seen it

    def _parts(self) -> tuple[ClientSession, _Dispatcher]:
        assert self._session is not None
        assert self._dispatcher is not None
        return self._session, self._dispatcher

    async def _live(self) -> None:
        try:
            async with AsyncExitStack() as stack:
                read, write = await stack.enter_async_context(self._streams())
                self._dispatcher = _Dispatcher(read, write)
                session = ClientSession(
                    dispatcher=self._dispatcher,
                    message_handler=self._hear,
                    client_info=types.Implementation(name="refdesk", version=__version__),
                )
                self._session = await stack.enter_async_context(session)
                await _agree(self._session)
                self._is_open = True
                self._ready.set_result(None)
                await self._closing.wait()
        except Exception as error:  # noqa: BLE001 - the edge of a background task: told to who waits, or kept
            self._end(error)
        finally:
            self._is_open = False
            if not self._ready.done():
                self._end(ConnectionError("closed"))

    def _end(self, error: BaseException) -> None:
        if not self._ready.done():
            self._ready.set_exception(self.failure(error))

    async def _hear(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self.list_is_stale = True
        await anyio.lowlevel.checkpoint()

    @asynccontextmanager
    async def _streams(self) -> AsyncGenerator[tuple[Any, Any]]:
        target = self.target
        if self.process is not None:
            async with process_streams(
                target.command,
                target.arguments,
                dict(target.environment),
                target.folder if target.folder.is_dir() else Path(tempfile.gettempdir()),
                max_line_bytes=target.max_message_bytes,
                state=self.process,
            ) as streams:
                yield streams
            return
        # The SDK lets no event of the older transport be larger than this, and its reader dies of one.
        largest = (
            target.max_message_bytes if target.transport == "http" else min(target.max_message_bytes, _SSE)
        )
        self._http = GuardedTransport(target.url, allow_private=target.allow_private, max_bytes=largest)
        timeout = httpx2.Timeout(_STREAM_SILENCE_S, connect=target.connect_timeout_s, write=30.0)
        client = httpx2.AsyncClient(
            transport=self._http,
            headers=list(target.headers),
            timeout=timeout,
            auth=target.auth,
            trust_env=False,
            follow_redirects=False,
        )
        if target.transport == "http":
            async with (
                client,
                streamable_http_client(
                    target.url, http_client=client, max_sse_event_size=target.max_message_bytes
                ) as streams,
            ):
                yield streams[0], streams[1]
            return

        def made(**_: Any) -> httpx2.AsyncClient:
            return client

        async with sse_client(
            target.url, sse_read_timeout=_STREAM_SILENCE_S, httpx_client_factory=cast("Any", made)
        ) as streams:
            yield streams[0], streams[1]

    async def _tools(self, session: ClientSession, dispatcher: _Dispatcher) -> list[Any]:
        found: list[Any] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page = await session.list_tools(params=_page(cursor))
            found += dispatcher.raw_tools
            cursor = page.next_cursor
            if cursor is None:
                break
        return found

    async def _resources(self, session: ClientSession) -> list[Any]:
        return [_plain(each) for each in (await session.list_resources()).resources]

    async def _prompts(self, session: ClientSession) -> list[Any]:
        return [_plain(each) for each in (await session.list_prompts()).prompts]


def _page(cursor: str | None) -> types.PaginatedRequestParams | None:
    return None if cursor is None else types.PaginatedRequestParams(cursor=cursor)


def _plain(value: Any) -> dict[str, Any]:
    return value.model_dump(by_alias=True, mode="json", exclude_none=True)


async def _extra(listing: Any) -> list[Any]:
    """What it lists, or nothing: resources and prompts are shown and not needed."""
    with contextlib.suppress(MCPError, ValidationError):
        return await listing
    return []


async def _agree(session: ClientSession) -> None:
    """The handshake all servers know first; those of the newest protocol only, which refuse it, are asked
    what they are. (The other way round costs every older server a round trip.)"""
    try:
        await session.initialize()
    except MCPError as error:
        if error.code not in (types.UNSUPPORTED_PROTOCOL_VERSION, types.METHOD_NOT_FOUND):
            raise
        await session.discover()
