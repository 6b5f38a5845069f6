"""Who called within the last second: many calls with one key do not ask the database each time.

For programs that call models hundreds of times a second; what is changed about a key, its creator or a role
holds within `FRESH_S`. Whoever goes on calling is asked for again before that, beside their calls. The whole
application uses it at the door of models only, the gateway alone for every operation (`everywhere`).
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextvars import Context

import structlog

from refdesk.accounts.scope import Scope
from refdesk.accounts.tokens import token_hash
from refdesk.kit.errors import AppError

log = structlog.get_logger(__name__)

FRESH_S = 1.0
_ASKED_AGAIN_AFTER_S = 0.5
_MOST = 10_000

type _Key = tuple[bytes, str | None]
type Recognise = Callable[[str, str | None], Awaitable[Scope]]
"""The scope of a secret and the workspace named with it; raises an `AppError` for one that is not let in."""


class RecentCallers:
    """Scopes by the hash of an API key and the workspace that was named with it."""

    def __init__(self, recognise: Recognise, *, everywhere: bool) -> None:
        self.everywhere = everywhere
        self._recognise = recognise
        self._known: dict[_Key, tuple[float, Scope]] = {}
        self._asking: dict[_Key, asyncio.Task[Scope]] = {}

    async def get(self, token: str, workspace: str | None) -> Scope:
        """The scope, told within the last second or asked for now, once for all who wait for it. Raises what
        `recognise` raises."""
        known = self.find(token, workspace)
        if known is not None:
            return known
        return await asyncio.shield(self._ask((token_hash(token), workspace), token))

    def find(self, token: str, workspace: str | None) -> Scope | None:
        """The scope, if it was told within the last second."""
        key = (token_hash(token), workspace)
        found = self._known.get(key)
        if found is None:
            return None
        until, scope = found
        left_s = until - time.monotonic()
        if left_s <= 0:
            del self._known[key]
            return None
        if left_s <= FRESH_S - _ASKED_AGAIN_AFTER_S:
            self._ask(key, token)
        return scope

    async def close(self) -> None:
        """End what is asked beside the calls."""
        for asking in (asked := list(self._asking.values())):
            asking.cancel()
        await asyncio.gather(*asked, return_exceptions=True)

    def _ask(self, key: _Key, token: str) -> asyncio.Task[Scope]:
        asking = self._asking.get(key)
        if asking is None:
            # Its log lines name no request: it belongs to none.
            asking = asyncio.get_running_loop().create_task(self._asked(key, token), context=Context())
            asking.add_done_callback(_noticed)
            self._asking[key] = asking
        return asking

    async def _asked(self, key: _Key, token: str) -> Scope:
        asked_at = time.monotonic()  # what changed since may not be in the answer
        try:
            scope = await self._recognise(token, key[1])
        except AppError:
            self._known.pop(key, None)
            raise
        finally:
            del self._asking[key]
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[key] = (asked_at + FRESH_S, scope)
        return scope


def _noticed(asking: asyncio.Task[Scope]) -> None:
    """Nobody may have waited for it: a fault of the database is told here, a refusal by the next call."""
    error = None if asking.cancelled() else asking.exception()
    if error is not None and not isinstance(error, AppError):
        log.warning("callers.not-asked-again", error=type(error).__name__)
