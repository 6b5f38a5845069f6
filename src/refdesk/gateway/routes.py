"""Models over HTTP. Whoever may view the workspace sees the list; owners change it."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Request, status

from refdesk.accounts import Owner, Viewer
from refdesk.gateway.clients import GatewayDep
from refdesk.gateway.presets import PRESETS
from refdesk.gateway.repository import ModelRepository
from refdesk.gateway.schemas import (
    CheckResult,
    Endpoint,
    Kind,
    ModelChange,
    ModelDraft,
    ModelView,
    Preset,
    RemoteModels,
)
from refdesk.gateway.service import ModelService
from refdesk.kit.web import Page, Tx

router = APIRouter(prefix="/api/v1", tags=["models"])


def _service(request: Request, session: Tx, scope: Owner, gateway: GatewayDep) -> ModelService:
    return ModelService(session, scope, gateway, request.app.state.cipher)


Service = Annotated[ModelService, Depends(_service)]


@router.get("/models", operation_id="listModels", summary="The workspace's models")
async def list_models(session: Tx, scope: Viewer, kind: Kind | None = None) -> Page[ModelView]:
    models = await ModelRepository(session, scope).all(kind)
    return Page(items=[ModelView.model_validate(model) for model in models], total=len(models))


@router.post(
    "/models", operation_id="createModel", summary="Connect a model", status_code=status.HTTP_201_CREATED
)
async def create_model(draft: ModelDraft, service: Service) -> ModelView:
    return ModelView.model_validate(await service.create(draft))


@router.post("/models/check", operation_id="checkModelDraft", summary="Test what is being entered")
async def check_model_draft(draft: ModelDraft, service: Service) -> CheckResult:
    return await service.check_draft(draft)


@router.post("/models/list-remote", operation_id="listRemoteModels", summary="What a vendor's list offers")
async def list_remote_models(endpoint: Endpoint, service: Service) -> RemoteModels:
    return RemoteModels(names=await service.remote_names(endpoint))


@router.get("/model-presets", operation_id="listModelPresets", summary="Addresses of common vendors")
async def list_model_presets(scope: Viewer) -> Page[Preset]:
    return Page(items=PRESETS, total=len(PRESETS))


@router.get("/models/{model_id}", operation_id="getModel", summary="One model")
async def get_model(model_id: UUID, session: Tx, scope: Viewer) -> ModelView:
    return ModelView.model_validate(await ModelRepository(session, scope).get(model_id))


@router.patch("/models/{model_id}", operation_id="changeModel", summary="Change a model")
async def change_model(model_id: UUID, change: ModelChange, service: Service) -> ModelView:
    return ModelView.model_validate(await service.change(model_id, change))


@router.delete(
    "/models/{model_id}",
    operation_id="deleteModel",
    summary="Remove a model",
    status_code=status.HTTP_204_NO_CONTENT,
)
async def delete_model(model_id: UUID, service: Service) -> None:
    await service.delete(model_id)


@router.post("/models/{model_id}/check", operation_id="checkModel", summary="Test a connected model")
async def check_model(model_id: UUID, service: Service) -> CheckResult:
    return await service.check(model_id)
