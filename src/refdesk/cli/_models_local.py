"""`refdesk models local`: from a GGUF file, or from a server on this machine, to a model that answers."""

import asyncio
import signal
from pathlib import Path
from typing import Annotated, Any

import typer

from refdesk.cli._client import (
    ApiKeyOption,
    Client,
    InvalidArgument,
    ServerOption,
    WorkspaceOption,
    fail,
    open_session,
    run,
)
from refdesk.cli._console import say

_SERVERS = ("ollama", "vllm", "xinference", "lm-studio", "llama-cpp")
_DESCRIPTORS = "/api/v1/model-descriptors"


def register(group: typer.Typer) -> None:
    """Add the command to the group `models`."""
    group.command("local")(local)


def local(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|SERVER:NAME", help=f"A GGUF file, or NAME on a server: {', '.join(_SERVERS)}."
        ),
    ],
    model_id: Annotated[str | None, typer.Option(help="Its model_id; the file's or model's name.")] = None,
    url: Annotated[str | None, typer.Option(help="Base URL of the server, if not the usual one.")] = None,
    port: Annotated[int, typer.Option(help="Port a file is served on; 0 for any.")] = 8081,
    context: Annotated[int, typer.Option(help="Context of a file in tokens; 0 for the model's own.")] = 8192,
    threads: Annotated[int, typer.Option(help="Threads for a file; 0 for one a core.")] = 0,
    server: ServerOption = None,
    api_key: ApiKeyOption = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Connect a model of this machine. A GGUF file is loaded and served until Ctrl-C."""
    vendor, colon, name = source.partition(":")
    where = (server, api_key, workspace)
    if colon and vendor in _SERVERS:
        run(lambda: _connect(where, vendor, name, model_id or name, url, None), as_json=False)
        return
    path = Path(source)
    if not path.exists():
        known = ", ".join(f"{one}:NAME" for one in _SERVERS)
        fail(InvalidArgument(f"{source} is no file and none of {known}."), as_json=False)
    run(lambda: _serve(where, path, model_id or path.stem, port, context, threads), as_json=False)


async def _serve(
    where: tuple[str | None, ...], path: Path, model_id: str, port: int, context: int, threads: int
) -> None:
    # llama.cpp is 100 MB and none of it is needed to connect a server.
    from refdesk.gateway.local import start_local_model

    say(f"Loading {path.name} …")
    running = await asyncio.to_thread(
        start_local_model, path, name=model_id, port=port, context_tokens=context, threads=threads
    )
    await _connect(where, "llama-cpp", model_id, model_id, running.base_url, running.api_key)
    say("Ctrl-C stops it.")
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()
    say(f"Stopping {running.name}.")


async def _connect(
    where: tuple[str | None, ...],
    vendor: str,
    name: str,
    model_id: str,
    url: str | None,
    key: str | None,
) -> None:
    """Describe it by what its server tells, take it in, and try it."""
    server, api_key, workspace = where
    async with open_session(server, api_key, workspace) as client:
        draft: dict[str, Any] = {"provider": vendor, "base_url": url, "model_name": name, "name": model_id}
        if key is not None:
            draft["api_key"] = key
        text = (await client.post(f"{_DESCRIPTORS}/draft", draft))["yaml"]
        await client.post(_DESCRIPTORS, {"yaml": text, "replace": True})
        model = await _named(client, model_id)
        if key is not None:
            await client.patch(f"/api/v1/models/{model['id']}", {"api_key": key})
        told = await client.post(f"/api/v1/models/{model['id']}/check")
        if not told["ok"]:
            error = told["error"]
            say(f"{model_id} is connected, but does not answer: {error['message']} ({error['code']})")
            raise typer.Exit(1)
        say(f"{model_id} is ready: it answered in {told['latency_ms']:.0f} ms at {model['base_url']}.")
        if client.in_process:
            say("No server of this data folder runs; start one with: refdesk serve")


async def _named(client: Client, model_id: str) -> Any:
    [model] = [one for one in await client.all("/api/v1/models") if one["name"] == model_id]
    return model
