"""HTTP of single documents: reading, changing, retrying, and the stored original."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Body, Path, Query, Request
from fastapi.responses import Response, StreamingResponse

from refdesk.accounts import BoundEditor, BoundViewer, Scope
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings
from refdesk.kit.web import DatabaseDep, Tx
from refdesk.knowledge import page_images
from refdesk.knowledge.documents import Documents
from refdesk.knowledge.downloads import DOWNLOAD, UNTRUSTED, download
from refdesk.knowledge.draft_expiry import EXTENDS_DRAFT
from refdesk.knowledge.passwords import seal_password
from refdesk.knowledge.route_parts import SettingsDep
from refdesk.knowledge.schemas import DocumentRetry, DocumentUpdate, DocumentView
from refdesk.knowledge.tables import Blob, Document

router = APIRouter(prefix="/api/v1", tags=["knowledge"])

PageNumber = Annotated[int, Path(ge=1, le=100_000)]
Scale = Annotated[
    float,
    Query(ge=0.25, le=4, description="Pixels a PDF point: a box of a paragraph times this is its place."),
]
PAGE_IMAGE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}}
}


@router.get("/documents/{document_id}", operation_id="getDocument", summary="One document")
async def get_document(document_id: UUID, session: Tx, scope: BoundViewer) -> DocumentView:
    return await Documents(session, scope).view(document_id)


@router.patch(
    "/documents/{document_id}",
    dependencies=EXTENDS_DRAFT,
    operation_id="updateDocument",
    summary="Rename a document, change its settings, or split it again",
)
async def update_document(
    document_id: UUID, body: DocumentUpdate, session: Tx, scope: BoundEditor
) -> DocumentView:
    return await Documents(session, scope).update(document_id, body)


@router.delete(
    "/documents/{document_id}",
    operation_id="deleteDocument",
    summary="Delete a document with everything it owns",
    status_code=204,
)
async def delete_document(document_id: UUID, session: Tx, scope: BoundEditor) -> None:
    await Documents(session, scope).delete(document_id)


@router.post(
    "/documents/{document_id}/retry",
    dependencies=EXTENDS_DRAFT,
    operation_id="retryDocument",
    summary="Continue a failed or cancelled document where it stopped; a password opens a protected file",
    status_code=202,
)
async def retry_document(
    document_id: UUID,
    session: Tx,
    scope: BoundEditor,
    settings: SettingsDep,
    body: Annotated[DocumentRetry | None, Body()] = None,
) -> DocumentView:
    sealed = None
    if body is not None and body.password is not None:
        sealed = seal_password(settings, document_id, body.password.get_secret_value())
    return await Documents(session, scope).retry(document_id, password_sealed=sealed)


@router.post(
    "/documents/{document_id}/cancel",
    operation_id="cancelDocument",
    summary="Stop processing a document",
    status_code=202,
)
async def cancel_document(document_id: UUID, session: Tx, scope: BoundEditor) -> DocumentView:
    return await Documents(session, scope).cancel(document_id)


@router.get(
    "/documents/{document_id}/file",
    operation_id="downloadDocument",
    summary="The original file, as a download",
    response_class=StreamingResponse,
    responses=DOWNLOAD,
)
async def download_document(
    document_id: UUID, session: Tx, scope: BoundViewer, database: DatabaseDep
) -> StreamingResponse:
    document, blob = await Documents(session, scope).original(document_id)
    return download(database, scope, blob, document.name)


@router.get(
    "/documents/{document_id}/pages/{number}.png",
    operation_id="getDocumentPage",
    summary="A page of a PDF as an image",
    response_class=Response,
    responses=PAGE_IMAGE,
)
async def get_document_page(
    document_id: UUID,
    number: PageNumber,
    request: Request,
    session: Tx,
    scope: BoundViewer,
    settings: SettingsDep,
    database: DatabaseDep,
    scale: Scale = 2.0,
) -> Response:
    document, blob = await Documents(session, scope).original(document_id)
    await session.commit()
    return await page_image(request, database, scope, settings, document, document.kind, blob, number, scale)


async def page_image(
    request: Request,
    database: Database,
    scope: Scope,
    settings: Settings,
    document: Document,
    kind: str | None,
    blob: Blob,
    number: int,
    scale: float,
) -> Response:
    """A page of a file of the document, or that the client has it already; the transaction is over."""
    etag = f'"{blob.sha256.hex()[:32]}-{number}-{scale:g}"'
    headers = {**UNTRUSTED, "Cache-Control": "private, max-age=86400", "ETag": etag}
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    png = await page_images.render(database, scope, settings, document, kind, blob, number, scale)
    return Response(png, media_type="image/png", headers=headers)
