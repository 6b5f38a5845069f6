"""What other processes tell about runs, over one shared LISTEN connection.

Two channels, each with a run id as payload: a run's log has grown, and somebody wants a run ended. The first
is listened to only while someone here follows a run of another process (a busy process would otherwise be
woken by its own writing). A lost connection is replaced; who waits polls as well, so a lost notification
costs seconds and no event.
"""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from uuid import UUID

import psycopg
import structlog

from refdesk.chat.leases import CANCEL_CHANNEL, RUN_CHANNEL
from refdesk.kit.database import libpq_url

log = structlog.get_logger(__name__)

RECONNECT_S = 1.0
CHANNELS_CHECKED_EVERY_S = 0.5


class RunSignals:
    """Dispatches notifications to followers and, for cancels, to `on_cancel`."""

    def __init__(self, url: str, on_cancel: Callable[[UUID], None]) -> None:
        self._url = libpq_url(url)
        self._on_cancel = on_cancel
        self._followers: dict[UUID, set[asyncio.Event]] = {}

    @contextmanager
    def following(self, run_id: UUID) -> Generator[asyncio.Event]:
        """An event that is set whenever the run's log has grown."""
        event = asyncio.Event()
        self._followers.setdefault(run_id, set()).add(event)
        try:
            yield event
        finally:
            group = self._followers[run_id]
            group.discard(event)
            if not group:
                del self._followers[run_id]

    async def run(self) -> None:
        """Listen until cancelled."""
        while True:
            try:
                await self._listen()
            except (psycopg.Error, OSError) as error:
                log.warning("runs.signals-lost", error=type(error).__name__)
                await asyncio.sleep(RECONNECT_S)

    async def _listen(self) -> None:
        connection = await psycopg.AsyncConnection.connect(
            self._url, autocommit=True, application_name="refdesk-run-signals"
        )
        async with connection:
            await connection.execute(f"LISTEN {CANCEL_CHANNEL}".encode())
            listens = False
            while True:
                if bool(self._followers) != listens:
                    listens = not listens
                    command = "LISTEN" if listens else "UNLISTEN"
                    await connection.execute(f"{command} {RUN_CHANNEL}".encode())
                    self._wake_all()  # what was logged before the channel was open
                async for notification in connection.notifies(timeout=CHANNELS_CHECKED_EVERY_S):
                    self._dispatch(notification)

    def _dispatch(self, notification: psycopg.Notify) -> None:
        try:
            run_id = UUID(notification.payload)
        except ValueError:
            return
        if notification.channel == CANCEL_CHANNEL:
            self._on_cancel(run_id)
        else:
            for event in self._followers.get(run_id, ()):
                event.set()

    def _wake_all(self) -> None:
        for group in self._followers.values():
            for event in group:
                event.set()
