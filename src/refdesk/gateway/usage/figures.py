"""Figures of the dashboard, made of the sums that one scan of the record gives."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, key_names, people_and_groups
from refdesk.gateway.repository import ModelRepository
from refdesk.gateway.usage.ranges import check, day_starts, hour_starts
from refdesk.gateway.usage.repository import (
    BUCKETS_PER_E,
    SUMMED,
    CallRepository,
    UsageSettingsRepository,
    sees_all,
)
from refdesk.gateway.usage.schemas import By, Cost, Figures, FiguresView, Filters


@dataclass(slots=True)
class _Sums:
    counts: dict[str, Any] = field(default_factory=lambda: dict.fromkeys(SUMMED, 0))
    costs: dict[str, Decimal] = field(default_factory=dict[str, Decimal])
    buckets: dict[int, int] = field(default_factory=dict[int, int])

    def add(self, row: Any) -> None:
        for name in SUMMED:
            self.counts[name] += getattr(row, name) or 0
        if row.currency is not None and row.cost is not None:
            self.costs[row.currency] = self.costs.get(row.currency, Decimal(0)) + row.cost
        for bucket, calls in zip(row.buckets or (), row.bucket_calls or (), strict=True):
            self.buckets[bucket] = self.buckets.get(bucket, 0) + calls


async def figures(session: AsyncSession, scope: Scope, filters: Filters, by: By) -> FiguresView:
    """Figures of the calls the caller may see. Raises `UsageRangeInvalid`."""
    settings = await UsageSettingsRepository(session, scope).get()
    since, until = check(filters.since, filters.until)
    filters = filters.model_copy(update={"since": since, "until": until})
    starts: list[datetime] = []
    if by == "day":
        starts = day_starts(since, until, ZoneInfo(settings.time_zone))
    elif by == "hour":
        starts = hour_starts(since, until)
    rows = await CallRepository(session, scope).sums(filters, by, starts)
    total = _Sums()
    groups: dict[Any, _Sums] = {}
    for row in rows:
        total.add(row)
        groups.setdefault(row.key, _Sums()).add(row)
    names = await _names(session, scope, by, groups)
    if starts:
        items = [
            _figures(_iso(start), None, groups.get(place, _Sums())) for place, start in enumerate(starts, 1)
        ]
    else:
        ordered = sorted(groups.items(), key=lambda item: -item[1].counts["calls"])
        items = [_figures(None if key is None else str(key), names.get(key), sums) for key, sums in ordered]
    return FiguresView(
        by=by,
        time_zone=settings.time_zone,
        is_own=not sees_all(scope),
        total=_figures(None, None, total),
        items=[] if by == "total" else items,
    )


async def _names(session: AsyncSession, scope: Scope, by: By, keys: Iterable[Any]) -> Mapping[Any, str]:
    """Names of models, people and keys. Applications belong to a room above: who shows them knows them."""
    ids = [key for key in keys if key is not None]
    if by == "model":
        return {model.id: model.name for model in await ModelRepository(session, scope).all()}
    if by == "user":
        people, _ = await people_and_groups(session, scope, ids, [])
        return {person.id: person.name or person.email for person in people}
    return await key_names(session, scope, ids) if by == "api_key" else {}


def _figures(key: str | None, name: str | None, sums: _Sums) -> Figures:
    counts = sums.counts
    judged = counts["model_faults"] + counts["successes"]
    first = counts["first_token_count"]
    return Figures(
        key=key,
        name=name,
        calls=counts["calls"],
        errors=counts["errors"],
        error_rate=counts["errors"] / counts["calls"] if counts["calls"] else 0.0,
        availability=counts["successes"] / judged if judged else None,
        cached_answers=counts["cached_answers"],
        input_tokens=counts["input_tokens"],
        output_tokens=counts["output_tokens"],
        cached_tokens=counts["cached_tokens"],
        units=float(counts["units"]),
        costs=[Cost(currency=currency, amount=amount) for currency, amount in sorted(sums.costs.items())],
        p50_ms=percentile(sums.buckets, 0.5),
        p95_ms=percentile(sums.buckets, 0.95),
        first_token_ms=round(counts["first_token_sum"] / first) if first else None,
    )


def percentile(buckets: Mapping[int, int], share: float) -> int | None:
    """The latency in ms that `share` of the calls do not exceed, within 5 percent; None without calls."""
    wanted = math.ceil(sum(buckets.values()) * share)
    reached = 0
    for bucket in sorted(buckets):
        reached += buckets[bucket]
        if reached >= wanted:
            return max(1, round(math.exp(bucket / BUCKETS_PER_E)))
    return None


def _iso(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
