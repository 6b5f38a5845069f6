"""What this room asks the queue for: one function a job, each with the lock that keeps two from colliding."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.jobs import enqueue
from refdesk.knowledge.indexing.tables import IndexBuild

PROCESS_DOCUMENT = "process-document"
REMOVE_DOCUMENT = "remove-document"
INDEX_PARAGRAPHS = "index-paragraphs"
BUILD_INDEX = "build-index"


async def enqueue_processing(session: AsyncSession, scope: Scope, document_id: UUID) -> None:
    """Have the document processed from where it stands; never twice at once, waiting once at most."""
    await enqueue(
        session,
        PROCESS_DOCUMENT,
        lock=f"document:{document_id}",
        unique=True,
        workspace_id=str(scope.workspace_id),
        document_id=str(document_id),
    )


async def enqueue_indexing(session: AsyncSession, scope: Scope, document_id: UUID) -> None:
    """Have the paragraphs of a document indexed that were changed since they were."""
    await enqueue(
        session,
        INDEX_PARAGRAPHS,
        lock=f"paragraphs:{document_id}",
        unique=True,
        priority=10,  # a person waits to see the edit; nobody waits for a paragraph of an import
        workspace_id=str(scope.workspace_id),
        document_id=str(document_id),
    )


async def enqueue_removal(session: AsyncSession, workspace_id: UUID, document_id: UUID) -> None:
    """Have the rows of a document with a deletion mark removed."""
    await enqueue(
        session,
        REMOVE_DOCUMENT,
        lock=f"document:{document_id}",
        unique=True,
        workspace_id=str(workspace_id),
        document_id=str(document_id),
    )


async def enqueue_build(session: AsyncSession, scope: Scope, build_id: UUID) -> None:
    """Have an index that stands beside the active one brought up to it."""
    await enqueue(
        session,
        BUILD_INDEX,
        lock=f"index-build:{build_id}",
        unique=True,
        workspace_id=str(scope.workspace_id),
        build_id=str(build_id),
    )


async def keep_other_indexes_up(session: AsyncSession, scope: Scope, base_id: UUID) -> None:
    """Have the indexes beside the active one follow what it was given; nothing for a base without any."""
    beside = await session.scalars(
        select(IndexBuild.id).where(
            IndexBuild.workspace_id == scope.workspace_id,
            IndexBuild.knowledge_base_id == base_id,
            IndexBuild.state.in_(("building", "built", "switched")),
        )
    )
    for build_id in beside:
        await enqueue_build(session, scope, build_id)
