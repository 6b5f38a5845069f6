"""The stream of what changes in a knowledge base, for the page: states and progress as they happen.

Each listener asks every half second for rows changed since the last time, over the index on
(knowledge_base_id, updated_at). A connection to the database is held only while it asks, so that open pages
cost none. Nothing is kept for later: whoever connects reads the list first.
"""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime, timedelta
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import func, select

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.kit.errors import NotFound
from refdesk.kit.sse import HEARTBEAT, HEARTBEAT_INTERVAL_S, frame
from refdesk.knowledge.repository import DocumentRepository, KnowledgeBaseRepository
from refdesk.knowledge.views import counts_view, document_progress

POLL_S = 0.5
# Counts are a scan of the base's documents, so they are asked for less often.
COUNTS_EVERY = 4
# `updated_at` is the time a transaction began; one that lasts longer than this goes unseen.
OVERLAP = timedelta(seconds=10)


async def follow(
    database: Database,
    scope: Scope,
    base_id: UUID,
    admitted: Callable[[], Awaitable[bool]],
    *,
    poll_s: float = POLL_S,
    admission_s: float = HEARTBEAT_INTERVAL_S,
) -> AsyncIterator[bytes]:
    """Frames of `document` (what changed) and `counts` (at the start, then when they differ).

    Ends when the base is deleted, and when `admitted`, asked every `admission_s` seconds, says so.
    """
    watch = _Watch(base_id)
    quiet_since = admitted_at = time.monotonic()
    for round_number in itertools.count():
        if time.monotonic() - admitted_at >= admission_s:
            if not await admitted():
                return
            admitted_at = time.monotonic()
        async with database.transaction() as session:
            try:
                messages = await watch.changes(DocumentRepository(session, scope))
                if round_number % COUNTS_EVERY == 0:
                    bases = KnowledgeBaseRepository(session, scope)
                    await bases.get(base_id)
                    messages += watch.changed_counts(counts_view((await bases.counts([base_id]))[base_id]))
            except NotFound:
                return
        if messages:
            quiet_since = time.monotonic()
            yield b"".join(frame(name, model.model_dump_json().encode()) for name, model in messages)
        elif time.monotonic() - quiet_since >= HEARTBEAT_INTERVAL_S:
            quiet_since = time.monotonic()
            yield HEARTBEAT
        await asyncio.sleep(poll_s)


class _Watch:
    """What one listener has seen."""

    def __init__(self, base_id: UUID) -> None:
        self._base_id = base_id
        self._since: datetime | None = None
        self._seen: dict[UUID, datetime] = {}
        self._counts: BaseModel | None = None

    async def changes(self, documents: DocumentRepository) -> list[tuple[str, BaseModel]]:
        if self._since is None:
            started = await documents.session.scalar(select(func.now()))
            assert started is not None
            self._since = started
        rows = await documents.changed_since(self._base_id, self._since - OVERLAP)
        fresh = [row for row in rows if self._seen.get(row.id) != row.updated_at]
        if rows:
            self._since = max(self._since, rows[-1].updated_at)
            # Only rows within the overlap can come back, so only those are remembered.
            self._seen = {row.id: row.updated_at for row in rows}
        return [("document", document_progress(row)) for row in fresh]

    def changed_counts(self, counts: BaseModel) -> list[tuple[str, BaseModel]]:
        if counts == self._counts:
            return []
        self._counts = counts
        return [("counts", counts)]
