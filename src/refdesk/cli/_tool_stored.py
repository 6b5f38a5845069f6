"""Python tools and HTTP interfaces: add, list, show, change, remove."""

from pathlib import Path
from typing import Annotated, Any

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, find, group_of

STORED = "/api/v1/stored-tools"
INTERFACES = "/api/v1/tool-interfaces"

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A file of Python code.")]
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name or id.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
SecretOption = Annotated[
    list[str] | None,
    typer.Option("--secret", metavar="NAME", help="A secret to ask for, given to the code. Repeatable."),
]
OperationOption = Annotated[
    list[str] | None,
    typer.Option("--operation", metavar="'GET /path'", help="An operation that becomes a tool. Repeatable."),
]


def register(app: typer.Typer) -> None:
    """Add `refdesk tool python` and `refdesk tool http`."""
    python = group_of(app, "python", "Tools of Python code, run in a sandbox.")
    add_command(python, "add", add_python)
    add_command(python, "list", list_python)
    add_command(python, "show", show_python)
    add_command(python, "change", change_python)
    add_command(python, "remove", remove_python)
    http = group_of(app, "http", "Tools of HTTP interfaces, from OpenAPI documents.")
    add_command(http, "read", read_document)
    add_command(http, "add", add_interface)
    add_command(http, "list", list_interfaces)
    add_command(http, "remove", remove_interface)


async def add_python(
    client: Client,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What a model calls it.")],
    file: FileArgument,
    description: Annotated[str, typer.Option(help="What it is for; empty: the function's docstring.")] = "",
    secret: SecretOption = None,
    ask_first: Annotated[bool, typer.Option("--ask", help="A person must agree to each call.")] = False,
    timeout_s: Annotated[float, typer.Option(help="Longest time of one call, in seconds.")] = 30.0,
) -> Result:
    """Keep the function of a file as a tool."""
    body: dict[str, Any] = {
        "name": name,
        "code": _text(file),
        "description": description,
        "secrets": _asked(secret),
        "ask_first": ask_first,
        "timeout_s": timeout_s,
    }
    tool = await client.post(STORED, body)
    return Result(tool, [f"Saved {tool['name']}: tool:{tool['id']}", *_parameters(tool)])


async def list_python(client: Client) -> Result:
    """The Python tools of the workspace."""
    items = (await client.get(f"{STORED}?kind=python"))["items"]
    lines = [
        f"{each['name']}  version {each['version']}{'' if each['is_active'] else '  (off)'}" for each in items
    ]
    return Result(items, lines or ["There are no Python tools."])


async def show_python(client: Client, name: NameArgument) -> Result:
    """A Python tool with its code. Secrets are shown as masks."""
    tool = await find(client, STORED, name, what="tool")
    secrets = [f"secret {each['name']}: {each['shown']}" for each in tool["secrets"]]
    return Result(tool, [f"tool:{tool['id']}", *_parameters(tool), *secrets, "", tool["code"] or ""])


async def change_python(
    client: Client,
    name: NameArgument,
    file: Annotated[Path | None, typer.Option("--code", metavar="FILE", help="New code.")] = None,
    secret: SecretOption = None,
    active: Annotated[bool | None, typer.Option("--on/--off", help="Switch it on or off.")] = None,
    ask_first: Annotated[
        bool | None, typer.Option("--ask/--no-ask", help="Whether a person must agree to each call.")
    ] = None,
) -> Result:
    """Change a Python tool; its former code is kept as an earlier version."""
    tool = await find(client, STORED, name, what="tool")
    body: dict[str, Any] = {} if file is None else {"code": _text(file)}
    body |= {"secrets": _asked(secret)} if secret else {}
    body |= {} if active is None else {"is_active": active}
    body |= {} if ask_first is None else {"ask_first": ask_first}
    if not body:
        raise InvalidArgument("Nothing was given to change.")
    changed = await client.patch(f"{STORED}/{tool['id']}", body)
    return Result(changed, [f"Changed {changed['name']}, now version {changed['version']}."])


