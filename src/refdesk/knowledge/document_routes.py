"""HTTP of single documents: reading, changing, retrying, and the stored original."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response, StreamingResponse

from refdesk.accounts import BoundEditor, BoundViewer
from refdesk.kit.border_types import CleanText
from refdesk.kit.web import DatabaseDep, Tx
from refdesk.knowledge import blobs, page_images
from refdesk.knowledge.documents import Documents
from refdesk.knowledge.filenames import content_disposition, media_type
from refdesk.knowledge.paragraphs import Paragraphs
from refdesk.knowledge.schemas import (
    DocumentUpdate,
    DocumentView,
    ParagraphPage,
    ParagraphUpdate,
    ParagraphView,
)

router = APIRouter(prefix="/api/v1", tags=["knowledge"])

# An original is data from strangers: it is never shown by the browser, whatever it says it is.
_UNTRUSTED = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'"}


@router.get("/documents/{document_id}", operation_id="getDocument", summary="One document")
async def get_document(document_id: UUID, session: Tx, scope: BoundViewer) -> DocumentView:
    return await Documents(session, scope).view(document_id)


@router.patch(
    "/documents/{document_id}",
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
    operation_id="retryDocument",
    summary="Continue a failed or cancelled document where it stopped",
    status_code=202,
)
async def retry_document(document_id: UUID, session: Tx, scope: BoundEditor) -> DocumentView:
    return await Documents(session, scope).retry(document_id)


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
    responses={
        200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
    },
)
async def download_document(
    document_id: UUID, session: Tx, scope: BoundViewer, database: DatabaseDep
) -> StreamingResponse:
    document, blob = await Documents(session, scope).original(document_id)
    headers = {
        **_UNTRUSTED,
        "Content-Disposition": content_disposition(document.name),
        "Content-Length": str(blob.size),
        "Cache-Control": "private, no-cache",
        "ETag": f'"{blob.sha256.hex()}"',
    }
    return StreamingResponse(
        blobs.read(database, scope, blob.id, blob.size),
        media_type=media_type(document.name),
        headers=headers,
    )


@router.get(
    "/documents/{document_id}/pages/{number}.png",
    operation_id="getDocumentPage",
    summary="A page of a PDF as an image",
    response_class=Response,
    responses={200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}}},
)
async def get_document_page(
    document_id: UUID,
    number: Annotated[int, Path(ge=1, le=100_000)],
    request: Request,
    session: Tx,
    scope: BoundViewer,
    database: DatabaseDep,
    scale: Annotated[
        float,
        Query(ge=0.25, le=4, description="Pixels a PDF point: a box of a paragraph times this is its place."),
    ] = 2.0,
) -> Response:
    document, blob = await Documents(session, scope).original(document_id)
    await session.commit()
    etag = f'"{blob.sha256.hex()[:32]}-{number}-{scale:g}"'
    headers = {**_UNTRUSTED, "Cache-Control": "private, max-age=86400", "ETag": etag}
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    png = await page_images.render(database, scope, document, blob, number, scale)
    return Response(png, media_type="image/png", headers=headers)


@router.get(
    "/documents/{document_id}/paragraphs",
    operation_id="listParagraphs",
    summary="A document's paragraphs in reading order",
)
async def list_paragraphs(
    document_id: UUID,
    session: Tx,
    scope: BoundViewer,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[CleanText | None, Query(max_length=200)] = None,
    around: Annotated[
        UUID | None, Query(description="The page of the list that has this paragraph in its middle.")
    ] = None,
    q: Annotated[CleanText | None, Query(max_length=200, description="Part of the title or content.")] = None,
) -> ParagraphPage:
    return await Paragraphs(session, scope).page(document_id, limit=limit, cursor=cursor, around=around, q=q)


@router.get("/paragraphs/{paragraph_id}", operation_id="getParagraph", summary="One paragraph")
async def get_paragraph(paragraph_id: UUID, session: Tx, scope: BoundViewer) -> ParagraphView:
    return await Paragraphs(session, scope).view(paragraph_id)


@router.patch(
    "/paragraphs/{paragraph_id}",
    operation_id="updateParagraph",
    summary="Edit a paragraph, or take it out of searches and back; only this paragraph is indexed again",
)
async def update_paragraph(
    paragraph_id: UUID, body: ParagraphUpdate, session: Tx, scope: BoundEditor
) -> ParagraphView:
    return await Paragraphs(session, scope).update(paragraph_id, body)


@router.delete(
    "/paragraphs/{paragraph_id}",
    operation_id="deleteParagraph",
    summary="Delete a paragraph",
    status_code=204,
)
async def delete_paragraph(paragraph_id: UUID, session: Tx, scope: BoundEditor) -> None:
    await Paragraphs(session, scope).delete(paragraph_id)
