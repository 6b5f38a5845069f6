"""Applications: create, list, show, update, delete."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from refdesk.cli import _app_intents, _app_notes
from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, find, group_of

APPLICATIONS = "/api/v1/applications"
BASES = "/api/v1/knowledge-bases"
MODELS = "/api/v1/models"

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the application.")]
BasesOption = Annotated[
    list[str] | None, typer.Option("--kb", help="Knowledge base it asks, by name or id; repeatable.")
]
ModelOption = Annotated[
    str | None, typer.Option(help="Language model, by name or id; `none` for the workspace's default.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A setting, such as top_n=8, stages.rewrite.on=false or tools='[\"order_query\"]'; repeatable.",
    ),
]
PromptOption = Annotated[
    Path | None, typer.Option(help="File with the answer prompt; it must hold {data} and {question}.")
]
SystemOption = Annotated[Path | None, typer.Option(help="File with the system prompt.")]
PromptsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--prompt",
        metavar="SITUATION=FILE",
        help="File with the prompt of a situation (tools, both, empty); repeatable.",
    ),
]
DescriptionOption = Annotated[str | None, typer.Option(help="What it is for.")]


def register(app: typer.Typer) -> None:
    """Add the commands to an application."""
    group = group_of(app, "app", "Applications: create, list, show, update, delete.")
    add_command(group, "create", create)
    add_command(group, "list", list_applications)
    add_command(group, "show", show)
    add_command(group, "update", update)
    add_command(group, "delete", delete)
    _app_intents.register(group)
    _app_notes.register(group)


async def create(
    client: Client,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the new application.")],
    kb: BasesOption = None,
    model: ModelOption = None,
    description: DescriptionOption = None,
    settings: SetOption = None,
    answer_prompt: PromptOption = None,
    system_prompt: SystemOption = None,
    prompt: PromptsOption = None,
) -> Result:
    """Create an application over knowledge bases."""
    body = await _body(client, kb, model, description, settings, answer_prompt, system_prompt, prompt)
    made = await client.post(APPLICATIONS, {"name": name, **body})
    return Result(made, [f"Created {made['name']} ({made['id']})."])


async def list_applications(client: Client) -> Result:
    """List the applications of the workspace."""
    items = await client.all(APPLICATIONS)
    lines = [f"{item['name']}  {len(item['knowledge_base_ids'])} bases  {item['id']}" for item in items]
    return Result(items, lines or ["No applications yet."])


async def show(client: Client, name: NameArgument) -> Result:
    """Show an application with its settings and prompts."""
    found = await find(client, APPLICATIONS, name, what="application")
    return Result(found, [json.dumps(found, ensure_ascii=False, indent=2)])


async def update(
    client: Client,
    name: NameArgument,
    rename: Annotated[str | None, typer.Option(help="Its new name.")] = None,
    kb: BasesOption = None,
    model: ModelOption = None,
    description: DescriptionOption = None,
    settings: SetOption = None,
    answer_prompt: PromptOption = None,
    system_prompt: SystemOption = None,
    prompt: PromptsOption = None,
) -> Result:
    """Change an application; what is not given stays."""
    found = await find(client, APPLICATIONS, name, what="application")
    body = await _body(client, kb, model, description, settings, answer_prompt, system_prompt, prompt)
    if rename is not None:
        body["name"] = rename
    if not body:
        raise InvalidArgument("Nothing to change was given.")
    changed = await client.patch(f"{APPLICATIONS}/{found['id']}", body)
    return Result(changed, [f"Changed {changed['name']}."])


async def delete(
    client: Client,
    name: NameArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> Result:
    """Delete an application; its conversations stay readable."""
    found = await find(client, APPLICATIONS, name, what="application")
    if not yes:
        typer.confirm(f"Delete {found['name']}? This cannot be undone.", abort=True, err=True)
    await client.delete(f"{APPLICATIONS}/{found['id']}")
    return Result({"id": found["id"], "deleted": True}, [f"Deleted {found['name']}."])


async def _body(
    client: Client,
    kb: list[str] | None,
    model: str | None,
    description: str | None,
    settings: list[str] | None,
    answer_prompt: Path | None,
    system_prompt: Path | None,
    prompt: list[str] | None,
) -> dict[str, Any]:
    """The fields that were given, as the interface takes them."""
    body: dict[str, Any] = {}
    if kb is not None:
        body["knowledge_base_ids"] = [
            (await find(client, BASES, name, what="knowledge base"))["id"] for name in kb
        ]
    if model is not None:
        none = model.lower() == "none"
        body["model_id"] = None if none else (await find(client, MODELS, model, what="model"))["id"]
    if description is not None:
        body["description"] = description
    if settings:
        body["settings"] = _settings(settings)
    prompts = {"answer": answer_prompt, "system": system_prompt}
    prompts |= {name: Path(path) for name, path in (_pair(given, "--prompt") for given in prompt or ())}
    read = {name: _read(path) for name, path in prompts.items() if path is not None}
    if read:
        body["prompts"] = read
    return body


def _settings(given: list[str]) -> dict[str, Any]:
    """`stages.rewrite.on=false` sets one field of a setting that has several."""
    settings: dict[str, Any] = {}
    for key, value in (_pair(one, "--set") for one in given):
        *above, name = key.split(".")
        place = settings
        for step in above:
            place = place.setdefault(step, {})
        try:
            place[name] = json.loads(value)
        except json.JSONDecodeError:
            place[name] = value
    return settings


def _pair(given: str, option: str) -> tuple[str, str]:
    key, found, value = given.partition("=")
    if not found:
        raise InvalidArgument(f"{option} wants KEY=VALUE, not {given}.")
    return key, value


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"{path} cannot be read as text.", hint=str(error)) from error
