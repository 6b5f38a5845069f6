"""Who called within the last second: many calls with one key do not ask the database each time.

For programs that call models hundreds of times a second; what is changed about a key, its creator or a role
holds within `FRESH_S`. Whoever goes on calling is asked for again before that, beside their calls. Used only
where an application puts one into its state: for every operation, or only for the door of models
(`everywhere=False`).
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextvars import Context

import structlog
from sqlalchemy.exc import SQLAlchemyError

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
        self.recognise = recognise
        self.everywhere = everywhere
        self._known: dict[_Key, tuple[float, Scope]] = {}
        self._asking: dict[_Key, asyncio.Task[None]] = {}

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
        if left_s <= FRESH_S - _ASKED_AGAIN_AFTER_S and key not in self._asking:
            # Its log lines name no request: it belongs to none.
            asking = asyncio.get_running_loop().create_task(self._again(key, token), context=Context())
            self._asking[key] = asking
        return scope

    def keep(self, token: str, workspace: str | None, scope: Scope, asked_at: float) -> None:
        """Remember what the database told. `asked_at` (`time.monotonic()`) is when it began to be asked: what
        changed since may not be in it."""
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[(token_hash(token), workspace)] = (asked_at + FRESH_S, scope)

    async def close(self) -> None:
        """End what is asked beside the calls."""
        for asking in (asked := list(self._asking.values())):
            asking.cancel()
        await asyncio.gather(*asked, return_exceptions=True)

    async def _again(self, key: _Key, token: str) -> None:
        asked_at = time.monotonic()
        try:
            self.keep(token, key[1], await self.recognise(token, key[1]), asked_at)
        except AppError:
            self._known.pop(key, None)
        except (SQLAlchemyError, OSError) as error:
            log.warning("callers.not-asked-again", error=type(error).__name__)
        finally:
            del self._asking[key]
