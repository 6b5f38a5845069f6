"""The open connections of this process: shared by all runs, opened once, not tried again at once after a
failure, closed when nobody uses them."""

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

import structlog

from refdesk.kit.errors import AppError
from refdesk.tools.servers.listing import Listing
from refdesk.tools.servers.target import Target

if TYPE_CHECKING:
    # The SDK takes a second to import; who has no tool servers never needs it.
    from refdesk.tools.servers.connection import Connection

log = structlog.get_logger(__name__)

IDLE_S = 600.0
LISTING_S = 60.0
_FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 60.0
# What calls under way get when their server's settings change.
_CALLS_LEFT_S = 60.0

type Key = tuple[UUID, UUID | None]


@dataclass(slots=True)
class _Failure:
    version: str
    error: AppError
    attempts: int
    retry_at: float


@dataclass(slots=True)
class _Listed:
    listing: Listing
    at: float


class Connections:
    """Connections by server and, where credentials are personal, person."""

    def __init__(self) -> None:
        self._open: dict[Key, Connection] = {}
        self._listed: dict[Key, _Listed] = {}
        self._failed: dict[Key, _Failure] = {}
        self._locks: dict[Key, asyncio.Lock] = {}
        self._leaving: dict[asyncio.Task[None], Connection] = {}

    async def get(self, target: Target) -> "Connection":
        """An open connection. Raises why there is none: at once where it failed a moment ago."""
        found = self._present(target)
        if found is not None:
            return found
        async with self._locks.setdefault(target.key, asyncio.Lock()):
            return self._present(target) or await self._connect(target)

    async def listing(self, target: Target) -> tuple[Listing, bool]:
        """What the server offers, at most a minute old, and whether it was asked just now."""
        connection = await self.get(target)
        known = self._listed.get(target.key)
        if known is not None and not connection.list_is_stale and time.monotonic() - known.at < LISTING_S:
            return known.listing, False
        async with self._locks.setdefault(target.key, asyncio.Lock()):
            known = self._listed.get(target.key)
            if known is not None and not connection.list_is_stale and time.monotonic() - known.at < LISTING_S:
                return known.listing, False
            listing = await connection.listed(target.connect_timeout_s)
            self._listed[target.key] = _Listed(listing, time.monotonic())
        return listing, True

    def forget(self, server_id: UUID) -> None:
        """The server has changed or is gone: close what is open and try again at the next use."""
        for key in {*self._open, *self._failed, *self._listed}:
            if key[0] == server_id:
                self._close(key)
                self._failed.pop(key, None)

    def forget_all(self) -> None:
        """As `forget`, for all servers: it is not known what has changed."""
        for server_id in {key[0] for key in (*self._open, *self._failed)}:
            self.forget(server_id)

    def close_idle(self) -> None:
        """Close what nobody has used for a while."""
        limit = time.monotonic() - IDLE_S
        for key in [key for key, each in self._open.items() if each.used_at < limit or not each.is_open]:
            self._close(key)
        for key in [key for key, each in self._failed.items() if each.retry_at < limit]:
            del self._failed[key]

    async def close(self) -> None:
        """Close everything, calls under way too."""
        connections = [*self._open.values(), *self._leaving.values()]
        self._open.clear()
        for task in self._leaving:
            task.cancel()
        await asyncio.gather(*(connection.close() for connection in connections))

    def _present(self, target: Target) -> "Connection | None":
        found = self._open.get(target.key)
        if found is None or not found.is_open or found.target.version != target.version:
            return None
        found.used_at = time.monotonic()
        return found

    async def _connect(self, target: Target) -> "Connection":
        from refdesk.tools.servers.connection import Connection

        self._close(target.key)
        failure = self._failed.get(target.key)
        if failure is not None and failure.version != target.version:
            failure = None
        if failure is not None and time.monotonic() < failure.retry_at:
            raise failure.error
        connection = Connection(target)
        try:
            await connection.open()
        except AppError as error:
            attempts = failure.attempts + 1 if failure is not None else 1
            wait_s = min(_FIRST_WAIT_S * 2 ** (attempts - 1), _LONGEST_WAIT_S)
            self._failed[target.key] = _Failure(target.version, error, attempts, time.monotonic() + wait_s)
            log.warning("tools.server-failed", server=str(target.key[0]), code=error.code, wait_s=wait_s)
            raise
        self._failed.pop(target.key, None)
        self._open[target.key] = connection
        return connection

    def _close(self, key: Key) -> None:
        self._listed.pop(key, None)
        connection = self._open.pop(key, None)
        if connection is None:
            return
        task = asyncio.create_task(connection.close(_CALLS_LEFT_S), name="tool-server-close")
        self._leaving[task] = connection
        task.add_done_callback(self._left)

    def _left(self, task: asyncio.Task[None]) -> None:
        self._leaving.pop(task, None)
