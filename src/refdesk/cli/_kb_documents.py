"""Naming one document on the command line, waiting for some, and how a document is shown in a line."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any
from uuid import UUID

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import find
from refdesk.cli._indexing import Lines, Pace, say_started, working

BASES = "/api/v1/knowledge-bases"
DOCUMENTS = "/api/v1/documents"
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the knowledge base.")]
DocumentArgument = Annotated[str, typer.Argument(metavar="DOC", help="Id or name of the document.")]
BaseOption = Annotated[
    str | None, typer.Option("--kb", help="Knowledge base of the document, where its name is not enough.")
]
WaitOption = Annotated[bool, typer.Option("--wait", help="End when everything is indexed.")]


async def base_of(client: Client, name: str) -> Any:
    return await find(client, BASES, name, what="knowledge base")


async def document_of(client: Client, wanted: str, kb: str | None) -> Any:
    """The document with this id, or the only one of this name. Raises `InvalidArgument`."""
    try:
        return await client.get(f"{DOCUMENTS}/{UUID(wanted)}")
    except ValueError:
        pass
    bases = [await base_of(client, kb)] if kb is not None else await client.all(BASES)
    found: list[Any] = []
    for base in bases:
        items = await client.all(f"{BASES}/{base['id']}/documents", q=wanted)
        found += [item for item in items if item["name"].lower() == wanted.lower()]
    if len(found) == 1:
        return found[0]
    if found:
        raise InvalidArgument(f"There are several documents called {wanted}.", hint="Give the id, or --kb.")
    raise InvalidArgument(f"There is no document called {wanted}.")


async def until(client: Client, document_ids: Sequence[str], done: Callable[[Any], bool]) -> list[Any]:
    """The documents once `done` holds for each; the jobs are run here if no other worker can be expected."""
    documents: dict[str, Any] = {}
    pace, lines = Pace(), Lines(not client.as_json)
    if document_ids:
        say_started(client, f"Reading {', '.join(document_ids)}.")
    async with working(client):
        while True:
            for key in document_ids:
                if key not in documents or not done(documents[key]):
                    documents[key] = await client.get(f"{DOCUMENTS}/{key}")
            left = [document for document in documents.values() if not done(document)]
            if not left:
                return [documents[key] for key in document_ids]
            lines.tell(f"{len(documents) - len(left)} of {len(documents)} done; {document_line(left[0])}")
            await pace.rest()


def is_final(document: Any) -> bool:
    return document["state"] in ("ready", "draft", "failed", "cancelled")


def document_line(document: dict[str, Any]) -> str:
    """One line: id, name, state, progress, what is wrong."""
    line = f"{document['id']}  {document['name']}  {document['state']}"
    if document["state"] in ("parsing", "indexing") and document["progress_total"]:
        line += f" {document['progress_done']}/{document['progress_total']}"
    error = document["error"]
    return line if error is None else f"{line}: {error['reason']} [{error['code']}]"


def attention_lines(document: dict[str, Any]) -> list[str]:
    """The document, what share of it was kept if that is not all, and its warnings."""
    lines = [document_line(document)]
    coverage = document["coverage"]
    if coverage is not None and coverage < 0.995:
        lines.append(f"   {coverage:.1%} of {document['extracted_chars']} characters kept")
    if document.get("files_left_out"):
        lines.append(f"   {document['files_read']} files in it were read, {document['files_left_out']} not")
    for warning in document["warnings"]:
        page = f", page {warning['page']}" if warning["page"] else ""
        lines.append(f"   {warning['message']} [{warning['code']}{page}]")
    return lines


def paragraph_lines(paragraph: dict[str, Any]) -> list[str]:
    """Number, id, titles and the beginning of the text."""
    section = " › ".join(part for part in [*paragraph["title_chain"], paragraph["title"]] if part)
    marks = [name for name, is_set in _marks(paragraph) if is_set]
    head = f"{paragraph['position'] + 1}. {paragraph['id']}  {section}".rstrip()
    lines = [f"{head}  ({', '.join(marks)})" if marks else head]
    lines.append("   " + " ".join(paragraph["content"].split())[:200])
    lines += [f"   ? {question['content']}" for question in paragraph["questions"]]
    return lines


def _marks(paragraph: dict[str, Any]) -> list[tuple[str, bool]]:
    return [
        (f"page {paragraph['page']}", bool(paragraph["page"])),
        ("edited", paragraph["is_edited"]),
        ("inactive", not paragraph["is_active"]),
    ]
