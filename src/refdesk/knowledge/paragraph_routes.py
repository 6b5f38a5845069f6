"""HTTP of paragraphs: reading, editing, adding, splitting, merging, many at once."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body, Query

from refdesk.accounts import BoundEditor, BoundViewer
from refdesk.kit.border_types import MAX_INT, CleanText
from refdesk.kit.web import Tx
from refdesk.knowledge.draft_expiry import EXTENDS_DRAFT, EXTENDS_DRAFT_OF_PARAGRAPH
from refdesk.knowledge.paragraph_structure import ParagraphStructure
from refdesk.knowledge.paragraphs import Paragraphs
from refdesk.knowledge.route_parts import pairs_of
from refdesk.knowledge.schemas import (
    AddedParagraph,
    ParagraphActionResult,
    ParagraphActions,
    ParagraphMerge,
    ParagraphPage,
    ParagraphPair,
    ParagraphRevert,
    ParagraphSplit,
    ParagraphUpdate,
    ParagraphView,
)

router = APIRouter(prefix="/api/v1", tags=["knowledge"])


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
    start: Annotated[
        int | None,
        Query(ge=0, le=MAX_INT, description="The page that begins with the paragraph of this place, from 0."),
    ] = None,
    q: Annotated[CleanText | None, Query(max_length=200, description="Part of the title or content.")] = None,
    meta: Annotated[
        list[CleanText] | None,
        Query(description="`KEY=VALUE` of what is known of the paragraph, such as `has_table=true`."),
    ] = None,
) -> ParagraphPage:
    return await Paragraphs(session, scope).page(
        document_id,
        limit=limit,
        cursor=cursor,
        around=around,
        start=start,
        q=q,
        meta=pairs_of(meta or ()),
    )


@router.post(
    "/documents/{document_id}/paragraphs",
    dependencies=EXTENDS_DRAFT,
    operation_id="addParagraph",
    summary="Add a paragraph to a document, behind another one",
    status_code=201,
)
async def add_paragraph(
    document_id: UUID, body: AddedParagraph, session: Tx, scope: BoundEditor
) -> ParagraphView:
    return await ParagraphStructure(session, scope).add(document_id, body)


@router.post(
    "/documents/{document_id}/paragraphs/actions",
    dependencies=EXTENDS_DRAFT,
    operation_id="actOnParagraphs",
    summary="Activate, deactivate or delete many paragraphs of a document; all or none",
)
async def act_on_paragraphs(
    document_id: UUID, body: ParagraphActions, session: Tx, scope: BoundEditor
) -> ParagraphActionResult:
    changed = await Paragraphs(session, scope).act(document_id, body.ids, body.action)
    return ParagraphActionResult(changed=changed)


@router.get(
    "/paragraphs/{paragraph_id}",
    operation_id="getParagraph",
    summary="One paragraph; one that is gone as the last version says that had it",
)
async def get_paragraph(paragraph_id: UUID, session: Tx, scope: BoundViewer) -> ParagraphView:
    return await Paragraphs(session, scope).view(paragraph_id)


@router.patch(
    "/paragraphs/{paragraph_id}",
    dependencies=EXTENDS_DRAFT_OF_PARAGRAPH,
    operation_id="updateParagraph",
    summary="Edit a paragraph, or take it out of searches and back; only this paragraph is indexed again",
)
async def update_paragraph(
    paragraph_id: UUID, body: ParagraphUpdate, session: Tx, scope: BoundEditor
) -> ParagraphView:
    return await Paragraphs(session, scope).update(paragraph_id, body)


@router.delete(
    "/paragraphs/{paragraph_id}",
    dependencies=EXTENDS_DRAFT_OF_PARAGRAPH,
    operation_id="deleteParagraph",
    summary="Delete a paragraph; later versions of the file do not bring it back",
    status_code=204,
)
async def delete_paragraph(paragraph_id: UUID, session: Tx, scope: BoundEditor) -> None:
    await Paragraphs(session, scope).delete(paragraph_id)


@router.post(
    "/paragraphs/{paragraph_id}/split",
    dependencies=EXTENDS_DRAFT_OF_PARAGRAPH,
    operation_id="splitParagraph",
    summary="Cut a paragraph in two; the first half keeps its id and questions",
)
async def split_paragraph(
    paragraph_id: UUID, body: ParagraphSplit, session: Tx, scope: BoundEditor
) -> ParagraphPair:
    return await ParagraphStructure(session, scope).split(paragraph_id, body.offset, body.revision)


@router.post(
    "/paragraphs/{paragraph_id}/merge",
    dependencies=EXTENDS_DRAFT_OF_PARAGRAPH,
    operation_id="mergeParagraph",
    summary="Join a paragraph with the next one, whose questions it takes over",
)
async def merge_paragraph(
    paragraph_id: UUID,
    session: Tx,
    scope: BoundEditor,
    body: Annotated[ParagraphMerge | None, Body()] = None,
) -> ParagraphView:
    return await ParagraphStructure(session, scope).merge(paragraph_id, body or ParagraphMerge())


@router.post(
    "/paragraphs/{paragraph_id}/revert",
    dependencies=EXTENDS_DRAFT_OF_PARAGRAPH,
    operation_id="revertParagraph",
    summary="Let an edited paragraph say again what the file says",
)
async def revert_paragraph(
    paragraph_id: UUID,
    session: Tx,
    scope: BoundEditor,
    body: Annotated[ParagraphRevert | None, Body()] = None,
) -> ParagraphView:
    return await Paragraphs(session, scope).revert(paragraph_id, body.revision if body else None)
