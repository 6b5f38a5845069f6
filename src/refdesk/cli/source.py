"""Sources that someone else runs: connect, test, search, change, disconnect."""

import json
import math
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, find, group_of

SOURCES = "/api/v1/external-sources"

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the source.")]
Kind = Literal["chroma", "http", "mariadb", "milvus", "postgres", "weaviate"]


def register(app: typer.Typer) -> None:
    """Add `refdesk source`."""
    group = group_of(app, "source", "Sources that someone else runs: connect, test, search, change.")
    add_command(group, "add", add)
    add_command(group, "list", list_sources)
    add_command(group, "test", test)
    add_command(group, "search", search)
    add_command(group, "edit", edit)
    add_command(group, "remove", remove)
    add_command(group, "kinds", kinds)


async def add(
    client: Client,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    kind: Annotated[Kind, typer.Option(help="What it is.")],
    config: Annotated[
        str, typer.Option(metavar="JSON", help="Its settings as JSON, or @FILE; see the guide to sources.")
    ],
    ask_credential: Annotated[
        bool, typer.Option("--ask-credential", help="Ask for its password or key.")
    ] = False,
    timeout_s: Annotated[float, typer.Option("--timeout", min=0.1, max=60, help="Seconds.")] = 10.0,
) -> Result:
    """Connect a source and test it."""
    body: dict[str, Any] = {
        "name": name,
        "kind": kind,
        "config": _settings(config),
        "timeout_s": timeout_s,
    }
    if ask_credential:
        body["credential"] = typer.prompt("Credential", hide_input=True, err=True)
    source = await client.post(SOURCES, body)
    checked = await client.post(f"{SOURCES}/{source['id']}/check")
    lines = [f"Saved {source['name']} ({source['kind']}).", _check_line(checked)]
    return Result({"source": source, "check": checked}, lines, exit_code=0 if checked["ok"] else 1)


async def list_sources(client: Client) -> Result:
    """The sources of the workspace."""
    page = await client.get(SOURCES)
    lines = [f"{item['name']}  {item['kind']}  {_last_check(item)}" for item in page["items"]]
    return Result(page["items"], lines or ["There are no external sources."])


async def test(client: Client, name: NameArgument) -> Result:
    """Ask a source something and tell how that went."""
    source = await find(client, SOURCES, name, what="source")
    checked = await client.post(f"{SOURCES}/{source['id']}/check")
    return Result(checked, [_check_line(checked)], exit_code=0 if checked["ok"] else 1)


async def search(
    client: Client,
    name: NameArgument,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for.")],
    top_k: Annotated[int, typer.Option("--top-k", min=1, max=100, help="Most hits.")] = 3,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            metavar="KEY=VALUE",
            help='Metadata; repeatable. 7, true are a number and yes, "7" in quotes is text.',
        ),
    ] = None,
) -> Result:
    """Search a source."""
    source = await find(client, SOURCES, name, what="source")
    body = {"query": query, "top_k": top_k, "filters": dict(filter_of(pair) for pair in where or [])}
    found = await client.post(f"{SOURCES}/{source['id']}/search", body)
    lines: list[str] = []
    for number, hit in enumerate(found["hits"], start=1):
        lines.append(f"{number}. {hit['score']:.2f}  {hit['title'] or hit['doc_id']}")
        lines.append(f"   {' '.join(hit['text'].split())[:200]}")
        facts = [f"{key}={value}" for key, value in hit["metadata"].items()]
        if told := "  ".join([*([hit["url"]] if hit["url"] else []), *facts]):
            lines.append(f"   {told}")
    return Result(found, lines or ["Nothing found."])


async def edit(
    client: Client,
    name: NameArgument,
    new_name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="Another name.")] = None,
    config: Annotated[
        str | None,
        typer.Option(
            metavar="JSON", help="Settings that change, as JSON or @FILE; null takes one back. Others stay."
        ),
    ] = None,
    ask_credential: Annotated[
        bool, typer.Option("--ask-credential", help="Ask for another password or key.")
    ] = False,
    remove_credential: Annotated[
        bool, typer.Option("--remove-credential", help="Forget the password or key.")
    ] = False,
    timeout_s: Annotated[float | None, typer.Option("--timeout", min=0.1, max=60, help="Seconds.")] = None,
) -> Result:
    """Change a source and test it. The credential is kept; for another address it is asked for again."""
    if ask_credential and remove_credential:
        raise InvalidArgument("--ask-credential and --remove-credential exclude each other.")
    source = await find(client, SOURCES, name, what="source")
    body: dict[str, Any] = {}
    if new_name is not None:
        body["name"] = new_name
    if timeout_s is not None:
        body["timeout_s"] = timeout_s
    if config is not None:
        changed = source["config"] | _settings(config)
        body["config"] = {key: value for key, value in changed.items() if value is not None}
    if ask_credential:
        body["credential"] = typer.prompt("Credential", hide_input=True, err=True)
    elif remove_credential:
        body["credential"] = None
    if not body:
        raise InvalidArgument("Nothing was given to change.")
    source = await client.patch(f"{SOURCES}/{source['id']}", body)
    checked = await client.post(f"{SOURCES}/{source['id']}/check")
    lines = [f"Changed {source['name']}.", _check_line(checked)]
    return Result({"source": source, "check": checked}, lines, exit_code=0 if checked["ok"] else 1)


async def kinds(client: Client) -> Result:
    """Which kinds of sources can be connected, and how to install what the others need."""
    answer = await client.get(f"{SOURCES}/kinds")
    lines = [
        kind["kind"] if kind["is_installed"] else f"{kind['kind']}  not installed: {kind['install']}"
        for kind in answer["items"]
    ]
    return Result(answer["items"], lines)


async def remove(client: Client, name: NameArgument) -> Result:
    """Disconnect a source; nothing in it is changed."""
    source = await find(client, SOURCES, name, what="source")
    await client.delete(f"{SOURCES}/{source['id']}")
    return Result({"id": source["id"]}, [f"Disconnected {source['name']}."])


def _settings(given: str) -> dict[str, Any]:
    try:
        read = json.loads(Path(given[1:]).read_text(encoding="utf-8") if given.startswith("@") else given)
    except (OSError, ValueError) as error:
        raise InvalidArgument(f"--config is not readable JSON: {error}") from error
    if not isinstance(read, dict):
        raise InvalidArgument('--config must be an object such as {"url": "https://…"}.')
    return cast("dict[str, Any]", read)


def filter_of(pair: str) -> tuple[str, str | int | float | bool]:
    """A filter as it is written, such as `year=2026`. A value that is none of JSON is text."""
    key, separator, value = pair.partition("=")
    if not separator:
        raise InvalidArgument(f"--where wants KEY=VALUE, not {pair}")
    try:
        read = json.loads(value)
    except ValueError:
        return key, value
    if isinstance(read, float) and not math.isfinite(read):
        return key, value
    return key, read if isinstance(read, (str, int, float)) else value


def _check_line(checked: dict[str, Any]) -> str:
    if checked["ok"]:
        return f"It answered in {checked['took_ms']:.0f} ms."
    reason = checked["details"].get("reason") or checked["details"].get("status")
    told = [checked["message"], f"({reason})" if reason else "", f"[{checked['code']}]", checked["hint"]]
    return " ".join(part for part in told if part)


def _last_check(source: dict[str, Any]) -> str:
    checked = source["last_check"]
    if checked is None:
        return "not tested"
    return (
        f"answered {checked['at'][:16]}"
        if checked["ok"]
        else f"failed {checked['at'][:16]}: {checked['code']}"
    )
