"""Tool servers (Model Context Protocol): add, list, test, change, remove."""

from pathlib import Path
from typing import Annotated, Any

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, find, group_of

SERVERS = "/api/v1/tool-servers"

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the server.")]
HeaderOption = Annotated[
    list[str] | None,
    typer.Option("--header", metavar="NAME=VALUE", help="HTTP header; ${NAME} is a variable. Repeatable."),
]
EnvOption = Annotated[
    list[str] | None,
    typer.Option("--env", metavar="NAME=VALUE", help="Environment of the command. Repeatable."),
]
VariableOption = Annotated[
    list[str] | None,
    typer.Option("--variable", metavar="NAME=VALUE", help="A secret value for ${NAME}. Repeatable."),
]


def register(app: typer.Typer) -> None:
    """Add `refdesk tool servers`."""
    group = group_of(app, "servers", "Tool servers (Model Context Protocol).")
    add_command(group, "add", add)
    add_command(group, "paste", paste)
    add_command(group, "list", list_servers)
    add_command(group, "show", show)
    add_command(group, "test", test)
    add_command(group, "set", set_tool)
    add_command(group, "remove", remove)


async def add(
    client: Client,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- COMMAND ARGUMENT…]", help="A command to run on the server's machine."),
    ] = None,
    url: Annotated[str | None, typer.Option(help="Address of a server reached over HTTP.")] = None,
    sse: Annotated[bool, typer.Option("--sse", help="The address speaks the older transport (SSE).")] = False,
    header: HeaderOption = None,
    env: EnvOption = None,
    variable: VariableOption = None,
    ask_token: Annotated[bool, typer.Option("--ask-token", help="Ask for a bearer token.")] = False,
    timeout_s: Annotated[
        float, typer.Option("--timeout", min=0.1, max=600, help="Seconds a call may take.")
    ] = 30.0,
) -> Result:
    """Add a server and test it."""
    if (url is None) == (not command):
        raise InvalidArgument("Give either --url or a command after --.")
    config: dict[str, Any] = {"url": url, "headers": _pairs("--header", header)}
    if command:
        config = {"command": command[0], "args": command[1:], "env": _pairs("--env", env)}
    body: dict[str, Any] = {
        "name": name,
        "transport": "stdio" if command else "sse" if sse else "http",
        "config": config,
        "timeout_s": timeout_s,
        "variables": [{"name": key, "value": value} for key, value in _pairs("--variable", variable).items()],
    }
    if ask_token:
        body["bearer_token"] = typer.prompt("Bearer token", hide_input=True, err=True)
    server = await client.post(SERVERS, body)
    return await _tested(client, server, f"Saved {server['name']} ({server['transport']}).")


async def paste(
    client: Client,
    file: Annotated[Path, typer.Argument(metavar="FILE", help='JSON such as {"mcpServers": {…}}.')],
) -> Result:
    """Add the servers of a JSON file in the customary shape."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"{file} cannot be read as text.", hint=str(error)) from error
    outcome = (await client.post(f"{SERVERS}/paste", {"text": text}))["items"]
    lines = [
        f"Saved {each['name']}." if each["server"] else f"{each['name']}: {each['message']} [{each['code']}]"
        for each in outcome
    ]
    return Result(outcome, lines, exit_code=0 if all(each["server"] for each in outcome) else 1)


async def list_servers(client: Client) -> Result:
    """The tool servers of the workspace."""
    items = (await client.get(SERVERS))["items"]
    lines = [f"{each['name']}  {each['transport']}  {_standing(each)}" for each in items]
    return Result(items, lines or ["There are no tool servers."])


async def show(client: Client, name: NameArgument) -> Result:
    """A server with its tools and what they take."""
    server = await find(client, SERVERS, name, what="tool server")
    lines = [f"{server['name']}  {server['transport']}  {_standing(server)}", *_tool_lines(server)]
    return Result(server, lines)


async def test(client: Client, name: NameArgument) -> Result:
    """Connect to a server anew and list its tools."""
    server = await find(client, SERVERS, name, what="tool server")
    return await _tested(client, server, None)


async def set_tool(
    client: Client,
    name: NameArgument,
    tool: Annotated[str | None, typer.Argument(metavar="TOOL", help="One of its tools.")] = None,
    active: Annotated[bool | None, typer.Option("--on/--off", help="Switch it on or off.")] = None,
    ask_first: Annotated[
        bool | None, typer.Option("--ask/--no-ask", help="Whether a person must agree to each call.")
    ] = None,
) -> Result:
    """Switch a server, or one of its tools, on or off; say whether it asks first."""
    if active is None and ask_first is None:
        raise InvalidArgument("Nothing was given to change.")
    server = await find(client, SERVERS, name, what="tool server")
    if tool is None:
        body: dict[str, Any] = {} if active is None else {"is_active": active}
        body |= {} if ask_first is None else {"asks": "always" if ask_first else "never"}
    else:
        known = next((each for each in server["tools"] if each["name"] == tool), None)
        if known is None:
            raise InvalidArgument(f"{server['name']} has no tool called {tool}.")
        setting = known["setting"] or {"is_active": True, "ask_first": None}
        setting |= {} if active is None else {"is_active": active}
        setting |= {} if ask_first is None else {"ask_first": ask_first}
        body = {"tool_settings": {tool: setting}}
    changed = await client.patch(f"{SERVERS}/{server['id']}", body)
    return Result(changed, [f"Changed {changed['name']}."])


async def remove(
    client: Client,
    name: NameArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> Result:
    """Remove a server with everybody's credentials for it."""
    server = await find(client, SERVERS, name, what="tool server")
    if not yes:
        typer.confirm(f"Remove {server['name']}?", abort=True, err=True)
    await client.delete(f"{SERVERS}/{server['id']}")
    return Result({"id": server["id"], "deleted": True}, [f"Removed {server['name']}."])


async def _tested(client: Client, server: dict[str, Any], first: str | None) -> Result:
    checked = await client.post(f"{SERVERS}/{server['id']}/check")
    lines = [first] if first else []
    if checked["ok"]:
        lines.append(f"{checked['server'] or 'It'} answered in {checked['took_ms']:.0f} ms.")
        lines += _tool_lines(checked)
    else:
        told = [checked["message"], f"[{checked['code']}]", checked["hint"]]
        lines.append(" ".join(part for part in told if part))
    value = {"server": server, "check": checked} if first else checked
    return Result(value, lines, exit_code=0 if checked["ok"] else 1)


def _tool_lines(listed: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for tool in listed["tools"]:
        marks = ["asks first"] if tool["ask_first"] else []
        marks += [] if tool["is_active"] else ["off"]
        names = ", ".join(tool["parameters"].get("properties", {}))
        lines.append(f"  {tool['name']}({names}){f'  [{", ".join(marks)}]' if marks else ''}")
    lines += [f"  left out: {each['name']}: {each['reason']}" for each in listed["left_out"]]
    return lines


def _standing(server: dict[str, Any]) -> str:
    health = server["health"]
    if not server["is_active"]:
        return "off"
    if health is None:
        return "not tested"
    if health["state"] == "connected":
        return f"{len(server['tools'])} tools, connected {health['at'][:16]}"
    return f"failed {health['at'][:16]}: {health['message']}"


def _pairs(option: str, given: list[str] | None) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for each in given or []:
        name, found, value = each.partition("=")
        if not found or not name:
            raise InvalidArgument(f"{option} wants NAME=VALUE, not {each}.")
        pairs[name] = value
    return pairs
