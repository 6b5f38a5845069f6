"""Paragraphs, questions and what needs attention on the command line."""

from typing import Annotated, Any

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command
from refdesk.cli._indexing import work_until_idle
from refdesk.cli._kb_documents import (
    BASES,
    DOCUMENTS,
    BaseOption,
    DocumentArgument,
    NameArgument,
    attention_lines,
    base_of,
    document_of,
    paragraph_lines,
)


def add_commands(group: typer.Typer) -> None:
    """Add the commands to the group `kb`."""
    add_command(group, "paragraphs", paragraphs)
    add_command(group, "questions", questions)
    add_command(group, "attention", attention)


async def paragraphs(
    client: Client,
    document: DocumentArgument,
    kb: BaseOption = None,
    version: Annotated[int | None, typer.Option(min=1, help="Of this version.")] = None,
    q: Annotated[str | None, typer.Option("--q", help="Only those with this text.")] = None,
    meta: Annotated[
        list[str] | None,
        typer.Option(help="Only those of which KEY=VALUE holds, such as has_table=true; repeatable."),
    ] = None,
) -> Result:
    """List a document's paragraphs in reading order."""
    found = await document_of(client, document, kb)
    if version is not None and (q is not None or meta):
        raise InvalidArgument("--q and --meta work on the present version only.")
    path = f"{DOCUMENTS}/{found['id']}"
    if version is not None:
        items = await client.all(f"{path}/versions/{version}/paragraphs")
    else:
        wanted = ({"q": q} if q else {}) | ({"meta": meta} if meta else {})
        items = await client.all(f"{path}/paragraphs", **wanted)
    lines = [line for item in items for line in paragraph_lines(item)]
    return Result(items, lines or ["No paragraphs."])


async def questions(
    client: Client,
    name: NameArgument,
    add: Annotated[str | None, typer.Option(help="A question to add.")] = None,
    paragraph: Annotated[
        list[str] | None, typer.Option(help="Id of a paragraph that answers it; repeatable.")
    ] = None,
    remove: Annotated[str | None, typer.Option(help="A question to delete, by text or id.")] = None,
    q: Annotated[str | None, typer.Option("--q", help="Only those with this text.")] = None,
) -> Result:
    """List the questions attached to paragraphs; add or delete one."""
    base = await base_of(client, name)
    path = f"{BASES}/{base['id']}/questions"
    if add is not None:
        made = await client.post(path, {"content": add, "paragraph_ids": paragraph or []})
        await work_until_idle(client)
        return Result(made, [_line(made)])
    items = await client.all(path, **({"q": q} if q else {}))
    if remove is not None:
        gone = next((item for item in items if remove in (item["id"], item["content"])), None)
        if gone is None:
            raise InvalidArgument(f"There is no question “{remove}”.")
        await client.delete(f"/api/v1/questions/{gone['id']}")
        await work_until_idle(client)
        return Result({"id": gone["id"], "deleted": True}, [f"Deleted “{gone['content']}”."])
    return Result(items, [_line(item) for item in items] or ["No questions."])


async def attention(client: Client, name: NameArgument) -> Result:
    """List documents that failed, have warnings or lost text, each with what is the matter."""
    base = await base_of(client, name)
    items = await client.all(f"{BASES}/{base['id']}/documents", attention=True)
    lines = [line for item in items for line in attention_lines(item)]
    return Result(items, lines or ["Nothing needs attention."])


def _line(question: dict[str, Any]) -> str:
    return f"{question['id']}  {question['content']}  ({question['paragraph_count']} paragraphs)"
