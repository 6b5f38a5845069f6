"""A run's events for a listener in another process than the run's, or after its end: out of the log."""

import asyncio
import time
from collections.abc import AsyncGenerator
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.chat.errors import RunNotFound
from refdesk.chat.events import RunEvent, encode
from refdesk.chat.leases import ACTIVE
from refdesk.chat.repository import RunRepository
from refdesk.chat.schemas import RunOut
from refdesk.chat.service import RunService
from refdesk.chat.signals import RunSignals
from refdesk.kit import sse
from refdesk.kit.database import Database

POLL_S = 5.0


async def follow_logged(
    database: Database, signals: RunSignals, scope: Scope, run_id: UUID, after: int
) -> AsyncGenerator[list[RunEvent]]:
    """Batches out of the log until `run.finished`; an empty one when a heartbeat is due.

    A run whose log is not kept any more (or was cut short) ends with a snapshot and its final state.
    """
    sent_at = time.monotonic()
    looked_at = float("-inf")
    with signals.following(run_id) as grown:
        while True:
            grown.clear()
            events: list[RunEvent] = []
            ended: RunOut | None = None
            try:
                async with database.transaction() as session:
                    log = RunRepository(session, scope)
                    if time.monotonic() - looked_at < sse.HEARTBEAT_INTERVAL_S:
                        events = await log.events(run_id, after)
                    # While its log grows, the run itself and who may see it are looked at now and then.
                    if not events or events[-1].name == "run.finished":
                        run, sight = await RunService(session, scope).seen(run_id)
                        looked_at = time.monotonic()
                        ended = sight.view(run) if run.state not in ACTIVE else None
                        if ended is not None and sight.is_touched(run):
                            events = []  # what was told then is not all for the caller's eyes any more
                        else:
                            events = events or await log.events(run_id, after)
            except RunNotFound:  # deleted meanwhile
                return
            if events:
                yield events
                after, sent_at = events[-1].seq, time.monotonic()
                if events[-1].name == "run.finished":
                    return
            elif ended is not None:
                yield ending(ended, after)
                return
            if ended is not None:  # its log was cut short, which the next look finds
                continue
            if not await _grew(grown) and time.monotonic() - sent_at >= sse.HEARTBEAT_INTERVAL_S:
                yield []
                sent_at = time.monotonic()


def ending(run: RunOut, after: int) -> list[RunEvent]:
    """What a listener gets of a run that is over and whose log is not there for them: all of it at once."""
    shown = run.model_dump(mode="json")
    snapshot = {"answer": run.answer, "citations": shown["citations"], "state": run.state}
    return [
        RunEvent(after, "snapshot", encode(snapshot)),
        RunEvent(after + 1, "run.finished", encode({"state": run.state, "run": shown})),
    ]


async def _grew(grown: asyncio.Event) -> bool:
    try:
        async with asyncio.timeout(POLL_S):
            await grown.wait()
    except TimeoutError:
        return False
    return True
