"""Folders, and who may see documents and folders, from the command line."""

from typing import Annotated, Any

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, find, group_of
from refdesk.cli._kb_documents import BaseOption, DocumentArgument, document_of

BASES = "/api/v1/knowledge-bases"
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the knowledge base.")]
PathArgument = Annotated[
    str, typer.Argument(metavar="PATH", help="The folder: names joined by slashes, or its id.")
]

UserOption = Annotated[list[str] | None, typer.Option("--user", help="E-mail of a member; repeatable.")]
GroupOption = Annotated[list[str] | None, typer.Option("--group", help="Name of a group; repeatable.")]


def add_commands(group: typer.Typer) -> None:
    """Add the groups `folder` and `access` to `refdesk kb`."""
    folder = group_of(group, "folder", "Folders of a knowledge base.")
    add_command(folder, "list", list_folders)
    add_command(folder, "create", create)
    add_command(folder, "move", move)
    add_command(folder, "delete", delete)
    add_command(folder, "put", put)
    access = group_of(group, "access", "Who may see a document, or what lies in a folder.")
    add_command(access, "show", show)
    add_command(access, "show-folder", show_folder)
    add_command(access, "set", restrict)
    add_command(access, "set-folder", restrict_folder)
    add_command(access, "lift", lift)
    add_command(access, "lift-folder", lift_folder)


async def list_folders(client: Client, name: NameArgument) -> Result:
    """List the folders of a knowledge base that you may see."""
    paths = await _paths(client, name)
    lines = [f"{path}  {_documents(one)}  {one['access']}" for path, one in paths]
    return Result([one for _, one in paths], lines or ["No folders yet."])


async def create(client: Client, name: NameArgument, path: PathArgument) -> Result:
    """Make a folder; the one it lies in must be there."""
    base = await find(client, BASES, name, what="knowledge base")
    above, _, own = path.strip("/").rpartition("/")
    parent = (await _folder(client, name, above))["id"] if above else None
    made = await client.post(f"{BASES}/{base['id']}/folders", {"name": own, "parent_id": parent})
    return Result(made, [f"Created {path}."])


async def move(
    client: Client,
    name: NameArgument,
    path: PathArgument,
    to: Annotated[str, typer.Argument(metavar="TO", help="Its new path.")],
) -> Result:
    """Rename or move a folder with all that lies in it."""
    folder = await _folder(client, name, path)
    above, _, own = to.strip("/").rpartition("/")
    parent = (await _folder(client, name, above))["id"] if above else None
    body = {"name": own, "parent_id": parent}
    made = await client.request("PATCH", f"/api/v1/folders/{folder['id']}", json=body)
    return Result(made, [f"Moved {path} to {to}."])


async def delete(client: Client, name: NameArgument, path: PathArgument) -> Result:
    """Delete a folder; what lies in it moves to the one above."""
    folder = await _folder(client, name, path)
    await client.request("DELETE", f"/api/v1/folders/{folder['id']}")
    return Result(None, [f"Deleted {path}."])


async def put(
    client: Client,
    name: NameArgument,
    document: DocumentArgument,
    path: Annotated[str, typer.Argument(metavar="PATH", help="The folder, or / for none.")],
) -> Result:
    """Put a document into a folder."""
    folder = (await _folder(client, name, path))["id"] if path.strip("/") else None
    found = await document_of(client, document, name)
    body = {"folder_id": folder}
    changed = await client.request("PATCH", f"/api/v1/documents/{found['id']}", json=body)
    return Result(changed, [f"{changed['name']} lies in {path}."])


async def show(client: Client, document: DocumentArgument, kb: BaseOption = None) -> Result:
    """Tell who may see a document."""
    return _told(await client.get(await _access_of(client, document, kb)))


async def show_folder(client: Client, name: NameArgument, path: PathArgument) -> Result:
    """Tell who may see what lies in a folder."""
    folder = await _folder(client, name, path)
    return _told(await client.get(f"/api/v1/folders/{folder['id']}/access"))


