"""Connections of the HTTP client, straight on asyncio's streams.

The client library's own backend wraps every read in a cancel scope, which costs more than reading a chunk of
an answer does. Here a read that finds data waiting is a function call, and one that waits has a timer.
"""

import asyncio
import socket
import ssl
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

import httpcore

_FAILURES = (OSError, EOFError, ssl.SSLError)


@contextmanager
def _mapped(late: type[Exception], broken: type[Exception]) -> Generator[None]:
    try:
        yield
    except TimeoutError as error:
        raise late(str(error)) from error
    except _FAILURES as error:
        raise broken(str(error)) from error


class AsyncioStream(httpcore.AsyncNetworkStream):
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._loop = asyncio.get_running_loop()
        self._deadline = 0.0
        self._is_reading = False
        self._timer: asyncio.TimerHandle | None = None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if timeout is not None:
            # One timer for many reads, armed anew only when it goes off: a timer for each costs more than
            # the read.
            self._deadline = self._loop.time() + timeout
            if self._timer is None or self._timer.when() > self._deadline:
                self._arm()
        self._is_reading = timeout is not None
        try:
            return await self._reader.read(max_bytes)
        except TimeoutError as error:
            raise httpcore.ReadTimeout(str(error)) from error
        except _FAILURES as error:
            raise httpcore.ReadError(str(error)) from error
        finally:
            self._is_reading = False

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(self._deadline, self._look)

    def _look(self) -> None:
        self._timer = None
        if not self._is_reading:
            return
        if self._loop.time() < self._deadline:
            self._arm()
        else:  # the connection is of no use afterwards, and whoever reads gives it up
            self._reader.set_exception(TimeoutError("nothing was received in time"))

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if not buffer:
            return
        with _mapped(httpcore.WriteTimeout, httpcore.WriteError):
            async with asyncio.timeout(timeout):
                self._writer.write(buffer)
                await self._writer.drain()

    async def aclose(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._writer.close()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        try:
            with _mapped(httpcore.ConnectTimeout, httpcore.ConnectError):
                async with asyncio.timeout(timeout):
                    await self._writer.start_tls(ssl_context, server_hostname=server_hostname)
        except BaseException:
            await self.aclose()
            raise
        return self

    def get_extra_info(self, info: str) -> Any:
        names = {"client_addr": "sockname", "server_addr": "peername", "ssl_object": "ssl_object"}
        if info == "is_readable":  # asked of an idle connection: whether the other side has ended it
            return self._reader.at_eof() or self._writer.is_closing()
        return self._writer.get_extra_info(names.get(info, info))


async def connect(
    address: str,
    port: int,
    timeout: float | None,
    local_address: str | None,
    socket_options: Iterable[Any] | None,
) -> AsyncioStream:
    """A connection to an address. Raises httpcore's `ConnectTimeout` and `ConnectError`."""
    with _mapped(httpcore.ConnectTimeout, httpcore.ConnectError):
        async with asyncio.timeout(timeout):
            local = (local_address, 0) if local_address is not None else None
            reader, writer = await asyncio.open_connection(address, port, local_addr=local)
    raw: socket.socket | None = writer.get_extra_info("socket")
    for option in socket_options or ():
        if raw is not None:
            raw.setsockopt(*option)
    return AsyncioStream(reader, writer)
