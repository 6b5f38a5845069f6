"""Workspaces and their members: list, create, rename, members, add, remove."""

from typing import Annotated

import typer

from refdesk.cli._client import Client
from refdesk.cli._commands import Result, add_command, find, group_of
from refdesk.cli.user import EmailArgument, RoleName

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name of the workspace.")]


def register(app: typer.Typer) -> None:
    """Add the commands to an application."""
    group = group_of(
        app, "workspace", "Workspaces and their members: list, create, rename, members, add, remove."
    )
    add_command(group, "list", list_workspaces)
    add_command(group, "create", create)
    add_command(group, "rename", rename)
    add_command(group, "members", members)
    add_command(group, "add", add)
    add_command(group, "remove", remove)


async def list_workspaces(client: Client) -> Result:
    """List the workspaces open to you."""
    items = await client.all("/api/v1/workspaces")
    return Result(items, [f"{item['id']}  {item['name']}  [{item['role']}]" for item in items])


async def create(client: Client, name: NameArgument) -> Result:
    """Make a workspace."""
    made = await client.post("/api/v1/workspaces", {"name": name})
    return Result(made, [f"Created {made['name']} ({made['id']})."])


async def rename(
    client: Client,
    name: NameArgument,
    new_name: Annotated[str, typer.Argument(metavar="NEW_NAME", help="The new name.")],
) -> Result:
    """Rename a workspace."""
    found = await find(client, "/api/v1/workspaces", name, what="workspace")
    changed = await client.patch(f"/api/v1/workspaces/{found['id']}", {"name": new_name})
    return Result(changed, [f"{found['name']} is called {changed['name']} now."])


async def members(client: Client) -> Result:
    """List the members of the workspace."""
    items = await client.all("/api/v1/members")
    return Result(items, [f"{item['email']}  {item['name']}  [{item['role']}]" for item in items])


async def add(
    client: Client,
    email: EmailArgument,
    role: Annotated[RoleName, typer.Argument(help="Role in the workspace.")] = "viewer",
) -> Result:
    """Add a user who has an account; invite others with `refdesk user invite`."""
    member = await client.post("/api/v1/members", {"email": email, "role": role})
    return Result(member, [f"{member['email']} is a member now ({member['role']})."])


async def remove(client: Client, email: EmailArgument) -> Result:
    """End a membership."""
    member = await find(client, "/api/v1/members", email, what="member", by="email")
    await client.delete(f"/api/v1/members/{member['user_id']}")
    return Result({"removed": member["user_id"]}, [f"{member['email']} is not a member any more."])
