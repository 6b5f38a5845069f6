"""HTTP of knowledge bases, uploads, the sample library and the stream of document states."""

from functools import partial
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse

from refdesk.accounts import BoundEditor, BoundViewer, Editor, Viewer, still_admitted
from refdesk.gateway import GatewayDep
from refdesk.kit.border_types import CleanText, clean_text
from refdesk.kit.sse import EventStreamResponse
from refdesk.kit.web import DatabaseDep, Page, Tx
from refdesk.knowledge import events, uploads
from refdesk.knowledge.access.folders import require_folder
from refdesk.knowledge.bases import KnowledgeBases
from refdesk.knowledge.documents import Documents
from refdesk.knowledge.repository import DocumentFilter
from refdesk.knowledge.route_parts import InFolder, ListQuery, SettingsDep, many_files, pairs_of
from refdesk.knowledge.sample import create_sample_library
from refdesk.knowledge.schemas import (
    DocumentList,
    DocumentsCreate,
    DocumentView,
    KnowledgeBaseCreate,
    KnowledgeBaseUpdate,
    KnowledgeBaseUsage,
    KnowledgeBaseView,
    State,
    UploadResult,
)

router = APIRouter(prefix="/api/v1", tags=["knowledge"])


def document_filter(
    request: Request,
    q: Annotated[CleanText | None, Query(max_length=200, description="Part of the name.")] = None,
    state: Annotated[list[State] | None, Query(description="Only documents in these states.")] = None,
    kind: Annotated[list[str] | None, Query(description="Only documents of these kinds.")] = None,
    active: Annotated[bool | None, Query(description="Only documents that searches find, or do not.")] = None,
    attention: Annotated[
        bool | None, Query(description="Only documents that failed, have warnings or lost text.")
    ] = None,
    source_id: Annotated[UUID | None, Query(description="Only documents of this source.")] = None,
    folder_id: Annotated[UUID | None, Query(description="Only documents right in this folder.")] = None,
    in_no_folder: Annotated[bool, Query(description="Only documents that lie in no folder.")] = False,
    meta: Annotated[
        list[CleanText] | None,
        Query(description="`KEY=VALUE` of the metadata; repeatable. `meta.KEY=VALUE` is the same."),
    ] = None,
) -> DocumentFilter:
    """Which documents a list is about."""
    pairs = pairs_of(meta or ())
    pairs += [
        (key.removeprefix("meta."), clean_text(value))
        for key, value in request.query_params.multi_items()
        if key.startswith("meta.")
    ]
    return DocumentFilter(
        q=q,
        states=state,
        kinds=kind,
        is_active=active,
        attention=attention,
        source_id=source_id,
        folder_id=folder_id,
        in_no_folder=in_no_folder,
        meta=[(clean_text(key), value) for key, value in pairs],
    )


UPLOAD_BODY = many_files(
    fields={
        "settings": {
            "type": "string",
            "description": "JSON of SplitOptions for these files; send it before them. "
            "Left out: the settings of the knowledge base.",
        },
        "allow_duplicate": {"type": "string", "enum": ["true", "false"]},
    }
)
_EVENT_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events `document` (DocumentProgress) and `counts` (KnowledgeBaseCounts); a comment "
        "every 15 s.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


@router.get(
    "/knowledge-bases", operation_id="listKnowledgeBases", summary="List the workspace's knowledge bases"
)
async def list_knowledge_bases(
    session: Tx,
    scope: Viewer,
    settings: SettingsDep,
    page: ListQuery,
    q: Annotated[CleanText | None, Query(max_length=200, description="Part of the name.")] = None,
) -> Page[KnowledgeBaseView]:
    return await KnowledgeBases(session, scope, settings).page(limit=page.limit, cursor=page.cursor, q=q)


@router.post(
    "/knowledge-bases",
    operation_id="createKnowledgeBase",
    summary="Create a knowledge base",
    status_code=201,
)
async def create_knowledge_base(
    body: KnowledgeBaseCreate, session: Tx, scope: Editor, settings: SettingsDep, gateway: GatewayDep
) -> KnowledgeBaseView:
    return await KnowledgeBases(session, scope, settings).create(body, gateway)


@router.get(
    "/knowledge-bases/{knowledge_base_id}",
    operation_id="getKnowledgeBase",
    summary="One knowledge base with its counts",
)
async def get_knowledge_base(
    knowledge_base_id: UUID, session: Tx, scope: BoundViewer, settings: SettingsDep
) -> KnowledgeBaseView:
    return await KnowledgeBases(session, scope, settings).view(knowledge_base_id)


