"""All SQL of reading the record of calls. Whoever does not manage the workspace sees their own calls only."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, delete, func, select, tuple_
from sqlalchemy.dialects.postgresql import aggregate_order_by, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql import case, cast, literal, text
from sqlalchemy.types import Float, Integer

from refdesk.accounts import Role, Scope
from refdesk.gateway.usage.errors import UnknownPrice
from refdesk.gateway.usage.schemas import By, Filters
from refdesk.gateway.usage.tables import ModelCall, ModelPrice, UsageSettings

# Latencies fall into buckets of 10 percent: bucket = 10 · ln(ms).
BUCKETS_PER_E = 10
SUMMED = (
    "calls",
    "errors",
    "model_faults",
    "successes",
    "cached_answers",
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "units",
    "cost",
    "first_token_sum",
    "first_token_count",
)
_HOUR_S = 3600
_NO_ERROR = ("ok", "cancelled")


def sees_all(scope: Scope) -> bool:
    """Owners, and keys that may manage, see the whole workspace."""
    return scope.role >= Role.OWNER and "manage" in scope.permissions


def _place_of(moment: Any, starts: Sequence[datetime], length_s: int) -> ColumnElement[int]:
    """Which of `starts`, from 1, a moment belongs to. All are `length_s` long but for days on which clocks
    change; arithmetic takes half the time of `width_bucket` over an array, a third of `date_trunc`."""
    seconds = func.date_part("epoch", moment) - starts[0].timestamp()
    for start, following in pairwise(starts):
        change_s = (following - start).total_seconds() - length_s
        if change_s:
            from_then = min(following, start + timedelta(seconds=length_s))
            seconds = seconds - case((moment >= from_then, change_s), else_=0.0)
    return cast(func.floor(seconds / length_s), Integer) + 1


class CallRepository:
    """The calls of one workspace that the caller may see."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    def _conditions(self, filters: Filters) -> list[ColumnElement[bool]]:
        call = ModelCall
        found: list[ColumnElement[bool]] = [
            call.workspace_id == self._scope.workspace_id,
            call.at >= filters.since,
            call.at < filters.until,
        ]
        if not sees_all(self._scope):
            if self._scope.via == "api_key":
                found.append(call.api_key_id == self._scope.api_key_id)
            else:
                found.append(call.user_id == self._scope.user_id)
        for column, value in (
            (call.model_id, filters.model_id),
            (call.application_id, filters.application_id),
            (call.user_id, filters.user_id),
            (call.api_key_id, filters.api_key_id),
            (call.path, filters.path),
        ):
            if value is not None:
                found.append(column == value)
        if filters.failed is not None:
            is_failed = call.code.not_in(_NO_ERROR)
            found.append(is_failed if filters.failed else ~is_failed)
        return found

    async def sums(self, filters: Filters, by: By, starts: Sequence[datetime]) -> Sequence[Any]:
        """One row for each key and currency, with the counts of its buckets of latency: one scan gives sums
        and percentiles. For `hour` and `day` the key is the place in `starts`, from 1."""
        call = ModelCall
        keys: dict[By, Any] = {
            "total": literal(None, Integer),
            "model": call.model_id,
            "application": call.application_id,
            "user": call.user_id,
            "api_key": call.api_key_id,
            "path": call.path,
        }
        key = keys.get(by)
        if key is None:
            key = _place_of(call.at, starts, _HOUR_S if by == "hour" else 24 * _HOUR_S)
        is_call = call.is_attempt.is_(False)
        bucket = case(
            (
                is_call & (call.code == "ok"),
                cast(func.ln(cast(func.greatest(call.latency_ms, 1), Float)) * BUCKETS_PER_E, Integer),
            )
        )
        counted = (
            select(
                key.label("key"),
                call.currency.label("currency"),
                bucket.label("bucket"),
                func.count().filter(is_call).label("calls"),
                func.count().filter(is_call & call.code.not_in(_NO_ERROR)).label("errors"),
                func.count().filter(call.fault == "model").label("model_faults"),
                func.count().filter(call.fault == "none").label("successes"),
                func.count().filter(call.is_cached).label("cached_answers"),
                func.sum(call.input_tokens).label("input_tokens"),
                func.sum(call.output_tokens).label("output_tokens"),
                func.sum(call.cached_tokens).label("cached_tokens"),
                func.sum(call.units).label("units"),
                func.sum(call.cost).label("cost"),
                func.sum(call.first_token_ms).label("first_token_sum"),
                func.count(call.first_token_ms).label("first_token_count"),
            )
            .where(*self._conditions(filters))
            .group_by("key", "currency", "bucket")
            .subquery()
        )
        part = counted.c
        sums = [func.sum(part[name]).label(name) for name in SUMMED]
        # The buckets of a key as two arrays: thousands of rows less to send and to read.
        buckets = func.array_agg(aggregate_order_by(part.bucket, part.bucket)).filter(
            part.bucket.is_not(None)
        )
        counts = func.array_agg(aggregate_order_by(part.calls, part.bucket)).filter(part.bucket.is_not(None))
        statement = select(
            part.key, part.currency, *sums, buckets.label("buckets"), counts.label("bucket_calls")
        ).group_by(part.key, part.currency)
        # The planner takes every call for a group of its own and would sort a million rows on disk; the
        # table of groups really has some thousands of entries, 5 MB.
        await self._session.execute(text("SET LOCAL work_mem = '256MB'"))
        return (await self._session.execute(statement)).all()

    async def page(
        self, filters: Filters, limit: int, after: tuple[datetime, UUID] | None
    ) -> Sequence[ModelCall]:
        """The newest first."""
        statement = self._newest(filters)
        if after is not None:
            statement = statement.where(tuple_(ModelCall.at, ModelCall.id) < after)
        return (await self._session.scalars(statement.limit(limit))).all()

    async def of_run(self, run_id: UUID, since: datetime, until: datetime) -> Sequence[ModelCall]:
        """The calls of one run in their order, earlier tries included; the times are those of the run."""
        conditions = self._conditions(Filters(since=since, until=until))
        statement = select(ModelCall).where(*conditions, ModelCall.run_id == run_id)
        return (await self._session.scalars(statement.order_by(ModelCall.at, ModelCall.id))).all()

    async def count(self, filters: Filters) -> int:
        statement = select(func.count()).select_from(ModelCall).where(*self._conditions(filters))
        return (await self._session.execute(statement)).scalar_one()

    async def stream(self, filters: Filters) -> AsyncIterator[ModelCall]:
        """All of them, the newest first, over a cursor of the database."""
        result = await self._session.stream_scalars(self._newest(filters).execution_options(yield_per=1_000))
        async for call in result:
            yield call
            self._session.expunge(call)

    def _newest(self, filters: Filters) -> Select[ModelCall]:
        statement = select(ModelCall).where(*self._conditions(filters))
        return statement.order_by(ModelCall.at.desc(), ModelCall.id.desc())


