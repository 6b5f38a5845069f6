"""The health board: what is stored of each model, and what this process knows already."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from refdesk.gateway.routing.checks import HealthCheck
from refdesk.gateway.routing.schemas import ModelHealthView, NamedModel, ProbeView, SlaView
from refdesk.gateway.routing.service import Routing
from refdesk.gateway.routing.tables import ModelHealth
from refdesk.gateway.tables import Model

type Outcomes = Mapping[UUID, tuple[int, int]]


def health_views(
    rows: Sequence[tuple[Model, ModelHealth | None]], day: Outcomes, month: Outcomes, routing: Routing
) -> list[ModelHealthView]:
    """One row a model, in the order given."""
    return [_view(model, row, day, month, routing) for model, row in rows]


def _view(
    model: Model, row: ModelHealth | None, day: Outcomes, month: Outcomes, routing: Routing
) -> ModelHealthView:
    state = routing.health.state(model.id)
    routed = routing.snapshot.find(model.id)
    policy = routing.snapshot.policy_of(routed) if routed is not None else None
    probe = row.last_probe if row is not None else None
    return ModelHealthView.model_validate(
        {
            "model": NamedModel(id=model.id, name=model.name),
            "kind": model.kind,
            "provider": model.provider,
            "state": state.state,
            "failures_in_a_row": state.failures,
            "retry_at": datetime.fromtimestamp(state.retry_at, UTC) if state.state == "open" else None,
            "changed_at": row.changed_at if row is not None else None,
            "last_failure": routing.health.last_failure(model.id),
            "last_probe": probe_view(probe) if probe is not None else None,
            "health_check": routed.check if routed is not None else HealthCheck(),
            "policy": policy.policy_id if policy is not None else None,
            "day": _sla(day.get(model.id)),
            "month": _sla(month.get(model.id)),
        }
    )


def probe_view(stored: Mapping[str, Any]) -> ProbeView:
    return ProbeView.model_validate({**stored, "at": datetime.fromtimestamp(stored["at"], UTC)})


def _sla(outcomes: tuple[int, int] | None) -> SlaView:
    calls, failures = outcomes or (0, 0)
    return SlaView(calls=calls, failures=failures, figure=(calls - failures) / calls if calls else None)
