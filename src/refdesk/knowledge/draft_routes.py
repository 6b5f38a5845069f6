"""HTTP of previews: upload to look at, list, import; all else is that of documents and paragraphs."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body, Query, Request
from fastapi.responses import JSONResponse

from refdesk.accounts import BoundEditor
from refdesk.kit.web import DatabaseDep, Page, Tx
from refdesk.knowledge import uploads
from refdesk.knowledge.access.folders import require_folder
from refdesk.knowledge.bases import KnowledgeBases
from refdesk.knowledge.drafts import Drafts
from refdesk.knowledge.route_parts import InFolder, ListQuery, SettingsDep
from refdesk.knowledge.routes import UPLOAD_BODY
from refdesk.knowledge.schemas import DocumentView, DraftImport, DraftImportResult, UploadResult

router = APIRouter(prefix="/api/v1/knowledge-bases/{knowledge_base_id}", tags=["knowledge"])


@router.post(
    "/drafts",
    operation_id="uploadDrafts",
    summary="Upload files to see their paragraphs before anything is imported",
    status_code=202,
    response_model=UploadResult,
    openapi_extra=UPLOAD_BODY,
)
async def upload_drafts(
    knowledge_base_id: UUID,
    request: Request,
    session: Tx,
    scope: BoundEditor,
    settings: SettingsDep,
    database: DatabaseDep,
    allow_duplicate: Annotated[
        bool, Query(description="Take a file whose content the base already holds.")
    ] = False,
    folder_id: InFolder = None,
) -> JSONResponse:
    base = await KnowledgeBases(session, scope, settings).get(knowledge_base_id)
    await require_folder(session, scope, knowledge_base_id, folder_id)
    target = uploads.Target.of(
        base, settings, allow_duplicate=allow_duplicate, folder_id=folder_id, drafts=True
    )
    # A slow client must not hold a transaction and its connection for as long as its upload lasts.
    await session.commit()
    result = await uploads.receive(request, database, scope, target)
    headers = {"Connection": "close"} if result.unread else None
    return JSONResponse(result.model_dump(mode="json"), status_code=202, headers=headers)


@router.get("/drafts", operation_id="listDrafts", summary="List previews that were not imported yet")
async def list_drafts(
    knowledge_base_id: UUID, session: Tx, scope: BoundEditor, page: ListQuery
) -> Page[DocumentView]:
    return await Drafts(session, scope).page(knowledge_base_id, limit=page.limit, cursor=page.cursor)


@router.post(
    "/drafts/import",
    operation_id="importDrafts",
    summary="Make previews documents of the base, with everything that was done to them",
    status_code=202,
)
async def import_drafts(
    knowledge_base_id: UUID,
    session: Tx,
    scope: BoundEditor,
    body: Annotated[DraftImport | None, Body()] = None,
) -> DraftImportResult:
    return await Drafts(session, scope).bring_in(knowledge_base_id, body or DraftImport())
