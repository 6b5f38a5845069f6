"""Versions on the command line: replace a document's file, list, compare, go back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from refdesk.cli._client import Client, InvalidArgument, RequestFailed
from refdesk.cli._commands import Result, add_command, find
from refdesk.cli._indexing import wait_for, work_until_idle
from refdesk.cli._kb_documents import (
    BASES,
    DOCUMENTS,
    BaseOption,
    DocumentArgument,
    NameArgument,
    WaitOption,
    attention_lines,
    base_of,
    document_of,
    is_final,
    until,
)

VersionArgument = Annotated[int, typer.Argument(metavar="N", min=1, help="Number of the version.")]
_SIGNS = {"added": "+", "removed": "-", "changed": "~", "moved": "↕"}


def add_commands(group: typer.Typer) -> None:
    """Add the commands to the group `kb`."""
    add_command(group, "replace", replace)
    add_command(group, "reread", reread)
    add_command(group, "versions", versions)
    add_command(group, "diff", diff)
    add_command(group, "rollback", rollback)
    add_command(group, "resolve", resolve)


async def replace(
    client: Client,
    document: DocumentArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The new file.")],
    kb: BaseOption = None,
    wait: WaitOption = False,
    rename: Annotated[bool, typer.Option("--rename", help="Call the document like the file.")] = False,
) -> Result:
    """Give a document another file; edits, questions and flags are carried over."""
    if not file.is_file():
        raise InvalidArgument(f"There is no file {file}.")
    found = await document_of(client, document, kb)
    with file.open("rb") as content:
        changed = await client.request(
            "POST",
            f"{DOCUMENTS}/{found['id']}/file",
            files=[("file", (file.name, content))],
            params={"rename": rename},
        )
    return await _outcome(client, changed, wait=wait)


async def reread(
    client: Client,
    name: NameArgument,
    documents: Annotated[
        list[str] | None,
        typer.Argument(metavar="[DOCUMENT…]", help="Names or ids; otherwise all that have a file."),
    ] = None,
    wait: WaitOption = False,
) -> Result:
    """Read files again, as after an update; edits, questions and flags are carried over. Ends with 1 if a
    document could not be read again."""
    base = await base_of(client, name)
    path = f"{BASES}/{base['id']}/documents"
    if documents:
        chosen = [await find(client, path, wanted, what="document") for wanted in documents]
    else:
        chosen = [item for item in await client.all(path) if item["has_file"] and is_final(item)]
    items: list[Any] = []
    refused: list[str] = []
    for document in {item["id"]: item for item in chosen}.values():
        try:
            items.append(await client.post(f"{DOCUMENTS}/{document['id']}/reread"))
        except RequestFailed as error:
            refused.append(f"{document['id']}  {document['name']}  {error.text} [{error.code}]")
    if wait and items:
        items = await wait_for(client, base["id"], [item["id"] for item in items], show=not client.as_json)
    failed = bool(refused) or any(item["state"] == "failed" for item in items)
    lines = [line for item in items for line in attention_lines(item)] + refused
    value = {"documents": items, "refused": refused}
    return Result(value, lines or ["There is nothing to read again."], exit_code=1 if failed else 0)


async def versions(client: Client, document: DocumentArgument, kb: BaseOption = None) -> Result:
    """List a document's versions, the newest first."""
    found = await document_of(client, document, kb)
    items = await client.all(f"{DOCUMENTS}/{found['id']}/versions")
    return Result(items, [_version_line(item) for item in items])


async def diff(
    client: Client,
    document: DocumentArgument,
    earlier: Annotated[int, typer.Argument(metavar="A", min=1, help="Number of the earlier version.")],
    later: Annotated[int, typer.Argument(metavar="B", min=1, help="Number of the later version.")],
    kb: BaseOption = None,
) -> Result:
    """Show what differs between two versions: [-gone-] and {+new+} words."""
    found = await document_of(client, document, kb)
    path = f"{DOCUMENTS}/{found['id']}/diff"
    first = page = await client.get(path, **{"from": earlier, "to": later, "limit": 500})
    items = list(page["items"])
    while page["next_cursor"]:
        query = {"from": earlier, "to": later, "limit": 500, "cursor": page["next_cursor"]}
        page = await client.get(path, **query)
        items += page["items"]
    counts = first["counts"]
    lines = [line for item in items for line in _change_lines(item)]
    lines.append(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    value = {"from": earlier, "to": later, "counts": counts, "changes": items}
    return Result(value, lines)


async def rollback(
    client: Client,
    document: DocumentArgument,
    number: VersionArgument,
    kb: BaseOption = None,
    wait: WaitOption = False,
) -> Result:
    """Bring a version back as a new one."""
    found = await document_of(client, document, kb)
    changed = await client.post(f"{DOCUMENTS}/{found['id']}/versions/{number}/restore")
    return await _outcome(client, changed, wait=wait)


async def resolve(
    client: Client,
    document: DocumentArgument,
    keep: Annotated[
        Literal["mine", "theirs"], typer.Option(help="The edits stay, or the file's text is taken.")
    ],
    paragraph: Annotated[
        list[str] | None, typer.Option(help="Only this paragraph, by id; repeatable.")
    ] = None,
    kb: BaseOption = None,
) -> Result:
    """Decide about edits whose place in the file says something else now."""
    found = await document_of(client, document, kb)
    body: dict[str, Any] = {"keep": keep} | ({"paragraph_ids": paragraph} if paragraph else {})
    changed = await client.post(f"{DOCUMENTS}/{found['id']}/conflicts/resolve", body)
    await work_until_idle(client)
    return Result(changed, attention_lines(changed))


async def _outcome(client: Client, document: Any, *, wait: bool) -> Result:
    if wait:
        (document,) = await until(client, [document["id"]], is_final)
    return Result(document, attention_lines(document), exit_code=1 if document["state"] == "failed" else 0)


def _version_line(version: dict[str, Any]) -> str:
    mark = "*" if version["is_current"] else " "
    paragraphs = version["paragraph_count"]
    return (
        f"{mark} {version['number']}  {version['created_at'][:16]}  {version['reason']}  {version['name']}"
        f"  {paragraphs} {'paragraph' if paragraphs == 1 else 'paragraphs'}"
    )


def _change_lines(change: dict[str, Any]) -> Iterator[str]:
    side = change["after"] or change["before"]
    section = " › ".join(part for part in [*side["title_chain"], side["title"]] if part)
    yield f"{_SIGNS[change['kind']]} {side['position'] + 1}. {section}".rstrip()
    before, after = change["before"], change["after"]
    if before and after and before["title"] != after["title"]:
        yield f"   [-{before['title']}-]{{+{after['title']}+}}"
    if change["kind"] != "moved":
        text = "".join(_marked(part) for part in change["parts"])
        yield from (f"   {line}" for line in text.splitlines())


def _marked(part: dict[str, str]) -> str:
    if part["op"] == "equal":
        return part["text"]
    return f"[-{part['text']}-]" if part["op"] == "delete" else f"{{+{part['text']}+}}"
