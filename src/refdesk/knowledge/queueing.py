"""What this room asks the queue for: one function a job, each with the lock that keeps two from colliding."""

from collections.abc import Awaitable, Callable
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.jobs import Urgency, enqueue
from refdesk.knowledge.indexing.tables import IndexBuild
from refdesk.knowledge.tables import Document

PROCESS_DOCUMENT = "process-document"
REMOVE_DOCUMENT = "remove-document"
INDEX_PARAGRAPHS = "index-paragraphs"
BUILD_INDEX = "build-index"

type AfterIndexing = Callable[[AsyncSession, Scope, UUID], Awaitable[None]]
# Parts of the room say here what is to happen, in the same transaction, when paragraphs were indexed.
after_indexing: list[AfterIndexing] = []


async def enqueue_processing(
    session: AsyncSession, scope: Scope, document_id: UUID, *, urgency: Urgency = Urgency.BULK
) -> None:
    """Have the document processed from where it stands; never twice at once, waiting once at most.

    Somebody waits for a preview, whatever the caller says.
    """
    base_id, is_draft = await _place(session, document_id)
    await enqueue(
        session,
        PROCESS_DOCUMENT,
        lock=f"document:{document_id}",
        unique=True,
        urgency=Urgency.AWAITED if is_draft else urgency,
        line=base_id,
        workspace_id=str(scope.workspace_id),
        document_id=str(document_id),
    )


async def enqueue_indexing(
    session: AsyncSession, scope: Scope, document_id: UUID, *, urgency: Urgency = Urgency.SMALL
) -> None:
    """Have the edited paragraphs of a document indexed, and searches say meanwhile that they are not."""
    await note_reindexing(session, scope, document_id, True)
    base_id, _ = await _place(session, document_id)
    await enqueue(
        session,
        INDEX_PARAGRAPHS,
        lock=f"paragraphs:{document_id}",
        unique=True,
        urgency=urgency,
        line=base_id,
        workspace_id=str(scope.workspace_id),
        document_id=str(document_id),
    )


async def note_reindexing(session: AsyncSession, scope: Scope, document_id: UUID, waits: bool) -> None:
    """Keep whether an edit of the document waits to be indexed. The document itself is not changed by it."""
    await session.execute(
        update(Document)
        .where(Document.id == document_id, Document.workspace_id == scope.workspace_id)
        .values(is_reindexing=waits, updated_at=Document.updated_at)
    )


async def enqueue_removal(session: AsyncSession, workspace_id: UUID, document_id: UUID) -> None:
    """Have the rows of a document with a deletion mark removed."""
    base_id, _ = await _place(session, document_id)
    await enqueue(
        session,
        REMOVE_DOCUMENT,
        lock=f"document:{document_id}",
        unique=True,
        line=base_id,
        workspace_id=str(workspace_id),
        document_id=str(document_id),
    )


async def _place(session: AsyncSession, document_id: UUID) -> tuple[UUID | None, bool]:
    """The document's base, whose turn its jobs take, and whether it is a preview."""
    query = select(Document.knowledge_base_id, Document.is_draft).where(Document.id == document_id)
    found = (await session.execute(query)).one_or_none()
    return (None, False) if found is None else (found.knowledge_base_id, found.is_draft)


async def enqueue_build(session: AsyncSession, scope: Scope, build_id: UUID) -> None:
    """Have an index that stands beside the active one brought up to it."""
    await enqueue(
        session,
        BUILD_INDEX,
        lock=f"index-build:{build_id}",
        unique=True,
        line=build_id,
        workspace_id=str(scope.workspace_id),
        build_id=str(build_id),
    )


async def keep_other_indexes_up(session: AsyncSession, scope: Scope, base_id: UUID) -> None:
    """Have what stands beside the active index follow what it was given: other indexes, and whoever asked."""
    beside = await session.scalars(
        select(IndexBuild.id).where(
            IndexBuild.workspace_id == scope.workspace_id,
            IndexBuild.knowledge_base_id == base_id,
            IndexBuild.state.in_(("building", "built", "switched")),
        )
    )
    for build_id in beside:
        await enqueue_build(session, scope, build_id)
    for act in after_indexing:
        await act(session, scope, base_id)
