"""Paragraphs as the index takes them: with the titles above, the questions attached, how pieces overlap."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge.indexing import ParagraphText
from refdesk.knowledge.paragraph_repository import ParagraphRepository
from refdesk.knowledge.question_repository import QuestionRepository
from refdesk.knowledge.repository import DocumentRepository
from refdesk.knowledge.splitting import overlap_of


async def paragraph_texts(
    session: AsyncSession, scope: Scope, paragraph_ids: Sequence[UUID]
) -> list[ParagraphText]:
    """Those of these paragraphs that exist, in reading order."""
    paragraphs = await ParagraphRepository(session, scope).by_ids(paragraph_ids)
    questions = await QuestionRepository(session, scope).of_paragraphs(paragraph_ids)
    settings = await DocumentRepository(session, scope).split_settings(
        {paragraph.document_id for paragraph in paragraphs}
    )
    overlaps = {key: overlap_of(chosen) for key, chosen in settings.items()}
    return [
        ParagraphText(
            id=paragraph.id,
            document_id=paragraph.document_id,
            title_chain=[*paragraph.title_chain, paragraph.title],
            content=paragraph.content,
            revision=paragraph.revision,
            is_active=paragraph.is_active,
            questions=[question.content for question in questions.get(paragraph.id, ())],
            overlap=overlaps.get(paragraph.document_id),
        )
        for paragraph in paragraphs
    ]
