"""Descriptors over HTTP. Whoever may view the workspace reads them; owners take them in."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, Viewer
from refdesk.gateway.descriptors.document import EMBEDDED
from refdesk.gateway.descriptors.planning import Holdings, Plan
from refdesk.gateway.descriptors.schemas import (
    DescriptorIn,
    DescriptorPlan,
    DescriptorText,
    DraftRequest,
    EditedDescriptor,
    TakenIn,
)
from refdesk.gateway.descriptors.taking_in import DescriptorIntake
from refdesk.gateway.descriptors.wizard import draft
from refdesk.gateway.descriptors.writing import as_yaml, describe
from refdesk.gateway.errors import UnknownModel
from refdesk.gateway.repository import ModelRepository
from refdesk.gateway.routes import Probe
from refdesk.kit.web import DatabaseDep, Tx

router = APIRouter(prefix="/api/v1", tags=["models"])
YAML = "application/yaml"


def _intake(probe: Probe, database: DatabaseDep) -> DescriptorIntake:
    return DescriptorIntake(database, probe)


Intake = Annotated[DescriptorIntake, Depends(_intake)]
_TEXT = {200: {"description": "One document a model.", "content": {YAML: {"schema": {"type": "string"}}}}}


@router.get(
    "/model-descriptors",
    operation_id="exportModelDescriptors",
    summary="The models' descriptors as one YAML file, without keys",
    response_class=Response,
    responses={**_TEXT},
)
async def export_descriptors(
    session: Tx,
    scope: Viewer,
    model_id: Annotated[list[str] | None, Query(description="Names; all models by default.")] = None,
) -> Response:
    text = await _exported(session, scope, model_id)
    named = {"Content-Disposition": 'attachment; filename="models.yaml"'}
    return Response(text, media_type=f"{YAML}; charset=utf-8", headers=named)


@router.post(
    "/model-descriptors/check",
    operation_id="checkModelDescriptors",
    summary="What taking descriptors in would do",
)
async def check_descriptors(given: DescriptorIn, intake: Intake) -> DescriptorPlan:
    return _shown(await intake.check(given.yaml, replace=given.replace))


@router.post(
    "/model-descriptors", operation_id="importModelDescriptors", summary="Take descriptors in, all or none"
)
async def import_descriptors(given: DescriptorIn, intake: Intake) -> TakenIn:
    return TakenIn(models=await intake.take_in(given.yaml, replace=given.replace))


@router.post(
    "/model-descriptors/draft",
    operation_id="draftModelDescriptor",
    summary="A descriptor filled from a vendor's model list",
)
async def draft_descriptor(asked: DraftRequest, probe: Probe) -> DescriptorText:
    entries = await probe.remote_entries(asked)
    return DescriptorText(yaml=as_yaml([draft(asked, entries.get(asked.model_name, {}))]))


@router.get(
    "/models/{model_id}/descriptor", operation_id="getModelDescriptor", summary="A model's descriptor"
)
async def get_descriptor(model_id: UUID, session: Tx, scope: Viewer) -> DescriptorText:
    model = await ModelRepository(session, scope).get(model_id)
    names = (await Holdings.of(session, scope)).policy_names
    return DescriptorText(yaml=as_yaml([describe(model, names)]))


@router.post(
    "/models/{model_id}/descriptor/check",
    operation_id="checkModelDescriptor",
    summary="What an edited descriptor would change",
)
async def check_descriptor(model_id: UUID, given: EditedDescriptor, intake: Intake) -> DescriptorPlan:
    return _shown(await intake.check(given.yaml, replace=True, model_id=model_id))


@router.put(
    "/models/{model_id}/descriptor",
    operation_id="replaceModelDescriptor",
    summary="Change a model by its descriptor",
)
async def replace_descriptor(model_id: UUID, given: EditedDescriptor, intake: Intake) -> TakenIn:
    return TakenIn(models=await intake.take_in(given.yaml, replace=True, model_id=model_id))


async def _exported(session: AsyncSession, scope: Scope, wanted: list[str] | None) -> str:
    """The embedded model comes with the software; it is left out unless it is named."""
    holdings = await Holdings.of(session, scope)
    for name in wanted or ():
        if name not in holdings.models:
            raise UnknownModel(model_id=name)
    models = [
        model
        for model in holdings.models.values()
        if (model.name in wanted if wanted else model.provider != EMBEDDED)
    ]
    return as_yaml([describe(model, holdings.policy_names) for model in models])


def _shown(plan: Plan) -> DescriptorPlan:
    return DescriptorPlan(models=[one.planned for one in plan.intended], problems=plan.problems)
