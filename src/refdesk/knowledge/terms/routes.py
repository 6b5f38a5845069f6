"""HTTP of term bases."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response

from refdesk.accounts import BoundEditor, BoundViewer
from refdesk.kit.border_types import CleanText
from refdesk.kit.web import PageQuery, Tx
from refdesk.knowledge.terms.csv_files import read_body
from refdesk.knowledge.terms.schemas import TermChange, TermDraft, TermImport, TermPage, TermView
from refdesk.knowledge.terms.service import Terms

router = APIRouter(prefix="/api/v1", tags=["knowledge"])

_BODY = {
    "requestBody": {
        "required": True,
        "content": {"text/csv": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.get(
    "/knowledge-bases/{knowledge_base_id}/terms",
    operation_id="listTerms",
    summary="Words that are kept whole, their synonyms, and how far the index is with them",
)
async def list_terms(
    knowledge_base_id: UUID,
    session: Tx,
    scope: BoundViewer,
    page: Annotated[PageQuery, Depends()],
    q: Annotated[CleanText | None, Query(max_length=200, description="Part of a word or synonym.")] = None,
) -> TermPage:
    return await Terms(session, scope).page(knowledge_base_id, limit=page.limit, cursor=page.cursor, q=q)


@router.post(
    "/knowledge-bases/{knowledge_base_id}/terms",
    operation_id="createTerm",
    summary="Add a word that is kept whole, with its synonyms",
    status_code=201,
)
async def create_term(knowledge_base_id: UUID, body: TermDraft, session: Tx, scope: BoundEditor) -> TermView:
    return await Terms(session, scope).create(knowledge_base_id, body)


@router.delete(
    "/knowledge-bases/{knowledge_base_id}/terms",
    operation_id="deleteTerms",
    summary="Delete every term of a knowledge base",
    status_code=204,
)
async def delete_terms(knowledge_base_id: UUID, session: Tx, scope: BoundEditor) -> None:
    await Terms(session, scope).delete_all(knowledge_base_id)


@router.get(
    "/knowledge-bases/{knowledge_base_id}/terms.csv",
    operation_id="exportTerms",
    summary="All terms as CSV with the columns word and synonyms",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}}},
)
async def export_terms(knowledge_base_id: UUID, session: Tx, scope: BoundViewer) -> Response:
    data = await Terms(session, scope).export(knowledge_base_id)
    headers = {"Content-Disposition": 'attachment; filename="terms.csv"'}
    return Response(data, media_type="text/csv; charset=utf-8", headers=headers)


@router.post(
    "/knowledge-bases/{knowledge_base_id}/terms/import",
    operation_id="importTerms",
    summary="Take in terms from a CSV file, or tell what it would bring",
    openapi_extra=_BODY,
)
async def import_terms(
    knowledge_base_id: UUID,
    request: Request,
    session: Tx,
    scope: BoundEditor,
    dry_run: Annotated[bool, Query(description="Change nothing.")] = False,
) -> TermImport:
    data = await read_body(request.stream())
    return await Terms(session, scope).import_file(knowledge_base_id, data, dry_run=dry_run)


@router.patch("/terms/{term_id}", operation_id="updateTerm", summary="Change a word or its synonyms")
async def update_term(term_id: UUID, body: TermChange, session: Tx, scope: BoundEditor) -> TermView:
    return await Terms(session, scope).change(term_id, body)


@router.delete("/terms/{term_id}", operation_id="deleteTerm", summary="Delete a term", status_code=204)
async def delete_term(term_id: UUID, session: Tx, scope: BoundEditor) -> None:
    await Terms(session, scope).delete(term_id)
