"""The breaker of one model as a state machine without clock, network or database.

closed → open after `threshold` failures in a row · open → half-open by one process that takes the lease, once
`retry_at` has come · half-open → closed by the leaseholder's success, → open by its failure or by the lease's
end. Every process computes with these same functions, the stored row under a lock (`health`); a closed
breaker costs a call one dictionary look-up. Times are seconds since 1970.
"""

from dataclasses import dataclass, replace
from typing import Literal

type State = Literal["closed", "open", "half_open"]
type Event = Literal["failure", "success", "probe-failure", "probe-success", "release", "healthy"]

LEASE_S = 60.0
"""How long a half-open call may take to prove itself before another process may try."""


@dataclass(frozen=True, slots=True)
class BreakerSettings:
    """`threshold` failures in a row open it, for `open_s`."""

    threshold: int = 3
    open_s: float = 10.0


DEFAULT_BREAKER = BreakerSettings()


@dataclass(frozen=True, slots=True)
class Breaker:
    """`failures` in a row so far; `owner` holds the lease while half-open. `version` counts changes."""

    state: State = "closed"
    failures: int = 0
    retry_at: float = 0.0
    owner: str | None = None
    lease_until: float = 0.0
    version: int = 0

    def allows(self, now: float) -> Literal["yes", "lease", "no"]:
        """Whether a call may go out: freely, only with the lease, or not."""
        if self.state == "closed":
            return "yes"
        if self.state == "open":
            return "lease" if now >= self.retry_at else "no"
        return "lease" if now >= self.lease_until else "no"

    def leased(self, owner: str, now: float) -> "Breaker | None":
        """Half-open with the lease for `owner`; None if it is not to be had."""
        if self.allows(now) != "lease":
            return None
        return self._next(state="half_open", owner=owner, lease_until=now + LEASE_S)

    def after(
        self, event: Event, now: float, settings: BreakerSettings, owner: str | None = None
    ) -> "Breaker":
        """The state after an event; itself where the event changes nothing.

        `failure` and `success` are those of calls that went out while it was closed, however late they end;
        `probe-…` and `release` those of the call with the lease, and `healthy` is a good active probe.
        """
        match event:
            case "failure" if self.state == "closed":
                failures = self.failures + 1
                if failures >= settings.threshold:
                    return self._next(state="open", failures=failures, retry_at=now + settings.open_s)
                return self._next(failures=failures)
            case "success" if self.state == "closed" and self.failures:
                return self._next(failures=0)
            case "healthy" if self.state == "open" and self.retry_at > now:
                return self._next(retry_at=now)
            case "probe-success" if self._is_of(owner):
                return self._next(state="closed", failures=0, owner=None)
            case "probe-failure" if self._is_of(owner):
                return self._next(
                    state="open", failures=self.failures + 1, retry_at=now + settings.open_s, owner=None
                )
            case "release" if self._is_of(owner):
                return self._next(state="open", retry_at=now, owner=None)
            case _:
                return self

    def _is_of(self, owner: str | None) -> bool:
        return self.state == "half_open" and owner is not None and self.owner == owner

    def _next(self, **changes: object) -> "Breaker":
        return replace(self, version=self.version + 1, **changes)  # pyright: ignore[reportArgumentType]
