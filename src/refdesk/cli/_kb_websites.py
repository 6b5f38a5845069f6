"""Web sites of a base from the command line: one site is one source, however often it is named."""

from typing import Annotated, Any, Literal

import typer

from refdesk.cli._client import Client, RequestFailed
from refdesk.cli._commands import Result, add_command, find
from refdesk.cli._console import note
from refdesk.cli._indexing import Lines, Pace, say_started, wait_for, work_until_idle, working

BASES = "/api/v1/knowledge-bases"
SOURCES = "/api/v1/sources"
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the knowledge base.")]
WaitOption = Annotated[bool, typer.Option("--wait/--no-wait", help="End when everything is done.")]


def add_commands(group: typer.Typer) -> None:
    """Add the command to `refdesk kb`."""
    add_command(group, "crawl", crawl)


async def crawl(
    client: Client,
    name: NameArgument,
    url: Annotated[str, typer.Argument(metavar="URL", help="Where to start.")],
    depth: Annotated[
        int | None, typer.Option(min=0, max=50, help="Links followed from the start page; otherwise 5.")
    ] = None,
    max_pages: Annotated[
        int | None, typer.Option("--max-pages", min=1, max=50_000, help="Most pages; otherwise 500.")
    ] = None,
    scope: Annotated[
        Literal["path", "host"], typer.Option(help="Below the start page's folder, or the whole host.")
    ] = "path",
    selector: Annotated[str | None, typer.Option(help="CSS selector of the content.")] = None,
    include: Annotated[
        list[str] | None, typer.Option(help="Only addresses like this, * for anything; repeatable.")
    ] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="No addresses like this; repeatable.")] = None,
    no_sitemap: Annotated[bool, typer.Option("--no-sitemap", help="Do not read the sitemap.")] = False,
    no_files: Annotated[
        bool, typer.Option("--no-files", help="Web pages only, no PDF and the like.")
    ] = False,
    delay_ms: Annotated[
        int | None, typer.Option("--delay-ms", min=0, help="Between two requests; otherwise none.")
    ] = None,
    every_hours: Annotated[
        int | None, typer.Option("--every-hours", min=1, help="Read it again so often.")
    ] = None,
    wait: WaitOption = True,
) -> Result:
    """Read a web site into a knowledge base, and remember it as a source. Named again, the same source is
    read again, with the options given changed and the others as they are."""
    base = await find(client, BASES, name, what="knowledge base")
    given: dict[str, Any] = {
        "depth": depth,
        "max_pages": max_pages,
        "selector": selector,
        "include": include or None,
        "exclude": exclude or None,
        "use_sitemap": False if no_sitemap else None,
        "include_files": False if no_files else None,
        "delay_ms": delay_ms,
    }
    config = {key: value for key, value in given.items() if value is not None}
    body = {"kind": "website", "config": config | {"url": url, "scope": scope}, "interval_hours": every_hours}
    try:
        source = await client.post(f"{BASES}/{base['id']}/sources", body)
    except RequestFailed as error:
        if error.code != "source-exists":
            raise
        source = await _continued(client, error.details["source_id"], config, every_hours)
    if wait:
        source = await wait_for_source(client, source)
    return Result(source, [source_line(source)], exit_code=1 if source["state"] == "failed" else 0)


async def _continued(client: Client, source_id: str, config: dict[str, Any], every_hours: int | None) -> Any:
    """The source that reads the site already, changed where it is told, and read again."""
    source = await client.get(f"{SOURCES}/{source_id}")
    if not client.as_json:
        note(f"The source “{source['name']}” ({source_id}) reads this address already and is gone on with.")
    changes: dict[str, Any] = {}
    if any(source["config"][key] != value for key, value in config.items()):
        present = {key: value for key, value in source["config"].items() if key != "split_settings"}
        changes["config"] = present | config
    if every_hours is not None:
        changes["interval_hours"] = every_hours
    if changes:
        source = await client.patch(f"{SOURCES}/{source_id}", changes)
    if source["state"] in ("queued", "running"):
        return source
    return await client.post(f"{SOURCES}/{source_id}/sync")


async def wait_for_source(client: Client, source: Any) -> Any:
    """The source when its run and the documents it made have come to an end."""
    pace, lines = Pace(), Lines(not client.as_json)
    say_started(client, f"Reading {source['config']['url']} as source {source['id']}.")
    async with working(client):
        while source["state"] in ("queued", "running"):
            await pace.rest()
            source = await client.get(f"{SOURCES}/{source['id']}")
            lines.tell(f"{source['state']}, {source['counts']['found']} pages{_told(source)}")
    if client.in_process:
        await work_until_idle(client)
        return source
    items = await client.all(f"{SOURCES}/{source['id']}/items", state=["added", "changed"])
    ids = [item["document_id"] for item in items if item["document_id"]]
    if ids:
        await wait_for(client, source["knowledge_base_id"], ids, show=not client.as_json)
    return source


def source_line(source: dict[str, Any]) -> str:
    """One line: id, kind, name, state, what it has and met; what is wrong, with what helps below."""
    line = f"{source['id']}  {source['kind']}  {source['name']}  {source['state']}"
    line += f"  {source['documents']} documents{_told(source)}"
    error = source["error"]
    if error is None:
        return line
    line = f"{line}: {error['reason']} [{error['code']}]"
    return f"{line}\n   {error['hint']}" if error["hint"] else line


def _told(source: dict[str, Any]) -> str:
    counts = source["counts"]
    kinds = ("added", "changed", "unchanged", "removed", "skipped", "failed")
    told = ", ".join(f"{counts[key]} {key}" for key in kinds if counts[key])
    return f" ({told})" if told else ""
