"""The scripted MCP server over stdio, as a process of its own: `python -m refdesk.testing.serve_mcp`.

Its tools: `echo` (gives its arguments and what it was told of the caller), `slow` (answers after `seconds`),
`huge` (a text of `size` characters) and `die` (ends the process in the middle of the call).
"""

import asyncio
import os
import sys

import orjson
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, TextContent

from refdesk.testing.scripted_mcp import Received, ScriptedMcp


def _text(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)])


async def _echo(call: Received) -> CallToolResult:
    told = {"arguments": call.arguments, "meta": call.meta, "secret": os.environ.get("SCRIPTED_SECRET")}
    return _text(orjson.dumps(told).decode())


async def _slow(call: Received) -> CallToolResult:
    await asyncio.sleep(float(call.arguments["seconds"]))
    return _text("done")


async def _huge(call: Received) -> CallToolResult:
    return _text("x" * int(call.arguments["size"]))


async def _die(_call: Received) -> CallToolResult:
    sys.stderr.write("scripted: out of luck\n")
    sys.stderr.flush()
    os._exit(3)


async def serve() -> None:
    """Until standard input ends."""
    scripted = ScriptedMcp()
    scripted.add("echo", _echo, parameters={"text": {"type": "string"}})
    scripted.add("slow", _slow, parameters={"seconds": {"type": "number"}}, required=("seconds",))
    scripted.add("huge", _huge, parameters={"size": {"type": "integer"}}, required=("size",))
    scripted.add("die", _die, read_only=False)
    server = scripted.server()
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(serve())
