"""Which of many bases a question would be asked to."""

from typing import Annotated, Any

import typer

from refdesk.cli._client import Client
from refdesk.cli._commands import Result, add_command

BASES = "/api/v1/knowledge-bases"


def add_commands(group: typer.Typer) -> None:
    """Add the commands to `refdesk kb`."""
    add_command(group, "route", route)


async def route(
    client: Client,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The question.")],
    top_n: Annotated[int, typer.Option("--top-n", min=1, max=100, help="Most hits.")] = 5,
) -> Result:
    """Choose among all knowledge bases those that suit a question, and search them."""
    bases = {item["id"]: item["name"] for item in await client.all(BASES)}
    if not bases:
        return Result({"route": None, "hits": []}, ["There are no knowledge bases."])
    body = {"query": query, "knowledge_base_ids": list(bases), "top_n": top_n, "route": True}
    found = await client.post("/api/v1/hit-test", body)
    lines = [_line(base, bases) for base in found["route"]["bases"] if base["is_searched"]]
    lines.append(f"Searched {len(lines)} of {len(bases)}.")
    lines += [f"{hit['similarity']:.2f}  {hit['document_name']}" for hit in found["hits"]]
    return Result({"route": found["route"], "hits": found["hits"]}, lines)


def _line(base: dict[str, Any], names: dict[str, str]) -> str:
    score = "    " if base["score"] is None else f"{base['score']:.2f}"
    return f"{score}  {names[base['knowledge_base_id']]}  ({base['reason']})"
