"""What other processes tell about runs, over one shared LISTEN connection.

Three channels, each with an id as payload: a run's log has grown, a conversation has changed, and somebody
wants a run ended. The first two are listened to only while someone here follows a run of another process, or
a conversation (a busy process would otherwise be woken by its own writing). A lost connection is replaced;
who waits polls as well, so a lost notification costs seconds and no event.
"""

import asyncio
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from uuid import UUID

import psycopg
import structlog

from refdesk.chat.leases import CANCEL_CHANNEL, CONVERSATION_CHANNEL, RUN_CHANNEL
from refdesk.kit.database import connect_apart

log = structlog.get_logger(__name__)

type _Followers = dict[UUID, set[asyncio.Event]]

RECONNECT_S = 1.0
CHANNELS_CHECKED_EVERY_S = 0.5


class RunSignals:
    """Dispatches notifications to followers and, for cancels, to `on_cancel`."""

    def __init__(self, url: str, on_cancel: Callable[[UUID], None]) -> None:
        self._url = url
        self._on_cancel = on_cancel
        self._followers: dict[str, _Followers] = {RUN_CHANNEL: {}, CONVERSATION_CHANNEL: {}}

    def following(self, run_id: UUID) -> AbstractContextManager[asyncio.Event]:
        """An event that is set whenever the run's log has grown."""
        return self._following(self._followers[RUN_CHANNEL], run_id)

    def following_conversation(self, conversation_id: UUID) -> AbstractContextManager[asyncio.Event]:
        """An event that is set whenever a run of the conversation begins or ends, and when it is renamed or
        removed."""
        return self._following(self._followers[CONVERSATION_CHANNEL], conversation_id)

    @contextmanager
    def _following(self, followers: _Followers, followed: UUID) -> Generator[asyncio.Event]:
        event = asyncio.Event()
        followers.setdefault(followed, set()).add(event)
        try:
            yield event
        finally:
            group = followers[followed]
            group.discard(event)
            if not group:
                del followers[followed]

    async def run(self) -> None:
        """Listen until cancelled."""
        while True:
            try:
                await self._listen()
            except (psycopg.Error, OSError) as error:
                log.warning("runs.signals-lost", error=type(error).__name__)
                await asyncio.sleep(RECONNECT_S)

    async def _listen(self) -> None:
        connection = await connect_apart(self._url, application_name="refdesk-run-signals")
        async with connection:
            await connection.execute(f"LISTEN {CANCEL_CHANNEL}".encode())
            open_channels: set[str] = set()
            while True:
                for channel, followers in self._followers.items():
                    if bool(followers) != (channel in open_channels):
                        command = "LISTEN" if followers else "UNLISTEN"
                        await connection.execute(f"{command} {channel}".encode())
                        open_channels ^= {channel}
                        _wake_all(followers)  # what was written before the channel was open
                async for notification in connection.notifies(timeout=CHANNELS_CHECKED_EVERY_S):
                    self._dispatch(notification)

    def _dispatch(self, notification: psycopg.Notify) -> None:
        try:
            told = UUID(notification.payload)
        except ValueError:
            return
        if notification.channel == CANCEL_CHANNEL:
            self._on_cancel(told)
        else:
            for event in self._followers[notification.channel].get(told, ()):
                event.set()


def _wake_all(followers: _Followers) -> None:
    for group in followers.values():
        for event in group:
            event.set()
