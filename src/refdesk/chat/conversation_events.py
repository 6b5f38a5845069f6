"""A conversation as it changes, for every page that shows it: which runs it has, its title, its end.

Tells no words of any answer: those come by the events of the runs.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.chat.errors import ConversationNotFound
from refdesk.chat.events import encode
from refdesk.chat.repository import ConversationRepository
from refdesk.chat.signals import RunSignals
from refdesk.kit import sse
from refdesk.kit.database import Database

type Admitted = Callable[[], Awaitable[bool]]


class ConversationEvents:
    """Streams of `conversation` events, `{title, runs: [{id, state, retry_of}]}`: one at once, and one at
    each change; `conversation.deleted` ends a stream."""

    def __init__(self, database: Database, signals: RunSignals) -> None:
        self._database = database
        self._signals = signals

    async def frames(self, scope: Scope, conversation_id: UUID, admitted: Admitted) -> AsyncIterator[bytes]:
        """Server-sent events with heartbeats. Raises `ConversationNotFound` before the stream begins."""
        await self._state(scope, conversation_id)
        return self._frames(scope, conversation_id, admitted)

    async def _frames(self, scope: Scope, conversation_id: UUID, admitted: Admitted) -> AsyncIterator[bytes]:
        told: dict[str, Any] | None = None
        with self._signals.following_conversation(conversation_id) as changed:
            while True:
                changed.clear()
                try:
                    state = await self._state(scope, conversation_id)
                except ConversationNotFound:
                    yield sse.frame("conversation.deleted", b"{}")
                    return
                if state != told:
                    told = state
                    yield sse.frame("conversation", encode(state))
                try:
                    async with asyncio.timeout(sse.HEARTBEAT_INTERVAL_S):
                        await changed.wait()
                except TimeoutError:
                    if not await admitted():
                        return
                    yield sse.HEARTBEAT

    async def _state(self, scope: Scope, conversation_id: UUID) -> dict[str, Any]:
        async with self._database.transaction() as session:
            return await ConversationRepository(session, scope).outline(conversation_id)
