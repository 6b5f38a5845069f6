"""The order of one governed call, for every kind of model, in one place to read.

1. capabilities: a demand that the model cannot meet is refused, or goes where the policy says;
2. limits: the call is counted in all that apply, or refused;
3. an earlier answer to the same, where such are kept;
4. a permit of the model, or a place in its queue;
5. the breaker: a model that failed is not asked;
6. the wire, until the first token: up to there a failure or a wait that the policy does not bear is
invisible; 7. the policy: again, another model, a refusal, or the failure itself;
8. the record: usage, figures, what limits were really used.

Nothing here knows what is asked: a `Call` brings how to ask one model. With nothing configured there is no
database round trip and no task on this way.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, cast
from uuid import UUID, uuid4

import structlog
from structlog.contextvars import get_contextvars

from refdesk.accounts import Scope
from refdesk.gateway.calls import Notice, UsageReport
from refdesk.gateway.errors import ModelError, ModelTimeout
from refdesk.gateway.limits import Estimate, Limits, ModelQueueTimeout, Permits
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.routing.capabilities import NO_DEMAND, Demand, lack_of
from refdesk.gateway.routing.conditions import Facts
from refdesk.gateway.routing.errors import ModelCallRejected
from refdesk.gateway.routing.failures import Failure
from refdesk.gateway.routing.health import Health, Ticket
from refdesk.gateway.routing.policies import (
    AskAgain,
    GiveUp,
    Policy,
    Progress,
    Refuse,
    SwitchTo,
    decide,
    spread,
)
from refdesk.gateway.routing.snapshot import RoutedModel, Snapshot
from refdesk.gateway.routing.wording import lacking, resting, with_advice
from refdesk.gateway.usage import CallRecord, FailedAttempt, UsageLog
from refdesk.kit.errors import AppError

log = structlog.get_logger(__name__)

PROVEN_EVENTS = 50
"""After so many events of an answer its model counts as working, though the answer goes on."""


@dataclass(frozen=True, slots=True)
class Asked[T]:
    """One model about to be asked: its events, and what was done to the request to make it fit."""

    events: AsyncGenerator[T]
    notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class Call[T]:
    """What is asked. `ask(model, request_id, is_backup)` begins one attempt and may raise `ModelError`s;
    `begins` tells whether an event is part of what the caller sees; `usage_of` reads the tokens off an event,
    and `units_of` what is not tokens, known once it has begun.
    `recall` gives the answer of an earlier call, if one is kept. `may_restart`: what was written may be taken
    back after the first token."""

    scope: Scope
    purpose: Purpose
    model: RoutedModel
    ask: Callable[[RoutedModel, str, bool], Asked[T]]
    estimate: Callable[[], Estimate]
    begins: Callable[[T], bool]
    usage_of: Callable[[T], UsageReport | None]
    demand: Demand = NO_DEMAND
    recall: Callable[[], Awaitable[Sequence[T] | None]] | None = None
    may_restart: bool = False
    units_of: Callable[[T], Decimal] | None = None


@dataclass(slots=True)
class _Trail:
    """What the record of a call is made of."""

    request_id: str
    started: float = field(default_factory=time.perf_counter)
    code: str = "cancelled"
    first_token_s: float | None = None
    usage: UsageReport | None = None
    units: Decimal = Decimal(0)
    is_cached: bool = False
    failed: list[FailedAttempt] = field(default_factory=list[FailedAttempt])

    @property
    def elapsed_s(self) -> float:
        return time.perf_counter() - self.started


class Flow:
    """Runs calls. One a process."""

    def __init__(
        self, snapshot: Snapshot, health: Health, limits: Limits, permits: Permits, usage: UsageLog
    ) -> None:
        self._snapshot = snapshot
        self._health = health
        self._limits = limits
        self._permits = permits
        self._usage = usage

    async def run[T](self, call: Call[T]) -> AsyncGenerator[T | Notice]:
        """The events of the call, with notices of what was done on the way. Raises `ModelError`s."""
        trail = _Trail(call.purpose.request_id or get_contextvars().get("request_id") or uuid4().hex)
        progress = Progress([call.model.id])
        admission = await self._limits.admit(call.scope, call.purpose, call.model, call.estimate())
        try:
            for notice in admission.notices:
                yield notice
            if call.recall is not None and (kept := await call.recall()) is not None:
                trail.code, trail.is_cached = "ok", True
                for event in kept:
                    yield event
                return
            model, policy = call.model, self._snapshot.policy_of(call.model)
            while True:
                began, failure = False, self._unusable(call, model)
                if failure is None:
                    attempt = self._attempt(call, model, policy, progress, trail)
                    async with aclosing(attempt) as events:
                        async for event in events:
                            if isinstance(event, Failure):
                                failure = event
                                break
                            began = began or not isinstance(event, Notice)
                            yield event
                if failure is None:
                    trail.code = "ok"
                    return
                trail.code = failure.code
                if began and not call.may_restart:
                    raise self._final(model, failure)
                decision, _ = decide(
                    policy, progress, failure, call.estimate().input_tokens, self._refusal_of(call)
                )
                trail.failed.append(FailedAttempt(model.id, failure.code, failure.latency_ms))
                match decision:
                    case GiveUp():
                        trail.failed.pop()
                        raise self._final(model, failure)
                    case Refuse(message):
                        trail.code = ModelCallRejected.code
                        raise ModelCallRejected(message, reason=failure.reason) from failure.error
                    case AskAgain(wait_s):
                        notice = Notice("retried", _told(model, failure) | {"wait_s": round(wait_s, 3)})
                    case SwitchTo(model_id):
                        before, model = model, cast(RoutedModel, self._snapshot.find(model_id))
                        wait_s, policy = 0.0, self._snapshot.policy_of(model) or policy
                        progress.moved(model.id)
                        notice = Notice("model-switched", _told(before, failure) | _to(before, model))
                if began:
                    yield Notice("restarted", {"reason": failure.reason})
                yield notice
                if wait_s:
                    await asyncio.sleep(spread(wait_s))
        except AppError as error:
            trail.code = error.code
            raise
        finally:
            self._record(call, progress, trail)
            if progress.total == 0:
                await admission.release()
            else:
                used = trail.usage
                if used is None and trail.code not in ("ok", "cancelled") and trail.first_token_s is None:
                    used = UsageReport(0, 0)  # who was refused was charged nothing
                units = None if call.units_of is None else trail.units
                await admission.settle(used, units=units, model_id=progress.model_id)

    async def once[T](self, call: Call[T]) -> tuple[T, tuple[Notice, ...]]:
        """The one result of a call that has no parts, and the notices."""
        notices: list[Notice] = []
        results: list[T] = []
        async with aclosing(self.run(call)) as events:
            async for event in events:
                if isinstance(event, Notice):
                    notices.append(event)
                else:
                    results.append(event)
        return results[-1], tuple(notices)

    async def _attempt[T](
        self, call: Call[T], model: RoutedModel, policy: Policy | None, progress: Progress, trail: _Trail
    ) -> AsyncGenerator[T | Notice | Failure]:
        """One model asked once: its events, and a `Failure` as the last where it failed."""
        async with AsyncExitStack() as permit:
            if model.concurrency is not None:
                try:
                    async for notice in self._queue(permit, call, model):
                        yield notice
                except ModelQueueTimeout as error:
                    yield Failure.of(error, trail.elapsed_s, may_retry=False)
                    return
            ticket = await self._health.admit(model.id, model.check.breaker)
            if ticket is None:  # it failed others while this call waited
                yield self._resting(model)
                return
            progress.asked()
            started = time.perf_counter()
            outcome, late = "left", False
            seen = 0
            try:
                asked = call.ask(model, trail.request_id, len(progress.visited) > 1)
                if asked.notice is not None:
                    yield asked.notice
                async with aclosing(asked.events) as events:
                    held = await _until_begun(call, events, self._patience_s(call, policy, progress))
                    first_s = time.perf_counter() - started
                    late = model.check.latency_threshold is not None and (
                        first_s * 1000 > model.check.latency_threshold
                    )
                    if trail.first_token_s is None:
                        trail.first_token_s = trail.elapsed_s
                    for event in held:
                        trail.usage = call.usage_of(event) or trail.usage
                        if call.units_of is not None:
                            trail.units += call.units_of(event)
                        yield event
                    async for event in events:
                        seen += 1
                        if seen == PROVEN_EVENTS and outcome == "left" and not late:
                            outcome = "told"
                            self._health.report(ticket, "success")
                        trail.usage = call.usage_of(event) or trail.usage
                        yield event
                self._end(ticket, outcome, trail.request_id if late else None, first_s)
                outcome = "told"
            except ModelError as error:
                failure = Failure.of(error, time.perf_counter() - started)
                self._end_failed(ticket, failure, trail.request_id)
                outcome = "told"
                yield failure
            finally:
                if outcome == "left":
                    self._health.report(ticket, "left")

    def _end(self, ticket: Ticket, outcome: str, late_request: str | None, first_s: float) -> None:
        """An attempt that went well; one that was late counts as a failure of its model."""
        if late_request is not None:
            what = {"response_code": 200, "code": "model-slow", "latency_ms": int(first_s * 1000)}
            more = {"request_id": late_request, "at": time.time()}
            self._health.report(ticket, "failure", failure=what | more)
        elif outcome == "left":
            self._health.report(ticket, "success")

    def _end_failed(self, ticket: Ticket, failure: Failure, request_id: str) -> None:
        log.warning(
            "model.attempt-failed",
            request_id=request_id,
            model_id=str(ticket.model_id),
            response_code=failure.response_code,
            code=failure.code,
            ms=failure.latency_ms,
        )
        what: dict[str, Any] = {
            "request_id": request_id,
            "response_code": failure.response_code,
            "code": failure.code,
            "latency_ms": failure.latency_ms,
            "message": failure.error.text,
            "at": time.time(),
        }
        if failure.trips:
            self._health.report(ticket, "failure", failure=what)
        elif failure.counts:
            self._health.report(ticket, "neutral", failure=what)
        else:
            self._health.report(ticket, "neutral", counts=False)

    async def _queue[T](
        self, permit: AsyncExitStack, call: Call[T], model: RoutedModel
    ) -> AsyncGenerator[Notice]:
        """Enter the model's queue; the place while it is waited for. The permit ends with `permit`."""
        places: asyncio.Queue[Notice] = asyncio.Queue()
        held = self._permits.permit(call.scope, call.purpose, model, places.put_nowait)
        entering = asyncio.ensure_future(permit.enter_async_context(held))
        telling = asyncio.ensure_future(places.get())
        try:
            while not entering.done():
                await asyncio.wait((entering, telling), return_when=asyncio.FIRST_COMPLETED)
                if telling.done():
                    yield telling.result()
                    telling = asyncio.ensure_future(places.get())
            await entering
        finally:
            telling.cancel()
            if not entering.done():
                entering.cancel()
            await asyncio.gather(telling, entering, return_exceptions=True)

    def _unusable[T](self, call: Call[T], model: RoutedModel) -> Failure | None:
        """Why a model is not to be asked at all: it lacks something, or its breaker is open."""
        demand = call.demand
        lack = None if demand is NO_DEMAND else lack_of(model.abilities, demand)
        # What is too long for a backup is cut for it.
        if lack is not None and (lack.capability != "max_context_length" or model.id == call.model.id):
            return Failure.of(lacking(model, lack), 0.0, may_retry=False)
        if self._health.state(model.id).allows(time.time()) == "no":
            return self._resting(model)
        return None

    def _resting(self, model: RoutedModel) -> Failure:
        error = resting(model, self._health.state(model.id), self._health.last_failure(model.id))
        return Failure.of(error, 0.0, may_retry=False)

    def _refusal_of[T](self, call: Call[T]) -> Callable[[UUID], str | None]:
        def refusal(model_id: UUID) -> str | None:
            target = self._snapshot.find(model_id)
            if target is None or target.row.workspace_id != call.scope.workspace_id:
                return "it is gone"
            if target.row.kind != call.model.row.kind:
                return f"it is of the kind {target.row.kind}"
            failure = self._unusable(call, target)
            return failure.error.text if failure is not None else None

        return refusal

    def _patience_s[T](self, call: Call[T], policy: Policy | None, progress: Progress) -> float | None:
        """How long the policy lets the first token be waited for; None for as long as the wire does, also
        where the policy would have nothing left to do then: a late answer is better than none."""
        if policy is None or not policy.is_timed:
            return None
        tokens = call.estimate().input_tokens
        moment = policy.patience_ms(Facts(attempts=progress.attempts, input_tokens=tokens))
        if moment is None:
            return None
        late = Failure.of(ModelTimeout(), moment / 1000)
        then, _ = decide(policy, progress.copy(), late, tokens, self._refusal_of(call))
        return None if isinstance(then, GiveUp) else moment / 1000

    def _final(self, model: RoutedModel, failure: Failure) -> ModelError:
        return with_advice(failure, model, self._health.probes.get(model.id))

    def _record[T](self, call: Call[T], progress: Progress, trail: _Trail) -> None:
        latency_ms = int(trail.elapsed_s * 1000)
        model_id = progress.model_id
        first_ms = None if trail.first_token_s is None else int(trail.first_token_s * 1000)
        self._usage.record(
            CallRecord(
                scope=call.scope,
                purpose=call.purpose,
                model_id=model_id,
                kind=call.model.row.kind,
                code=trail.code,
                latency_ms=latency_ms,
                usage=trail.usage,
                first_token_ms=first_ms,
                attempts=max(progress.total, 1),
                failed=trail.failed,
                is_cached=trail.is_cached,
                units=trail.units,
                switched_from=call.model.id if model_id != call.model.id else None,
            )
        )
        usage = trail.usage
        log.info(
            "model.call",
            request_id=trail.request_id,
            model_id=str(model_id),
            path=call.purpose.path,
            code=trail.code,
            ms=latency_ms,
            first_ms=first_ms,
            attempts=progress.total,
            input_tokens=usage.input_tokens if usage else None,
            output_tokens=usage.output_tokens if usage else None,
        )


async def _until_begun[T](call: Call[T], events: AsyncGenerator[T], patience_s: float | None) -> list[T]:
    """The events up to the first that the caller sees. Raises `ModelTimeout` when patience ends before."""
    held: list[T] = []
    try:
        async with asyncio.timeout(patience_s):
            async for event in events:
                held.append(event)
                if call.begins(event):
                    break
    except TimeoutError as error:
        raise ModelTimeout(
            f"The model did not begin to answer within {patience_s} s, which its fallback policy allows.",
            hint="The limit is a condition on `latency` in the fallback policy.",
            timeout_s=patience_s,
        ) from error
    return held


def _told(model: RoutedModel, failure: Failure) -> dict[str, Any]:
    return {"model": model.row.name, "reason": failure.reason}


def _to(before: RoutedModel, after: RoutedModel) -> dict[str, Any]:
    return {"from": before.row.name, "to": after.row.name, "to_model_id": str(after.id)}
