"""HTTP of QA imports and their templates."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from refdesk.accounts import BoundEditor, BoundViewer
from refdesk.kit.web import DatabaseDep, Tx
from refdesk.knowledge.filenames import content_disposition
from refdesk.knowledge.qa.schemas import QaImportResult
from refdesk.knowledge.qa.service import receive_tables
from refdesk.knowledge.qa.templates import MEDIA_TYPES, template
from refdesk.knowledge.repository import KnowledgeBaseRepository
from refdesk.knowledge.route_parts import SettingsDep, many_files

router = APIRouter(prefix="/api/v1", tags=["knowledge"])


_BODY = many_files()


@router.post(
    "/knowledge-bases/{knowledge_base_id}/qa-files",
    operation_id="importQaFiles",
    summary="Import tables of questions and answers (CSV, XLSX, ZIP); each row becomes a paragraph",
    status_code=201,
    openapi_extra=_BODY,
)
async def import_qa_files(
    knowledge_base_id: UUID,
    request: Request,
    session: Tx,
    scope: BoundEditor,
    settings: SettingsDep,
    database: DatabaseDep,
    allow_duplicate: Annotated[
        bool, Query(description="Keep a file whose content the base already holds.")
    ] = False,
) -> QaImportResult:
    base = await KnowledgeBaseRepository(session, scope).get(knowledge_base_id)
    # A slow client must not hold a transaction and its connection for as long as its upload lasts.
    await session.commit()
    return await receive_tables(request, database, scope, settings, base, allow_duplicate=allow_duplicate)


@router.get(
    "/qa-templates/{language}.{kind}",
    operation_id="getQaTemplate",
    summary="A template to fill in: title, content, questions one a line",
    response_class=Response,
    responses={
        200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
    },
)
async def get_qa_template(
    language: Literal["zh", "en"], kind: Literal["csv", "xlsx"], _scope: BoundViewer
) -> Response:
    name = {"zh": "问答模板", "en": "qa-template"}[language]
    headers = {"Content-Disposition": content_disposition(f"{name}.{kind}")}
    return Response(template(language, kind), media_type=MEDIA_TYPES[kind], headers=headers)
