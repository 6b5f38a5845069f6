"""ZIP files in the place of folders: each file in them a document, synced one by one."""

from pathlib import Path
from typing import Annotated, Any

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, find
from refdesk.cli._indexing import wait_for
from refdesk.cli._kb_sources import (
    BASES,
    SOURCES,
    KeepOption,
    MassOption,
    NameArgument,
    RestoreOption,
    WaitOption,
)


def add_commands(group: typer.Typer) -> None:
    """Add the command to `refdesk kb`."""
    add_command(group, "sync-archive", sync_archive)


async def sync_archive(
    client: Client,
    name: NameArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The ZIP.")],
    source: Annotated[
        str | None, typer.Option(help="The source it renews, by name or id; otherwise the file's name.")
    ] = None,
    keep: KeepOption = False,
    allow_mass_removal: MassOption = False,
    restore_deleted: RestoreOption = False,
    wait: WaitOption = True,
) -> Result:
    """Make a document of each file in a ZIP; a newer ZIP changes, adds and removes only what differs."""
    if not file.is_file():
        raise InvalidArgument(f"There is no file {file}.")
    base = await find(client, BASES, name, what="knowledge base")
    found = await _source(client, base["id"], source or file.name, is_named=source is not None)
    query = {"keep": keep, "allow_mass_removal": allow_mass_removal, "restore_deleted": restore_deleted}
    with file.open("rb") as opened:
        result = await client.request(
            "POST", f"{SOURCES}/{found['id']}/archive", files=[("file", (file.name, opened))], params=query
        )
    ids = [outcome["document"]["id"] for outcome in result["files"] if outcome["document"]]
    if wait and ids:
        await wait_for(client, base["id"], ids, show=not client.as_json)
    failed = [outcome for outcome in result["files"] if outcome["error"]]
    return Result({"source_id": found["id"], **result}, _lines(result, failed), exit_code=1 if failed else 0)


async def _source(client: Client, base_id: str, name: str, *, is_named: bool) -> Any:
    path = f"{BASES}/{base_id}/sources"
    if is_named:
        return await find(client, path, name, what="source")
    for source in await client.all(path):
        if source["kind"] == "folder" and source["name"] == name:
            return source
    return await client.post(path, {"kind": "folder", "name": name})


def _lines(result: dict[str, Any], failed: list[dict[str, Any]]) -> list[str]:
    lines = [f"  removed: {path}" for path in result["removed"]]
    lines += [f"  moved: {path}" for path in result["renamed"]]
    lines += [f"  left out: {item['path']}: {item['reason']} [{item['code']}]" for item in result["refused"]]
    lines += [f"  failed: {f['name']}: {f['error']['message']} [{f['error']['code']}]" for f in failed]
    taken = len(result["files"]) - len(failed)
    return [
        f"{taken} new or changed, {result['unchanged']} unchanged, {len(result['removed'])} removed",
        *lines,
    ]
