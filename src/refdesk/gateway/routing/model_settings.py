"""What routing adds to a model as it is entered, changed and shown."""

from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway.routing.administration import Administration
from refdesk.gateway.routing.capabilities import Capabilities
from refdesk.gateway.routing.checks import HealthCheck
from refdesk.gateway.tables import Model
from refdesk.kit.border_types import PlainLine

ROUTED = ("version", "capabilities", "concurrency", "health_check", "fallback_policy_id")


class ModelRouting(BaseModel):
    """What a model can do, how many calls it takes at once (null: any number), how its health is watched, and
    the policy for its failures (null: none)."""

    version: PlainLine | None = Field(default=None, min_length=1, max_length=32)
    capabilities: Capabilities | None = None
    concurrency: int | None = Field(default=None, ge=1, le=100_000)
    health_check: HealthCheck | None = None
    fallback_policy_id: UUID | None = None


async def apply_routing(session: AsyncSession, scope: Scope, model: Model, given: ModelRouting) -> None:
    """Put in the members that are present. Raises `PolicyNotFound` and `PolicyInvalid`."""
    present = given.model_fields_set
    if given.version is not None:
        model.version = given.version
    if "capabilities" in present:
        stored = given.capabilities or Capabilities()
        model.capabilities = stored.model_dump(mode="json", exclude_none=True)
    if "concurrency" in present:
        model.concurrency = given.concurrency
    if "health_check" in present:
        check = given.health_check
        model.health_check = check.model_dump(mode="json") if check is not None else None
    if "fallback_policy_id" in present:
        await Administration(session, scope).assign(model, given.fallback_policy_id)


def audited(model: Model) -> dict[str, Any]:
    """A model as the record of changes holds it: everything but its key."""
    return {
        "name": model.name,
        "model_name": model.model_name,
        "base_url": model.base_url,
        "credential_hint": model.credential_hint,
        "parameters": model.parameters,
        "is_default": model.is_default,
        "version": model.version,
        "capabilities": model.capabilities,
        "concurrency": model.concurrency,
        "health_check": model.health_check,
        "fallback_policy_id": str(model.fallback_policy_id) if model.fallback_policy_id else None,
    }


def differences(before: dict[str, Any], after: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The members that differ, as `before` and `after`."""
    changed = [name for name in after if before.get(name) != after[name]]
    return {
        "before": {name: before.get(name) for name in changed},
        "after": {name: after[name] for name in changed},
    }
