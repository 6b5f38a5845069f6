"""The knowledge graph of a base from the command line: what it costs, build, status, entities, paths."""

from typing import Annotated, Any, Literal

import typer

from refdesk.cli._client import Client
from refdesk.cli._commands import Result, add_command, find, group_of
from refdesk.cli._indexing import Lines, Pace, say_started, work_until_idle, working

BASES = "/api/v1/knowledge-bases"
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the knowledge base.")]


def add_commands(group: typer.Typer) -> None:
    """Add the group `graph` to `refdesk kb`."""
    graph = group_of(group, "graph", "What things are called in a base, and how they belong together.")
    add_command(graph, "build", build)
    add_command(graph, "status", status)
    add_command(graph, "cancel", cancel)
    add_command(graph, "entities", entities)
    add_command(graph, "paths", paths)
    add_command(graph, "delete", delete)


async def build(
    client: Client,
    name: NameArgument,
    method: Annotated[Literal["rules", "model"], typer.Option(help="Read by rules or a model.")] = "rules",
    model: Annotated[str | None, typer.Option(help="Language model, by id or name.")] = None,
    follow: Annotated[
        bool | None, typer.Option("--follow/--no-follow", help="Read what is new or edited by itself.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what it would cost.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask, whatever it costs.")] = False,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="End when the graph is built.")] = True,
) -> Result:
    """Build the graph, or read what is not in it yet. Tells what it costs first; with a model it asks."""
    path = await _path(client, name)
    body: dict[str, Any] = {"method": "model" if model else method}
    if model is not None:
        body["model_id"] = (await find(client, "/api/v1/models", model, what="model"))["id"]
    asked = {key: value for key, value in body.items() if value is not None}
    estimate = await client.get(f"{path}/estimate", **asked)
    if dry_run:
        return Result(estimate, [_cost(estimate)])
    if estimate["method"] == "model" and estimate["paragraphs"] and not yes:
        typer.confirm(f"{_cost(estimate)} Go on?", abort=True, err=True)
    else:
        say_started(client, _cost(estimate))
    view = await client.post(f"{path}/build", {**body, "follows": follow})
    if wait:
        view = await _until_built(client, path)
    return _result(view)


async def status(client: Client, name: NameArgument) -> Result:
    """Tell how far the graph is and how much it holds."""
    return _result(await client.get(await _path(client, name)))


async def cancel(client: Client, name: NameArgument) -> Result:
    """Stop building; what was read is kept, and `build` goes on from there."""
    return _result(await client.post(f"{await _path(client, name)}/cancel"))


async def entities(
    client: Client,
    name: NameArgument,
    query: Annotated[str | None, typer.Argument(metavar="[TEXT]", help="Part of a name.")] = None,
    values: Annotated[bool, typer.Option("--values", help="Also values, such as 24 V.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Most that are listed.")] = 50,
) -> Result:
    """List entities, the often named first."""
    parameters = {"values": values, "limit": limit, **({"q": query} if query else {})}
    page = await client.get(f"{await _path(client, name)}/entities", **parameters)
    lines = [f"{item['paragraphs']:>6}  {item['name']}" for item in page["items"]]
    if page["total"] > len(page["items"]):
        lines.append(f"        and {page['total'] - len(page['items'])} more")
    return Result(page, lines or ["No entities."])


async def paths(
    client: Client,
    name: NameArgument,
    asked: Annotated[list[str], typer.Argument(metavar="ENTITY…", help="Names; or one question.")],
    hops: Annotated[int, typer.Option(min=1, max=4, help="Most steps of a path.")] = 3,
    limit: Annotated[int, typer.Option(min=1, max=50, help="Most paths.")] = 10,
) -> Result:
    """Find paths between entities, or those that a question asks for. Ends with 1 if there are none."""
    body: dict[str, Any] = {"max_hops": hops, "limit": limit}
    found: dict[str, Any] = {"paths": []}
    path = f"{await _path(client, name)}/paths"
    if len(asked) == 1:
        found = await client.post(path, {**body, "question": asked[0]})
    if not found["paths"]:
        found = await client.post(path, {**body, "entities": asked[:8]})
    lines: list[str] = []
    for number, one in enumerate(found["paths"], start=1):
        lines.append(f"{number}. {_path_line(one)}")
        lines += [f"     {_evidence_line(edge)}" for edge in one["edges"]]
    return Result(found, lines or ["No paths."], exit_code=0 if found["paths"] else 1)


async def delete(
    client: Client,
    name: NameArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> Result:
    """Delete the graph. Documents and their index stay."""
    path = await _path(client, name)
    if not yes:
        typer.confirm("Delete the graph? Building it again may cost as much.", abort=True, err=True)
    await client.delete(path)
    await work_until_idle(client)
    return Result({"deleted": True}, ["Deleted the graph."])


async def _path(client: Client, name: str) -> str:
    base = await find(client, BASES, name, what="knowledge base")
    return f"{BASES}/{base['id']}/graph"


async def _until_built(client: Client, path: str) -> dict[str, Any]:
    pace, lines = Pace(), Lines(not client.as_json)
    async with working(client):
        while True:
            view = await client.get(path)
            if view["state"] not in ("queued", "building"):
                return view
            lines.tell(f"{view['progress_done']} of {view['progress_total']} paragraphs are read")
            await pace.rest()


def _cost(estimate: dict[str, Any]) -> str:
    if estimate["method"] == "rules":
        return f"{estimate['paragraphs']} paragraphs to be read, by rules and at no cost."
    tokens = f"{estimate['input_tokens']} tokens in and {estimate['output_tokens']} out"
    price = "no price is set for the model"
    if estimate["cost"] is not None:
        price = f"about {float(estimate['cost']):.4f} {estimate['currency']}"
    return f"{estimate['paragraphs']} paragraphs in {estimate['calls']} calls, about {tokens}: {price}."


def _result(view: dict[str, Any]) -> Result:
    if view["state"] == "none":
        return Result(view, ["No graph yet."])
    lines = [
        f"{view['state']}  {view['entities']} entities, {view['relations']} relations"
        f" in {view['paragraphs']} paragraphs"
    ]
    if view["state"] in ("building", "cancelled", "failed"):
        lines.append(f"{view['progress_done']} of {view['progress_total']} paragraphs are read.")
    if view["pending"] and view["state"] not in ("queued", "building"):
        lines.append(f"{view['pending']} paragraphs are not read yet.")
    if view["skipped"]:
        lines.append(f"{view['skipped']} paragraphs were skipped: the model gave no usable answer.")
    if view["cost"] is not None:
        lines.append(f"Cost so far: {float(view['cost']):.4f} {view['currency']}.")
    if view["error"]:
        lines.append(f"{view['error']['code']}: {view['error']['reason']}")
    return Result(view, lines, exit_code=1 if view["state"] == "failed" else 0)


def _path_line(path: dict[str, Any]) -> str:
    line = path["entities"][0]["name"]
    for entity, edge in zip(path["entities"][1:], path["edges"], strict=True):
        label = edge["label"] or edge["kind"]
        forwards = edge["target"]["id"] == entity["id"]
        line += f" —{label}→ {entity['name']}" if forwards else f" ←{label}— {entity['name']}"
    return line


def _evidence_line(edge: dict[str, Any]) -> str:
    first = edge["paragraphs"][0]
    page = f", p. {first['page']}" if first["page"] else ""
    more = f" (and {edge['told'] - 1} more)" if edge["told"] > 1 else ""
    return f"{first['document_name']}{page}: {' '.join(first['quote'].split())[:120]}{more}"
