"""Groups of members: list, create, rename, delete, add, remove."""

from typing import Annotated

import typer

from refdesk.cli._client import Client
from refdesk.cli._commands import Result, add_command, find, group_of
from refdesk.cli.user import EmailArgument

GroupArgument = Annotated[str, typer.Argument(metavar="GROUP", help="Name or id of the group.")]


def register(app: typer.Typer) -> None:
    """Add the commands to an application."""
    group = group_of(app, "group", "Groups of members: list, create, rename, delete, add, remove.")
    add_command(group, "list", list_groups)
    add_command(group, "create", create)
    add_command(group, "rename", rename)
    add_command(group, "delete", delete)
    add_command(group, "add", add)
    add_command(group, "remove", remove)


async def list_groups(client: Client) -> Result:
    """List the workspace's groups."""
    items = await client.all("/api/v1/groups")
    return Result(items, [f"{item['name']}  {len(item['member_ids'])} members" for item in items])


async def create(
    client: Client, name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the group.")]
) -> Result:
    """Make a group."""
    made = await client.post("/api/v1/groups", {"name": name})
    return Result(made, [f"Created {made['name']}."])


async def rename(
    client: Client,
    group: GroupArgument,
    name: Annotated[str, typer.Argument(metavar="NEW_NAME", help="The new name.")],
) -> Result:
    """Rename a group."""
    found = await find(client, "/api/v1/groups", group, what="group")
    changed = await client.patch(f"/api/v1/groups/{found['id']}", {"name": name})
    return Result(changed, [f"{found['name']} is called {changed['name']} now."])


async def delete(client: Client, group: GroupArgument) -> Result:
    """Delete a group; its members stay in the workspace."""
    found = await find(client, "/api/v1/groups", group, what="group")
    await client.delete(f"/api/v1/groups/{found['id']}")
    return Result({"deleted": found["id"]}, [f"Deleted {found['name']}."])


async def add(client: Client, group: GroupArgument, email: EmailArgument) -> Result:
    """Put a member of the workspace into a group."""
    path = await _membership(client, group, email)
    changed = await client.put(path)
    return Result(changed, [f"{email} is in {changed['name']} now."])


async def remove(client: Client, group: GroupArgument, email: EmailArgument) -> Result:
    """Take a member out of a group."""
    path = await _membership(client, group, email)
    await client.delete(path)
    return Result({"removed": path.rsplit("/", 1)[1]}, [f"{email} is not in {group} any more."])


async def _membership(client: Client, group: str, email: str) -> str:
    found = await find(client, "/api/v1/groups", group, what="group")
    member = await find(client, "/api/v1/members", email, what="member", by="email")
    return f"/api/v1/groups/{found['id']}/members/{member['user_id']}"