@router.get(
    "/knowledge-bases/{knowledge_base_id}/usage",
    operation_id="getKnowledgeBaseUsage",
    summary="The applications that ask a knowledge base, to know before it is deleted",
)
async def get_knowledge_base_usage(
    knowledge_base_id: UUID, session: Tx, scope: BoundViewer, settings: SettingsDep
) -> KnowledgeBaseUsage:
    return await KnowledgeBases(session, scope, settings).usage(knowledge_base_id)


@router.patch(
    "/knowledge-bases/{knowledge_base_id}",
    operation_id="updateKnowledgeBase",
    summary="Rename a knowledge base or change its settings",
)
async def update_knowledge_base(
    knowledge_base_id: UUID,
    body: KnowledgeBaseUpdate,
    session: Tx,
    scope: Editor,
    settings: SettingsDep,
    gateway: GatewayDep,
) -> KnowledgeBaseView:
    return await KnowledgeBases(session, scope, settings).update(knowledge_base_id, body, gateway)


@router.delete(
    "/knowledge-bases/{knowledge_base_id}",
    operation_id="deleteKnowledgeBase",
    summary="Delete a knowledge base with everything it owns",
    status_code=204,
)
async def delete_knowledge_base(
    knowledge_base_id: UUID, session: Tx, scope: Editor, settings: SettingsDep
) -> None:
    await KnowledgeBases(session, scope, settings).delete(knowledge_base_id)


@router.post(
    "/knowledge-bases/{knowledge_base_id}/files",
    operation_id="uploadFiles",
    summary="Upload files; each becomes a document that is processed in the background",
    status_code=202,
    response_model=UploadResult,
    openapi_extra=UPLOAD_BODY,
)
async def upload_files(
    knowledge_base_id: UUID,
    request: Request,
    session: Tx,
    scope: BoundEditor,
    settings: SettingsDep,
    database: DatabaseDep,
    allow_duplicate: Annotated[
        bool, Query(description="Keep a file whose content the base already holds.")
    ] = False,
    folder_id: InFolder = None,
) -> JSONResponse:
    base = await KnowledgeBases(session, scope, settings).get(knowledge_base_id)
    await require_folder(session, scope, knowledge_base_id, folder_id)
    target = uploads.Target.of(base, settings, allow_duplicate=allow_duplicate, folder_id=folder_id)
    # A slow client must not hold a transaction and its connection for as long as its upload lasts.
    await session.commit()
    result = await uploads.receive(request, database, scope, target)
    headers = {"Connection": "close"} if result.unread else None
    return JSONResponse(result.model_dump(mode="json"), status_code=202, headers=headers)


@router.get(
    "/knowledge-bases/{knowledge_base_id}/documents",
    operation_id="listDocuments",
    summary="List a knowledge base's documents, newest first",
)
async def list_documents(
    knowledge_base_id: UUID,
    session: Tx,
    scope: BoundViewer,
    page: ListQuery,
    wanted: Annotated[DocumentFilter, Depends(document_filter)],
) -> Page[DocumentView]:
    return await Documents(session, scope).page(
        knowledge_base_id, limit=page.limit, cursor=page.cursor, wanted=wanted
    )


@router.post(
    "/knowledge-bases/{knowledge_base_id}/documents",
    operation_id="createDocuments",
    summary="Create documents from paragraphs, without a file",
    status_code=201,
)
async def create_documents(
    knowledge_base_id: UUID, body: DocumentsCreate, session: Tx, scope: BoundEditor
) -> DocumentList:
    return await Documents(session, scope).create(knowledge_base_id, body.documents, body.folder_id)


@router.get(
    "/knowledge-bases/{knowledge_base_id}/events",
    operation_id="followKnowledgeBase",
    summary="Server-sent events: states and progress of the documents as they change",
    response_class=EventStreamResponse,
    responses=_EVENT_STREAM,
)
async def follow_knowledge_base(
    knowledge_base_id: UUID,
    request: Request,
    session: Tx,
    scope: BoundViewer,
    settings: SettingsDep,
    database: DatabaseDep,
) -> EventStreamResponse:
    await KnowledgeBases(session, scope, settings).get(knowledge_base_id)
    admitted = partial(still_admitted, request, scope, "read")
    return EventStreamResponse(events.follow(database, scope, knowledge_base_id, admitted))


@router.post(
    "/sample-library",
    operation_id="createSampleLibrary",
    summary="Create the small bilingual sample knowledge base, or return the one that is there",
    status_code=201,
)
async def create_sample_library_route(
    session: Tx, scope: Editor, settings: SettingsDep, gateway: GatewayDep, database: DatabaseDep
) -> KnowledgeBaseView:
    return await create_sample_library(session, database, scope, settings, gateway)
