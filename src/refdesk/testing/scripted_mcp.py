"""An MCP server on loopback that does what a test tells it.

It speaks Streamable HTTP at `url` and SSE at `sse_url` with the official SDK, so that sessions, streams and
broken connections are the real ones, in the test's own process. It keeps every call it got. Its tools may be
changed while it runs. As a process of its own over stdio: `python -m refdesk.testing.serve_mcp`.

    async with scripted_mcp() as server:
        server.add("order_query", says("The return was received."), parameters={"order": {"type": "string"}})
        server.add("slow_query", slow(says("late"), 3.0))
        …                                     # connect a tool server at server.url
        assert server.calls[0].arguments == {"order": "A1"}
        server.end_sessions()                 # the next call gets 404, as after a restart
"""

import asyncio
import base64
import contextlib
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    GetPromptResult,
    ImageContent,
    ListPromptsResult,
    ListResourcesResult,
    ListToolsResult,
    Prompt,
    Resource,
    TextContent,
    Tool,
    ToolAnnotations,
)
from starlette.types import Message, Receive, Scope, Send

from refdesk.testing.scripted_oauth import ScriptedOAuth

__all__ = [
    "Received",
    "Reply",
    "ScriptedMcp",
    "draws",
    "fails",
    "gives",
    "hangs",
    "huge",
    "raises",
    "says",
    "scripted_mcp",
    "slow",
]


@dataclass(frozen=True, slots=True)
class Received:
    """A call as it came: `meta` is its `_meta`, `headers` those of the HTTP request."""

    name: str
    arguments: dict[str, Any]
    meta: dict[str, Any]
    headers: dict[str, str]


type Reply = Callable[[Received], Awaitable[CallToolResult]]


def says(text: str) -> Reply:
    """A result of text."""

    async def reply(_call: Received) -> CallToolResult:
        return CallToolResult(content=[TextContent(type="text", text=text)])

    return reply


def gives(data: dict[str, Any]) -> Reply:
    """A structured result, with the same as JSON text beside it."""

    async def reply(_call: Received) -> CallToolResult:
        text = TextContent(type="text", text=orjson.dumps(data).decode())
        return CallToolResult(content=[text], structured_content=data)

    return reply


def draws(png: bytes = b"\x89PNG scripted") -> Reply:
    """A picture."""

    async def reply(_call: Received) -> CallToolResult:
        picture = ImageContent(type="image", data=base64.b64encode(png).decode(), mime_type="image/png")
        return CallToolResult(content=[picture])

    return reply


def fails(text: str) -> Reply:
    """A result that is marked as an error by the tool itself."""

    async def reply(_call: Received) -> CallToolResult:
        return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)

    return reply


def raises(text: str = "scripted to break") -> Reply:
    """The server's own code breaks."""

    async def reply(_call: Received) -> CallToolResult:
        raise RuntimeError(text)

    return reply


def hangs() -> Reply:
    """Never answers; ends when the caller cancels."""

    async def reply(_call: Received) -> CallToolResult:
        await asyncio.Event().wait()
        raise AssertionError

    return reply


def slow(reply: Reply, seconds: float) -> Reply:
    """A reply that comes after `seconds`."""

    async def slow_reply(call: Received) -> CallToolResult:
        await asyncio.sleep(seconds)
        return await reply(call)

    return slow_reply


def huge(size: int) -> Reply:
    """A text of `size` characters."""
    return says("x" * size)


@dataclass
class ScriptedMcp:
    """The running server. `raw_tools` replaces the whole list of tools by what a bad server might send;
    `status` answers every HTTP request with that status; `wanted_token` is the bearer token it asks for, and
    with `oauth` it wants one of that authorization server."""

    url: str = ""
    sse_url: str = ""
    calls: list[Received] = field(default_factory=lambda: list[Received]())
    cancelled: int = 0
    requests: int = 0
    raw_tools: list[Any] | None = None
    status: int | None = None
    wanted_token: str | None = None
    hangs_at_start: bool = False
    oauth: ScriptedOAuth | None = None
    resources: list[Resource] = field(default_factory=lambda: list[Resource]())
    prompts: list[Prompt] = field(default_factory=lambda: list[Prompt]())
    _tools: dict[str, tuple[Tool, Reply]] = field(default_factory=lambda: dict[str, tuple[Tool, Reply]]())
    _manager: StreamableHTTPSessionManager | None = None

    def add(
        self,
        name: str,
        reply: Reply,
        *,
        description: str = "",
        parameters: Mapping[str, Any] | None = None,
        required: tuple[str, ...] = (),
        read_only: bool | None = True,
        title: str | None = None,
    ) -> None:
        """Offer a tool (or another in place of one with this name). `parameters` are the properties of its
        schema; `read_only=None` sends no hint."""
        schema = {"type": "object", "properties": dict(parameters or {}), "required": list(required)}
        annotations = None if read_only is None else ToolAnnotations(read_only_hint=read_only)
        tool = Tool(
            name=name, title=title, description=description, input_schema=schema, annotations=annotations
        )
        self._tools[name] = (tool, reply)

    def remove(self, name: str) -> None:
        """Offer a tool no longer."""
        del self._tools[name]

    def want_sign_in(self) -> ScriptedOAuth:
        """Let in only who has a token of an authorization server, which is here too."""
        self.oauth = ScriptedOAuth(self.url.removesuffix("/mcp"))
        return self.oauth

    def end_sessions(self) -> None:
        """Forget all sessions, as a restart does: who uses one gets 404."""
        assert self._manager is not None
        self._manager._server_instances.clear()  # pyright: ignore[reportPrivateUsage]

    def server(self) -> Server[Any]:
        """The same tools as a server of the SDK, for another transport."""

        async def list_tools(_context: Any, _params: Any) -> ListToolsResult:
            return ListToolsResult(tools=[tool for tool, _ in self._tools.values()])

        async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
            headers = dict(context.request.headers) if context.request is not None else {}
            meta = dict(context.meta or {})
            call = Received(params.name, dict(params.arguments or {}), meta, headers)
            self.calls.append(call)
            if params.name not in self._tools:
                return CallToolResult(
                    content=[TextContent(type="text", text=f"no tool {params.name}")], is_error=True
                )
            try:
                return await self._tools[params.name][1](call)
            except asyncio.CancelledError:
                self.cancelled += 1
                raise

        async def list_resources(_context: Any, _params: Any) -> ListResourcesResult:
            return ListResourcesResult(resources=self.resources)

        async def list_prompts(_context: Any, _params: Any) -> ListPromptsResult:
            return ListPromptsResult(prompts=self.prompts)

        async def get_prompt(_context: Any, _params: Any) -> GetPromptResult:
            return GetPromptResult(messages=[])

        return Server(
            "scripted",
            version="1.0",
            on_list_tools=list_tools,
            on_call_tool=call_tool,
            on_list_resources=list_resources,
            on_list_prompts=list_prompts,
            on_get_prompt=get_prompt,
        )