async def restrict(
    client: Client,
    document: DocumentArgument,
    user: UserOption = None,
    group: GroupOption = None,
    kb: BaseOption = None,
) -> Result:
    """Let only these people and groups, and the owners, see a document."""
    return await _set(client, await _access_of(client, document, kb), user, group)


async def restrict_folder(
    client: Client,
    name: NameArgument,
    path: PathArgument,
    user: UserOption = None,
    group: GroupOption = None,
) -> Result:
    """Let only these people and groups, and the owners, see what lies in a folder."""
    folder = await _folder(client, name, path)
    return await _set(client, f"/api/v1/folders/{folder['id']}/access", user, group)


async def lift(client: Client, document: DocumentArgument, kb: BaseOption = None) -> Result:
    """Take a document's own list away."""
    path = await _access_of(client, document, kb)
    return _told(await client.request("PUT", path, json={"restricted": False}))


async def lift_folder(client: Client, name: NameArgument, path: PathArgument) -> Result:
    """Take a folder's own list away."""
    folder = await _folder(client, name, path)
    lifted = {"restricted": False}
    return _told(await client.request("PUT", f"/api/v1/folders/{folder['id']}/access", json=lifted))


def _documents(folder: dict[str, Any]) -> str:
    count = folder["documents"]
    return "1 document" if count == 1 else f"{count} documents"


async def _access_of(client: Client, document: str, kb: str | None) -> str:
    return f"/api/v1/documents/{(await document_of(client, document, kb))['id']}/access"


async def _set(client: Client, path: str, users: list[str] | None, groups: list[str] | None) -> Result:
    members = {one["email"].lower(): one["user_id"] for one in await client.all("/api/v1/members")}
    known = {one["name"].lower(): one["id"] for one in await client.all("/api/v1/groups")}
    body = {
        "restricted": True,
        "user_ids": [_one(members, name, "member") for name in users or []],
        "group_ids": [_one(known, name, "group") for name in groups or []],
    }
    return _told(await client.request("PUT", path, json=body))


def _one(known: dict[str, str], name: str, what: str) -> str:
    if name.lower() not in known:
        raise InvalidArgument(f"There is no {what} {name}.")
    return known[name.lower()]


def _told(access: dict[str, Any]) -> Result:
    listed = access if access["restricted"] else access["inherited"]
    if listed is None:
        return Result(access, ["Everyone in this workspace."])
    where = "" if access["restricted"] else f" (from the folder {access['inherited']['name']})"
    names = [one["email"] for one in listed["users"]] + [f"group {one['name']}" for one in listed["groups"]]
    if not names:
        return Result(access, [f"Only the owners{where}."])
    return Result(access, [f"Only these{where}, and the owners:", *(f"  {name}" for name in names)])


async def _paths(client: Client, name: str) -> list[tuple[str, dict[str, Any]]]:
    """The folders of a base with their paths. Two may have one: one is hidden from who made the other."""
    base = await find(client, BASES, name, what="knowledge base")
    folders = {one["id"]: one for one in (await client.get(f"{BASES}/{base['id']}/folders"))["items"]}

    def path_of(folder: dict[str, Any]) -> str:
        above = folders.get(folder["parent_id"])
        return folder["name"] if above is None else f"{path_of(above)}/{folder['name']}"

    return sorted(((path_of(one), one) for one in folders.values()), key=lambda pair: pair[0])


async def _folder(client: Client, name: str, path: str) -> dict[str, Any]:
    wanted = path.strip("/")
    paths = await _paths(client, name)
    found = [one for its_path, one in paths if wanted in (its_path, one["id"])]
    if len(found) > 1:
        raise InvalidArgument(f"There are several folders {path}.", hint="Give the id (--json lists it).")
    if not found:
        raise InvalidArgument(f"There is no folder {path}.")
    return found[0]
