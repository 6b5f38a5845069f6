"""Admitting calls: which limits apply, whether there is room, and what is given back or taken after."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Protocol
from uuid import UUID

import structlog

from refdesk.accounts import Scope
from refdesk.gateway.calls import Notice, UsageReport
from refdesk.gateway.limits.errors import LimitReached
from refdesk.gateway.limits.estimating import Estimate
from refdesk.gateway.limits.lane import Lane, refunds
from refdesk.gateway.limits.rules import Caller, Measure, Rule, Rules
from refdesk.gateway.limits.store import Change, Charge, Count, Verdict
from refdesk.gateway.limits.wording import refusal
from refdesk.gateway.listening import Kept
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.usage import Money, PriceBook
from refdesk.kit.clock import now

log = structlog.get_logger(__name__)


class LimitedModel(Protocol):
    """What limits need to know of a model."""

    @property
    def id(self) -> UUID: ...


class Admission:
    """A call that may be made. Exactly one of `settle` and `release` counts, and only once.

    `notices` tell of soft limits that are passed. Left alone, an admission stays counted as estimated.
    """

    __slots__ = ("_estimate", "_lane", "_price", "_verdict", "notices")

    def __init__(
        self,
        lane: Lane | None = None,
        verdict: Verdict | None = None,
        price: Callable[[Estimate, UUID | None], Money | None] | None = None,
        notices: Sequence[Notice] = (),
        estimate: Estimate | None = None,
    ) -> None:
        self._lane = lane
        self._verdict = verdict
        self._price = price
        self.notices = notices
        self._estimate = estimate

    @property
    def counts(self) -> Sequence[Count]:
        """What the call was counted in."""
        return self._verdict.counts if self._verdict is not None else ()

    async def settle(
        self,
        usage: UsageReport | None,
        cost: Money | None = None,
        *,
        units: Decimal | None = None,
        model_id: UUID | None = None,
    ) -> None:
        """Count what was really used. What is None (the vendor did not tell) stays as estimated; without
        `cost` it is that of the price list for `model_id`, the model that answered, where that is another."""
        lane, verdict = self._take()
        if lane is None or verdict is None or (usage is None and units is None):
            return
        used = self._estimate or Estimate(0, 0)
        if usage is not None:
            used = Estimate(usage.input_tokens, usage.output_tokens, usage.cached_tokens, used.units)
        if units is not None:
            used = replace(used, units=units)
        if cost is None and self._price is not None:
            cost = self._price(used, model_id)
        changes = [
            Change(count.charge, count.window_start, change)
            for count in verdict.counts
            if (change := _amount(count.charge.rule, used, cost) - count.charge.amount)
        ]
        if changes:
            lane.settle(changes)

    async def release(self) -> None:
        """The call never happened: give back all that was counted."""
        lane, verdict = self._take()
        if lane is not None and verdict is not None:
            lane.settle(refunds(verdict))

    def _take(self) -> tuple[Lane | None, Verdict | None]:
        lane, self._lane = self._lane, None
        return lane, self._verdict


_UNLIMITED: Sequence[Rule] = ()


class Limits:
    """Decides whether a call may be made now."""

    def __init__(self, rules: Kept[Rules], prices: Kept[PriceBook], lane: Lane) -> None:
        self._rules = rules
        self._prices = prices
        self._lane = lane

    async def admit(
        self, scope: Scope, purpose: Purpose, model: LimitedModel, tokens: int | Estimate
    ) -> Admission:
        """Count the call in all limits that apply. Raises `LimitReached` or `LimitsUnavailable`.

        `tokens` is what it is expected to use at most: an estimate, or a number for all of it together.
        Where nothing is limited this is two look-ups in memory.
        """
        rules = self._rules.value
        if rules is None:
            rules = await self._rules.get()
        own = rules.get(scope.workspace_id, _UNLIMITED)
        if not own:
            return Admission()
        caller = _caller(scope, purpose, model)
        applying = [(rule, subject) for rule in own if (subject := rule.subject_of(caller)) is not None]
        if not applying:
            return Admission()
        estimate = tokens if isinstance(tokens, Estimate) else Estimate(tokens, 0)
        book = self._prices.value
        if book is None:
            book = await self._prices.get()

        def price(used: Estimate, model_id: UUID | None) -> Money | None:
            tokens = (used.input_tokens, used.output_tokens, used.cached_tokens)
            return book.cost(scope.workspace_id, model_id or model.id, *tokens, used.units)

        cost = price(estimate, None)
        verdict = await self._lane.admit(
            [Charge(rule, subject, _amount(rule, estimate, cost)) for rule, subject in applying]
        )
        over = [count for count in verdict.counts if count.is_over]
        if not verdict.is_admitted:
            raise _refused([count for count in over if count.is_hard])
        return Admission(self._lane, verdict, price, [_notice(count) for count in over], estimate)

    async def close(self) -> None:
        await self._rules.close()
        await self._lane.close()


def _caller(scope: Scope, purpose: Purpose, model: LimitedModel) -> Caller:
    return {
        "user": str(scope.user_id) if scope.user_id else None,
        "api_key": str(scope.api_key_id) if scope.api_key_id else None,
        "application": str(purpose.application_id) if purpose.application_id else None,
        "path": purpose.path,
        "model": str(model.id),
    }


def _amount(rule: Rule, used: Estimate, cost: Money | None) -> Decimal:
    measure: Measure = rule.measure
    if measure == "requests":
        return Decimal(1)
    if measure == "tokens":
        return Decimal(used.input_tokens + used.output_tokens)
    return cost.amount if cost is not None and cost.currency == rule.currency else Decimal(0)


def _refused(over: Sequence[Count]) -> LimitReached:
    """The refusal names the limit that opens last: before that, trying again is in vain."""
    count = max(over, key=lambda one: one.window_end)
    rule, opens_at = count.charge.rule, count.window_end
    retry_after_s = max(1, -int((now() - opens_at).total_seconds() // 1))
    log.debug("limits.refused", limit=str(rule.id), subject=count.charge.subject)
    return LimitReached(
        refusal(rule, count.amount, opens_at, retry_after_s),
        limit=rule.name,
        limit_id=str(rule.id),
        measure=rule.measure,
        amount=float(count.amount),
        opens_at=_iso(opens_at),
        retry_after_s=retry_after_s,
    )


def _notice(count: Count) -> Notice:
    rule = count.charge.rule
    detail = {
        "limit": rule.name,
        "measure": rule.measure,
        "amount": float(count.amount),
        "used": float(count.used),
        "opens_at": _iso(count.window_end),
    }
    return Notice("limit-passed", detail)


def _iso(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
