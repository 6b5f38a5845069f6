"""What is told of models on the channel `refdesk_models`, over one LISTEN connection a process.

Payloads are `TABLE:ID`, from triggers. A lost connection is replaced, and everything is read again then;
until that is done `connected` is False. A connection that died without a word is found by a question every
few seconds.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from uuid import UUID

import psycopg
import structlog
from sqlalchemy.exc import SQLAlchemyError

from refdesk.kit.database import libpq_url

log = structlog.get_logger(__name__)

CHANNEL = "refdesk_models"
RECONNECT_S = 0.5
ASKED_EVERY_S = 5.0
ANSWER_WITHIN_S = 5.0
GATHERED_S = 0.005


class ModelSignals:
    """Calls `resync` whenever it begins to listen, and `reload` with the ids told of, by their table."""

    def __init__(
        self,
        url: str,
        resync: Callable[[], Awaitable[None]],
        reload: Callable[[Mapping[str, set[UUID]]], Awaitable[None]],
    ) -> None:
        self._url = libpq_url(url)
        self._resync = resync
        self._reload = reload
        self.connected = False

    async def run(self) -> None:
        """Listen until cancelled."""
        while True:
            try:
                await self._listen()
            except (psycopg.Error, SQLAlchemyError, OSError, TimeoutError) as error:
                log.warning("routing.signals-lost", error=type(error).__name__)
            finally:
                self.connected = False
            await asyncio.sleep(RECONNECT_S)

    async def _listen(self) -> None:
        connection = await psycopg.AsyncConnection.connect(
            self._url, autocommit=True, application_name="refdesk-model-signals"
        )
        async with connection:
            await connection.execute(f"LISTEN {CHANNEL}".encode())
            await self._resync()
            self.connected = True
            while True:
                changed: dict[str, set[UUID]] = {}
                async for notification in connection.notifies(timeout=ASKED_EVERY_S, stop_after=1):
                    _note(changed, notification.payload)
                if changed:
                    # What one transaction changed arrives together.
                    async for notification in connection.notifies(timeout=GATHERED_S):
                        _note(changed, notification.payload)
                    await self._reload(changed)
                else:
                    async with asyncio.timeout(ANSWER_WITHIN_S):
                        await connection.execute(b"SELECT 1")


def _note(changed: dict[str, set[UUID]], payload: str) -> None:
    table, _, key = payload.partition(":")
    try:
        changed.setdefault(table, set()).add(UUID(key))
    except ValueError:
        log.warning("routing.signal-not-understood", payload=payload[:100])
