"""HTTP of exports and imports."""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from refdesk.accounts import BoundEditor, BoundViewer, Editor, Viewer, audit
from refdesk.gateway import GatewayDep
from refdesk.kit.border_types import Name
from refdesk.kit.web import DatabaseDep, Tx
from refdesk.knowledge.access import require_whole
from refdesk.knowledge.exchange.export import export_base
from refdesk.knowledge.exchange.markdown import markdown
from refdesk.knowledge.exchange.schemas import ImportView
from refdesk.knowledge.exchange.service import import_view, receive_archive, retry_import
from refdesk.knowledge.filenames import content_disposition
from refdesk.knowledge.repository import RESOURCE, DocumentRepository, KnowledgeBaseRepository
from refdesk.knowledge.route_parts import SettingsDep, one_file

router = APIRouter(prefix="/api/v1", tags=["knowledge"])


_ZIP: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}
}
_BODY = one_file("application/zip")
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


@router.get(
    "/knowledge-bases/{knowledge_base_id}/export",
    operation_id="exportKnowledgeBase",
    summary="The whole knowledge base as a ZIP that can be imported again, vectors included",
    response_class=StreamingResponse,
    responses=_ZIP,
)
async def export_knowledge_base(
    knowledge_base_id: UUID, session: Tx, scope: BoundEditor, database: DatabaseDep
) -> StreamingResponse:
    base = await KnowledgeBaseRepository(session, scope).get(knowledge_base_id)
    # A backup that silently lacks documents would be found out when it is needed.
    await require_whole(session, scope, base.id)
    audit(session, scope, "knowledge-base.export", (RESOURCE, base.id), name=base.name)
    await session.commit()
    body = await _begun(export_base(database, scope, base))
    headers = {**_HEADERS, "Content-Disposition": content_disposition(f"{base.name}.zip")}
    return StreamingResponse(body, media_type="application/zip", headers=headers)


@router.get(
    "/documents/{document_id}/export",
    operation_id="exportDocument",
    summary="A document as Markdown with its edits, or as a ZIP that can be imported as a base of its own",
    response_class=StreamingResponse,
    responses={
        200: {
            "content": {
                "text/markdown": {"schema": {"type": "string"}},
                "application/zip": {"schema": {"type": "string", "format": "binary"}},
            }
        }
    },
)
async def export_document(
    document_id: UUID,
    session: Tx,
    scope: BoundViewer,
    database: DatabaseDep,
    form: Annotated[Literal["markdown", "zip"], Query(alias="format")] = "markdown",
) -> StreamingResponse:
    document = await DocumentRepository(session, scope).get(document_id)
    base = await KnowledgeBaseRepository(session, scope).get(document.knowledge_base_id)
    await session.commit()
    if form == "markdown":
        headers = {**_HEADERS, "Content-Disposition": content_disposition(f"{document.name}.md")}
        body = markdown(database, scope, document_id, document.name)
        return StreamingResponse(body, media_type="text/markdown; charset=utf-8", headers=headers)
    body = await _begun(export_base(database, scope, base, [document_id]))
    headers = {**_HEADERS, "Content-Disposition": content_disposition(f"{document.name}.zip")}
    return StreamingResponse(body, media_type="application/zip", headers=headers)


@router.post(
    "/knowledge-base-imports",
    operation_id="importKnowledgeBase",
    summary="Import an export as a new knowledge base; it is filled in the background",
    status_code=202,
    openapi_extra=_BODY,
)
async def import_knowledge_base(
    request: Request,
    session: Tx,
    scope: Editor,
    settings: SettingsDep,
    database: DatabaseDep,
    gateway: GatewayDep,
    name: Annotated[Name | None, Query(description="Left out: the name it had.")] = None,
) -> ImportView:
    # A slow client must not hold a transaction and its connection for as long as its upload lasts.
    await session.commit()
    return await receive_archive(request, database, scope, settings, gateway, name)


@router.get(
    "/knowledge-base-imports/{knowledge_base_id}",
    operation_id="getKnowledgeBaseImport",
    summary="How the import of a knowledge base stands",
)
async def get_knowledge_base_import(knowledge_base_id: UUID, session: Tx, scope: Viewer) -> ImportView:
    return await import_view(session, scope, knowledge_base_id)


@router.post(
    "/knowledge-base-imports/{knowledge_base_id}/retry",
    operation_id="retryKnowledgeBaseImport",
    summary="Go on with an import that failed; to give it up, delete its knowledge base",
    status_code=202,
)
async def retry_knowledge_base_import(knowledge_base_id: UUID, session: Tx, scope: Editor) -> ImportView:
    return await retry_import(session, scope, knowledge_base_id)


async def _begun(body: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    """The stream after its first piece was made: what fails until then is still an error of the request."""
    first = await anext(body)

    async def all_of_it() -> AsyncIterator[bytes]:
        try:
            yield first
            async for data in body:
                yield data
        finally:
            await body.aclose()

    return all_of_it()
