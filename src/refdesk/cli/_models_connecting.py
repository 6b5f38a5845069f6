"""`refdesk models`, from a vendor of the catalogue to a model of the workspace, and out of it again."""

from typing import Annotated, Any

import typer

from refdesk.cli._client import Client
from refdesk.cli._commands import Result, add_command, find
from refdesk.cli._models_try import try_model

MODELS = "/api/v1/models"

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the model.")]


def register(group: typer.Typer) -> None:
    """Add the commands to the group `models`."""
    add_command(group, "vendors", vendors)
    add_command(group, "add", add)
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
