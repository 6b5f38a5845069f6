"""HTTP of applications."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response, status

from refdesk.accounts import Editor, Viewer
from refdesk.apps.preview_schemas import PreviewRequest, PromptPreview
from refdesk.apps.previews import preview_of
from refdesk.apps.schemas import ApplicationCreate, ApplicationOut, ApplicationPatch
from refdesk.apps.service import ApplicationService
from refdesk.chat import Runs
from refdesk.kit.web import DatabaseDep, Page, PageQuery, Tx

router = APIRouter(prefix="/api/v1/applications", tags=["applications"])


@router.get(
    "",
    operation_id="listApplications",
    summary="The applications of the workspace, by name",
    response_model=Page[ApplicationOut],
)
async def list_applications(
    session: Tx, scope: Viewer, query: Annotated[PageQuery, Query()]
) -> Page[ApplicationOut]:
    return await ApplicationService(session, scope).list(limit=query.limit, cursor=query.cursor)


@router.post(
    "",
    operation_id="createApplication",
    summary="Create an application",
    response_model=ApplicationOut,
    status_code=status.HTTP_201_CREATED,
)
async def create_application(body: ApplicationCreate, session: Tx, scope: Editor) -> ApplicationOut:
    return await ApplicationService(session, scope).create(body)


@router.post(
    "/preview",
    operation_id="previewPrompts",
    summary="The exact messages a model would get for a question, of an application saved or not",
    response_model=PromptPreview,
)
async def preview_prompts(
    body: PreviewRequest, runs: Runs, database: DatabaseDep, scope: Editor
) -> PromptPreview:
    return await preview_of(runs, database, scope, body)


@router.get(
    "/{application_id}",
    operation_id="getApplication",
    summary="An application",
    response_model=ApplicationOut,
)
async def get_application(application_id: UUID, session: Tx, scope: Viewer) -> ApplicationOut:
    return await ApplicationService(session, scope).get(application_id)


@router.patch(
    "/{application_id}",
    operation_id="updateApplication",
    summary="Change an application",
    response_model=ApplicationOut,
)
async def update_application(
    application_id: UUID, body: ApplicationPatch, session: Tx, scope: Editor
) -> ApplicationOut:
    return await ApplicationService(session, scope).update(application_id, body)


@router.delete(
    "/{application_id}",
    operation_id="deleteApplication",
    summary="Delete an application; its conversations stay",
    status_code=status.HTTP_204_NO_CONTENT,
    response_class=Response,
)
async def delete_application(application_id: UUID, session: Tx, scope: Editor) -> None:
    await ApplicationService(session, scope).delete(application_id)
