"""Limits over HTTP: owners set them and see what is used of them."""

from uuid import UUID

from fastapi import APIRouter, status

from refdesk.accounts import Owner
from refdesk.gateway.clients import GatewayDep
from refdesk.gateway.limits.repository import LimitRepository
from refdesk.gateway.limits.schemas import LimitChange, LimitDraft, LimitStanding, LimitView, QueueView
from refdesk.gateway.limits.service import LimitService
from refdesk.kit.web import Page, Tx

router = APIRouter(prefix="/api/v1", tags=["limits"])


@router.get("/model-limits", operation_id="listModelLimits", summary="Limits on calls of models")
async def list_model_limits(session: Tx, scope: Owner) -> Page[LimitView]:
    limits = await LimitRepository(session, scope).all()
    return Page(items=[LimitView.model_validate(limit) for limit in limits], total=len(limits))


@router.post(
    "/model-limits",
    operation_id="createModelLimit",
    summary="Limit calls of models",
    status_code=status.HTTP_201_CREATED,
)
async def create_model_limit(draft: LimitDraft, session: Tx, scope: Owner) -> LimitView:
    return LimitView.model_validate(await LimitService(session, scope).create(draft))


@router.put("/model-limits/{limit_id}", operation_id="changeModelLimit", summary="Change a limit")
async def change_model_limit(limit_id: UUID, change: LimitChange, session: Tx, scope: Owner) -> LimitView:
    return LimitView.model_validate(await LimitService(session, scope).change(limit_id, change))


@router.delete(
    "/model-limits/{limit_id}",
    operation_id="deleteModelLimit",
    summary="Remove a limit",
    status_code=status.HTTP_204_NO_CONTENT,
)
async def delete_model_limit(limit_id: UUID, session: Tx, scope: Owner) -> None:
    await LimitService(session, scope).delete(limit_id)


@router.get(
    "/model-limits/{limit_id}/standing",
    operation_id="getModelLimitStanding",
    summary="How much of a limit is used now, and by whom",
)
async def get_model_limit_standing(
    limit_id: UUID, session: Tx, scope: Owner, gateway: GatewayDep
) -> LimitStanding:
    return await LimitService(session, scope).standing(limit_id, gateway.controls.counters)


@router.get(
    "/model-queues",
    operation_id="listModelQueues",
    summary="How many calls are being answered and wait, of models that take so many at once",
)
async def list_model_queues(session: Tx, scope: Owner) -> Page[QueueView]:
    queues = await LimitRepository(session, scope).queues()
    return Page(items=queues, total=len(queues))
