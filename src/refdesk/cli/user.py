"""People: create, list, invite, disable, enable, reset, role."""

import sys
from typing import Annotated, Any, Literal

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, find, group_of

RoleName = Literal["viewer", "editor", "owner"]
EmailArgument = Annotated[str, typer.Argument(metavar="EMAIL", help="Email address of the user.")]
NameOption = Annotated[str | None, typer.Option("--name", help="The person's name.")]
RoleOption = Annotated[RoleName, typer.Option("--role", help="Role in the workspace.")]
AdminOption = Annotated[bool, typer.Option("--admin", help="Make an administrator of the installation.")]


def register(app: typer.Typer) -> None:
    """Add the commands to an application."""
    group = group_of(app, "user", "People: create, list, invite, disable, enable, reset, role.")
    add_command(group, "create", create)
    add_command(group, "list", list_users)
    add_command(group, "invite", invite)
    add_command(group, "disable", disable)
    add_command(group, "enable", enable)
    add_command(group, "reset", reset)
    add_command(group, "role", role)


async def create(
    client: Client,
    email: EmailArgument,
    name: NameOption = None,
    role: RoleOption = "viewer",
    admin: AdminOption = False,
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read the password from standard input.")
    ] = False,
) -> Result:
    """Create a user with a password. With --admin the first administrator, before anything else is set up."""
    from refdesk.accounts import check_suitable

    password = _read_password(from_stdin=password_stdin)
    # Before the user is made: the server would refuse the password only afterwards.
    check_suitable(password, email)
    invited = await _invite(client, email, name, role, admin)
    if invited["link"] is None:
        raise InvalidArgument(
            f"{email} has an account already.", hint="Use `refdesk user role` or `refdesk user reset`."
        )
    token = invited["link"].rsplit("/", 1)[1]
    session = await client.post(f"/api/v1/invitations/{token}/redeem", {"password": password, "name": name})
    user = session["user"]
    kind = "administrator" if user["is_administrator"] else role
    return Result(user, [f"Created {user['email']} ({kind})."])


def _read_password(*, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise InvalidArgument("There is no terminal to ask for the password.", hint="Use --password-stdin.")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))


async def list_users(client: Client) -> Result:
    """List all users of the installation."""
    users = await client.all("/api/v1/users")
    return Result(users, [_line(user) for user in users] or ["No users yet."])


async def invite(
    client: Client,
    email: EmailArgument,
    name: NameOption = None,
    role: RoleOption = "viewer",
    admin: AdminOption = False,
) -> Result:
    """Invite somebody to the workspace; prints the link to send, once."""
    invited = await _invite(client, email, name, role, admin)
    if invited["link"] is None:
        return Result(invited, [f"{email} has an account and is a member now."])
    return _link(client, invited)


async def disable(client: Client, email: EmailArgument) -> Result:
    """Disable a user: all sign-ins end, and so do the keys they made."""
    return await _change(client, email, {"is_active": False}, "disabled")


async def enable(client: Client, email: EmailArgument) -> Result:
    """Enable a user again."""
    return await _change(client, email, {"is_active": True}, "enabled")


async def reset(client: Client, email: EmailArgument) -> Result:
    """Print a link with which the user sets a new password; all sign-ins end."""
    user = await find(client, "/api/v1/users", email, what="user", by="email")
    return _link(client, await client.post(f"/api/v1/users/{user['id']}/reset-link"))


async def role(
    client: Client,
    email: EmailArgument,
    role: Annotated[RoleName | None, typer.Argument(help="Role in the workspace.")] = None,
    admin: Annotated[
        bool | None, typer.Option("--admin/--no-admin", help="Administrator of the installation or not.")
    ] = None,
) -> Result:
    """Change a member's role in the workspace, or who is administrator."""
    if role is None and admin is None:
        raise InvalidArgument("Nothing to change.", hint="Give a role, --admin or --no-admin.")
    changed: dict[str, Any] = {}
    if role is not None:
        member = await find(client, "/api/v1/members", email, what="member", by="email")
        changed = await client.patch(f"/api/v1/members/{member['user_id']}", {"role": role})
    if admin is not None:
        user = await find(client, "/api/v1/users", email, what="user", by="email")
        changed |= await client.patch(f"/api/v1/users/{user['id']}", {"is_administrator": admin})
    kind = "administrator" if changed["is_administrator"] else "no administrator"
    return Result(changed, [f"{email}: {changed.get('role', kind)}"])


async def _invite(client: Client, email: str, name: str | None, role: str, admin: bool) -> Any:
    body = {"email": email, "name": name, "role": role, "is_administrator": admin}
    return await client.post("/api/v1/invitations", body)


async def _change(client: Client, email: str, patch: dict[str, Any], done: str) -> Result:
    user = await find(client, "/api/v1/users", email, what="user", by="email")
    changed = await client.patch(f"/api/v1/users/{user['id']}", patch)
    return Result(changed, [f"{changed['email']} is {done}."])


def _link(client: Client, made: dict[str, Any]) -> Result:
    address = client.public_address
    lines = [f"{address or ''}{made['link']}", f"Works once, until {made['expires_at']}."]
    if address is None:
        lines.insert(1, "Put your server's address before it, such as http://127.0.0.1:8080.")
    return Result(made, lines)


def _line(user: dict[str, Any]) -> str:
    marks = [
        mark
        for mark, shown in (
            ("administrator", user["is_administrator"]),
            ("pending", user["is_pending"]),
            ("disabled", not user["is_active"]),
        )
        if shown
    ]
    return f"{user['email']}  {user['name']}" + (f"  [{', '.join(marks)}]" if marks else "")
