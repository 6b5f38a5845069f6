"""An application over the Model Context Protocol on standard input and output, for programs on this machine.

Speaks the protocol with the official SDK and reaches Refdesk as every command does: over HTTP, with the
rights of the key or the local operator. Nothing else may be printed meanwhile.
"""

import itertools
from typing import Annotated, Any
from uuid import UUID

import typer

from refdesk import __version__
from refdesk.cli._client import Client, InvalidArgument, RequestFailed
from refdesk.cli._commands import Result, add_command, find

APPLICATIONS = "/api/v1/applications"
_HEADERS = {"Accept": "application/json, text/event-stream"}


def register(app: typer.Typer) -> None:
    """Add the command to an application."""
    add_command(app, "mcp", mcp)


async def mcp(
    client: Client,
    app: Annotated[
        str | None, typer.Option("--app", help="Application, by name or id; the only one if left out.")
    ] = None,
) -> Result:
    """Serve an application's tools over the Model Context Protocol (stdio) until the input ends."""
    import mcp_types as types
    from mcp.server.lowlevel import Server

    from refdesk.cli._mcp_stdio import answering_stdio

    door = _Door(client, await _application(client, app))

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate(await door.request("tools/list", {}))

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        asked = {"name": params.name, "arguments": params.arguments or {}}
        return types.CallToolResult.model_validate(await door.request("tools/call", asked))

    server = Server(
        "refdesk", version=__version__, title="Refdesk", on_list_tools=list_tools, on_call_tool=call_tool
    )
    async with answering_stdio() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
    return Result(None, [])


class _Door:
    """The application's own door for the protocol, one request at a time."""

    def __init__(self, client: Client, application_id: str) -> None:
        self._client = client
        self._path = f"/apps/{application_id}/mcp"
        self._ids = itertools.count(1)

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """The result of a request. Raises `RequestFailed` for an error of the protocol."""
        body = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        answer = await self._client.request("POST", self._path, json=body, headers=_HEADERS)
        if "error" in answer:
            raise RequestFailed(str(answer["error"].get("message") or "The server refused the request."))
        return answer["result"]


async def _application(client: Client, wanted: str | None) -> str:
    if wanted is None:
        known = await client.all(APPLICATIONS)
        if len(known) != 1:
            raise InvalidArgument("Which application is meant?", hint="Give --app.")
        return str(known[0]["id"])
    try:
        return str(UUID(wanted))
    except ValueError:
        return str((await find(client, APPLICATIONS, wanted, what="application"))["id"])
