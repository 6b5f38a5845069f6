"""Calls of this process on their way to the counters: one batch at a time, whatever waits goes with the next.

Under load a batch carries many calls, so that a hot counter is locked and written once for all of them; alone
a call waits for nothing. Corrections go before admissions, which so see what calls really used.
"""

import asyncio
from collections.abc import Sequence
from decimal import Decimal

import structlog

from refdesk.gateway.background import background
from refdesk.gateway.limits.errors import LimitsUnavailable
from refdesk.gateway.limits.store import Change, Charge, CounterStore, Verdict

log = structlog.get_logger(__name__)

MAX_BATCH = 256
RETRY_S = 1.0
MAX_CHANGES_KEPT = 10_000


class Lane:
    """The one way from this process to its store."""

    def __init__(self, store: CounterStore) -> None:
        self._store = store
        self._calls: list[tuple[Sequence[Charge], asyncio.Future[Verdict]]] = []
        self._changes: list[Change] = []
        self._task: asyncio.Task[None] | None = None

    async def admit(self, charges: Sequence[Charge]) -> Verdict:
        """Raises `LimitsUnavailable`. A call that is cancelled while it waits is not counted, or refunded."""
        future: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self._calls.append((charges, future))
        self._start()
        return await future

    def settle(self, changes: Sequence[Change]) -> None:
        """Correct soon; nobody waits for it."""
        self._changes.extend(changes)
        self._start()

    async def close(self) -> None:
        """Bring what waits on its way; what the store does not take within seconds is lost."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task], timeout=5.0)
            if not self._task.done():
                self._task.cancel()
        await self._store.close()

    def _start(self) -> None:
        if self._task is None or self._task.done():
            self._task = background(self._run(), "limits-lane")

    async def _run(self) -> None:
        while self._calls or self._changes:
            await self._settle()
            batch, self._calls = self._calls[:MAX_BATCH], self._calls[MAX_BATCH:]
            batch = [item for item in batch if not item[1].done()]
            if batch:
                await self._admit(batch)

    async def _settle(self) -> None:
        changes, self._changes = self._changes, []
        if not changes:
            return
        try:
            await self._store.settle(changes)
        except LimitsUnavailable:
            self._changes = (changes + self._changes)[:MAX_CHANGES_KEPT]
            log.warning("limits.settle-failed", changes=len(self._changes))
            if not self._calls:
                await asyncio.sleep(RETRY_S)

    async def _admit(self, batch: list[tuple[Sequence[Charge], asyncio.Future[Verdict]]]) -> None:
        try:
            verdicts = await self._store.admit([charges for charges, _ in batch])
        except LimitsUnavailable as error:
            for _, future in batch:
                if not future.done():
                    future.set_exception(LimitsUnavailable(**error.details))
            return
        for (_, future), verdict in zip(batch, verdicts, strict=True):
            if not future.done():
                future.set_result(verdict)
            elif verdict.is_admitted:  # whoever asked left meanwhile
                self._changes.extend(refunds(verdict))


def refunds(verdict: Verdict) -> list[Change]:
    """What takes an admitted call back."""
    return [
        Change(count.charge, count.window_start, -count.charge.amount)
        for count in verdict.counts
        if count.charge.amount != Decimal(0)
    ]
