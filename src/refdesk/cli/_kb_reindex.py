"""Changing the embedding model of a base: build another index, compare, switch, switch back, discard."""

import time
from typing import Annotated, Any, Literal

import typer

from refdesk.cli._client import Client, InvalidArgument, RequestFailed
from refdesk.cli._commands import Result, add_command, find
from refdesk.cli._indexing import Lines, Pace, say_started, work_until_idle, working

BASES = "/api/v1/knowledge-bases"
# Edits made while it is switched are taken in within moments; a base edited without pause may take longer.
CATCH_UP_S = 60.0

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the knowledge base.")]


def add_commands(group: typer.Typer) -> None:
    """Add the command to `refdesk kb`."""
    add_command(group, "reindex", reindex)


async def reindex(
    client: Client,
    name: NameArgument,
    model: Annotated[
        str | None, typer.Option(help="Build another index with this embedding model, by id or name.")
    ] = None,
    switch: Annotated[bool, typer.Option("--switch", help="Search the other index from now on.")] = False,
    back: Annotated[bool, typer.Option("--back", help="Search the former index again.")] = False,
    discard: Annotated[bool, typer.Option("--discard", help="Remove the index that is not in use.")] = False,
    cancel: Annotated[bool, typer.Option("--cancel", help="Stop building.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on after a stop or a failure.")] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare both indexes on the test questions anew.")
    ] = False,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="End when the index is built.")] = True,
) -> Result:
    """Change the embedding model without downtime. Without options: tell how far it is.

    With --model and --switch together the index is built, then switched to.
    """
    chosen = [back, discard, cancel, resume, compare].count(True)
    if chosen > 1 or (chosen and (switch or model is not None)):
        raise InvalidArgument("Name one thing to do; only --model and --switch go together.")
    if model is not None and switch and not wait:
        raise InvalidArgument("--switch after --model needs --wait.")
    base = await find(client, BASES, name, what="knowledge base")
    path = f"{BASES}/{base['id']}/index-builds"
    if model is not None:
        found = await find(client, "/api/v1/models", model, what="model")
        build = await client.post(path, {"model_id": found["id"]})
        build = await _until_built(client, path, build) if wait else build
        if not switch or build["state"] != "built":
            return _result(build)
    else:
        build = await _only(client, path, base)
    one = f"{path}/{build['id']}"
    if discard:
        await client.delete(one)
        return Result({"discarded": build["id"]}, ["The index that was not in use is removed."])
    if cancel:
        return _result(await client.post(f"{one}/cancel"))
    if resume:
        build = await client.post(f"{one}/resume")
        return _result(await _until_built(client, path, build) if wait else build)
    if compare:
        build = await client.post(f"{one}/compare")
        await work_until_idle(client)
        return _result(await client.get(one))
    if switch or back:
        return _result(await _switched(client, one, "switch-back" if back else "switch"))
    return _result(build)


async def _only(client: Client, path: str, base: dict[str, Any]) -> dict[str, Any]:
    builds = (await client.get(path))["items"]
    if not builds:
        raise InvalidArgument(f"{base['name']} has no other index; build one with --model.")
    return builds[0]


async def _until_built(client: Client, path: str, build: dict[str, Any]) -> dict[str, Any]:
    """The build when it has ended, compared where it was built."""
    pace, lines = Pace(), Lines(not client.as_json)
    say_started(client, f"Building index {build['id']}.")
    async with working(client):
        while True:
            build = await client.get(f"{path}/{build['id']}")
            is_compared = build["comparison"] is not None
            if build["state"] in ("failed", "cancelled") or (build["state"] == "built" and is_compared):
                return build
            lines.tell(f"{build['progress_done']} of {build['progress_total']} paragraphs are in it")
            await pace.rest()


async def _switched(client: Client, one: str, way: Literal["switch", "switch-back"]) -> dict[str, Any]:
    """Switch, and where the other index is behind, wait until it has caught up."""
    pace = Pace()
    deadline = time.monotonic() + CATCH_UP_S
    async with working(client):
        while True:
            try:
                return await client.post(f"{one}/{way}")
            except RequestFailed as error:
                if error.code != "index-behind" or time.monotonic() > deadline:
                    raise
                await pace.rest()


def _result(build: dict[str, Any]) -> Result:
    lines = [f"{build['state']}  {build['progress_done']}/{build['progress_total']} paragraphs"]
    if build["behind"]:
        lines.append(f"{build['behind']} paragraphs are still to be taken in.")
    if build["error"]:
        lines.append(f"{build['error']['code']}: {build['error']['reason']}")
    comparison = build["comparison"]
    if comparison:
        lines.append(f"Compared on {comparison['questions']} test questions:")
        for mode in comparison["modes"]:
            for which in ("active", "other"):
                figures = mode[which]
                lines.append(
                    f"  {mode['mode']:<10}{which:<8}hit@5 {figures['hit_at_5']:.3f}"
                    f"  nDCG@10 {figures['ndcg_at_10']:.3f}  p50 {figures['p50_ms']:.0f} ms"
                )
            lines.append(f"  {mode['mode']:<10}{mode['disagreement']:.0%} of the first five hits differ")
    return Result(build, lines, exit_code=1 if build["state"] == "failed" else 0)
