"""The protocol's server: the SDK's, with two handlers. Knows HTTP only as the SDK hands it over."""

import asyncio
from typing import Any, cast

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from refdesk import __version__
from refdesk.apps.mcp.offer import Offer, Opened
from refdesk.chat import RunManager
from refdesk.kit.database import Database
from refdesk.retrieval import Retriever
from refdesk.tools import ToolSpec

KEY = "refdesk.mcp"
"""Where a request's ASGI scope holds the application it is for."""


class McpDoor:
    """One a process. `start` and `stop` belong to the application's lifespan."""

    def __init__(self, database: Database, retriever: Retriever, runs: RunManager) -> None:
        self._offer = Offer(database, retriever, runs)
        server = Server(
            "refdesk",
            version=__version__,
            title="Refdesk",
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        # Hosts are judged by the route, which can say what to set; answers are JSON, one a request.
        self._manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin serving. The SDK's tasks live in one of their own, since what opens them must close them."""
        ready = asyncio.Event()

        async def serve() -> None:
            async with self._manager.run():
                ready.set()
                await self._stopping.wait()

        self._task = asyncio.create_task(serve(), name="apps.mcp")
        await ready.wait()

    async def stop(self) -> None:
        self._stopping.set()
        if self._task is not None:
            await self._task

    async def handle(self, opened: Opened, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request about an application."""
        scope[KEY] = opened
        await self._manager.handle_request(scope, receive, send)

    async def _list(
        self, context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        box = await self._offer.toolbox(_opened(context))
        return ListToolsResult(tools=[_shown(spec) for spec in box.specs])

    async def _call(
        self, context: ServerRequestContext[Any], params: CallToolRequestParams
    ) -> CallToolResult:
        result = await self._offer.call(_opened(context), params.name, params.arguments or {})
        text = result.fault.message if result.fault is not None else result.text
        data: Any = result.data
        structured = cast("dict[str, Any]", data) if result.ok and isinstance(data, dict) else None
        return CallToolResult(
            content=[TextContent(type="text", text=text)],
            structured_content=structured,
            is_error=not result.ok,
        )


def _opened(context: ServerRequestContext[Any]) -> Opened:
    request = cast("Request", context.request)
    return cast("Opened", request.scope[KEY])


def _shown(spec: ToolSpec) -> Tool:
    return Tool(
        name=spec.name,
        title=spec.title or None,
        description=spec.description,
        input_schema=dict(spec.parameters),
        annotations=ToolAnnotations(read_only_hint=spec.read_only),
    )
