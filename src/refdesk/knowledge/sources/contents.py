"""What a source does to documents: make one, replace its file, remove it. The same for pages and files."""

from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.border_types import clean_json
from refdesk.kit.clock import now
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError
from refdesk.kit.ids import new_id
from refdesk.knowledge.blobs import IncomingFile
from refdesk.knowledge.documents import enqueue_processing, enqueue_removal, require_room
from refdesk.knowledge.filenames import display_name
from refdesk.knowledge.repository import DocumentRepository
from refdesk.knowledge.sources.repository import SourceRepository
from refdesk.knowledge.tables import Blob, Document, Source

SPLIT = "split_settings"
# So few documents may always go; from here on more than half at once looks like a broken site.
ALWAYS_REMOVABLE = 4


async def incoming(database: Database, scope: Scope, data: bytes) -> IncomingFile:
    """Content that is in memory, as a file that a transaction may finish."""
    file = IncomingFile(database, scope, len(data), "content")
    await file.write(data)
    return file


async def add_document(
    session: AsyncSession, scope: Scope, source: Source, blob: Blob, name: str, meta: dict[str, Any]
) -> Document:
    """A new document of the source, waiting to be processed. Raises `DocumentLimitReached`.

    `name` is taken as it is; `meta` tells where it is from (`source_url` or `source_path`).
    """
    await require_room(session, scope, source.knowledge_base_id)
    document = Document(
        id=new_id(),
        workspace_id=scope.workspace_id,
        knowledge_base_id=source.knowledge_base_id,
        blob_id=blob.id,
        name=name,
        warnings=[],
        meta=meta,
        split_settings=await _split_settings(session, scope, source),
        source_id=source.id,
        created_by=source.created_by,
    )
    session.add(document)
    await session.flush()
    await enqueue_processing(session, scope, document.id)
    return document


async def remove_document(session: AsyncSession, scope: Scope, document_id: UUID) -> bool:
    """Hide a document that its source no longer has; a job removes its rows. False if it is gone already.

    Not in the audit record document by document: the run is, and a folder may hold thousands.
    """
    document = await DocumentRepository(session, scope).find(document_id, lock=True)
    if document is None:
        return False
    document.deleted_at = now()
    document.attempt = None
    await enqueue_removal(session, scope.workspace_id, document_id)
    return True


async def free_name(
    session: AsyncSession, scope: Scope, source_id: UUID, name: str, place: str, document_id: UUID | None
) -> str:
    """The name, or with its place where another document of the source is called the same."""
    wanted = display_name(name)
    if await SourceRepository(session, scope).name_taken(source_id, wanted, document_id):
        # Slashes would be taken for folders and cut away.
        return display_name(f"{name} ({place.split('://', 1)[-1].replace('/', '∕')})")
    return wanted


async def _split_settings(session: AsyncSession, scope: Scope, source: Source) -> dict[str, Any]:
    if SPLIT in source.config:
        return dict(source.config[SPLIT])
    base = await require_room(session, scope, source.knowledge_base_id, 0)
    return dict(base.settings.get("split", {}))


def problem_of(error: AppError) -> dict[str, Any]:
    """An expected failure as it is kept on a source or an item."""
    details = clean_json({key: value for key, value in error.details.items() if value is not None})
    return {"code": error.code, "reason": error.text, "hint": error.hint_text, "details": details}
