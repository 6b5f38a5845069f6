"""Limits on calls of models: list, set, show, delete, queues, at-once."""

import re
from enum import StrEnum
from typing import Annotated, Any

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, find, group_of

LIMITS = "/api/v1/model-limits"
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_DIMENSIONS = ("user", "api_key", "application", "path", "model")

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the limit.")]


class Measure(StrEnum):
    """What is counted."""

    REQUESTS = "requests"
    TOKENS = "tokens"
    MONEY = "money"


def register(app: typer.Typer) -> None:
    """Add the commands to an application."""
    group = group_of(app, "limits", "Limits on calls of models: list, set, show, delete, queues, at-once.")
    add_command(group, "list", list_limits)
    add_command(group, "set", set_limit)
    add_command(group, "show", show)
    add_command(group, "delete", delete)
    add_command(group, "queues", queues)
    add_command(group, "at-once", at_once)


async def list_limits(client: Client) -> Result:
    """List the limits of the workspace."""
    items = await client.all(LIMITS)
    return Result(items, [_line(item) for item in items] or ["No limits yet."])


async def set_limit(
    client: Client,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name; an existing limit is set anew.")],
    amount: Annotated[float, typer.Option(help="How much of it.")],
    window: Annotated[str, typer.Option(help="Seconds, or 30s, 5m, 1h, 7d, or `day`, `month`.")],
    measure: Annotated[Measure, typer.Option(help="What is counted.")] = Measure.REQUESTS,
    currency: Annotated[str | None, typer.Option(help="Of money, such as USD.")] = None,
    per: Annotated[
        list[str] | None,
        typer.Option(help="Count each apart: user, api_key, application, path or model; repeatable."),
    ] = None,
    user: Annotated[str | None, typer.Option(help="Only this member, by e-mail or id.")] = None,
    key: Annotated[str | None, typer.Option(help="Only this API key, by name or id.")] = None,
    app: Annotated[str | None, typer.Option(help="Only this application, by name or id.")] = None,
    model: Annotated[str | None, typer.Option(help="Only this model, by name or id.")] = None,
    path: Annotated[str | None, typer.Option(help="Only this kind of work, such as answer or index.")] = None,
    soft: Annotated[bool, typer.Option("--soft", help="Warn instead of refusing.")] = False,
    off: Annotated[bool, typer.Option("--off", help="Keep the limit, but do not apply it.")] = False,
) -> Result:
    """Set a limit; it applies in all processes within a second."""
    unknown = set(per or ()) - set(_DIMENSIONS)
    if unknown:
        raise InvalidArgument(f"--per wants one of {', '.join(_DIMENSIONS)}.")
    body: dict[str, Any] = {
        "name": name,
        "measure": measure,
        "amount": amount,
        "currency": currency,
        "per": per or [],
        "path": path,
        "is_hard": not soft,
        "is_active": not off,
        **_window(window),
    }
    if user is not None:
        body["user_id"] = (await find(client, "/api/v1/members", user, what="member", by="email"))["user_id"]
    if key is not None:
        body["api_key_id"] = (await find(client, "/api/v1/api-keys", key, what="API key"))["id"]
    if app is not None:
        body["application_id"] = (await find(client, "/api/v1/applications", app, what="application"))["id"]
    if model is not None:
        body["model_id"] = (await find(client, "/api/v1/models", model, what="model"))["id"]
    known = [item for item in await client.all(LIMITS) if name in (item["name"], item["id"])]
    if known:
        if len(known) > 1:
            raise InvalidArgument(f"There are several limits called {name}.", hint="Give the id.")
        body["name"] = known[0]["name"]
        made = await client.put(f"{LIMITS}/{known[0]['id']}", body)
    else:
        made = await client.post(LIMITS, body)
    return Result(made, [f"Set {_line(made)}"])


async def show(client: Client, name: NameArgument) -> Result:
    """Show how much of a limit is used now, and by whom."""
    found = await find(client, LIMITS, name, what="limit")
    standing = await client.get(f"{LIMITS}/{found['id']}/standing")
    lines = [_line(standing["limit"])]
    for one in standing["standings"]:
        named = (f"{part.removesuffix('_id')} {one[part]}" for part in _SUBJECT if one.get(part))
        lines.append(f"  {one['used']:g} used  {' '.join(named)}".rstrip())
    return Result(standing, lines if len(lines) > 1 else [*lines, "  Nothing used in this window."])


_SUBJECT = ("user_id", "api_key_id", "application_id", "path", "model_id")


async def delete(
    client: Client,
    name: NameArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> Result:
    """Remove a limit."""
    found = await find(client, LIMITS, name, what="limit")
    if not yes:
        typer.confirm(f"Remove the limit {found['name']}?", abort=True, err=True)
    await client.delete(f"{LIMITS}/{found['id']}")
    return Result({"id": found["id"], "deleted": True}, [f"Removed {found['name']}."])


async def queues(client: Client) -> Result:
    """List models that take so many calls at once, with the calls that are answered and that wait."""
    names = {item["id"]: item["name"] for item in await client.all("/api/v1/models")}
    items = (await client.get("/api/v1/model-queues"))["items"]
    lines = [
        f"{names.get(item['model_id'], item['model_id'])}  {item['held']} of {item['concurrency']} answered"
        f"  {item['waiting']} waiting"
        for item in items
    ]
    return Result(items, lines or ["No model is limited in how many calls it takes at once."])


async def at_once(
    client: Client,
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Name or id of the model.")],
    calls: Annotated[int, typer.Argument(min=0, metavar="CALLS", help="How many; 0 for any number.")],
) -> Result:
    """Set how many calls a model takes at once; more wait in its queue."""
    found = await find(client, "/api/v1/models", model, what="model")
    changed = await client.patch(f"/api/v1/models/{found['id']}", {"concurrency": calls or None})
    taken = f"{calls} calls" if calls else "any number of calls"
    return Result(changed, [f"{changed['name']} takes {taken} at once."])


def _window(given: str) -> dict[str, Any]:
    if given in ("day", "month"):
        return {"window_kind": given, "window_s": None}
    found = re.fullmatch(r"(\d+)([smhd]?)", given)
    if found is None:
        raise InvalidArgument("--window wants seconds, or 30s, 5m, 1h, 7d, or day, or month.")
    return {"window_kind": "seconds", "window_s": int(found[1]) * _SECONDS[found[2] or "s"]}


def _line(limit: dict[str, Any]) -> str:
    unit = limit["currency"] or limit["measure"]
    window = f"{limit['window_s']} s" if limit["window_kind"] == "seconds" else limit["window_kind"]
    notes = [f"for each {' and '.join(limit['per'])}"] if limit["per"] else []
    notes += [] if limit["is_hard"] else ["warns only"]
    notes += [] if limit["is_active"] else ["off"]
    return f"{limit['name']}  {limit['amount']:g} {unit} per {window}  {', '.join(notes)}".rstrip()
