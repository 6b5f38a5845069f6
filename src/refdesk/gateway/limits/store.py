"""Where calls are counted: the interface of a store, and the one in PostgreSQL."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

import psycopg

from refdesk.gateway.limits.errors import LimitsUnavailable
from refdesk.gateway.limits.rules import Rule
from refdesk.gateway.statements import Statements


@dataclass(frozen=True, slots=True)
class Charge:
    """What one call takes of one counter, known by rule and subject."""

    rule: Rule
    subject: str
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Count:
    """What became of a charge. `used` includes it where the call was admitted; `is_over` tells that the
    amount did not suffice, which refuses the call where the limit `is_hard` and warns where it is not."""

    charge: Charge
    is_over: bool
    is_hard: bool
    used: Decimal
    amount: Decimal
    window_start: datetime
    window_end: datetime


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a call was admitted, in all its counters or none."""

    is_admitted: bool
    counts: Sequence[Count]


@dataclass(frozen=True, slots=True)
class Change:
    """A correction of what was counted; void once the window is over."""

    charge: Charge
    window_start: datetime
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Standing:
    """What one of those a limit counts apart has used in the window that began at `window_start`."""

    subject: str
    used: Decimal
    window_start: datetime


class CounterStore(Protocol):
    """Counts exactly, whatever number of processes charge the same counters."""

    async def admit(self, calls: Sequence[Sequence[Charge]]) -> Sequence[Verdict]:
        """Decide calls one after the other, in one round trip. Raises `LimitsUnavailable`."""
        ...

    async def settle(self, changes: Sequence[Change]) -> None:
        """Correct what was counted. Raises `LimitsUnavailable`."""
        ...

    async def standing(self, rule: Rule) -> Sequence[Standing]:
        """What is used of a limit now, most first. Raises `LimitsUnavailable`."""
        ...

    async def close(self) -> None: ...


class PostgresCounters:
    """Counters in the database, by the functions of migration 0005. One transaction a batch."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements

    async def admit(self, calls: Sequence[Sequence[Charge]]) -> Sequence[Verdict]:
        slots = sorted({(charge.rule.id, charge.subject) for call in calls for charge in call})
        places = {slot: place for place, slot in enumerate(slots, 1)}
        entries = [
            (number, places[charge.rule.id, charge.subject], charge.amount)
            for number, call in enumerate(calls)
            for charge in call
        ]
        rows = await self._fetch(
            "SELECT is_admitted, is_over, is_hard, used, amount, window_start, window_end"
            " FROM admit_model_calls(%s::uuid[], %s, %s::int[], %s::int[], %s::numeric[])",
            (
                [limit for limit, _ in slots],
                [subject for _, subject in slots],
                *map(list, zip(*entries, strict=True)),
            ),
        )
        verdicts: list[Verdict] = []
        remaining = iter(rows)
        for call in calls:
            own = [next(remaining) for _ in call]
            # A limit that was deleted or switched off meanwhile has no amount and counts nothing.
            counts = [
                Count(charge, *row[1:]) for charge, row in zip(call, own, strict=True) if row[4] is not None
            ]
            verdicts.append(Verdict(own[0][0], counts))
        return verdicts

    async def settle(self, changes: Sequence[Change]) -> None:
        await self._fetch(
            "SELECT settle_model_calls(%s::uuid[], %s, %s::timestamptz[], %s::numeric[])",
            (
                [change.charge.rule.id for change in changes],
                [change.charge.subject for change in changes],
                [change.window_start for change in changes],
                [change.amount for change in changes],
            ),
        )

    async def standing(self, rule: Rule) -> Sequence[Standing]:
        rows = await self._fetch(
            "SELECT c.subject, c.used, c.window_start FROM model_limit_counters c"
            " JOIN model_limits l ON l.id = c.limit_id"
            " LEFT JOIN model_usage_settings u ON u.workspace_id = l.workspace_id"
            " WHERE c.limit_id = %s AND c.window_start >= CASE l.window_kind"
            " WHEN 'seconds' THEN to_timestamp(floor(extract(epoch FROM now()) / l.window_s) * l.window_s)"
            " ELSE date_trunc(l.window_kind, now(), coalesce(u.time_zone, 'UTC')) END"
            " ORDER BY c.used DESC LIMIT 1000",
            (rule.id,),
        )
        return [Standing(*row) for row in rows]

    async def close(self) -> None:
        """The statements are closed by who made them."""

    async def _fetch(self, statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        try:
            return await self._statements.fetch(statement, parameters)
        except psycopg.Error as error:
            raise LimitsUnavailable(reason=type(error).__name__) from error
