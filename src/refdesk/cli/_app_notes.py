"""Your own notes with an application: what it has noted of you, and whether it may."""

from typing import Annotated, Any

import typer

from refdesk.cli._client import Client
from refdesk.cli._commands import Result, add_command, find, group_of

APPLICATIONS = "/api/v1/applications"
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the application.")]
NoteArgument = Annotated[str, typer.Argument(metavar="NOTE", help="Id of the note.")]
TextArgument = Annotated[str, typer.Argument(metavar="TEXT", help="What is to be noted.")]


def register(group: typer.Typer) -> None:
    """Add the group `notes` to `refdesk app`."""
    notes = group_of(group, "notes", "What an application has noted of you.")
    add_command(notes, "list", list_notes)
    add_command(notes, "agree", agree)
    add_command(notes, "refuse", refuse)
    add_command(notes, "add", add)
    add_command(notes, "change", change)
    add_command(notes, "erase", erase)


async def list_notes(client: Client, name: NameArgument) -> Result:
    """List what the application has noted of you."""
    found = await client.get(await _path(client, name))
    return Result(found, _lines(found))


async def agree(client: Client, name: NameArgument) -> Result:
    """Let the application note what you tell of yourself."""
    found = await client.request("PUT", await _path(client, name), json={"agreed": True})
    return Result(found, _lines(found))


async def refuse(client: Client, name: NameArgument) -> Result:
    """Take your agreement back; what is noted stays until it is erased, and is not used."""
    found = await client.request("PUT", await _path(client, name), json={"agreed": False})
    return Result(found, _lines(found))


async def add(client: Client, name: NameArgument, text: TextArgument) -> Result:
    """Note something of yourself."""
    note = await client.post(await _path(client, name), {"text": text})
    return Result(note, [f"Noted: {note['text']}"])


async def change(client: Client, name: NameArgument, note: NoteArgument, text: TextArgument) -> Result:
    """Put a note right."""
    changed = await client.request("PATCH", f"{await _path(client, name)}/{note}", json={"text": text})
    return Result(changed, [f"Noted: {changed['text']}"])


async def erase(
    client: Client,
    name: NameArgument,
    note: Annotated[str | None, typer.Argument(metavar="NOTE", help="Id of the note.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Erase all your notes.")] = False,
) -> Result:
    """Erase a note, or with --all every one."""
    if (note is None) == (not everything):
        raise typer.BadParameter("Name a note or use --all.")
    path = await _path(client, name)
    await client.delete(f"{path}/{note}" if note is not None else path)
    return Result({"erased": note or "all"}, ["Erased."])


async def _path(client: Client, name: str) -> str:
    found = await find(client, APPLICATIONS, name, what="application")
    return f"{APPLICATIONS}/{found['id']}/notes"


def _lines(found: dict[str, Any]) -> list[str]:
    if not found["kept"]:
        standing = "This application keeps no notes."
    else:
        standing = "You agreed to notes." if found["agreed"] else "You did not agree to notes."
    return [standing, *(f"{note['id']}  {note['text']}" for note in found["notes"])]
