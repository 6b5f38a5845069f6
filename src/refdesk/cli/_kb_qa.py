"""Tables of questions and answers from the command line."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, find
from refdesk.cli._indexing import wait_for

BASES = "/api/v1/knowledge-bases"
TOLD = 20


def add_commands(group: typer.Typer) -> None:
    """Add the commands to `refdesk kb`."""
    add_command(group, "qa", qa)
    add_command(group, "qa-template", qa_template)


async def qa(
    client: Client,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the knowledge base.")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="CSV, XLSX, or ZIP of them.")],
    wait: Annotated[bool, typer.Option("--wait", help="End when everything is indexed.")] = False,
    allow_duplicate: Annotated[
        bool, typer.Option("--allow-duplicate", help="Add content that is already there once more.")
    ] = False,
) -> Result:
    """Import questions and answers: each row becomes a paragraph with its questions. Ends with 1 if a file
    or a row was refused."""
    missing = [path for path in files if not path.is_file()]
    if missing:
        raise InvalidArgument(f"There is no file {missing[0]}.")
    base = await find(client, BASES, name, what="knowledge base")
    parts = [("files", (path.name, path.read_bytes())) for path in files]
    path = f"{BASES}/{base['id']}/qa-files"
    query = {"allow_duplicate": allow_duplicate}
    result = await client.request("POST", path, files=parts, params=query)
    ids = [file["document"]["id"] for file in result["files"] if file["document"]]
    if wait and ids:
        ready = {
            item["id"]: item for item in await wait_for(client, base["id"], ids, show=not client.as_json)
        }
        for file in result["files"]:
            if file["document"]:
                file["document"] = ready.get(file["document"]["id"], file["document"])
    failed = any(file["error"] or file["bad_row_count"] for file in result["files"])
    lines = [line for file in result["files"] for line in _lines(file)]
    return Result(result, lines, exit_code=1 if failed else 0)


def _lines(file: dict[str, Any]) -> list[str]:
    if file["error"]:
        return [f"{file['name']}  refused: {file['error']['message']} [{file['error']['code']}]"]
    lines = [f"{file['name']}  {file['rows']} rows, {file['questions']} questions"]
    for bad in file["bad_rows"][:TOLD]:
        place = f"{bad['place']}, " if bad["place"] else ""
        lines.append(f"  {place}row {bad['row']} was left out: {bad['reason']} [{bad['code']}]")
    if file["bad_row_count"] > TOLD:
        lines.append(f"  and {file['bad_row_count'] - TOLD} rows more")
    return lines


async def qa_template(
    client: Client,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it: a .csv or .xlsx.")],
    language: Annotated[Literal["zh", "en"], typer.Option(help="zh or en.")] = "en",
) -> Result:
    """Write a template for `qa` to fill in."""
    kind = file.suffix.lower().lstrip(".")
    if kind not in ("csv", "xlsx"):
        raise InvalidArgument("The name of the file must end with .csv or .xlsx.")
    data = await client.download(f"/api/v1/qa-templates/{language}.{kind}")
    file.write_bytes(data)
    return Result({"file": str(file), "bytes": len(data)}, [f"Wrote {file}."])
