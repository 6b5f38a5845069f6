"""Paragraphs as the index takes them: with the titles above, the questions attached, how pieces overlap."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge.indexing import ParagraphText
from refdesk.knowledge.paragraph_repository import ParagraphRepository
from refdesk.knowledge.question_repository import QuestionRepository
from refdesk.knowledge.repository import DocumentRepository
from refdesk.knowledge.splitting import Passage, lead, lead_chars, overlap_of
from refdesk.knowledge.tables import Paragraph


async def paragraph_texts(
    session: AsyncSession, scope: Scope, paragraph_ids: Sequence[UUID]
) -> list[ParagraphText]:
    """Those of these paragraphs that exist, in reading order."""
    paragraphs = await ParagraphRepository(session, scope).by_ids(paragraph_ids)
    questions = await QuestionRepository(session, scope).of_paragraphs(paragraph_ids)
    choices = await DocumentRepository(session, scope).split_choices(
        {paragraph.document_id for paragraph in paragraphs}
    )
    overlaps = {key: overlap_of(chosen) for key, (_, chosen) in choices.items()}
    chars = {key: lead_chars(kind, chosen) for key, (kind, chosen) in choices.items()}
    before = await ParagraphRepository(session, scope).active_before(
        [paragraph for paragraph in paragraphs if chars.get(paragraph.document_id)]
    )
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
            lead=_lead(before.get(paragraph.id), paragraph, chars.get(paragraph.document_id, 0)),
        )
        for paragraph in paragraphs
    ]


def _lead(before: Paragraph | None, paragraph: Paragraph, chars: int) -> str:
    if before is None:
        return ""
    first, second = (Passage(p.title, p.title_chain, p.content) for p in (before, paragraph))
    return lead(first, second, chars)
