"""Models over HTTP. Whoever may view the workspace sees the list; owners change it."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Request, status

from refdesk.accounts import Owner, Viewer
from refdesk.gateway.clients import GatewayDep
from refdesk.gateway.presets import presets
from refdesk.gateway.probing import ModelProbe
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
from refdesk.gateway.service import ModelService, store_gates
from refdesk.kit.web import DatabaseDep, Page, Tx

router = APIRouter(prefix="/api/v1", tags=["models"])


def _service(request: Request, session: Tx, scope: Owner) -> ModelService:
    return ModelService(session, scope, request.app.state.cipher)


def _probe(request: Request, scope: Owner, gateway: GatewayDep) -> ModelProbe:
    return ModelProbe(scope, gateway, request.app.state.cipher)


Service = Annotated[ModelService, Depends(_service)]
Probe = Annotated[ModelProbe, Depends(_probe)]


@router.get("/models", operation_id="listModels", summary="The workspace's models")
async def list_models(session: Tx, scope: Viewer, kind: Kind | None = None) -> Page[ModelView]:
    models = await ModelRepository(session, scope).all(kind)
    return Page(items=[ModelView.model_validate(model) for model in models], total=len(models))


@router.post(
    "/models", operation_id="createModel", summary="Connect a model", status_code=status.HTTP_201_CREATED
)
async def create_model(draft: ModelDraft, probe: Probe, database: DatabaseDep) -> ModelView:
    model = await probe.prepare(draft)
    async with database.transaction() as session:
        service = ModelService(session, probe.scope, probe.cipher)
        return ModelView.model_validate(
            await service.create(model, as_default=draft.is_default, routing=draft)
        )


@router.post("/models/check", operation_id="checkModelDraft", summary="Test what is being entered")
async def check_model_draft(draft: ModelDraft, probe: Probe) -> CheckResult:
    return await probe.check(probe.unsaved(draft))


@router.post("/models/list-remote", operation_id="listRemoteModels", summary="What a vendor's list offers")
async def list_remote_models(endpoint: Endpoint, probe: Probe) -> RemoteModels:
    return RemoteModels(names=await probe.remote_names(endpoint))


@router.get("/model-presets", operation_id="listModelPresets", summary="Addresses of common vendors")
async def list_model_presets(scope: Viewer) -> Page[Preset]:
    return Page(items=presets(), total=len(presets()))


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


@router.delete(
    "/models/{model_id}/gates",
    operation_id="resetModelGates",
    summary="Go back to the default gates of a model",
)
async def reset_model_gates(model_id: UUID, session: Tx, scope: Owner) -> ModelView:
    return ModelView.model_validate(await store_gates(session, scope, model_id, None))


@router.post("/models/{model_id}/check", operation_id="checkModel", summary="Test a connected model")
async def check_model(model_id: UUID, probe: Probe, database: DatabaseDep) -> CheckResult:
    async with database.transaction() as session:
        model = await ModelRepository(session, probe.scope).get(model_id)
    result = await probe.check(model)
    async with database.transaction() as session:
        await ModelService(session, probe.scope, probe.cipher).note_check(model_id, result)
    return result
