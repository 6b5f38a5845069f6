"""What a person reads when a model cannot be asked or has failed for good (X15, X47, X48)."""

import time
from typing import Any

from refdesk.gateway.errors import ModelError, ModelUnavailable
from refdesk.gateway.routing.breaker import Breaker
from refdesk.gateway.routing.capabilities import Lack
from refdesk.gateway.routing.checks import SUGGESTED_INTERVAL_MS
from refdesk.gateway.routing.errors import ModelLacksCapability
from refdesk.gateway.routing.failures import Failure
from refdesk.gateway.routing.snapshot import RoutedModel
from refdesk.kit.wording import counted


def lacking(model: RoutedModel, lack: Lack) -> ModelLacksCapability:
    """The refusal before the call; names the capability as descriptors do."""
    return ModelLacksCapability(
        f"The model {model.row.name} cannot be asked this: {lack.reason} ({lack.capability}).",
        model=model.row.name,
        capability=lack.capability,
    )


def resting(model: RoutedModel, state: Breaker, last_failure: dict[str, Any] | None) -> ModelUnavailable:
    """The model failed too often in a row and is left alone for a while."""
    wait_s = max(1, round(state.retry_at - time.time())) if state.state == "open" else 1
    what = f" ({last_failure['response_code']} {last_failure['code']})" if last_failure else ""
    times = counted(state.failures, "time")
    return ModelUnavailable(
        f"The model {model.row.name} failed {times} in a row{what} and is not asked for now.",
        hint=f"It is tried again within {counted(wait_s, 'second')}. A fallback policy names a model to use.",
        model=model.row.name,
        breaker=state.state,
        failures=state.failures,
        retry_after_s=wait_s,
    )


def with_advice(failure: Failure, model: RoutedModel, probe: dict[str, Any] | None) -> ModelError:
    """The error a call ends with; where probes had found nothing, with what finds such failures sooner."""
    error = failure.error
    check = model.check
    if not failure.trips or check.path is None or probe is None or not probe.get("ok"):
        return error
    ago_s = max(0, round(time.time() - float(probe["at"])))
    advice = (
        f"The health check {counted(ago_s, 'second')} ago was good: what fails between two checks"
        f" (interval_ms {check.interval_ms}) is found by calls only. Set latency_threshold in health_check"
        f" ({check.latency_threshold or 'not set'}), so that slow answers count, and a shorter interval_ms,"
        f" as {SUGGESTED_INTERVAL_MS}."
    )
    error.hint_text = f"{error.hint_text} {advice}" if error.hint_text else advice
    return error
