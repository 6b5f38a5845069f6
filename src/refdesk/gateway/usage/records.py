"""What is told of one call when it is over."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Literal
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.gateway.calls import UsageReport
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.usage.pricing import Money
from refdesk.kit.clock import now

type Fault = Literal["none", "caller", "gateway", "model"]

OK = "ok"
# Failures that count against the model: it is its server or its vendor that did not do its part.
_MODEL_FAULTS = frozenset(
    (
        "model-bad-response",
        "model-error",
        "model-interrupted",
        "model-quota",
        "model-rate-limited",
        "model-timeout",
        "model-unavailable",
    )
)
_GATEWAY_FAULTS = frozenset(("limit-reached", "limits-unavailable", "model-queue-timeout", "model-suspended"))


def fault_of(code: str) -> Fault:
    """Whose fault an outcome is; only the model's counts against its SLA."""
    if code == OK:
        return "none"
    if code in _MODEL_FAULTS:
        return "model"
    return "gateway" if code in _GATEWAY_FAULTS else "caller"


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """A try that failed before the one the call ended with, at the same model or another."""

    model_id: UUID
    code: str
    latency_ms: int


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call. `model_id` is the model that answered (or failed last); `switched_from` the one asked for.

    `failed` are the earlier tries, so that they count against their model. `units` counts what is not tokens
    (pictures, seconds of sound, documents). `cost` is left to the price list unless it is given. `code` is
    `ok`, `cancelled` or that of the error. Times in milliseconds from the start of the call.
    """

    scope: Scope
    purpose: Purpose
    model_id: UUID
    kind: str
    code: str
    latency_ms: int
    usage: UsageReport | None = None
    first_token_ms: int | None = None
    attempts: int = 1
    failed: Sequence[FailedAttempt] = ()
    switched_from: UUID | None = None
    is_cached: bool = False
    units: Decimal = Decimal(0)
    cost: Money | None = None
    at: datetime = field(default_factory=now)
