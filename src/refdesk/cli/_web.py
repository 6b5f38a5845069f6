"""The web server of `refdesk serve`. Imports the whole product (1 to 2 s), so it is imported late."""

import asyncio
import contextlib
import gc
import json
import os
import socket

import structlog
import uvicorn
from sqlalchemy.exc import SQLAlchemyError

from refdesk.accounts import issue_setup_token
from refdesk.cli._client import SERVER_FILE
from refdesk.cli._console import say
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings
from refdesk.server import create_app

log = structlog.get_logger(__name__)

# What open event streams get before they are cut; browsers resume them after the restart.
_GRACEFUL_S = 2
_TRY_AGAIN_S = 0.5


class WebServer(uvicorn.Server):
    """uvicorn without its own signal handling, which would end this process before its children."""

    def __init__(self, settings: Settings, database_url: str, listener: socket.socket) -> None:
        self._app = create_app(settings, database_url=database_url)
        super().__init__(
            uvicorn.Config(
                self._app,
                http="httptools",
                log_config=None,
                access_log=False,
                timeout_graceful_shutdown=_GRACEFUL_S,
                server_header=False,
            )
        )
        self._address = address_of(settings, listener)
        self._here = {"pid": os.getpid(), "address": local_address_of(listener)}
        self._here_file = settings.data_dir / SERVER_FILE

    def capture_signals(self) -> contextlib.AbstractContextManager[None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return contextlib.nullcontext()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        settle_memory()
        if self.started and not self.should_exit:
            # Commands on this machine talk to this process instead of loading the product themselves.
            self._here_file.write_text(json.dumps(self._here))
            token = await self._setup_token()
            if token is None:
                say(f"Refdesk is ready: {self._address}")
            else:
                say("Refdesk is ready. Open this address once to become its first administrator:")
                say(f"{self._address}/setup?token={token}")

    async def _setup_token(self) -> str | None:
        """A token for the first administrator while there is none; tried until the database answers, which
        may end and be started again in any moment."""
        database: Database = self._app.state.database
        while True:
            try:
                async with database.transaction() as session:
                    return await issue_setup_token(session)
            except (SQLAlchemyError, OSError) as error:
                log.warning("serve.database-away", error=type(error).__name__)
                if self.should_exit:
                    return None
                await asyncio.sleep(_TRY_AGAIN_S)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        with contextlib.suppress(OSError, ValueError):
            if json.loads(self._here_file.read_text()) == self._here:
                self._here_file.unlink()
        await super().shutdown(sockets=sockets)

    def leave(self) -> None:
        """End gracefully; asked a second time, without waiting for open connections."""
        self.force_exit = self.should_exit
        self.should_exit = True


def settle_memory() -> None:
    """Take what has been loaded so far out of garbage collection.

    It is about a million objects that stay to the end; each full collection went through all of them and
    held every open stream up for as much as a second. Later ones go through what open streams keep (a
    quarter of a second with 500), so they come seldom: once in 20,000 * 20 * 20 more objects than fewer.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def address_of(settings: Settings, listener: socket.socket) -> str:
    """The one address to open in a browser."""
    if settings.public_url:
        return settings.public_url.rstrip("/")
    return local_address_of(listener)


def local_address_of(listener: socket.socket) -> str:
    """Where this machine reaches the server."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
