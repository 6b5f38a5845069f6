"""Counters in Redis, for installations that count more calls a second than one database row takes.

One script decides a batch of calls, so that it is as atomic as the function in PostgreSQL. Amounts are whole
numbers there (money in hundred-millionths): a script's numbers are doubles, exact for integers below 2^53.
Windows of seconds begin by Redis' clock; days and months by this process's, which knows time zones. What
Redis forgets (without its own persistence a restart forgets all) is counted anew.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import structlog

from refdesk.gateway.limits.errors import LimitsUnavailable
from refdesk.gateway.limits.rules import Rule
from refdesk.gateway.limits.store import Change, Charge, Count, Standing, Verdict
from refdesk.kit.clock import now
from refdesk.kit.errors import Unavailable

log = structlog.get_logger(__name__)

TIMEOUT_S = 2.0
_MONEY_SCALE = 10**8
_ENTRY_VALUES = 5

# KEYS: counters. ARGV: for each counter the window's seconds (0: given by start and end), start, end, amount,
# whether it is hard; then for each entry its call, counter and charge, sorted by call. Answers with five
# numbers an entry: admitted, over, used, start, end.
_ADMIT = """
local time = redis.call('TIME')
local now = tonumber(time[1])
local used, start, stop, amount, hard = {}, {}, {}, {}, {}
for i, key in ipairs(KEYS) do
    local at = (i - 1) * 5
    local seconds = tonumber(ARGV[at + 1])
    start[i], stop[i] = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
    if seconds > 0 then
        start[i] = math.floor(now / seconds) * seconds
        stop[i] = start[i] + seconds
    end
    amount[i], hard[i] = tonumber(ARGV[at + 4]), ARGV[at + 5] == '1'
    local kept = redis.call('HMGET', key, 'start', 'used')
    used[i] = 0
    if kept[1] and tonumber(kept[1]) >= start[i] then
        start[i], used[i] = tonumber(kept[1]), tonumber(kept[2])
    end
