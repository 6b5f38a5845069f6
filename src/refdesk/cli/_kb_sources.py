"""Sources of a base from the command line: folders of this machine; the list of all, and their sync."""

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from refdesk.cli._client import Client, InvalidArgument, RequestFailed
from refdesk.cli._commands import Result, add_command, find
from refdesk.cli._console import note
from refdesk.cli._indexing import wait_for
from refdesk.cli._kb_websites import BASES, SOURCES, NameArgument, WaitOption, source_line, wait_for_source

# Paths of one part of a manifest: its JSON stays well below what a server accepts.
PART = 4_000
FILES_AT_ONCE = 20
BYTES_AT_ONCE = 16 * 1024 * 1024

KeepOption = Annotated[bool, typer.Option("--keep", help="Keep documents whose files are gone.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Tell what would be done, and do nothing.")]
MassOption = Annotated[
    bool, typer.Option("--allow-mass-removal", help="Also if more than half of the documents are gone.")
]
RestoreOption = Annotated[
    bool, typer.Option("--restore-deleted", help="Import again what was deleted from the base.")
]


def add_commands(group: typer.Typer) -> None:
    """Add the commands to `refdesk kb`."""
    add_command(group, "sources", sources)
    add_command(group, "sync", sync)


@dataclass
class FolderSync:
    """What syncing a folder did, or would do: an outcome for each file, by the path on this machine."""

    source_id: str | None = None
    outcomes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def add(self, path: str, state: str, document_id: str | None = None, error: Any = None) -> None:
        self.outcomes.append({"path": path, "document_id": document_id, "state": state, "error": error})


def files_below(folder: Path) -> Iterator[Path]:
    """Regular files below a folder by name: not hidden ones, no pipes, and no links, which may lead out."""
    for parent, folders, names in folder.walk():
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            found = parent / name
            if found.is_symlink() or not found.is_file():
                note(f"skipped: {found} is not a regular file")
            elif not name.startswith("."):
                yield found


async def sync_folder(
    client: Client,
    base_id: str,
    folder: Path,
    *,
    keep: bool = False,
    dry_run: bool = False,
    allow_mass_removal: bool = False,
    restore_deleted: bool = False,
) -> FolderSync:
    """Bring a base in step with a folder: what is missing is sent, what is gone is removed unless `keep`."""
    done = FolderSync()
    files: dict[str, dict[str, Any]] = {}
    for path in files_below(folder):
        relative = path.relative_to(folder).as_posix()
        try:
            digest, size = await asyncio.to_thread(_digest, path)
        except OSError as error:
            problem = {"code": "unreadable", "reason": error.strerror or str(error), "hint": None}
            done.add(str(path), "refused", error=problem)
        else:
            files[relative] = {"path": relative, "sha256": digest, "size": size}
    place = folder.resolve()  # noqa: ASYNC240 - a command does one thing at a time
    source = await _source_of(client, base_id, place)
    if dry_run:
        base = await client.get(f"{BASES}/{base_id}")
        items = [] if source is None else await client.all(f"{SOURCES}/{source['id']}/items")
        limit = base["upload_limit_bytes"]
        _compare_only(items, limit, folder, files, done, keep=keep, restore_deleted=restore_deleted)
        return done
    if source is None:
        body = {
            "kind": "folder",
            "name": place.name or "/",
            "config": {"path": str(place)},
        }
        source = await client.post(f"{BASES}/{base_id}/sources", body)
    done.source_id = source["id"]
    how = {"keep": keep, "allow_mass_removal": allow_mass_removal, "restore_deleted": restore_deleted}
    missing = await _send_manifest(client, source["id"], folder, list(files.values()), done, how)
    await _upload(client, source["id"], folder, [(path, files[path]["size"]) for path in missing], done)
    return done


async def _source_of(client: Client, base_id: str, folder: Path) -> Any:
    for source in await client.all(f"{BASES}/{base_id}/sources"):
        if source["kind"] == "folder" and source["config"].get("path") == str(folder):
            return source
    return None


def _compare_only(
    items: Sequence[dict[str, Any]],
    limit: int,
    folder: Path,
    files: dict[str, dict[str, Any]],
    done: FolderSync,
    *,
    keep: bool,
    restore_deleted: bool,
) -> None:
    # Loaded here: most commands need nothing of the server's code.
    from refdesk.kit.errors import AppError
    from refdesk.knowledge.sources import DeletedHere, check_file

    every = {item["key"]: item for item in items}
    known = {key: item for key, item in every.items() if item["document_id"]}
    gone = sorted(known.keys() - files.keys())
    # As the server does: only where one part of the manifest tells of all files.
    moved = {known[path]["content_hash"]: path for path in gone} if len(files) <= PART else {}
    for path, file in files.items():
        item = every.get(path)
        try:
            check_file(path, file["size"], limit)
            if item is not None and item["content_hash"] and path not in known and not restore_deleted:
                raise DeletedHere
        except AppError as error:
            problem = {"code": error.code, "reason": error.text, "hint": None}
            done.add(str(folder / path), _refusal(error.code), error=problem)
            continue
        if path in known:
            same = known[path]["content_hash"] == file["sha256"]
            done.add(
                str(folder / path), "already-there" if same else "would-change", known[path]["document_id"]
            )
        elif item is None and (former := moved.pop(file["sha256"], None)) is not None:
            done.add(str(folder / path), "would-rename", known[former]["document_id"])
            gone.remove(former)
        else:
            done.add(str(folder / path), "would-add")
    for path in gone:
        done.add(str(folder / path), "would-keep" if keep else "would-remove", known[path]["document_id"])


