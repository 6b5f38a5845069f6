"""Writes the event logs of all runs of this process: one statement at most every 250 ms, however many runs.

A failed write is tried again, run by run; listeners in this process are fed from memory meanwhile.
"""

import asyncio
from collections.abc import Callable
from uuid import UUID

import structlog
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from refdesk.chat import leases
from refdesk.chat.events import RunEvent
from refdesk.chat.journal import RunJournal
from refdesk.kit.database import Database

log = structlog.get_logger(__name__)

BATCH_INTERVAL_S = 0.25
RETRY_S = 1.0


class LogWriter:
    """The log of this process's runs. `lost` is called with a run that no longer belongs to the process."""

    def __init__(self, database: Database, owner: str, lost: Callable[[UUID], None]) -> None:
        self._database = database
        self._owner = owner
        self._lost = lost
        self._journals: dict[UUID, RunJournal] = {}
        self._writing = asyncio.Lock()

    def add(self, journal: RunJournal) -> None:
        self._journals[journal.run_id] = journal

    def remove(self, run_id: UUID) -> None:
        self._journals.pop(run_id, None)

    async def run(self) -> None:
        """Write until cancelled."""
        while True:
            await asyncio.sleep(BATCH_INTERVAL_S)
            try:
                await self.flush()
            except (SQLAlchemyError, OSError) as error:
                log.warning("runs.log-not-written", error=type(error).__name__)
                await asyncio.sleep(RETRY_S)

    async def flush(self, run_id: UUID | None = None) -> None:
        """Write what waits, of one run or of all."""
        async with self._writing:
            journals = list(self._journals.values())
            if run_id is not None:
                journals = [journal for journal in journals if journal.run_id == run_id]
            batches = {journal.run_id: taken for journal in journals if (taken := journal.take_unwritten())}
            if not batches:
                return
            try:
                await self._write(batches)
            except DBAPIError as error:
                if len(batches) == 1 or error.connection_invalidated:
                    raise
                log.warning("runs.batch-not-written", runs=len(batches), error=type(error).__name__)
                await self._write_each([journal for journal in journals if journal.run_id in batches])

    async def _write(self, batches: dict[UUID, list[RunEvent]]) -> None:
        try:
            async with self._database.transaction() as session:
                written = await leases.write_events(session, self._owner, batches)
        except BaseException:  # also a cancel: what was taken must not get lost
            self._return(batches)
            raise
        for lost in batches.keys() - written:
            self._lost(lost)

    async def _write_each(self, journals: list[RunJournal]) -> None:
        """Run by run, so that what one cannot be written for does not hold up the others; raises the last
        failure."""
        failure: DBAPIError | None = None
        for journal in journals:
            taken = journal.take_unwritten()
            if not taken:
                continue
            try:
                await self._write({journal.run_id: taken})
            except DBAPIError as error:
                failure = error
        if failure is not None:
            raise failure

    def _return(self, batches: dict[UUID, list[RunEvent]]) -> None:
        for run_id, events in batches.items():
            if run_id in self._journals:
                self._journals[run_id].give_back(events)