class PriceRepository:
    """The prices of one workspace's models."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def all(self) -> Sequence[ModelPrice]:
        statement = select(ModelPrice).where(ModelPrice.workspace_id == self._scope.workspace_id)
        statement = statement.order_by(ModelPrice.model_id, ModelPrice.valid_from.desc())
        return (await self._session.scalars(statement)).all()

    async def get(self, price_id: UUID) -> ModelPrice:
        """Raises `UnknownPrice` for one that is not in the workspace."""
        statement = select(ModelPrice).where(
            ModelPrice.id == price_id, ModelPrice.workspace_id == self._scope.workspace_id
        )
        price = (await self._session.scalars(statement)).one_or_none()
        if price is None:
            raise UnknownPrice(price_id=str(price_id))
        return price

    async def add(self, price: ModelPrice) -> None:
        price.workspace_id = self._scope.workspace_id
        self._session.add(price)
        await self._session.flush()

    async def delete(self, price: ModelPrice) -> None:
        assert price.workspace_id == self._scope.workspace_id
        await self._session.delete(price)
        await self._session.flush()


class UsageSettingsRepository:
    """How one workspace counts."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def get(self) -> UsageSettings:
        """The settings, the defaults where nothing was set."""
        found = await self._session.get(UsageSettings, self._scope.workspace_id)
        return found or UsageSettings(workspace_id=self._scope.workspace_id, time_zone="UTC", keep_days=180)

    async def put(self, time_zone: str, keep_days: int) -> None:
        values = {"time_zone": time_zone, "keep_days": keep_days}
        statement = insert(UsageSettings).values(workspace_id=self._scope.workspace_id, **values)
        statement = statement.on_conflict_do_update(
            index_elements=[UsageSettings.workspace_id], set_=values | {"updated_at": func.now()}
        )
        await self._session.execute(statement)


async def expire_calls(session: AsyncSession, workspace_id: UUID, before: datetime, limit: int) -> int:
    """Remove up to `limit` calls from before a moment; how many there were."""
    old = (
        select(ModelCall.id)
        .where(ModelCall.workspace_id == workspace_id, ModelCall.at < before)
        .order_by(ModelCall.at)
        .limit(limit)
    )
    result = await session.execute(
        delete(ModelCall)
        .where(ModelCall.id.in_(old))
        .returning(ModelCall.id)
        .execution_options(synchronize_session=False)
    )
    return len(result.all())
