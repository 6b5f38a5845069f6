"""The intents of an application from the command line."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, find, group_of

APPLICATIONS = "/api/v1/applications"
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the application.")]
CodeArgument = Annotated[str, typer.Argument(metavar="CODE", help="Code or id of the intent.")]
Format = Literal["json", "yaml", "csv"]
Kind = Literal["kb", "system", "mcp"]
KINDS = ("kb", "system", "mcp")


def register(group: typer.Typer) -> None:
    """Add `refdesk app intents`."""
    intents = group_of(group, "intents", "What questions of an application can mean.")
    add_command(intents, "list", list_intents)
    add_command(intents, "add", add)
    add_command(intents, "update", update)
    add_command(intents, "move", move)
    add_command(intents, "delete", delete)
    add_command(intents, "restore", restore)
    add_command(intents, "try", try_question)
    add_command(intents, "export", export)
    add_command(intents, "import", import_file)


NewNameOption = Annotated[str | None, typer.Option("--name", help="What it is called.")]
DescriptionOption = Annotated[str | None, typer.Option(help="What such questions are about.")]
KindOption = Annotated[Kind | None, typer.Option(help="What answers: knowledge, the desk itself, a tool.")]
ExamplesOption = Annotated[
    list[str] | None, typer.Option("--example", help="A question of this intent; repeatable.")
]
BasesOption = Annotated[
    list[str] | None, typer.Option("--kb", help="Knowledge base to search first; repeatable.")
]
ToolOption = Annotated[str | None, typer.Option("--tool", help="Id of the tool of an MCP intent.")]
ReplyOption = Annotated[str | None, typer.Option("--reply", help="What a SYSTEM intent answers.")]
RuleOption = Annotated[str | None, typer.Option("--rule", help="A rule the answer follows.")]


async def list_intents(client: Client, name: NameArgument) -> Result:
    """Print the tree."""
    tree = await client.get(await _path(client, name))
    return Result(tree, [_line(one) for one in tree["items"]] or ["No intents yet."])


async def add(
    client: Client,
    name: NameArgument,
    code: Annotated[str, typer.Argument(metavar="CODE", help="Code of the new intent.")],
    new_name: NewNameOption = None,
    below: Annotated[str | None, typer.Option(help="Code of the intent it stands below.")] = None,
    description: DescriptionOption = None,
    kind: KindOption = None,
    example: ExamplesOption = None,
    kb: BasesOption = None,
    tool: ToolOption = None,
    reply: ReplyOption = None,
    rule: RuleOption = None,
) -> Result:
    """Add an intent, the last below its parent."""
    path = await _path(client, name)
    body = await _body(client, new_name or code, description, kind, example, kb, tool, reply, rule)
    if below is not None:
        body["parent_id"] = (await _find(client, path, below))["id"]
    made = await client.post(path, {"code": code, **body})
    return Result(made, [f"Added {_line(made).strip()}."])


async def update(
    client: Client,
    name: NameArgument,
    code: CodeArgument,
    new_name: NewNameOption = None,
    description: DescriptionOption = None,
    kind: KindOption = None,
    example: ExamplesOption = None,
    kb: BasesOption = None,
    tool: ToolOption = None,
    reply: ReplyOption = None,
    rule: RuleOption = None,
    enabled: Annotated[bool | None, typer.Option("--on/--off", help="Switch it on or off.")] = None,
) -> Result:
    """Change an intent; examples and bases are put in the place of the present ones."""
    path = await _path(client, name)
    body = await _body(client, new_name, description, kind, example, kb, tool, reply, rule)
    if enabled is not None:
        body["enabled"] = enabled
    if not body:
        raise InvalidArgument("Nothing to change was given.")
    node = await _find(client, path, code)
    changed = await client.request("PATCH", f"{path}/{node['id']}", json=body)
    return Result(changed, [f"Changed {_line(changed).strip()}."])


async def move(
    client: Client,
    name: NameArgument,
    code: CodeArgument,
    below: Annotated[str | None, typer.Option(help="Code of its new parent; none: the top.")] = None,
    before: Annotated[str | None, typer.Option(help="Code of the sibling it is to precede.")] = None,
) -> Result:
    """Put an intent, with those below it, in another place."""
    path = await _path(client, name)
    body = {
        "parent_id": (await _find(client, path, below))["id"] if below else None,
        "before_id": (await _find(client, path, before))["id"] if before else None,
    }
    node = await _find(client, path, code)
    tree = await client.post(f"{path}/{node['id']}/move", body)
    return Result(tree, [_line(one) for one in tree["items"]])


async def delete(client: Client, name: NameArgument, code: CodeArgument) -> Result:
    """Delete an intent with those below it. It can be restored by its id."""
    path = await _path(client, name)
    node = await _find(client, path, code)
    await client.delete(f"{path}/{node['id']}")
    back = f"refdesk app intents restore {name} {node['id']}"
    return Result({"id": node["id"], "deleted": True}, [f"Deleted {node['name']}. To undo: {back}"])


async def restore(
    client: Client,
    name: NameArgument,
    intent_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the intent that was deleted.")],
) -> Result:
    """Bring back a deleted intent with those below it."""
    tree = await client.post(f"{await _path(client, name)}/{intent_id}/restore", {})
    return Result(tree, [_line(one) for one in tree["items"]])


async def try_question(
    client: Client,
    name: NameArgument,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="A question to try.")],
    by_model: Annotated[bool, typer.Option("--model", help="Ask the language model.")] = False,
) -> Result:
    """Tell which intent a question would be taken for."""
    body = {"question": question, "by": "model" if by_model else "examples"}
    tried = await client.post(f"{await _path(client, name)}/try", body)
    lines = [
        f"{'*' if one['accepted'] else ' '} {one['score']:.2f}  {' › '.join(one['path'])}  ({one['code']})"
        for one in tried["scores"]
    ]
    if not any(one["accepted"] for one in tried["scores"]):
        lines.insert(0, "None: out of scope.")
    return Result(tried, lines)


async def export(
    client: Client,
    name: NameArgument,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="Where to write it.")] = None,
    form: Annotated[Format | None, typer.Option("--format", help="By default as the file is named.")] = None,
) -> Result:
    """Write the tree as JSON or YAML, or its examples as CSV."""
    chosen = form or (_format_of(file) if file is not None else "yaml")
    path = f"{await _path(client, name)}/export?format={chosen}"
    text = (await client.download(path)).decode()
    if file is None:
        return Result({"format": chosen, "content": text}, text.splitlines())
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidArgument(f"{file} cannot be written: {error.strerror}.") from error
    return Result({"format": chosen, "file": str(file)}, [f"Wrote {file}."])


async def import_file(
    client: Client,
    name: NameArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON, YAML, or CSV of examples.")],
    replace: Annotated[bool, typer.Option("--replace", help="Delete what the file does not name.")] = False,
    tool: Annotated[
        list[str] | None,
        typer.Option("--tool", metavar="NAME=ID", help="Id of a tool by its name in the file; repeatable."),
    ] = None,
) -> Result:
    """Take in intents by their codes. Nothing is taken in where anything is wrong."""
    try:
        content = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"{file} cannot be read: {error}.") from error
    tools = dict(_pair(one) for one in tool or [])
    body = {"content": content, "format": _format_of(file), "replace": replace, "tools": tools}
    taken = await client.post(f"{await _path(client, name)}/import", body)
    told = "{created} added, {updated} changed, {deleted} deleted, {examples} new examples.".format_map(taken)
    return Result(taken, [told, *taken["warnings"]])


async def _path(client: Client, name: str) -> str:
    application = await find(client, APPLICATIONS, name, what="application")
    return f"{APPLICATIONS}/{application['id']}/intents"


async def _find(client: Client, path: str, code: str) -> Any:
    for one in (await client.get(path))["items"]:
        if code in (one["code"], one["id"]):
            return one
    raise InvalidArgument(f"There is no intent {code}.")


async def _body(
    client: Client,
    name: str | None,
    description: str | None,
    kind: Kind | None,
    examples: list[str] | None,
    bases: list[str] | None,
    tool: str | None,
    reply: str | None,
    rule: str | None,
) -> dict[str, Any]:
    body = {
        "name": name,
        "description": description,
        "kind": KINDS.index(kind) if kind is not None else None,
        "examples": examples,
        "tool_id": tool,
        "reply": reply,
        "answer_rule": rule,
    }
    if bases:
        found = [await find(client, "/api/v1/knowledge-bases", one, what="knowledge base") for one in bases]
        body["knowledge_base_ids"] = [base["id"] for base in found]
    return {key: value for key, value in body.items() if value is not None}


def _line(one: dict[str, Any]) -> str:
    depth = ("domain", "category", "topic").index(one["level"])
    marks: list[str] = [KINDS[one["kind"]]] if one["is_leaf"] else []
    if not one["enabled"]:
        marks.append("off")
    told = f"  [{', '.join(marks)}]" if marks else ""
    return f"{'  ' * depth}{one['name']}  ({one['code']}){told}"


def _format_of(file: Path) -> Format:
    suffix = file.suffix.lower()
    return "yaml" if suffix in (".yaml", ".yml") else "csv" if suffix == ".csv" else "json"


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise InvalidArgument(f"{text} is not NAME=ID.")
    return name, value
