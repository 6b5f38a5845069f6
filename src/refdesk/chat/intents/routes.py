"""HTTP of intents: below the application they belong to."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response, status

from refdesk.accounts import Editor, Viewer
from refdesk.chat.context import Services
from refdesk.chat.intents import exchange, trying
from refdesk.chat.intents.schemas import (
    FileFormat,
    IntentCreate,
    IntentImport,
    IntentImported,
    IntentMove,
    IntentOut,
    IntentPatch,
    IntentTreeOut,
    IntentTried,
    IntentTry,
)
from refdesk.chat.intents.service import IntentService
from refdesk.chat.profile import ApplicationProfiles
from refdesk.kit.web import Tx

router = APIRouter(prefix="/api/v1/applications/{application_id}/intents", tags=["intents"])

_MEDIA: dict[FileFormat, str] = {
    "json": "application/json",
    "yaml": "application/yaml",
    "csv": "text/csv",
}


def _services(request: Request) -> Services:
    services: Services = request.app.state.runs.services
    return services


def _profiles(request: Request) -> ApplicationProfiles:
    profiles: ApplicationProfiles = request.app.state.runs.profiles
    return profiles


@router.get("", operation_id="listIntents", summary="The tree of intents", response_model=IntentTreeOut)
async def list_intents(application_id: UUID, session: Tx, scope: Viewer) -> IntentTreeOut:
    return await (await IntentService.open(session, scope, application_id)).tree()


@router.post(
    "",
    operation_id="createIntent",
    summary="Create an intent, the last below its parent",
    response_model=IntentOut,
    status_code=status.HTTP_201_CREATED,
)
async def create_intent(application_id: UUID, body: IntentCreate, session: Tx, scope: Editor) -> IntentOut:
    return await (await IntentService.open(session, scope, application_id)).create(body)


@router.get(
    "/export",
    operation_id="exportIntents",
    summary="The tree as JSON or YAML, or its examples as CSV",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def export_intents(
    application_id: UUID,
    session: Tx,
    scope: Viewer,
    format_: Annotated[FileFormat, Query(alias="format")] = "json",
) -> Response:
    service = await IntentService.open(session, scope, application_id)
    headers = {"Content-Disposition": f'attachment; filename="intents.{format_}"'}
    text = await exchange.export(service, format_)
    return Response(text, media_type=f"{_MEDIA[format_]}; charset=utf-8", headers=headers)


@router.post(
    "/import",
    operation_id="importIntents",
    summary="Add the intents of a file to the tree, by code, or put them in its place",
    response_model=IntentImported,
)
async def import_intents(
    application_id: UUID, body: IntentImport, session: Tx, scope: Editor
) -> IntentImported:
    return await exchange.take_in(await IntentService.open(session, scope, application_id), body)


@router.post(
    "/try",
    operation_id="tryIntents",
    summary="What a question would be taken for",
    response_model=IntentTried,
)
async def try_intents(
    application_id: UUID,
    body: IntentTry,
    scope: Editor,
    services: Annotated[Services, Depends(_services)],
    profiles: Annotated[ApplicationProfiles, Depends(_profiles)],
) -> IntentTried:
    return await trying.try_question(services, profiles, scope, application_id, body)


@router.patch(
    "/{intent_id}", operation_id="updateIntent", summary="Change an intent", response_model=IntentOut
)
async def update_intent(
    application_id: UUID, intent_id: UUID, body: IntentPatch, session: Tx, scope: Editor
) -> IntentOut:
    return await (await IntentService.open(session, scope, application_id)).update(intent_id, body)


@router.post(
    "/{intent_id}/move",
    operation_id="moveIntent",
    summary="Put an intent, with those below it, in another place",
    response_model=IntentTreeOut,
)
async def move_intent(
    application_id: UUID, intent_id: UUID, body: IntentMove, session: Tx, scope: Editor
) -> IntentTreeOut:
    return await (await IntentService.open(session, scope, application_id)).move(intent_id, body)


@router.delete(
    "/{intent_id}",
    operation_id="deleteIntent",
    summary="Delete an intent with those below it; it can be restored for 30 days",
    status_code=status.HTTP_204_NO_CONTENT,
    response_class=Response,
)
async def delete_intent(application_id: UUID, intent_id: UUID, session: Tx, scope: Editor) -> None:
    await (await IntentService.open(session, scope, application_id)).delete(intent_id)


@router.post(
    "/{intent_id}/restore",
    operation_id="restoreIntent",
    summary="Bring back an intent with all that was deleted with it",
    response_model=IntentTreeOut,
)
async def restore_intent(application_id: UUID, intent_id: UUID, session: Tx, scope: Editor) -> IntentTreeOut:
    return await (await IntentService.open(session, scope, application_id)).restore(intent_id)
