"""Exports and imports of knowledge bases from the command line."""

import zipfile
from pathlib import Path
from typing import Annotated, Any

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, find
from refdesk.cli._indexing import Lines, Pace, say_started, wait_for, work_until_idle, working

BASES = "/api/v1/knowledge-bases"
IMPORTS = "/api/v1/knowledge-base-imports"


def add_commands(group: typer.Typer) -> None:
    """Add the commands to `refdesk kb`."""
    add_command(group, "export", export)
    add_command(group, "restore-base", restore_base)
    add_command(group, "retry-import", retry_import)


async def export(
    client: Client,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the knowledge base.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the ZIP.")],
    document: Annotated[
        str | None,
        typer.Option(help="Only this document, by name or id: as Markdown, or a ZIP by FILE's name."),
    ] = None,
) -> Result:
    """Write a knowledge base into a file: documents, edits, questions, originals and vectors."""
    base = await find(client, BASES, name, what="knowledge base")
    path = f"{BASES}/{base['id']}/export"
    is_archive = document is None or file.suffix.lower() == ".zip"
    if document is not None:
        found = await find(client, f"{BASES}/{base['id']}/documents", document, what="document")
        path = f"/api/v1/documents/{found['id']}/export?format={'zip' if is_archive else 'markdown'}"
    part = file.with_name(file.name + ".part")
    try:
        await client.download_to(path, part)
        if is_archive and not zipfile.is_zipfile(part):
            raise InvalidArgument("The export broke off.", hint="Try again.")
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    size = file.stat().st_size
    return Result({"file": str(file), "bytes": size}, [f"Wrote {file} ({size:,} bytes)."])


async def restore_base(
    client: Client,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `export` wrote.")],
    name: Annotated[str | None, typer.Option(help="Name of the new base; otherwise the one it had.")] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="End when everything is there.")] = True,
) -> Result:
    """Make a new knowledge base from an export."""
    if not file.is_file():
        raise InvalidArgument(f"There is no file {file}.")
    query = {} if name is None else {"name": name}
    with file.open("rb") as opened:
        view = await client.request("POST", IMPORTS, files=[("file", (file.name, opened))], params=query)
    return await _outcome(client, view, wait=wait)


async def retry_import(
    client: Client,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the new knowledge base.")],
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="End when everything is there.")] = True,
) -> Result:
    """Go on with an import that failed; `kb delete` gives it up."""
    base = await find(client, BASES, name, what="knowledge base")
    view = await client.post(f"{IMPORTS}/{base['id']}/retry")
    return await _outcome(client, view, wait=wait)


async def _outcome(client: Client, view: dict[str, Any], *, wait: bool) -> Result:
    if wait:
        view = await _wait(client, view)
    lines = [f"{view['name']} ({view['knowledge_base_id']})  {view['state']}  {view['done']} documents"]
    if view["error"]:
        lines.append(f"  {view['error']['reason']} [{view['error']['code']}]")
    return Result(view, lines, exit_code=1 if view["state"] == "failed" else 0)


async def _wait(client: Client, view: dict[str, Any]) -> dict[str, Any]:
    base_id = view["knowledge_base_id"]
    pace, lines = Pace(), Lines(not client.as_json)
    say_started(client, f"Importing “{view['name']}” ({base_id}).")
    async with working(client):
        while view["state"] in ("queued", "running"):
            await pace.rest()
            view = await client.get(f"{IMPORTS}/{base_id}")
            lines.tell(f"{view['done']} of {view['documents']} documents are there")
    if client.in_process:
        await work_until_idle(client)
        return view
    states = ["queued", "parsing", "splitting", "indexing"]
    left = await client.all(f"{BASES}/{base_id}/documents", state=states)
    if left:
        await wait_for(client, base_id, [item["id"] for item in left], show=not client.as_json)
    return view
