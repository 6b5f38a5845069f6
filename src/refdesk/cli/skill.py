"""Skills: add, list, show, delete."""

import io
import zipfile
from pathlib import Path
from typing import Annotated

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, group_of

SKILLS = "/api/v1/skills"
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name of the skill.")]


def register(app: typer.Typer) -> None:
    """Add the commands to an application."""
    group = group_of(app, "skill", "Skills: add, list, show, delete.")
    add_command(group, "add", add)
    add_command(group, "list", list_skills)
    add_command(group, "show", show)
    add_command(group, "delete", delete)


async def add(
    client: Client,
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A folder with a SKILL.md, a ZIP, or a SKILL.md.")
    ],
) -> Result:
    """Add a skill, or replace the one of its name."""
    made = await client.request("POST", SKILLS, content=_packed(path))
    return Result(made, [f"Added {made['name']}: {len(made['files'])} files."])


async def list_skills(client: Client) -> Result:
    """List the skills of the workspace and those that come with Refdesk."""
    items = (await client.get(SKILLS))["items"]
    lines = [
        f"{item['name']}{' (built in)' if item['is_builtin'] else ''}  {item['description']}"
        for item in items
    ]
    return Result(items, lines)


async def show(client: Client, name: NameArgument) -> Result:
    """Show a skill's steps and files."""
    skill = await client.get(f"{SKILLS}/{name}")
    return Result(skill, [skill["description"], "", skill["body"], "", *skill["files"]])


async def delete(client: Client, name: NameArgument) -> Result:
    """Remove a skill."""
    await client.delete(f"{SKILLS}/{name}")
    return Result({"deleted": name}, [f"Removed {name}."])


def _packed(path: Path) -> bytes:
    """The file as it is, a folder as a ZIP."""
    if path.is_file():
        return path.read_bytes()
    if not (path / "SKILL.md").is_file():
        raise InvalidArgument(f"{path} holds no SKILL.md.")
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path.rglob("*")):
            if file.is_file() and not any(part.startswith(".") for part in file.relative_to(path).parts):
                archive.write(file, file.relative_to(path).as_posix())
    return data.getvalue()
