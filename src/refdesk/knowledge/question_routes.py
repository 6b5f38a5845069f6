"""HTTP of questions: those of a base, and those attached to a paragraph."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query

from refdesk.accounts import BoundEditor, BoundViewer
from refdesk.kit.border_types import CleanText
from refdesk.kit.web import Page, PageQuery, Tx
from refdesk.knowledge.draft_expiry import EXTENDS_DRAFT_OF_PARAGRAPH
from refdesk.knowledge.questions import Questions
from refdesk.knowledge.schemas import (
    AskedParagraph,
    AttachedQuestions,
    NewQuestion,
    ParagraphView,
    QuestionList,
    QuestionUpdate,
    QuestionView,
)

router = APIRouter(prefix="/api/v1", tags=["knowledge"])


@router.get(
    "/knowledge-bases/{knowledge_base_id}/questions",
    operation_id="listQuestions",
    summary="Questions attached to the paragraphs of a knowledge base, the newest first",
)
async def list_questions(
    knowledge_base_id: UUID,
    session: Tx,
    scope: BoundViewer,
    page: Annotated[PageQuery, Depends()],
    q: Annotated[CleanText | None, Query(max_length=200, description="Part of the question.")] = None,
) -> Page[QuestionView]:
    return await Questions(session, scope).page(knowledge_base_id, limit=page.limit, cursor=page.cursor, q=q)


@router.post(
    "/knowledge-bases/{knowledge_base_id}/questions",
    operation_id="createQuestion",
    summary="Add a question and attach it to paragraphs; one of the same text is taken as it is",
    status_code=201,
)
async def create_question(
    knowledge_base_id: UUID, body: NewQuestion, session: Tx, scope: BoundEditor
) -> QuestionView:
    return await Questions(session, scope).create(knowledge_base_id, body)


@router.patch(
    "/questions/{question_id}",
    operation_id="updateQuestion",
    summary="Word a question otherwise, for all its paragraphs",
)
async def update_question(
    question_id: UUID, body: QuestionUpdate, session: Tx, scope: BoundEditor
) -> QuestionView:
    return await Questions(session, scope).update(question_id, body.content)


@router.delete(
    "/questions/{question_id}",
    operation_id="deleteQuestion",
    summary="Delete a question, from all its paragraphs",
    status_code=204,
)
async def delete_question(question_id: UUID, session: Tx, scope: BoundEditor) -> None:
    await Questions(session, scope).delete(question_id)


@router.get(
    "/questions/{question_id}/paragraphs",
    operation_id="listQuestionParagraphs",
    summary="The paragraphs a question is attached to",
)
async def list_question_paragraphs(
    question_id: UUID, session: Tx, scope: BoundViewer, page: Annotated[PageQuery, Depends()]
) -> Page[AskedParagraph]:
    return await Questions(session, scope).asked(question_id, limit=page.limit, cursor=page.cursor)


@router.get(
    "/paragraphs/{paragraph_id}/questions",
    operation_id="listParagraphQuestions",
    summary="The questions attached to a paragraph",
)
async def list_paragraph_questions(paragraph_id: UUID, session: Tx, scope: BoundViewer) -> QuestionList:
    return QuestionList(items=await Questions(session, scope).of_paragraph(paragraph_id))


@router.post(
    "/paragraphs/{paragraph_id}/questions",
    dependencies=EXTENDS_DRAFT_OF_PARAGRAPH,
    operation_id="attachQuestions",
    summary="Attach questions to a paragraph, by their text or their ids",
)
async def attach_questions(
    paragraph_id: UUID, body: AttachedQuestions, session: Tx, scope: BoundEditor
) -> ParagraphView:
    return await Questions(session, scope).attach(paragraph_id, body)


@router.delete(
    "/paragraphs/{paragraph_id}/questions/{question_id}",
    dependencies=EXTENDS_DRAFT_OF_PARAGRAPH,
    operation_id="detachQuestion",
    summary="Take a question off a paragraph; one attached to nothing else is deleted",
    status_code=204,
)
async def detach_question(paragraph_id: UUID, question_id: UUID, session: Tx, scope: BoundEditor) -> None:
    await Questions(session, scope).detach(paragraph_id, question_id)
