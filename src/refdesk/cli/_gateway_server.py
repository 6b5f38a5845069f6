"""The web server of `refdesk gateway`. Imports the whole product (1 to 2 s), so it is imported late."""

import contextlib
import socket

import uvicorn

from refdesk.cli._console import say
from refdesk.cli._web import local_address_of, settle_memory
from refdesk.kit.settings import Settings
from refdesk.server import create_gateway_app

_GRACEFUL_S = 5


class GatewayServer(uvicorn.Server):
    """uvicorn without its own signal handling, which belongs to the command."""

    def __init__(self, settings: Settings, database_url: str, listener: socket.socket) -> None:
        super().__init__(
            uvicorn.Config(
                create_gateway_app(settings, database_url=database_url),
                http="httptools",
                log_config=None,
                access_log=False,
                timeout_graceful_shutdown=_GRACEFUL_S,
                server_header=False,
            )
        )
        self._address = local_address_of(listener)

    def capture_signals(self) -> contextlib.AbstractContextManager[None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return contextlib.nullcontext()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        settle_memory()
        if self.started and not self.should_exit:
            say(f"The gateway is ready: {self._address}")

    def leave(self) -> None:
        """End gracefully; asked a second time, without waiting for open connections."""
        self.force_exit = self.should_exit
        self.should_exit = True
