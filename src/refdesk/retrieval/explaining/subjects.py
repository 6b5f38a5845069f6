"""What is asked after, as far as the caller may know of it."""

from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge import Document, DocumentRepository, KnowledgeBaseRepository, ParagraphRepository
from refdesk.retrieval.errors import NothingToExplain
from refdesk.retrieval.explaining.values import ParagraphText, Subject

_COUNTS = (
    "SELECT count(*), count(*) FILTER (WHERE p.is_active), count(i.paragraph_id),"
    " count(*) FILTER (WHERE i.revision < p.revision)"
    " FROM paragraphs p LEFT JOIN indexed_paragraphs i"
    " ON i.paragraph_id = p.id AND i.index_id = :index_id AND i.workspace_id = :workspace_id"
    " WHERE p.document_id = :document_id AND p.workspace_id = :workspace_id"
)


async def subject_of(
    session: AsyncSession, scope: Scope, *, document_id: UUID | None, paragraph_id: UUID | None
) -> Subject:
    """The document or paragraph. Raises `NothingToExplain` alike for what is not there and what is hidden."""
    paragraphs = ParagraphRepository(session, scope)
    paragraph = await paragraphs.find(paragraph_id) if paragraph_id is not None else None
    wanted = paragraph.document_id if paragraph is not None else None if paragraph_id else document_id
    document: Document | None = None
    if wanted is not None:
        document = await DocumentRepository(session, scope).find(wanted)
    if document is None:
        raise NothingToExplain
    base = await KnowledgeBaseRepository(session, scope).find(document.knowledge_base_id)
    if base is None:
        raise NothingToExplain
    parameters = {
        "index_id": base.active_index_id,
        "workspace_id": scope.workspace_id,
        "document_id": document.id,
    }
    where = ""
    if paragraph is not None:
        where, parameters["paragraph_id"] = " AND p.id = :paragraph_id", paragraph.id
    total, active, indexed, outdated = (await session.execute(text(_COUNTS + where), parameters)).one()
    return Subject(
        document_id=document.id,
        document_name=document.name,
        knowledge_base_id=document.knowledge_base_id,
        state=document.state,
        is_draft=document.is_draft,
        is_active=document.is_active,
        is_restricted=document.acl_id != 0,
        paragraphs=total,
        active=active,
        indexed=indexed,
        outdated=outdated,
        paragraph_id=paragraph.id if paragraph is not None else None,
        paragraph_active=paragraph is None or paragraph.is_active,
    )


async def paragraph_text(session: AsyncSession, scope: Scope, paragraph_id: UUID) -> ParagraphText | None:
    """What is shown of a paragraph of a document that the caller may see."""
    found = await ParagraphRepository(session, scope).find(paragraph_id)
    if found is None:
        return None
    return ParagraphText(
        found.id, found.position, found.title, tuple(found.title_chain), found.content, found.page
    )
