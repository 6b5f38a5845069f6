"""Models: vendors to choose from, list, add, test, delete, try."""

from typing import Annotated, Any

import typer

from refdesk.cli._client import Client
from refdesk.cli._commands import Result, add_command, find, group_of
from refdesk.cli._models_try import try_model

MODELS = "/api/v1/models"
CHECK_FAILED = 1

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the model.")]


def register(app: typer.Typer) -> None:
    """Add the commands to an application."""
    group = group_of(app, "models", "Models: vendors, list, add, test, delete, try.")
    add_command(group, "vendors", vendors)
    add_command(group, "list", list_models)
    add_command(group, "add", add)
    add_command(group, "check", check)
    add_command(group, "delete", delete)
    add_command(group, "try", try_model)


async def vendors(
    client: Client,
    search: Annotated[
        str | None, typer.Argument(metavar="SEARCH", help="Part of an id or a name, or a kind such as TTS.")
    ] = None,
) -> Result:
    """List the vendors of the catalogue with what they offer."""
    items = await client.all("/api/v1/model-presets")
    if search is not None:
        wanted = search.lower()
        items = [item for item in items if _matches(item, wanted)]
    return Result(items, [_vendor_line(item) for item in items] or ["No such vendor."])


async def list_models(
    client: Client,
    kind: Annotated[str | None, typer.Option(help="Only of this kind: LLM, EMBEDDING, TTS …")] = None,
) -> Result:
    """List the workspace's models."""
    items = await client.all(MODELS, **({"kind": kind.upper()} if kind else {}))
    return Result(items, [_line(item) for item in items] or ["No models yet."])


async def add(
    client: Client,
    vendor: Annotated[str, typer.Argument(metavar="VENDOR", help="Id of a vendor; see `models vendors`.")],
    kind: Annotated[str, typer.Argument(metavar="KIND", help="LLM, EMBEDDING, RERANKER, STT, TTS …")],
    model: Annotated[str, typer.Argument(metavar="MODEL", help="What the vendor calls the model.")],
    name: Annotated[str | None, typer.Option(help="Its name here; else what the vendor calls it.")] = None,
    url: Annotated[str | None, typer.Option(help="Base URL; else the vendor's own.")] = None,
    key: Annotated[
        str | None,
        typer.Option(
            "--model-key", envvar="REFDESK_MODEL_KEY", help="The vendor's key; better in REFDESK_MODEL_KEY."
        ),
    ] = None,
    voice: Annotated[str | None, typer.Option(help="The voice it speaks with by default.")] = None,
    default: Annotated[bool, typer.Option("--default", help="Make it the default of its kind.")] = False,
) -> Result:
    """Connect a model of a vendor."""
    draft: dict[str, Any] = {
        "provider": vendor,
        "kind": kind.upper(),
        "model_name": model,
        "name": name or model,
        "is_default": default,
    }
    if url is not None:
        draft["base_url"] = url
    if key is not None:
        draft["api_key"] = key
    if voice is not None:
        draft["parameters"] = {"voice": voice}
    made = await client.post(MODELS, draft)
    return Result(made, [f"Connected {made['name']} ({made['kind']}, {made['id']})."])


async def check(client: Client, name: NameArgument) -> Result:
    """Test a model; ends with 1 where it does not work."""
    found = await find(client, MODELS, name, what="model")
    told = await client.post(f"{MODELS}/{found['id']}/check")
    if told["ok"]:
        sample = f": {told['sample']}" if told.get("sample") else ""
        return Result(told, [f"{found['name']} works, {told['latency_ms']:.0f} ms{sample}"])
    error = told["error"]
    words = error["details"].get("vendor_message")
    lines = [f"{found['name']} does not work: {error['message']} [{error['code']}]"]
    lines += [f"  The vendor says: {words}"] if words else []
    return Result(told, lines, exit_code=CHECK_FAILED)


async def delete(
    client: Client,
    name: NameArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> Result:
    """Remove a model."""
    found = await find(client, MODELS, name, what="model")
    if not yes:
        typer.confirm(f"Remove {found['name']}? Its key is forgotten.", abort=True, err=True)
    await client.delete(f"{MODELS}/{found['id']}")
    return Result({"id": found["id"], "deleted": True}, [f"Removed {found['name']}."])


def _matches(item: dict[str, Any], wanted: str) -> bool:
    return wanted.upper() in item["kinds"] or any(
        wanted in text.lower() for text in (item["id"], *item["names"].values())
    )


def _vendor_line(item: dict[str, Any]) -> str:
    address = item["base_url"] or "your own address"
    return f"{item['id']}  {item['names']['zh']}  {', '.join(item['kinds'])}  {address}"


def _line(item: dict[str, Any]) -> str:
    last = item["last_check"]
    health = "not tested" if last is None else "works" if last["ok"] else last["error"]["code"]
    default = "  default" if item["is_default"] else ""
    return f"{item['kind']}  {item['name']}  {item['provider']}  {health}{default}  {item['id']}"
