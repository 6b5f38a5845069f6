"""Removing what was deleted: in bounded batches, so that no transaction grows with a document.

Each batch takes entries, statistics and paragraphs together; an interrupted removal goes on where it was.
"""

from uuid import UUID

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.knowledge.access import keep_restriction
from refdesk.knowledge.blobs import remove_unreferenced
from refdesk.knowledge.indexing import IndexWriter, drop_indexes_of_base
from refdesk.knowledge.indexing.tables import KnowledgeIndex
from refdesk.knowledge.paragraph_repository import ParagraphRepository
from refdesk.knowledge.question_repository import QuestionRepository
from refdesk.knowledge.repository import KnowledgeBaseRepository, RemovalRepository
from refdesk.knowledge.versions.repository import VersionRepository
from refdesk.knowledge.views import IMPORT

BATCH = 500


async def remove_document(database: Database, scope: Scope, document_id: UUID) -> None:
    """Remove a document that carries the deletion mark, with its file if nothing else needs it."""
    while not await _remove_some(database, scope, document_id):
        pass


async def remove_base(database: Database, scope: Scope, base_id: UUID) -> None:
    """Remove a base that carries the deletion mark: its indexes first, then its documents, then itself."""
    async with database.transaction() as session:
        if await RemovalRepository(session, scope).base(base_id) is None:
            return
        await drop_indexes_of_base(session, scope, base_id)
    while True:
        async with database.transaction() as session:
            document_ids = await RemovalRepository(session, scope).document_ids(base_id, BATCH)
        if not document_ids:
            break
        for document_id in document_ids:
            await remove_document(database, scope, document_id)
    async with database.transaction() as session:
        base = await RemovalRepository(session, scope).base(base_id)
        if base is not None:
            archive = base.settings.get(IMPORT, {}).get("blob_id")
            await session.delete(base)
            await session.flush()
            if archive is not None:
                await remove_unreferenced(session, scope, UUID(archive))


async def _remove_some(database: Database, scope: Scope, document_id: UUID) -> bool:
    """One batch. True when the document is gone."""
    async with database.transaction() as session:
        document = await RemovalRepository(session, scope).document(document_id)
        if document is None:
            return True
        paragraphs = ParagraphRepository(session, scope)
        ids = await paragraphs.ids(document_id, BATCH)
        if ids:
            # No index any more where the whole base is being removed.
            base = await KnowledgeBaseRepository(session, scope).find(document.knowledge_base_id)
            if base is not None and base.active_index_id is not None:
                index = await session.get(KnowledgeIndex, base.active_index_id)
                if index is not None:
                    await IndexWriter(session, scope, index).remove_paragraphs(ids)
            questions = QuestionRepository(session, scope)
            asked = await questions.attached_to(ids)
            await paragraphs.remove(ids)
            await questions.remove_unattached(asked)
            return False
        blob_ids = await VersionRepository(session, scope).blob_ids(document_id)
        blob_ids |= {
            blob_id for blob_id in (document.blob_id, document.parsed_blob_id) if blob_id is not None
        }
        if (kept := keep_restriction(document)) is not None:
            session.add(kept)
        await RemovalRepository(session, scope).note_lists_of_items(document)
        await session.delete(document)
        await session.flush()
        for blob_id in sorted(blob_ids):
            await remove_unreferenced(session, scope, blob_id)
        return True
