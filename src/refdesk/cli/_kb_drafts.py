"""Previews on the command line: see the paragraphs of files first, import them afterwards."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from refdesk.cli._client import Client, InvalidArgument, RequestFailed
from refdesk.cli._commands import Result, add_command, find
from refdesk.cli._kb_documents import (
    BASES,
    DOCUMENTS,
    NameArgument,
    WaitOption,
    attention_lines,
    base_of,
    document_line,
    is_final,
    paragraph_lines,
    until,
)
from refdesk.cli._splitting import settings_of, takes_split_options


def add_commands(group: typer.Typer) -> None:
    """Add the commands to the group `kb`."""
    add_command(group, "preview", preview)
    add_command(group, "previews", previews)
    add_command(group, "import", import_previews)


@takes_split_options
async def preview(
    client: Client,
    name: NameArgument,
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Files to look at.")],
    *,
    split: dict[str, Any],
) -> Result:
    """Read and split files without importing them. Ends with 1 if one of them could not be read."""
    missing = [path for path in files if not path.is_file()]
    if missing:
        raise InvalidArgument(f"There is no file {missing[0]}.")
    base = await base_of(client, name)
    settings = settings_of(base, split)
    outcomes = [await _send(client, base, path, settings) for path in files]
    ids = [outcome["document"]["id"] for outcome in outcomes if outcome["document"] is not None]
    read = {document["id"]: document for document in await until(client, ids, is_final)}
    lines: list[str] = []
    failed = 0
    for outcome in outcomes:
        if outcome["document"] is None:
            lines.append(
                f"{outcome['path']}  refused: {outcome['error']['reason']} [{outcome['error']['code']}]"
            )
            failed += 1
            continue
        document = outcome["document"] = read[outcome["document"]["id"]]
        outcome["paragraphs"] = await client.all(f"{DOCUMENTS}/{document['id']}/paragraphs")
        failed += document["state"] != "draft"
        lines += attention_lines(document)
        for paragraph in outcome["paragraphs"]:
            lines += paragraph_lines(paragraph)
    value = {"knowledge_base": {"id": base["id"], "name": base["name"]}, "files": outcomes}
    return Result(value, lines, exit_code=1 if failed else 0)


async def previews(client: Client, name: NameArgument) -> Result:
    """List previews that were not imported yet."""
    base = await base_of(client, name)
    items = await client.all(f"{BASES}/{base['id']}/drafts")
    return Result(items, [document_line(item) for item in items] or ["No previews."])


async def import_previews(
    client: Client,
    name: NameArgument,
    drafts: Annotated[
        list[str] | None, typer.Argument(metavar="[PREVIEW…]", help="Ids or names; otherwise all.")
    ] = None,
    wait: WaitOption = False,
) -> Result:
    """Make previews documents of the base. Ends with 1 if one is left out or, with --wait, failed."""
    base = await base_of(client, name)
    path = f"{BASES}/{base['id']}/drafts"
    body: dict[str, Any] = {}
    if drafts:
        body["document_ids"] = [(await find(client, path, one, what="preview"))["id"] for one in drafts]
    result = await client.post(f"{path}/import", body)
    if wait and result["imported"]:
        ids = [document["id"] for document in result["imported"]]
        result["imported"] = await until(client, ids, is_final)
    failed = any(document["state"] == "failed" for document in result["imported"])
    lines = [document_line(document) for document in result["imported"]]
    lines += [f"{draft['id']}  {draft['name']}  left out: {draft['state']}" for draft in result["skipped"]]
    return Result(result, lines or ["No previews."], exit_code=1 if failed or result["skipped"] else 0)


async def _send(client: Client, base: Any, path: Path, settings: dict[str, Any]) -> dict[str, Any]:
    outcome: dict[str, Any] = {"path": str(path), "document": None, "error": None, "paragraphs": []}
    try:
        with path.open("rb") as file:
            # The order counts: the server takes the settings for the files that come after them.
            parts = [("settings", (None, json.dumps(settings)))] if settings else []
            result = await client.request(
                "POST", f"{BASES}/{base['id']}/drafts", files=[*parts, ("files", (path.name, file))]
            )
    except OSError as error:
        problem = {"code": "unreadable", "reason": error.strerror or str(error), "hint": None}
        return outcome | {"error": problem}
    except RequestFailed as error:
        return outcome | {"error": {"code": error.code, "reason": error.text, "hint": error.hint_text}}
    return outcome | {"document": result["files"][0]["document"]}
