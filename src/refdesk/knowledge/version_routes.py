"""HTTP of versions: a new file for a document, the list, what is in each, what differs, back to one."""

from contextlib import aclosing
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response, StreamingResponse

from refdesk.accounts import BoundEditor, BoundViewer, Scope
from refdesk.kit.border_types import MAX_INT, CleanText
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError
from refdesk.kit.web import DatabaseDep, Page, Tx
from refdesk.knowledge.bases import KnowledgeBases
from refdesk.knowledge.document_routes import PAGE_IMAGE, PageNumber, Scale, page_image
from refdesk.knowledge.documents import Documents
from refdesk.knowledge.downloads import DOWNLOAD, download
from refdesk.knowledge.edit_conflicts import EditConflicts
from refdesk.knowledge.errors import MalformedUpload, NoFiles
from refdesk.knowledge.parsing import EmptyFile
from refdesk.knowledge.receiving import Received, received_files
from refdesk.knowledge.route_parts import ListQuery, SettingsDep, one_file
from refdesk.knowledge.schemas import ConflictDecision, DocumentDiff, DocumentView, ParagraphPage, VersionView
from refdesk.knowledge.uploads import Target
from refdesk.knowledge.versions import read_again, replace_file, restore
from refdesk.knowledge.versions.reading import Versions

router = APIRouter(prefix="/api/v1", tags=["knowledge"])

Number = Annotated[int, Path(ge=1, le=MAX_INT)]
Limit = Annotated[int, Query(ge=1, le=500)]
Cursor = Annotated[CleanText | None, Query(max_length=200)]
_FILE_BODY = one_file()


@router.post(
    "/documents/{document_id}/file",
    operation_id="replaceDocumentFile",
    summary="Give a document another file; edits, questions and flags are carried over",
    status_code=202,
    openapi_extra=_FILE_BODY,
)
async def replace_document_file(
    document_id: UUID,
    request: Request,
    session: Tx,
    scope: BoundEditor,
    settings: SettingsDep,
    database: DatabaseDep,
    rename: Annotated[
        bool, Query(description="Call the document like the file; otherwise only the ending may change.")
    ] = False,
) -> DocumentView:
    document = await Documents(session, scope).view(document_id)
    base = await KnowledgeBases(session, scope, settings).get(document.knowledge_base_id)
    target = Target.of(base, settings, allow_duplicate=True)
    # A slow client must not hold a transaction and its connection for as long as its upload lasts.
    await session.commit()
    return await _receive_one(request, database, scope, document_id, target, rename=rename)


@router.post(
    "/documents/{document_id}/reread",
    operation_id="rereadDocument",
    summary="Read a document's file again; edits, questions and flags are carried over",
    status_code=202,
)
async def reread_document(document_id: UUID, session: Tx, scope: BoundEditor) -> DocumentView:
    await read_again(session, scope, document_id)
    return await Documents(session, scope).view(document_id)


async def _receive_one(
    request: Request, database: Database, scope: Scope, document_id: UUID, target: Target, *, rename: bool
) -> DocumentView:
    incoming = received_files(
        request, database, scope, limit_bytes=target.limit_bytes, limit_name=target.limit_name
    )
    first: Received | None = None
    try:
        async with aclosing(incoming) as files:
            async for received in files:
                if received.error is not None:
                    raise received.error
                if first is not None and received.file is not None:
                    await received.file.discard()
                    raise MalformedUpload("A document takes one file at a time.")
                first = received
        if first is None or first.file is None:
            raise NoFiles
        if first.file.size == 0:
            raise EmptyFile
        async with database.transaction() as session:
            blob = await first.file.finish(session)
            await replace_file(session, scope, document_id, blob, name=first.name, keeps_name=not rename)
            return await Documents(session, scope).view(document_id)
    except AppError:
        if first is not None and first.file is not None:
            await first.file.discard()
        raise


@router.get(
    "/documents/{document_id}/versions",
    operation_id="listDocumentVersions",
    summary="A document's versions, the newest first",
)
async def list_document_versions(
    document_id: UUID, session: Tx, scope: BoundViewer, page: ListQuery
) -> Page[VersionView]:
    return await Versions(session, scope).page(document_id, limit=page.limit, cursor=page.cursor)


@router.get(
    "/documents/{document_id}/versions/{number}/paragraphs",
    operation_id="listVersionParagraphs",
    summary="The paragraphs of a version in reading order",
)
async def list_version_paragraphs(
    document_id: UUID,
    number: Number,
    session: Tx,
    scope: BoundViewer,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> ParagraphPage:
    return await Versions(session, scope).paragraphs(document_id, number, limit=limit, cursor=cursor)


@router.get(
    "/documents/{document_id}/versions/{number}/file",
    operation_id="downloadVersion",
    summary="The file that a version was made from, as a download",
    response_class=StreamingResponse,
    responses=DOWNLOAD,
)
async def download_version(
    document_id: UUID, number: Number, session: Tx, scope: BoundViewer, database: DatabaseDep
) -> StreamingResponse:
    source, blob = await Versions(session, scope).original(document_id, number)
    return download(database, scope, blob, source.name)


@router.get(
    "/documents/{document_id}/diff",
    operation_id="diffDocumentVersions",
    summary="What differs between two versions, paragraph by paragraph and word by word",
)
async def diff_document_versions(
    document_id: UUID,
    session: Tx,
    scope: BoundViewer,
    earlier: Annotated[int, Query(alias="from", ge=1, le=MAX_INT)],
    later: Annotated[int, Query(alias="to", ge=1, le=MAX_INT)],
    limit: Limit = 50,
    cursor: Cursor = None,
) -> DocumentDiff:
    return await Versions(session, scope).diff(document_id, earlier, later, limit=limit, cursor=cursor)


@router.get(
    "/documents/{document_id}/versions/{number}/pages/{page}.png",
    operation_id="getVersionPage",
    summary="A page of the PDF that a version was made from, as an image",
    response_class=Response,
    responses=PAGE_IMAGE,
)
async def get_version_page(
    document_id: UUID,
    number: Number,
    page: PageNumber,
    request: Request,
    session: Tx,
    scope: BoundViewer,
    settings: SettingsDep,
    database: DatabaseDep,
    scale: Scale = 2.0,
) -> Response:
    document = await Documents(session, scope).get(document_id)
    source, blob = await Versions(session, scope).original(document_id, number)
    kind = source.kind
    await session.commit()
    return await page_image(request, database, scope, settings, document, kind, blob, page, scale)


@router.post(
    "/documents/{document_id}/conflicts/resolve",
    operation_id="resolveEditConflicts",
    summary="Decide about edits whose place in the file says something else now: they stay, or the file wins",
)
async def resolve_edit_conflicts(
    document_id: UUID, body: ConflictDecision, session: Tx, scope: BoundEditor
) -> DocumentView:
    return await EditConflicts(session, scope).resolve(document_id, body)


@router.post(
    "/documents/{document_id}/versions/{number}/restore",
    operation_id="restoreDocumentVersion",
    summary="Bring a version back as a new one; the present one again drops a new file that failed",
    status_code=202,
)
async def restore_document_version(
    document_id: UUID, number: Number, session: Tx, scope: BoundEditor
) -> DocumentView:
    await restore(session, scope, document_id, number)
    return await Documents(session, scope).view(document_id)
