"""Standard input and output for the SDK's server: every line that came in is answered before the end.

The SDK drops what is no message and, when the input ends, gives up the requests that it is still answering.
"""

from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

type Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
type Outgoing = MemoryObjectSendStream[SessionMessage]


@asynccontextmanager
async def answering_stdio() -> AsyncGenerator[tuple[Incoming, Outgoing]]:
    """The two streams for `Server.run`. The input ends once all requests received are answered."""
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage]()
    unanswered = _Unanswered()
    async with stdio_server() as (lines, out), anyio.create_task_group() as tasks:

        async def receive() -> None:
            async with to_server:
                async for item in lines:
                    if isinstance(item, Exception):
                        if (refusal := _refusal(item)) is not None:
                            await out.send(SessionMessage(refusal))
                        continue
                    unanswered.received(item.message)
                    await to_server.send(item)
                await unanswered.none_left()

        async def answer() -> None:
            async with out, from_server:
                async for item in from_server:
                    await out.send(item)
                    unanswered.answered(item.message)

        tasks.start_soon(receive)
        tasks.start_soon(answer)
        yield incoming, outgoing


class _Unanswered:
    """The requests received and not answered. One that its client cancelled gets no answer."""

    def __init__(self) -> None:
        self._ids: Counter[Any] = Counter()
        self._changed = anyio.Event()

    def received(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._ids[message.id] += 1
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._settle((message.params or {}).get("requestId"))

    def answered(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._settle(message.id)

    async def none_left(self) -> None:
        while self._ids:
            await self._changed.wait()

    def _settle(self, request_id: Any) -> None:
        if not isinstance(request_id, str | int):
            return
        self._ids[request_id] -= 1
        self._ids = +self._ids
        self._changed.set()
        self._changed = anyio.Event()


def _refusal(error: Exception) -> types.JSONRPCError | None:
    """The answer to a line that is no message; none to an empty line."""
    first = error.errors()[0] if isinstance(error, ValidationError) else None
    is_json = first is not None and first["type"] != "json_invalid"
    if first is not None and not is_json and not str(first["input"]).strip():
        return None
    code = types.INVALID_REQUEST if is_json else types.PARSE_ERROR
    text = "Not a JSON-RPC message." if is_json else "Parse error: the line is not JSON."
    return types.JSONRPCError(jsonrpc="2.0", id=None, error=types.ErrorData(code=code, message=text))
