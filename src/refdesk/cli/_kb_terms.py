"""Term bases from the command line: words kept whole, synonyms, CSV files."""

from pathlib import Path
from typing import Annotated, Any

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, find, group_of
from refdesk.cli._indexing import work_until_idle

BASES = "/api/v1/knowledge-bases"
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the knowledge base.")]
WordArgument = Annotated[str, typer.Argument(metavar="WORD", help="The word, as it is written.")]
TOLD = 20


def add_commands(group: typer.Typer) -> None:
    """Add the group `terms` to `refdesk kb`."""
    terms = group_of(group, "terms", "Words that are kept whole, and their synonyms.")
    add_command(terms, "list", list_terms)
    add_command(terms, "add", add)
    add_command(terms, "remove", remove)
    add_command(terms, "import", import_file)
    add_command(terms, "export", export)


async def list_terms(client: Client, name: NameArgument) -> Result:
    """List the terms of a knowledge base."""
    path = await _path(client, name)
    items = await client.all(path)
    progress = (await client.get(path, limit=1))["progress"]
    lines = [_line(item) for item in items] or ["No terms yet."]
    if not progress["is_current"]:
        lines.append(_on_the_way(progress))
    return Result({"items": items, "progress": progress}, lines)


async def add(
    client: Client,
    name: NameArgument,
    word: WordArgument,
    synonyms: Annotated[
        list[str] | None, typer.Argument(metavar="[SYNONYM…]", help="Words of the same meaning.")
    ] = None,
) -> Result:
    """Add a word; one that is there gets these synonyms in place of its own."""
    path = await _path(client, name)
    known = await _known(client, path, word)
    if known is None:
        item = await client.post(path, {"word": word, "synonyms": synonyms or []})
    else:
        change = {"synonyms": synonyms or []}
        item = await client.request("PATCH", f"/api/v1/terms/{known['id']}", json=change)
    await work_until_idle(client)
    return Result(item, [f"{'Changed' if known else 'Added'} {_line(item)}."])


async def remove(client: Client, name: NameArgument, word: WordArgument) -> Result:
    """Remove a word with its synonyms."""
    path = await _path(client, name)
    known = await _known(client, path, word)
    if known is None:
        raise InvalidArgument(f"There is no term {word}.")
    await client.delete(f"/api/v1/terms/{known['id']}")
    await work_until_idle(client)
    return Result({"id": known["id"], "deleted": True}, [f"Removed {known['word']}."])


async def import_file(
    client: Client,
    name: NameArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV: word, synonyms separated by ;")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what it would bring.")] = False,
) -> Result:
    """Take in terms from a CSV file. Ends with 1 if a line was refused."""
    if not file.is_file():
        raise InvalidArgument(f"There is no file {file}.")
    result = await client.request(
        "POST",
        f"{await _path(client, name)}/import",
        content=file.read_bytes(),
        headers={"Content-Type": "text/csv"},
        params={"dry_run": dry_run},
    )
    if not dry_run:
        await work_until_idle(client)
    return Result(result, list(_report(result)), exit_code=1 if result["refused"] else 0)


async def export(
    client: Client,
    name: NameArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the CSV file.")],
) -> Result:
    """Write all terms to a CSV file."""
    data = await client.download(f"{await _path(client, name)}.csv")
    file.write_bytes(data)
    return Result({"file": str(file), "bytes": len(data)}, [f"Wrote {file}."])


async def _path(client: Client, name: str) -> str:
    base = await find(client, BASES, name, what="knowledge base")
    return f"{BASES}/{base['id']}/terms"


async def _known(client: Client, path: str, word: str) -> Any:
    items = await client.all(path, q=word)
    return next((item for item in items if item["word"] == word), None)


def _on_the_way(progress: dict[str, Any]) -> str:
    if progress["total"]:
        return f"Re-indexing {progress['done']} of {progress['total']}."
    return "Re-indexing waits for its turn or looks for the words; changed terms count once it is done."


def _line(term: dict[str, Any]) -> str:
    return " = ".join([term["word"], *term["synonyms"]])


def _report(result: dict[str, Any]) -> list[str]:
    verb = "would be " if result["is_dry_run"] else ""
    lines = [
        f"{result['new']} {verb}new, {result['changed']} {verb}changed, {result['unchanged']} unchanged,"
        f" {result['refused']} refused (read as {result['encoding']})."
    ]
    for refused in result["refused_lines"][:TOLD]:
        lines.append(f"  line {refused['line']} ({refused['word']}): {refused['message']}")
    if result["refused"] > TOLD:
        lines.append(f"  and {result['refused'] - TOLD} lines more")
    return lines