async def _answer(send: Send, status: int, body: bytes, content_type: bytes = b"application/json") -> None:
    headers = [(b"content-type", content_type), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class _Application:
    """The two transports at their paths, behind what the script says of all requests."""

    def __init__(self, scripted: ScriptedMcp, manager: StreamableHTTPSessionManager) -> None:
        self._scripted = scripted
        self._manager = manager
        self._sse = SseServerTransport("/messages/")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        scripted, path = self._scripted, scope["path"]
        scripted.requests += 1
        headers = dict(scope["headers"])
        if scripted.hangs_at_start:
            await asyncio.Event().wait()
        if scripted.status is not None:
            await _answer(send, scripted.status, b'{"error": "scripted"}')
            return
        if scripted.oauth is not None and not await self._admits(scripted.oauth, scope, receive, send):
            return
        token = scripted.wanted_token
        if token is not None and headers.get(b"authorization") != f"Bearer {token}".encode():
            await _answer(send, 401, b"unauthorized", b"text/plain")
            return
        if path == "/mcp":
            await self._streamable(scope, receive, send)
        elif path == "/sse":
            async with self._sse.connect_sse(scope, receive, send) as (read, write):
                server = scripted.server()
                await server.run(read, write, server.create_initialization_options())
        elif path.startswith("/messages/"):
            await self._sse.handle_post_message(scope, receive, send)
        else:
            await _answer(send, 404, b"{}")

    @staticmethod
    async def _admits(oauth: ScriptedOAuth, scope: Scope, receive: Receive, send: Send) -> bool:
        if await oauth.serve(scope, receive, send, _answer):
            return False
        given = dict(scope["headers"]).get(b"authorization", b"").decode()
        if given.removeprefix("Bearer ") in oauth.tokens:
            return True
        place = f"{oauth.root}/.well-known/oauth-protected-resource/mcp"
        wanted = (b"www-authenticate", f'Bearer resource_metadata="{place}"'.encode())
        await send({"type": "http.response.start", "status": 401, "headers": [wanted]})
        await send({"type": "http.response.body", "body": b""})
        return False

    async def _streamable(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = self._scripted.raw_tools
        if raw is None or scope["method"] != "POST":
            await self._manager.handle_request(scope, receive, send)
            return
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), bool(message.get("more_body"))
        asked = orjson.loads(body)
        if asked.get("method") == "tools/list":
            result = {"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": raw}}
            await _answer(send, 200, orjson.dumps(result))
            return

        async def again() -> Message:
            nonlocal body
            given, body = body, b""
            if given:
                return {"type": "http.request", "body": given, "more_body": False}
            return await receive()

        await self._manager.handle_request(scope, again, send)


class _Uvicorn(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.ready.set()

    def capture_signals(self) -> contextlib.AbstractContextManager[None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return contextlib.nullcontext()


@asynccontextmanager
async def scripted_mcp(*, port: int = 0, json_response: bool = False) -> AsyncGenerator[ScriptedMcp]:
    """Serve on 127.0.0.1 until the block ends; its end cuts what is still open.

    `json_response`: each answer as one JSON body instead of a stream of one event.
    """
    scripted = ScriptedMcp()
    # No security settings: its only peers are tests on this machine.
    manager = StreamableHTTPSessionManager(app=scripted.server(), json_response=json_response)
    scripted._manager = manager  # pyright: ignore[reportPrivateUsage]
    # The protocol is named so that asyncio turns Nagle's algorithm off: an answer took 45 ms with it.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(128)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    scripted.url, scripted.sse_url = f"{address}/mcp", f"{address}/sse"
    config = uvicorn.Config(
        _Application(scripted, manager),
        lifespan="off",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=0,
    )
    http = _Uvicorn(config)
    async with _running(manager):
        serving = asyncio.create_task(http.serve(sockets=[listener]), name="scripted-mcp")
        try:
            await http.ready.wait()
            yield scripted
        finally:
            http.should_exit = http.force_exit = True
            await asyncio.wait([serving])
            listener.close()


@asynccontextmanager
async def _running(manager: StreamableHTTPSessionManager) -> AsyncGenerator[None]:
    """The sessions' task group, in a task of its own: a fixture's two halves may run in different ones."""
    ready, ending = asyncio.Event(), asyncio.Event()

    async def run() -> None:
        async with manager.run():
            ready.set()
            await ending.wait()

    task = asyncio.create_task(run(), name="scripted-mcp-sessions")
    await ready.wait()
    try:
        yield
    finally:
        ending.set()
        await asyncio.wait([task])