end
local answer, first, entries = {}, #KEYS * 5 + 1, #ARGV
while first <= entries do
    local last, fits = first, true
    while true do
        local slot = tonumber(ARGV[last + 1])
        if hard[slot] and used[slot] + tonumber(ARGV[last + 2]) > amount[slot] then fits = false end
        if last + 3 > entries or ARGV[last + 3] ~= ARGV[first] then break end
        last = last + 3
    end
    for entry = first, last, 3 do
        local slot, charge = tonumber(ARGV[entry + 1]), tonumber(ARGV[entry + 2])
        local over = used[slot] + charge > amount[slot]
        if fits then used[slot] = used[slot] + charge end
        answer[#answer + 1] = fits and 1 or 0
        answer[#answer + 1] = over and 1 or 0
        answer[#answer + 1] = string.format('%.0f', used[slot])
        answer[#answer + 1] = start[slot]
        answer[#answer + 1] = stop[slot]
    end
    first = last + 3
end
for i, key in ipairs(KEYS) do
    redis.call('HSET', key, 'start', string.format('%.0f', start[i]), 'used', string.format('%.0f', used[i]))
    redis.call('EXPIREAT', key, stop[i] + 60)
end
return answer
"""

# KEYS: counters. ARGV: for each the start of the window it is meant for, and the change.
_SETTLE = """
for i, key in ipairs(KEYS) do
    local kept = redis.call('HMGET', key, 'start', 'used')
    if kept[1] == ARGV[i * 2 - 1] then
        local used = math.max(0, tonumber(kept[2]) + tonumber(ARGV[i * 2]))
        redis.call('HSET', key, 'used', string.format('%.0f', used))
    end
end
return 0
"""


class RedisMissing(Unavailable):
    """REFDESK_REDIS_URL is set and the library for it is not installed."""

    code = "redis-missing"
    message = "Redis is set as the store of limits, but its library is not installed."
    hint = "Install refdesk[redis], or unset REFDESK_REDIS_URL."


class RedisCounters:
    """Counters in one Redis server (not a cluster: a batch touches many keys)."""

    def __init__(self, url: str) -> None:
        try:
            import redis.asyncio as redis
        except ImportError as error:
            raise RedisMissing from error
        self._error: type[Exception] = redis.RedisError
        self._redis: Any = redis.Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
            url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S, decode_responses=True
        )
        self._admit: Any = self._redis.register_script(_ADMIT)
        self._settle: Any = self._redis.register_script(_SETTLE)

    async def admit(self, calls: Sequence[Sequence[Charge]]) -> Sequence[Verdict]:
        slots = list({(charge.rule.id, charge.subject): charge for call in calls for charge in call}.values())
        places = {(slot.rule.id, slot.subject): place for place, slot in enumerate(slots, 1)}
        values: list[Any] = []
        for slot in slots:
            rule = slot.rule
            values += [rule.window_s or 0 if rule.window_kind == "seconds" else 0, *_window(rule)]
            values += [_scaled(rule, rule.amount), int(rule.is_hard)]
        for number, call in enumerate(calls):
            for charge in call:
                place = places[charge.rule.id, charge.subject]
                values += [number, place, _scaled(charge.rule, charge.amount)]
        answer = await self._run(self._admit, slots, values)
        entries = [answer[at : at + _ENTRY_VALUES] for at in range(0, len(answer), _ENTRY_VALUES)]
        remaining = iter(entries)
        verdicts: list[Verdict] = []
        for call in calls:
            own = [next(remaining) for _ in call]
            counts = [_count(charge, entry) for charge, entry in zip(call, own, strict=True)]
            verdicts.append(Verdict(bool(own[0][0]), counts))
        return verdicts

    async def settle(self, changes: Sequence[Change]) -> None:
        values: list[Any] = []
        for change in changes:
            values += [int(change.window_start.timestamp()), _scaled(change.charge.rule, change.amount)]
        await self._run(self._settle, [change.charge for change in changes], values)

    async def standing(self, rule: Rule) -> Sequence[Standing]:
        found: list[Standing] = []
        prefix = _key(rule, "")
        start = _window(rule)[0]
        try:
            async for key in self._redis.scan_iter(match=f"{prefix}*", count=1000):
                began, used = await self._redis.hmget(key, "start", "used")
                if began is not None and int(began) >= start:
                    found.append(Standing(key.removeprefix(prefix), _unscaled(rule, used), _moment(began)))
        except (self._error, OSError) as error:
            raise LimitsUnavailable(reason=type(error).__name__) from error
        return sorted(found, key=lambda one: -one.used)

    async def close(self) -> None:
        await self._redis.aclose()

    async def _run(self, script: Any, slots: Sequence[Charge], values: list[Any]) -> Any:
        keys = [_key(slot.rule, slot.subject) for slot in slots]
        try:
            return await script(keys=keys, args=values)
        except (self._error, OSError) as error:
            log.warning("limits.redis-failed", error=type(error).__name__)
            raise LimitsUnavailable(reason=type(error).__name__) from error


def _key(rule: Rule, subject: str) -> str:
    """A changed window begins a counter of its own."""
    return f"refdesk:limit:{rule.id}:{rule.window_kind}{rule.window_s or ''}:{subject}"


def _scaled(rule: Rule, amount: Decimal) -> int:
    return int(amount * _MONEY_SCALE) if rule.measure == "money" else int(amount)


def _unscaled(rule: Rule, amount: str) -> Decimal:
    return Decimal(amount) / _MONEY_SCALE if rule.measure == "money" else Decimal(amount)


def _moment(seconds: Any) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)


def _window(rule: Rule) -> tuple[int, int]:
    """Start and end of the present window, in seconds since 1970, by this process's clock."""
    if rule.window_kind == "seconds":
        seconds = rule.window_s or 1
        start = int(now().timestamp()) // seconds * seconds
        return start, start + seconds
    zone = ZoneInfo(rule.time_zone)
    day = now().astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    if rule.window_kind == "month":
        day = day.replace(day=1)
        following = (day + timedelta(days=32)).replace(day=1)
    else:
        following = day + timedelta(days=1)
    return int(day.timestamp()), int(following.timestamp())


def _count(charge: Charge, entry: Sequence[Any]) -> Count:
    _, over, used, start, end = entry
    return Count(
        charge,
        is_over=bool(over),
        is_hard=charge.rule.is_hard,
        used=_unscaled(charge.rule, used),
        amount=charge.rule.amount,
        window_start=_moment(start),
        window_end=_moment(end),
    )
