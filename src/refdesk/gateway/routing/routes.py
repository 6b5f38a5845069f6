"""Fallback policies, purposes and the health board over HTTP. Viewers see them; owners change them."""

from datetime import UTC, datetime, timedelta
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Path, status

from refdesk.accounts import Owner, Viewer
from refdesk.gateway.clients import GatewayDep
from refdesk.gateway.kinds import Kind
from refdesk.gateway.routing.administration import Administration
from refdesk.gateway.routing.board import health_views, probe_view
from refdesk.gateway.routing.conditions import VARIABLES
from refdesk.gateway.routing.dry_run import dry_run
from refdesk.gateway.routing.errors import NothingToProbe
from refdesk.gateway.routing.policies import Policy
from refdesk.gateway.routing.repository import HealthRepository
from refdesk.gateway.routing.schemas import (
    DryRun,
    DryRunDraft,
    ModelHealthView,
    PolicyChange,
    PolicyDraft,
    PolicyView,
    ProbeView,
    PurposeRouteView,
    RouteDraft,
    RulesCheck,
    RulesDraft,
)
from refdesk.gateway.routing.snapshot import RoutedModel
from refdesk.kit.ids import new_id
from refdesk.kit.web import Page, Tx

router = APIRouter(prefix="/api/v1", tags=["routing"])

# As an application names it, blanks around it dropped there.
PurposeName = Annotated[
    str, Path(min_length=1, max_length=64, pattern=r"^[^\x00-\x20\x7f]([^\x00-\x1f\x7f]*[^\x00-\x20\x7f])?$")
]


def _viewing(session: Tx, scope: Viewer) -> Administration:
    return Administration(session, scope)


def _owning(session: Tx, scope: Owner) -> Administration:
    return Administration(session, scope)


Viewing = Annotated[Administration, Depends(_viewing)]
Owning = Annotated[Administration, Depends(_owning)]


@router.get("/fallback-policies", operation_id="listFallbackPolicies", summary="The fallback policies")
async def list_policies(policies: Viewing) -> Page[PolicyView]:
    items = await policies.all()
    return Page(items=items, total=len(items))


@router.post(
    "/fallback-policies",
    operation_id="createFallbackPolicy",
    summary="Add a fallback policy",
    status_code=status.HTTP_201_CREATED,
)
async def create_policy(draft: PolicyDraft, policies: Owning) -> PolicyView:
    return await policies.create(draft)


@router.post(
    "/fallback-policies/check", operation_id="checkFallbackRules", summary="Whether rules could be saved"
)
async def check_rules(draft: RulesDraft, policies: Owning) -> RulesCheck:
    faults = await policies.faults(draft.rules, draft.policy)
    return RulesCheck(ok=not faults, faults=faults, variables=dict(VARIABLES))


@router.post(
    "/fallback-policies/dry-run",
    operation_id="dryRunFallback",
    summary="What would happen if a model answered 503, took 7 s or refused; asks no model",
)
async def try_rules(draft: DryRunDraft, policies: Owning, gateway: GatewayDep) -> DryRun:
    snapshot, scope = gateway.routing.snapshot, policies.scope
    await snapshot.ready()
    model = snapshot.get(scope, draft.model_id)
    tried: Policy | None = None
    if draft.rules is not None:
        stored = await policies.stored(draft.rules)
        tried = Policy.compile(new_id(), "tried", stored) if stored else None

    def find(model_id: UUID) -> RoutedModel | None:
        found = snapshot.find(model_id)
        return found if found is not None and found.row.workspace_id == scope.workspace_id else None

    def policy_of(one: RoutedModel) -> Policy | None:
        return tried if draft.rules is not None and one.id == model.id else snapshot.policy_of(one)

    return dry_run(draft, model, find, policy_of)


@router.get("/fallback-policies/{policy_id}", operation_id="getFallbackPolicy", summary="One fallback policy")
async def get_policy(policy_id: UUID, policies: Viewing) -> PolicyView:
    return await policies.get(policy_id)


@router.patch(
    "/fallback-policies/{policy_id}", operation_id="changeFallbackPolicy", summary="Change a fallback policy"
)
async def change_policy(policy_id: UUID, change: PolicyChange, policies: Owning) -> PolicyView:
    return await policies.change(policy_id, change)


@router.delete(
    "/fallback-policies/{policy_id}",
    operation_id="deleteFallbackPolicy",
    summary="Remove a fallback policy that no model uses",
    status_code=status.HTTP_204_NO_CONTENT,
)
async def delete_policy(policy_id: UUID, policies: Owning) -> None:
    await policies.delete(policy_id)


@router.get("/purpose-routes", operation_id="listPurposeRoutes", summary="Purposes with a model of their own")
async def list_routes(policies: Viewing) -> Page[PurposeRouteView]:
    items = await policies.routes()
    return Page(items=items, total=len(items))


@router.put(
    "/purpose-routes/{kind}/{purpose}",
    operation_id="setPurposeRoute",
    summary="Serve a purpose by a model",
)
async def set_route(
    kind: Kind, purpose: PurposeName, draft: RouteDraft, policies: Owning
) -> PurposeRouteView:
    return await policies.route(purpose, kind, draft.model_id)


@router.delete(
    "/purpose-routes/{kind}/{purpose}",
    operation_id="removePurposeRoute",
    summary="Serve a purpose by the default model again",
    status_code=status.HTTP_204_NO_CONTENT,
)
async def remove_route(kind: Kind, purpose: PurposeName, policies: Owning) -> None:
    await policies.unroute(purpose, kind)


@router.get("/model-health", operation_id="listModelHealth", summary="Health of all models")
async def list_health(session: Tx, scope: Viewer, gateway: GatewayDep) -> Page[ModelHealthView]:
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    repository = HealthRepository(session, scope)
    day = await repository.outcomes(hour - timedelta(hours=23))
    month = await repository.outcomes(hour - timedelta(days=30))
    await gateway.routing.snapshot.ready()
    items = health_views(await repository.board(), day, month, gateway.routing)
    return Page(items=items, total=len(items))


@router.post(
    "/model-health/{model_id}/probe", operation_id="probeModel", summary="Check a model's health endpoint now"
)
async def probe_model(model_id: UUID, scope: Owner, gateway: GatewayDep) -> ProbeView:
    await gateway.routing.snapshot.ready()
    model = gateway.routing.snapshot.get(scope, model_id)
    if model.check.path is None or model.row.base_url is None:
        raise NothingToProbe(model=model.row.name)
    return probe_view((await gateway.routing.probes.probe(model)).stored())
