"""Usage of models: figures, calls, export, prices, settings."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, find, group_of

MODELS = "/api/v1/models"
PRICES = "/api/v1/model-prices"
SETTINGS = "/api/v1/usage/settings"

DaysOption = Annotated[int, typer.Option(min=1, max=1_100, help="How many days back.")]
ModelOption = Annotated[str | None, typer.Option(help="Only this model, by name or id.")]
FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="CSV file.")]


class By(StrEnum):
    """What figures are made for each of."""

    DAY = "day"
    HOUR = "hour"
    MODEL = "model"
    APPLICATION = "application"
    USER = "user"
    KEY = "api_key"
    PATH = "path"


def register(app: typer.Typer) -> None:
    """Add the commands to an application."""
    group = group_of(app, "usage", "Usage of models: figures, calls, export, prices, settings.")
    add_command(group, "figures", figures)
    add_command(group, "calls", calls)
    add_command(group, "export", export)
    add_command(group, "settings", settings)
    prices = group_of(group, "prices", "Prices of models: list, import, export.")
    add_command(prices, "list", list_prices)
    add_command(prices, "import", import_prices)
    add_command(prices, "export", export_prices)


async def figures(
    client: Client,
    by: Annotated[By, typer.Option(help="For each of what.")] = By.MODEL,
    days: DaysOption = 30,
    model: ModelOption = None,
) -> Result:
    """Show calls, tokens, cost, latency, errors and availability."""
    query = await _query(client, days, model)
    found = await client.get("/api/v1/usage/figures", by=by, **query)
    names: dict[str, str] = {}
    if by is By.APPLICATION:
        names = {item["id"]: item["name"] for item in await client.all("/api/v1/applications")}
    lines = [_line(item, names) for item in found["items"] if item["calls"]]
    return Result(found, [*lines, _line(found["total"] | {"name": "Total"}, names)])


async def calls(
    client: Client,
    days: DaysOption = 1,
    model: ModelOption = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only calls that failed.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many, the newest first.")] = 50,
) -> Result:
    """List single calls."""
    query = await _query(client, days, model)
    if failed:
        query["failed"] = "true"
    found = await client.get("/api/v1/usage/calls", limit=limit, **query)
    lines = [
        f"{item['at']}  {item['path']}  {item['code']}  {item['input_tokens']}+{item['output_tokens']} tokens"
        f"  {item['latency_ms']} ms"
        for item in found["items"]
    ]
    return Result(found["items"], lines or ["No calls."])


async def export(
    client: Client, file: FileArgument, days: DaysOption = 30, model: ModelOption = None
) -> Result:
    """Write single calls to a CSV file."""
    query = await _query(client, days, model)
    await client.download_to(f"/api/v1/usage/export?{urlencode(query)}", file)
    return Result({"file": str(file), "bytes": file.stat().st_size}, [f"Wrote {file}."])


async def settings(
    client: Client,
    time_zone: Annotated[str | None, typer.Option(help="Where days and months begin.")] = None,
    keep_days: Annotated[
        int | None, typer.Option(min=0, help="Days single calls are kept; 0 keeps them.")
    ] = None,
) -> Result:
    """Show or change time zone and retention of usage."""
    found = await client.get(SETTINGS)
    wanted = dict(found)
    if time_zone is not None:
        wanted["time_zone"] = time_zone
    if keep_days is not None:
        wanted["keep_days"] = keep_days
    if wanted != found:
        found = await client.put(SETTINGS, wanted)
    kept = f"calls are kept {found['keep_days']} days" if found["keep_days"] else "calls are kept"
    return Result(found, [f"Days begin in {found['time_zone']}; {kept}."])


async def list_prices(client: Client) -> Result:
    """List the prices of models."""
    names = {item["id"]: item["name"] for item in await client.all(MODELS)}
    items = await client.all(PRICES)
    lines = [
        f"{names.get(item['model_id'], item['model_id'])}  from {item['valid_from']}"
        f"  {item['input_per_million']:g} in, {item['output_per_million']:g} out"
        f" {item['currency']} per million tokens"
        for item in items
    ]
    return Result(items, lines or ["No prices yet."])


async def import_prices(client: Client, file: FileArgument) -> Result:
    """Take prices from a CSV file, all or none."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"{file} cannot be read as text.", hint=str(error)) from error
    taken = await client.post(f"{PRICES}/import", {"csv": text})
    return Result(taken, [f"{taken['added']} added, {taken['changed']} changed."])


async def export_prices(client: Client, file: FileArgument) -> Result:
    """Write all prices to a CSV file."""
    file.write_bytes(await client.download(f"{PRICES}/export"))
    return Result({"file": str(file)}, [f"Wrote {file}."])


async def _query(client: Client, days: int, model: str | None) -> dict[str, Any]:
    until = datetime.now(UTC) + timedelta(minutes=1)
    query = {"since": (until - timedelta(days=days)).isoformat(), "until": until.isoformat()}
    if model is not None:
        query["model_id"] = (await find(client, MODELS, model, what="model"))["id"]
    return query


def _line(item: dict[str, Any], names: dict[str, str]) -> str:
    name = item["name"] or names.get(item["key"] or "") or item["key"] or "none"
    costs = " + ".join(f"{cost['amount']:.4g} {cost['currency']}" for cost in item["costs"]) or "no price"
    times = f"p50 {item['p50_ms']} ms, p95 {item['p95_ms']} ms" if item["p50_ms"] else "no answer"
    availability = "" if item["availability"] is None else f", available {item['availability']:.2%}"
    return (
        f"{name}  {item['calls']} calls  {item['input_tokens']}+{item['output_tokens']} tokens  {costs}"
        f"  {times}  errors {item['error_rate']:.2%}{availability}"
    )
