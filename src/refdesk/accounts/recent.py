"""Who called within the last second: many calls with one key do not ask the database each time.

For programs that call models hundreds of times a second; what is changed about a key, its creator or a role
holds within `FRESH_S`. Used only where an application puts one into its state: for every operation, or only
for the door of models (`everywhere=False`).
"""

import time

from refdesk.accounts.scope import Scope
from refdesk.accounts.tokens import token_hash

FRESH_S = 1.0
_MOST = 10_000

type _Key = tuple[bytes, str | None]


class RecentCallers:
    """Scopes by the hash of an API key and the workspace that was named with it."""

    def __init__(self, *, everywhere: bool) -> None:
        self.everywhere = everywhere
        self._known: dict[_Key, tuple[float, Scope]] = {}

    def find(self, token: str, workspace: str | None) -> Scope | None:
        """The scope, if it was told within the last second."""
        key = (token_hash(token), workspace)
        found = self._known.get(key)
        if found is None:
            return None
        until, scope = found
        if time.monotonic() >= until:
            del self._known[key]
            return None
        return scope

    def keep(self, token: str, workspace: str | None, scope: Scope, asked_at: float) -> None:
        """Remember what the database told. `asked_at` (`time.monotonic()`) is when it began to be asked: what
        changed since may not be in it."""
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[(token_hash(token), workspace)] = (asked_at + FRESH_S, scope)
