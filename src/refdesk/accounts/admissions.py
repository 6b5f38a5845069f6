"""Whether those who follow long streams would be let in again, asked once for all streams of one caller.

Every stream asks every 15 s. Hundreds that began together would ask in the same moment, and all that is
written meanwhile would wait for it.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable

FRESH_S = 3.0
MOST_KEPT = 1_000


class Admissions:
    """Answers of the last seconds. A refusal is never kept."""

    def __init__(self, fresh_s: float = FRESH_S) -> None:
        self._fresh_s = fresh_s
        self._asked: dict[Hashable, tuple[float, asyncio.Future[bool]]] = {}

    async def ask(self, caller: Hashable, question: Callable[[], Awaitable[bool]]) -> bool:
        """What `question` answers, or what it answered for the same `caller` less than `fresh_s` before its
        end; those who ask meanwhile wait for the one answer."""
        known = self._asked.get(caller)
        if known is not None and not self._is_over(*known):
            return await asyncio.shield(known[1])
        if len(self._asked) >= MOST_KEPT:
            self._asked = {key: kept for key, kept in self._asked.items() if not self._is_over(*kept)}
        answer = asyncio.ensure_future(question())
        self._asked[caller] = (time.monotonic(), answer)
        return await asyncio.shield(answer)

    def _is_over(self, asked_at: float, answer: asyncio.Future[bool]) -> bool:
        if not answer.done():
            return False
        if answer.cancelled() or answer.exception() is not None or not answer.result():
            return True
        return time.monotonic() - asked_at >= self._fresh_s
