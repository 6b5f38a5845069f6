"""API keys of the workspace: create, list, revoke."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, find, group_of
from refdesk.cli._console import note


class KeyScope(StrEnum):
    """What a key may be allowed."""

    READ = "read"
    ASK = "ask"
    WRITE = "write"
    MANAGE = "manage"


def register(app: typer.Typer) -> None:
    """Add the commands to an application."""
    group = group_of(app, "key", "API keys of the workspace: create, list, revoke.")
    add_command(group, "create", create)
    add_command(group, "list", list_keys)
    add_command(group, "revoke", revoke)


async def create(
    client: Client,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the key is for.")],
    scope: Annotated[list[KeyScope] | None, typer.Option(help="May be given several times.")] = None,
    days: Annotated[int | None, typer.Option(min=1, max=3650, help="Days until the key expires.")] = None,
    kb: Annotated[str | None, typer.Option("--kb", help="Bind the key to this knowledge base.")] = None,
    app: Annotated[str | None, typer.Option("--app", help="Bind the key to this application.")] = None,
) -> Result:
    """Make a key and print its secret, once. Without --scope it may read and ask."""
    if kb is not None and app is not None:
        raise InvalidArgument("A key is bound to one thing: give --kb or --app.")
    resource: dict[str, Any] | None = None
    if kb is not None:
        found = await find(client, "/api/v1/knowledge-bases", kb, what="knowledge base")
        resource = {"kind": "knowledge_base", "id": found["id"]}
    if app is not None:
        found = await find(client, "/api/v1/applications", app, what="application")
        resource = {"kind": "application", "id": found["id"]}
    expires_at = (datetime.now(UTC) + timedelta(days=days)).isoformat() if days is not None else None
    body = {"name": name, "scopes": scope or ["read", "ask"], "expires_at": expires_at, "resource": resource}
    made = await client.post("/api/v1/api-keys", body)
    if (await client.get("/api/v1/setup"))["required"]:
        note("Keys work once the first administrator is there: the page's /setup, or `refdesk user create`.")
    return Result(made, [made["secret"]])


async def list_keys(client: Client) -> Result:
    """List the workspace's keys (one's own; owners see all)."""
    items = await client.all("/api/v1/api-keys")
    return Result(items, [_line(item) for item in items])


async def revoke(
    client: Client,
    key: Annotated[str, typer.Argument(metavar="KEY", help="Id, name or beginning of the secret.")],
) -> Result:
    """Revoke a key: it stops working at once."""
    items = [item for item in await client.all("/api/v1/api-keys") if item["revoked_at"] is None]
    found = [item for item in items if key in (item["id"], item["name"], item["prefix"])]
    if len(found) != 1:
        how_many = "There are several keys" if found else "There is no valid key"
        raise InvalidArgument(f"{how_many} called {key}.", hint="`refdesk key list` shows them.")
    await client.delete(f"/api/v1/api-keys/{found[0]['id']}")
    return Result({"revoked": found[0]["id"]}, [f"Revoked {found[0]['name']}."])


def _line(item: dict[str, Any]) -> str:
    bound = f"  only {item['resource']['kind']} {item['resource']['id']}" if item["resource"] else ""
    if item["revoked_at"]:
        end = "  revoked"
    else:
        end = f"  until {item['expires_at']}" if item["expires_at"] else ""
    return f"{item['prefix']}…  {item['name']}  [{', '.join(item['scopes'])}]{bound}{end}"
