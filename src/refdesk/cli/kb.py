"""Knowledge bases: create, list, delete, add, documents, retry, search."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from refdesk.cli._client import Client, InvalidArgument, RequestFailed
from refdesk.cli._commands import Result, add_command, find, group_of
from refdesk.cli._indexing import wait_for, work_until_idle
from refdesk.cli._kb_access import add_commands as add_access_commands
from refdesk.cli._kb_archives import add_commands as add_archive_commands
from refdesk.cli._kb_documents import document_line
from refdesk.cli._kb_drafts import add_commands as add_draft_commands
from refdesk.cli._kb_dry_run import reading_lines, would_add
from refdesk.cli._kb_exchange import add_commands as add_exchange_commands
from refdesk.cli._kb_graph import add_commands as add_graph_commands
from refdesk.cli._kb_paragraphs import add_commands as add_paragraph_commands
from refdesk.cli._kb_qa import add_commands as add_qa_commands
from refdesk.cli._kb_reindex import add_commands as add_reindex_commands
from refdesk.cli._kb_routing import add_commands as add_routing_commands
from refdesk.cli._kb_search import add_commands as add_search_commands
from refdesk.cli._kb_sources import (
    DryRunOption,
    KeepOption,
    MassOption,
    RestoreOption,
    sync_folder,
)
from refdesk.cli._kb_sources import add_commands as add_source_commands
from refdesk.cli._kb_terms import add_commands as add_term_commands
from refdesk.cli._kb_versions import add_commands as add_version_commands
from refdesk.cli._kb_websites import add_commands as add_website_commands
from refdesk.cli._splitting import settings_of, takes_split_options

BASES = "/api/v1/knowledge-bases"
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the knowledge base.")]
WaitOption = Annotated[bool, typer.Option("--wait", help="End when everything is indexed.")]


def register(app: typer.Typer) -> None:
    """Add the commands to an application."""
    group = group_of(app, "kb", "Knowledge bases: their files, documents, versions, paragraphs, questions.")
    add_command(group, "create", create)
    add_command(group, "list", list_bases)
    add_command(group, "delete", delete)
    add_command(group, "add", add)
    add_command(group, "documents", documents)
    add_command(group, "retry", retry)
    add_search_commands(group)
    add_draft_commands(group)
    add_version_commands(group)
    add_paragraph_commands(group)
    add_website_commands(group)
    add_source_commands(group)
    add_routing_commands(group)
    add_archive_commands(group)
    add_qa_commands(group)
    add_exchange_commands(group)
    add_reindex_commands(group)
    add_term_commands(group)
    add_graph_commands(group)
    add_access_commands(group)


async def create(
    client: Client,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the new knowledge base.")],
    description: Annotated[str, typer.Option(help="What it holds.")] = "",
    model: Annotated[str | None, typer.Option(help="Embedding model, by id or name.")] = None,
    max_file_bytes: Annotated[int | None, typer.Option(help="Largest file, in bytes.")] = None,
    max_documents: Annotated[int | None, typer.Option(help="Most documents.")] = None,
) -> Result:
    """Create a knowledge base."""
    body: dict[str, Any] = {
        "name": name,
        "description": description,
        "max_file_bytes": max_file_bytes,
        "max_documents": max_documents,
    }
    if model is not None:
        body["embedding_model_id"] = (await find(client, "/api/v1/models", model, what="model"))["id"]
    base = await client.post(BASES, body)
    return Result(base, [f"Created {base['name']} ({base['id']})."])


async def list_bases(client: Client) -> Result:
    """List the knowledge bases of the workspace."""
    bases = await client.all(BASES)
    return Result(bases, [_base_line(base) for base in bases] or ["No knowledge bases yet."])


async def delete(
    client: Client,
    name: NameArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> Result:
    """Delete a knowledge base with all its documents."""
    base = await _base(client, name)
    if not yes:
        count = base["counts"]["documents"]
        used_by = (await client.get(f"{BASES}/{base['id']}/usage"))["applications"]
        used = f" These applications ask it: {', '.join(used_by)}." if used_by else ""
        question = f"Delete {base['name']} with {count} documents?{used} This cannot be undone."
        typer.confirm(question, abort=True, err=True)
    await client.delete(f"{BASES}/{base['id']}")
    await work_until_idle(client)
    return Result({"id": base["id"], "deleted": True}, [f"Deleted {base['name']}."])


@takes_split_options
async def add(
    client: Client,
    name: NameArgument,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Files, or folders with all in them.")],
    wait: WaitOption = False,
    allow_duplicate: Annotated[
        bool, typer.Option("--allow-duplicate", help="Add content that is already there once more.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
    keep: KeepOption = False,
    dry_run: DryRunOption = False,
    allow_mass_removal: MassOption = False,
    restore_deleted: RestoreOption = False,
    *,
    split: dict[str, Any],
) -> Result:
    """Add files, and keep folders in step: of a folder only what is new or changed is sent, and what is
    gone from it is removed. Ends with 1 if a file was refused or, with --wait, could not be indexed."""
    missing = [path for path in paths if not (path.is_file() or path.is_dir())]
    if missing:
        raise InvalidArgument(f"There is no file {missing[0]}.")
    if split and any(path.is_dir() for path in paths):
        raise InvalidArgument("How to cut is said for files; a folder takes what its base or source says.")
    base = await _base(client, name)
    settings = settings_of(base, split)
    outcomes: list[dict[str, Any]] = []
    for path in paths:
        if path.is_dir():
            done = await sync_folder(
                client,
                base["id"],
                path,
                keep=keep,
                dry_run=dry_run,
                allow_mass_removal=allow_mass_removal,
                restore_deleted=restore_deleted,
            )
            outcomes += done.outcomes
        elif dry_run:
            outcomes.append(await would_add(path, base, settings or base["split_settings"]))
        else:
            outcomes.append(await _upload(client, base["id"], path, settings, allow_duplicate))
    if not outcomes:
        raise InvalidArgument("There are no files to add.")
    waiting = [outcome["document_id"] for outcome in outcomes if outcome["state"] == "queued"]
    if wait and waiting:
        show = not quiet and not client.as_json
        finished = {item["id"]: item for item in await wait_for(client, base["id"], waiting, show=show)}
        for outcome in outcomes:
            document = finished.get(outcome["document_id"])
            if document is not None and outcome["state"] == "queued":
                outcome |= {key: document[key] for key in ("state", "error", "paragraph_count")}
    failed = [outcome for outcome in outcomes if outcome["error"] and outcome["state"] != "skipped"]
    value = {
        "knowledge_base": {"id": base["id"], "name": base["name"]},
        "files": outcomes,
        "added": len(waiting),
        "failed": len(failed),
    }
    lines = [line for outcome in outcomes for line in _outcome_lines(outcome)]
    if waiting and not wait and client.in_process:
        lines.append("They are indexed when `refdesk serve` or `refdesk worker` runs, or with --wait.")
    return Result(value, lines, exit_code=1 if failed else 0)


async def documents(
    client: Client,
    name: NameArgument,
    state: Annotated[list[str] | None, typer.Option(help="Only documents in this state; repeatable.")] = None,
    kind: Annotated[list[str] | None, typer.Option(help="Only documents of this kind; repeatable.")] = None,
    attention: Annotated[
        bool, typer.Option("--attention", help="Only those that failed, have warnings or lost text.")
    ] = False,
    meta: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="Only with this metadata; repeatable.")
    ] = None,
) -> Result:
    """List the documents of a knowledge base."""
    wrong = [given for given in meta or () if "=" not in given]
    if wrong:
        raise InvalidArgument(f"--meta wants KEY=VALUE, not {wrong[0]}.")
    base = await _base(client, name)
    wanted = {"state": state, "kind": kind, "meta": meta, "attention": attention}
    query: dict[str, Any] = {key: value for key, value in wanted.items() if value}
    items = await client.all(f"{BASES}/{base['id']}/documents", **query)
    return Result(items, [document_line(item) for item in items] or ["No documents."])


async def retry(
    client: Client,
    name: NameArgument,
    document: Annotated[
        str | None, typer.Argument(metavar="[DOCUMENT]", help="Name or id; otherwise all that failed.")
    ] = None,
    wait: WaitOption = False,
    ask_password: Annotated[
        bool, typer.Option("--ask-password", help="Ask for the password of a protected file.")
    ] = False,
) -> Result:
    """Process failed documents again, from where they stopped."""
    if ask_password and document is None:
        raise InvalidArgument("--ask-password is for one document.")
    base = await _base(client, name)
    path = f"{BASES}/{base['id']}/documents"
    if document is not None:
        stopped = [await find(client, path, document, what="document")]
    else:
        stopped = await client.all(path, state=["failed"])
    body = {"password": typer.prompt("Password", hide_input=True, err=True)} if ask_password else None
    items = [await client.post(f"/api/v1/documents/{item['id']}/retry", body) for item in stopped]
    if wait and items:
        items = await wait_for(client, base["id"], [item["id"] for item in items], show=not client.as_json)
    failed = any(item["state"] == "failed" for item in items)
    lines = [document_line(item) for item in items] or ["No document has failed."]
    return Result(items, lines, exit_code=1 if failed else 0)


async def _base(client: Client, name: str) -> Any:
    return await find(client, BASES, name, what="knowledge base")


async def _upload(
    client: Client, base_id: str, path: Path, split: dict[str, Any], allow_duplicate: bool
) -> dict[str, Any]:
    outcome: dict[str, Any] = {"path": str(path), "document_id": None, "state": "refused", "error": None}
    try:
        with path.open("rb") as file:
            # The order counts: the server takes the settings for the files that come after them.
            settings = [("settings", (None, json.dumps(split)))] if split else []
            result = await client.request(
                "POST",
                f"{BASES}/{base_id}/files",
                files=[*settings, ("files", (path.name, file))],
                params={"allow_duplicate": allow_duplicate},
            )
    except OSError as error:
        problem = {"code": "unreadable", "reason": error.strerror or str(error), "hint": None}
        return outcome | {"error": problem}
    except RequestFailed as error:
        if error.code == "duplicate-document":
            return outcome | {"document_id": error.details.get("document_id"), "state": "already-there"}
        return outcome | {"error": {"code": error.code, "reason": error.text, "hint": error.hint_text}}
    document = result["files"][0]["document"]
    return outcome | {"document_id": document["id"], "state": document["state"]}


def _base_line(base: dict[str, Any]) -> str:
    counts = base["counts"]
    line = f"{base['name']}  {counts['documents']} documents, {counts['paragraphs']} paragraphs"
    failed, attention = counts["states"].get("failed", 0), counts["attention"]
    line = f"{line}, {failed} failed" if failed else line
    return f"{line}, {attention} need attention" if attention > failed else line


def _outcome_lines(outcome: dict[str, Any]) -> list[str]:
    line = f"{outcome['path']}  {outcome['state']}"
    error = outcome["error"]
    if error is None:
        return [line, *reading_lines(outcome["reading"])] if "reading" in outcome else [line]
    lines = [f"{line}: {error['reason']} [{error['code']}]"]
    return [*lines, f"   {error['hint']}"] if error["hint"] else lines
