"""Tools: what there is, tool servers, trying one out."""

import json
from typing import Annotated, Any, cast

import typer

from refdesk.cli import _tool_servers, _tool_stored
from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, group_of

TOOLS = "/api/v1/tools"


def register(app: typer.Typer) -> None:
    """Add `refdesk tool`."""
    group = group_of(app, "tool", "Tools: what there is, tool servers, trying one out.")
    add_command(group, "list", list_tools)
    add_command(group, "call", call)
    _tool_servers.register(group)
    _tool_stored.register(group)


async def list_tools(client: Client) -> Result:
    """Everything that can be chosen as a tool in the workspace."""
    page = await client.get(TOOLS)
    lines: list[str] = []
    for tool in page["items"]:
        marks = [
            tool["origin"],
            "reads only" if tool["read_only"] else "may change something",
            "asks first" if tool["ask_first"] else "",
            "" if tool["is_active"] else "off",
            f"failing: {tool['problem']}" if tool["state"] == "failed" else "",
        ]
        lines.append(f"{tool['name']}  ({', '.join(mark for mark in marks if mark)})")
        lines.append(f"   {tool['id']}")
        if tool["description"]:
            lines.append(f"   {' '.join(tool['description'].split())[:200]}")
    return Result(page["items"], lines or ["There are no tools yet."])


async def call(
    client: Client,
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="Id or name of the tool.")],
    argument: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="KEY=VALUE", help="Arguments; 7, true, [1,2] are read as JSON, all else is text."
        ),
    ] = None,
    arguments: Annotated[
        str | None, typer.Option("--arguments", metavar="JSON", help="All arguments as one JSON object.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before a tool that asks first.")] = False,
) -> Result:
    """Call a tool and print what it gives; ends with 1 if it gives an error."""
    given = _object(arguments) if arguments is not None else {}
    given |= dict(_pair(each) for each in argument or [])
    if not yes and await _asks_first(client, tool):
        typer.confirm(
            f"{tool} may change something. Call it with {json.dumps(given, ensure_ascii=False)}?",
            abort=True,
            err=True,
        )
    outcome = await client.post(f"{TOOLS}/call", {"tool": tool, "arguments": given})
    lines = [outcome["text"]] if outcome["text"] else []
    if outcome["fault"] is not None:
        lines.append(f"{outcome['fault']['message']} [{outcome['fault']['code']}]")
    if outcome["truncated"]:
        lines.append("(The result was cut to the limit of the tool.)")
    return Result(outcome, lines, exit_code=0 if outcome["ok"] else 1)


async def _asks_first(client: Client, tool: str) -> bool:
    page = await client.get(TOOLS)
    return any(each["ask_first"] for each in page["items"] if tool in (each["id"], each["name"]))


def _object(text: str) -> dict[str, Any]:
    try:
        read = json.loads(text)
    except ValueError as error:
        raise InvalidArgument(f"--arguments is not readable JSON: {error}") from error
    if not isinstance(read, dict):
        raise InvalidArgument('--arguments must be an object such as {"order": "A1"}.')
    return cast("dict[str, Any]", read)


def _pair(given: str) -> tuple[str, Any]:
    key, found, value = given.partition("=")
    if not found or not key:
        raise InvalidArgument(f"An argument is KEY=VALUE, not {given}.")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value
