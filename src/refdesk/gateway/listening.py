"""What is read once and kept in memory until it changes: rules, prices, policies of caches.

One connection a process listens to changes of all that the gateway keeps (models too: `routing.snapshot`);
whatever was lost while it was down is read anew when it is back, and while it is down every second. One that
died without a word is found by a question every few seconds. A call costs it a look in memory.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

import psycopg
import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.gateway.background import background
from refdesk.kit.database import Database, connect_apart

log = structlog.get_logger(__name__)

RETRY_S = 1.0
ASKED_EVERY_S = 5.0
ANSWER_WITHIN_S = 5.0
CONTROLS_CHANNEL = "refdesk_controls"

type Handler = Callable[[str], None]


class Listener:
    """One LISTEN connection, made at its first use. Handlers get the payload; "" means that anything may
    have happened since the connection was lost."""

    def __init__(self, database_url: str) -> None:
        self._url = database_url
        self._handlers: dict[str, list[Handler]] = {}
        self._task: asyncio.Task[None] | None = None
        self.is_listening = False

    def on(self, channel: str, handler: Handler) -> None:
        """Before the first `start`: a handler of a channel's payloads."""
        self._handlers.setdefault(channel, []).append(handler)

    def start(self) -> None:
        """Listen from now on; does nothing when it does already."""
        if self._task is None or self._task.done():
            self._task = background(self._run(), "gateway-listener")

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None

    async def _run(self) -> None:
        while True:
            try:
                await self._listen()
            except (psycopg.Error, OSError, TimeoutError) as error:
                log.warning("gateway.signals-lost", error=type(error).__name__)
            finally:
                self.is_listening = False
            await asyncio.sleep(RETRY_S)

    async def _listen(self) -> None:
        connection = await connect_apart(self._url, application_name="refdesk-gateway-signals")
        async with connection:
            for channel in self._handlers:
                await connection.execute(f"LISTEN {channel}".encode())
            self.is_listening = True
            for handlers in self._handlers.values():
                for handler in handlers:
                    handler("")
            while True:
                async for notification in connection.notifies(timeout=ASKED_EVERY_S):
                    for handler in self._handlers.get(notification.channel, ()):
                        handler(notification.payload)
                async with asyncio.timeout(ANSWER_WITHIN_S):
                    await connection.execute(b"SELECT 1")


class Kept[T]:
    """Something small that is read whole and read again after any of `tables` has changed."""

    def __init__(
        self,
        database: Database,
        listener: Listener,
        tables: frozenset[str],
        load: Callable[[AsyncSession], Awaitable[T]],
    ) -> None:
        self._database = database
        self._listener = listener
        self._tables = tables
        self._load = load
        self._changes = 0
        self._reading: asyncio.Task[None] | None = None
        self._value: T | None = None
        self._read_at = 0.0
        listener.on(CONTROLS_CHANNEL, self._changed)

    @property
    def value(self) -> T | None:
        """What is known, or None where it must be read: `get` does."""
        if self._listener.is_listening or time.monotonic() - self._read_at < RETRY_S:
            return self._value
        return None

    async def get(self) -> T:
        """The value, read now if it may be old. Where the database is away, what was known last; raises what
        it raises if nothing ever was."""
        if (known := self.value) is not None:
            return known
        self._listener.start()
        try:
            return await self.refresh()
        except (SQLAlchemyError, OSError):
            if self._value is None:
                raise
            return self._value

    async def refresh(self) -> T:
        """Read anew now, and again if it changed meanwhile."""
        while True:
            changes = self._changes
            async with self._database.transaction() as session:
                value = await self._load(session)
            self._value, self._read_at = value, time.monotonic()
            if changes == self._changes:
                return value

    async def close(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])

    def _changed(self, table: str) -> None:
        if table and table not in self._tables:
            return
        self._changes += 1  # a first reading under way may have been too early for it
        if self._value is not None and (self._reading is None or self._reading.done()):
            self._reading = background(self._read_until_fresh(), "gateway-refresh")

    async def _read_until_fresh(self) -> None:
        while True:
            try:
                await self.refresh()
                return
            except (SQLAlchemyError, OSError) as error:
                log.warning("gateway.refresh-failed", error=type(error).__name__)
                await asyncio.sleep(RETRY_S)