def _refusal(code: str | None) -> str:
    return "skipped" if code in ("unsupported-kind", "deleted-here") else "refused"


async def _send_manifest(
    client: Client,
    source_id: str,
    folder: Path,
    files: Sequence[dict[str, Any]],
    done: FolderSync,
    how: dict[str, bool],
) -> list[str]:
    missing: list[str] = []
    refused: dict[str, Any] = {}
    renamed: list[str] = []
    removed: list[str] = []
    run: str | None = None
    parts = [files[start : start + PART] for start in range(0, len(files), PART)] or [[]]
    for number, part in enumerate(parts):
        body = {"files": part, "run": run, "more": number + 1 < len(parts), **how}
        answer = await client.post(f"{SOURCES}/{source_id}/manifest", body)
        run = answer["run"]
        missing += answer["upload"]
        renamed += answer["renamed"]
        removed += answer["removed"]
        refused |= {item["path"]: item for item in answer["refused"]}
    told = {*missing, *renamed, *refused}
    for file in files:
        path = file["path"]
        if path in refused:
            problem = {"code": refused[path]["code"], "reason": refused[path]["reason"], "hint": None}
            done.add(str(folder / path), _refusal(problem["code"]), error=problem)
        elif path not in told:
            done.add(str(folder / path), "already-there")
    for path in renamed:
        done.add(str(folder / path), "renamed")
    for path in removed:
        done.add(str(folder / path), "removed")
    return missing


async def _upload(
    client: Client, source_id: str, folder: Path, missing: Sequence[tuple[str, int]], done: FolderSync
) -> None:
    batch: list[str] = []
    size = 0
    for number, (path, file_size) in enumerate(missing):
        batch.append(path)
        size += file_size
        if len(batch) >= FILES_AT_ONCE or size >= BYTES_AT_ONCE or number + 1 == len(missing):
            await _send(client, source_id, folder, batch, done)
            if not client.as_json and len(missing) > FILES_AT_ONCE:
                note(f"sent {number + 1} of {len(missing)} files")
            batch, size = [], 0


async def _send(client: Client, source_id: str, folder: Path, paths: Sequence[str], done: FolderSync) -> None:
    sent = {path: await asyncio.to_thread(_content, folder / path) for path in paths}
    parts = [("files", (path, data)) for path, data in sent.items() if data is not None]
    for path in (path for path, data in sent.items() if data is None):
        problem = {"code": "unreadable", "reason": "The file is gone or cannot be read.", "hint": None}
        done.add(str(folder / path), "refused", error=problem)
    if not parts:
        return
    try:
        result = await client.request("POST", f"{SOURCES}/{source_id}/files", files=parts)
    except RequestFailed as error:
        problem = {"code": error.code, "reason": error.text, "hint": error.hint_text}
        for _, (path, _) in parts:
            done.add(str(folder / path), "refused", error=problem)
        return
    for file in result["files"]:
        document, error = file["document"], file["error"]
        if error is not None:
            problem = {"code": error["code"], "reason": error["message"], "hint": error["hint"]}
            done.add(str(folder / file["name"]), "refused", error=problem)
        else:
            done.add(str(folder / file["name"]), document["state"], document["id"])
    answered = {file["name"] for file in result["files"]}
    rest = [path for path in paths if path not in answered and sent[path] is not None]
    if rest and len(rest) < len(paths):  # the server stopped reading after a file that was too long
        await _send(client, source_id, folder, rest, done)


def _digest(path: Path) -> tuple[str, int]:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest(), file.tell()


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


async def sources(client: Client, name: NameArgument) -> Result:
    """List the sources of a knowledge base and how their last runs ended."""
    base = await find(client, BASES, name, what="knowledge base")
    items = await client.all(f"{BASES}/{base['id']}/sources")
    return Result(items, [source_line(item) for item in items] or ["No sources."])


async def sync(
    client: Client,
    name: NameArgument,
    source: Annotated[
        str | None, typer.Argument(metavar="[SOURCE]", help="Name or id; otherwise all of them.")
    ] = None,
    keep: KeepOption = False,
    allow_mass_removal: MassOption = False,
    restore_deleted: RestoreOption = False,
    wait: WaitOption = True,
) -> Result:
    """Fetch web sites and folders of this machine again; only what changed is indexed."""
    base = await find(client, BASES, name, what="knowledge base")
    path = f"{BASES}/{base['id']}/sources"
    chosen = [await find(client, path, source, what="source")] if source else await client.all(path)
    how = {"allow_mass_removal": allow_mass_removal, "restore_deleted": restore_deleted}
    synced: list[Any] = []
    for item in chosen:
        if item["kind"] == "website":
            item = await client.post(f"{SOURCES}/{item['id']}/sync", how)
            synced.append(await wait_for_source(client, item) if wait else item)
            continue
        folder = Path(item["config"].get("path") or "/nowhere")
        if not folder.is_dir():  # noqa: ASYNC240 - as above
            if source is not None:
                raise InvalidArgument(f"There is no folder {folder} on this machine.")
            note(f"skipped: there is no folder {folder} on this machine")
            continue
        done = await sync_folder(client, base["id"], folder, keep=keep, **how)
        ids = [outcome["document_id"] for outcome in done.outcomes if outcome["state"] == "queued"]
        if wait and ids:
            await wait_for(client, base["id"], ids, show=not client.as_json)
        synced.append(await client.get(f"{SOURCES}/{item['id']}") | {"files": done.outcomes})
    failed = any(item["state"] == "failed" for item in synced)
    return Result(synced, [source_line(item) for item in synced] or ["No sources."], 1 if failed else 0)
