"""Start everything: the database, the worker and the web server."""

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from refdesk.cli._console import say
from refdesk.cli._serving import Worker, database_for, listen_on, look_after_children, only_server_of
from refdesk.cli._settings import load_settings
from refdesk.kit.embedded_postgres import EmbeddedPostgres
from refdesk.kit.errors import AppError
from refdesk.kit.settings import Settings

# What open event streams get before they are cut; browsers resume them after the restart.
_GRACEFUL_S = 2


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
    _obey_signals()
    with contextlib.suppress(KeyboardInterrupt), only_server_of(settings):
        listener = listen_on(settings.host, settings.port)
        with listener, database_for(settings) as (url, database):
            _serve(settings, listener, url, database)


def _obey_signals() -> None:
    """Until the server handles signals itself, SIGTERM and a closed terminal end us as Ctrl-C does."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)


def _serve(settings: Settings, listener: socket.socket, url: str, database: EmbeddedPostgres | None) -> None:
    from refdesk import migrations

    asyncio.run(migrations.upgrade(url))
    worker = Worker(sole=database is not None)
    worker.start()  # it imports for a second; this process does so at the same time
    try:
        import uvloop

        uvloop.run(_run(settings, listener, url, database, worker))
    finally:
        worker.stop()


async def _run(
    settings: Settings, listener: socket.socket, url: str, database: EmbeddedPostgres | None, worker: Worker
) -> None:
    import uvicorn

    from refdesk.server import create_app

    class Server(uvicorn.Server):
        """uvicorn without its own signal handling, which would end this process before its children."""

        def capture_signals(self) -> contextlib.AbstractContextManager[None]:  # pyright: ignore[reportIncompatibleMethodOverride]
            return contextlib.nullcontext()

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            if self.started:
                say(f"Refdesk is ready: {_address(settings, listener)}")

    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    config = uvicorn.Config(
        create_app(settings, database_url=url),
        http="httptools",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_GRACEFUL_S,
        server_header=False,
    )
    server = Server(config)

    def leave() -> None:
        server.force_exit = server.should_exit  # the second time without waiting for connections
        server.should_exit = True
        worker.ask_to_stop()

    _on_signals(leave)
    children = asyncio.create_task(
        look_after_children(worker, database, leaving=lambda: server.should_exit, leave=leave)
    )
    try:
        await server.serve(sockets=[listener])
    except SystemExit as error:
        raise ServerDidNotStart() from error
    finally:
        children.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await children


def _on_signals(leave: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, leave)


def _address(settings: Settings, listener: socket.socket) -> str:
    """The one address to open in a browser."""
    if settings.public_url:
        return settings.public_url
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
