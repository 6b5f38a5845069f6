"""How many runs of this process work at once, and the line of those that wait."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from refdesk.chat.errors import RunQueueFull
from refdesk.chat.journal import RunJournal

TELL_EVERY_S = 1.0


class RunSlots:
    """First come, first served. Who waits is told the place in the line (`queue` events, from 1)."""

    def __init__(self, capacity: int, queue_length: int) -> None:
        self._capacity = capacity
        self._queue_length = queue_length
        self._taken = 0
        self._coming = 0
        self._waiting: OrderedDict[RunJournal, asyncio.Future[None]] = OrderedDict()
        self._told_at = 0.0

    def reserve(self) -> bool:
        """Take a slot (True) or a place in the line (False) for a run that is about to be stored.

        Raises `RunQueueFull`. What was reserved goes to `slot`, or back with `give_back`.
        """
        if self._taken < self._capacity and not self._waiting and not self._coming:
            self._taken += 1
            return True
        in_line = len(self._waiting) + self._coming
        if in_line >= self._queue_length:
            raise RunQueueFull(waiting=in_line, retry_after_s=30)
        self._coming += 1
        return False

    def give_back(self, *, reserved: bool) -> None:
        """Undo `reserve`, of which `reserved` is the answer."""
        if reserved:
            self._release()
        else:
            self._coming -= 1

    @asynccontextmanager
    async def slot(self, journal: RunJournal, *, reserved: bool) -> AsyncGenerator[None]:
        """Hold a slot within the block: the reserved one, else the next in line."""
        if not reserved:
            self._coming -= 1
            if self._taken < self._capacity and not self._waiting:
                self._taken += 1
            else:
                await self._wait(journal)
        try:
            yield
        finally:
            self._release()

    async def _wait(self, journal: RunJournal) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting[journal] = turn
        journal.emit("queue", {"position": len(self._waiting)})
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._release()  # the turn had come already; pass it on
            raise
        finally:
            self._waiting.pop(journal, None)

    def _release(self) -> None:
        """Hand the slot to the next in line, or free it."""
        while self._waiting:
            _, turn = self._waiting.popitem(last=False)
            if not turn.done():
                turn.set_result(None)
                self._tell_positions()
                return
        self._taken -= 1

    def _tell_positions(self) -> None:
        moment = asyncio.get_running_loop().time()
        if moment - self._told_at < TELL_EVERY_S:
            return
        self._told_at = moment
        for position, journal in enumerate(self._waiting, 1):
            journal.emit("queue", {"position": position})
