"""Run the model gateway alone: models over HTTP, no knowledge."""

import asyncio
import contextlib
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from refdesk.cli._serving import listen_on, many_doors
from refdesk.cli._settings import load_settings
from refdesk.cli._signals import Leaving
from refdesk.kit.embedded_postgres import running_database
from refdesk.kit.logs import configure_logs
from refdesk.kit.settings import Settings

if TYPE_CHECKING:
    from refdesk.cli._gateway_server import GatewayServer

DEFAULT_PORT = 8090


def register(app: typer.Typer) -> None:
    """Add the command to an application."""
    app.command("gateway")(gateway)


def gateway(
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[int, typer.Option(help="Port to listen on.")] = DEFAULT_PORT,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of everything Refdesk keeps.")] = None,
) -> None:
    """Run the model gateway alone until stopped: /mcp/invoke, /mcp/models, /v1 and /health.

    It shares database, people and keys with `refdesk serve`, which may run beside it.
    """
    settings = load_settings(data_dir=data_dir, host=host, port=port)
    configure_logs(settings)
    leaving = Leaving()
    with contextlib.suppress(KeyboardInterrupt):
        listener = listen_on(settings.host, settings.port)
        with listener, running_database(settings) as url:
            leaving.obey()
            _serve(settings, listener, url, leaving)
    sys.stdout.flush()


def _serve(settings: Settings, listener: socket.socket, url: str, leaving: Leaving) -> None:
    from refdesk import migrations

    asyncio.run(migrations.upgrade(url))
    import uvloop

    from refdesk.cli._gateway_server import GatewayServer

    leaving.obey()
    uvloop.run(_run(GatewayServer(settings, url, listener), listener, leaving))


async def _run(server: "GatewayServer", listener: socket.socket, leaving: Leaving) -> None:
    leaving.hand_over(server.leave)
    await server.serve(sockets=many_doors(listener))