async def remove_python(client: Client, name: NameArgument, yes: YesOption = False) -> Result:
    """Remove a Python tool with its secrets and earlier versions."""
    return await _removed(client, await find(client, STORED, name, what="tool"), STORED, yes=yes)


async def read_document(
    client: Client,
    document: Annotated[str, typer.Argument(metavar="DOCUMENT", help="Address or file of the document.")],
) -> Result:
    """The operations of an OpenAPI 3 document."""
    found = await client.post(f"{INTERFACES}/document", _source(document))
    lines = [f"{found['title']} {found['version']}  {found['base_url']}"]
    for each in found["operations"]:
        why = f"  (cannot be a tool: {each['unsupported']})" if each["unsupported"] else ""
        lines.append(f"{each['key']}  {each['title']}{why}")
    return Result(found, lines)


async def add_interface(
    client: Client,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    document: Annotated[str, typer.Argument(metavar="DOCUMENT", help="Address or file of the document.")],
    operation: OperationOption = None,
    reading: Annotated[
        bool, typer.Option("--reading", help="All operations that only read become tools.")
    ] = False,
    base_url: Annotated[
        str | None, typer.Option(help="Address of the interface, if not the document's.")
    ] = None,
    ask_token: Annotated[
        bool, typer.Option("--ask-token", help="Ask for the key or token that the document names.")
    ] = False,
) -> Result:
    """Make tools of operations of an OpenAPI 3 document."""
    source = _source(document)
    found = await client.post(f"{INTERFACES}/document", source)
    keys = list(operation or [])
    if reading:
        keys += [each["key"] for each in found["operations"] if each["read_only"] and not each["unsupported"]]
    if not keys:
        raise InvalidArgument("Name operations with --operation, or give --reading.")
    body: dict[str, Any] = {"name": name, "operations": list(dict.fromkeys(keys)), **source}
    body |= {"base_url": base_url} if base_url else {}
    if ask_token:
        kind = found["auth_kind"] if found["auth_kind"] not in ("none", "basic") else "bearer"
        token = typer.prompt("Key or token", hide_input=True, err=True)
        body["auth"] = {"kind": kind, "name": found["auth_name"], "token": token}
    made = await client.post(INTERFACES, body)
    tools = [each for each in made["operations"] if each["tool_id"]]
    lines = [f"Saved {made['name']}: tool:interface:{made['id']}"]
    return Result(made, lines + [f"{each['name']}  {each['key']}" for each in tools])


async def list_interfaces(client: Client) -> Result:
    """The HTTP interfaces of the workspace with their tools."""
    items = (await client.get(INTERFACES))["items"]
    lines: list[str] = []
    for each in items:
        lines.append(f"{each['name']}  {each['base_url']}{'' if each['is_active'] else '  (off)'}")
        lines += [f"   {one['name']}  {one['key']}" for one in each["operations"] if one["tool_id"]]
    return Result(items, lines or ["There are no HTTP interfaces."])


async def remove_interface(client: Client, name: NameArgument, yes: YesOption = False) -> Result:
    """Remove an HTTP interface with its tools and secrets."""
    return await _removed(client, await find(client, INTERFACES, name, what="interface"), INTERFACES, yes=yes)


async def _removed(client: Client, found: dict[str, Any], path: str, *, yes: bool) -> Result:
    if not yes:
        typer.confirm(f"Remove {found['name']}?", abort=True, err=True)
    await client.delete(f"{path}/{found['id']}")
    return Result({"id": found["id"], "deleted": True}, [f"Removed {found['name']}."])


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"{file} cannot be read as text.", hint=str(error)) from error


def _source(document: str) -> dict[str, Any]:
    if document.startswith(("http://", "https://")):
        return {"document_url": document}
    return {"document": _text(Path(document))}


def _asked(names: list[str] | None) -> dict[str, str]:
    """Secrets are typed, so that they stand in no history of commands."""
    return {name: typer.prompt(f"Secret {name}", hide_input=True, err=True) for name in names or []}


def _parameters(tool: dict[str, Any]) -> list[str]:
    required = tool["parameters"].get("required", [])
    return [
        f"   {name}{' (required)' if name in required else ''}"
        for name in tool["parameters"].get("properties", {})
    ]
