"""Start everything: the database, the worker and the web server."""

import asyncio
import contextlib
import gc
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from refdesk.cli._serving import (
    Worker,
    database_for,
    listen_on,
    look_after_children,
    many_doors,
    only_server_of,
)
from refdesk.cli._settings import load_settings
from refdesk.cli._signals import Leaving
from refdesk.kit.embedded_postgres import EmbeddedPostgres
from refdesk.kit.errors import AppError
from refdesk.kit.logs import configure_logs
from refdesk.kit.settings import Settings

if TYPE_CHECKING:
    from refdesk.cli._web import WebServer


class ServerDidNotStart(AppError):
    """The web application failed while it started; the log has the reason."""

    code = "server-did-not-start"
    message = "The web server did not start."
    hint = "The reason is in the lines above."


def register(app: typer.Typer) -> None:
    """Add the command to an application."""
    app.command("serve")(serve)


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.", show_default="8080")] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of everything Refdesk keeps.")] = None,
) -> None:
    """Start everything: the database, the worker and the web server. Ctrl-C stops all of it."""
    settings = load_settings(data_dir=data_dir, host=host, port=port)
    configure_logs(settings)
    leaving = Leaving()
    with contextlib.suppress(KeyboardInterrupt), only_server_of(settings):
        listener = listen_on(settings.host, settings.port)
        with listener, database_for(settings) as (url, database):
            leaving.obey()
            _serve(settings, listener, url, database, leaving)
    # All is stopped and closed. Taking 1,300 modules apart costs another 0.4 s that nobody should wait for.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _serve(
    settings: Settings,
    listener: socket.socket,
    url: str,
    database: EmbeddedPostgres | None,
    leaving: Leaving,
) -> None:
    # Nothing that loading makes is garbage; looking for it took a tenth of the start. See `settle_memory`.
    gc.disable()
    from refdesk import migrations

    asyncio.run(migrations.upgrade(url))
    leaving.obey()
    worker = Worker(sole=database is not None)
    try:
        import uvloop

        from refdesk.cli._web import WebServer

        leaving.obey()
        uvloop.run(_run(WebServer(settings, url, listener), listener, database, worker, leaving))
    finally:
        worker.stop()


async def _run(
    server: "WebServer",
    listener: socket.socket,
    database: EmbeddedPostgres | None,
    worker: Worker,
    leaving: Leaving,
) -> None:
    def leave() -> None:
        server.leave()
        worker.ask_to_stop()

    leaving.hand_over(leave)
    children = asyncio.create_task(
        look_after_children(
            worker,
            database,
            ready=lambda: server.started,
            leaving=lambda: server.should_exit,
            leave=leave,
        )
    )
    try:
        await server.serve(sockets=many_doors(listener))
    except SystemExit as error:
        raise ServerDidNotStart() from error
    finally:
        children.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await children
