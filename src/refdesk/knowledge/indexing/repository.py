"""Indexes of a workspace: making, finding, locking and dropping them."""

import contextlib
from uuid import UUID

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.jobs import enqueue
from refdesk.knowledge.indexing.errors import IndexNotFound
from refdesk.knowledge.indexing.tables import KnowledgeIndex

SHARED_HOME = 0
HOMES_LOCK = "index-homes"
"""Job lock of whatever attaches or detaches homes: two of those at once would wait for each other."""


def _lock_key(index_id: UUID) -> int:
    # The last 62 bits of a UUIDv7 are random; a collision would only make two indexes wait for each other.
    return int.from_bytes(index_id.bytes[8:], signed=True)


class IndexRepository:
    """Rows of `indexes` and the lock that goes with each.

    Writers hold an index's lock shared until their transaction ends; whoever moves or drops its home takes
    it alone. So a writer never writes into a home that is no longer the index's.
    """

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def create(self, knowledge_base_id: UUID, model_id: UUID, dimensions: int) -> KnowledgeIndex:
        index = KnowledgeIndex(
            workspace_id=self._scope.workspace_id,
            knowledge_base_id=knowledge_base_id,
            model_id=model_id,
            dimensions=dimensions,
        )
        self._session.add(index)
        await self._session.flush()
        return index

    async def get(self, index_id: UUID) -> KnowledgeIndex:
        """The index as the database has it now. Raises `IndexNotFound`."""
        query = (
            select(KnowledgeIndex)
            .where(KnowledgeIndex.id == index_id, KnowledgeIndex.workspace_id == self._scope.workspace_id)
            .execution_options(populate_existing=True)
        )
        index = (await self._session.execute(query)).scalar_one_or_none()
        if index is None:
            raise IndexNotFound(index_id=str(index_id))
        return index

    async def lock_shared(self, index_id: UUID) -> KnowledgeIndex:
        """For writing entries: its home stays what it is until the transaction ends."""
        await self._session.execute(
            text("SELECT pg_advisory_xact_lock_shared(:key)"), {"key": _lock_key(index_id)}
        )
        return await self.get(index_id)

    async def lock_shared_of_base(self, knowledge_base_id: UUID) -> list[KnowledgeIndex]:
        """All indexes of a base, each held as by a writer; always in one order: nobody waits in a ring."""
        held: list[KnowledgeIndex] = []
        for index_id in await self.of_base(knowledge_base_id):
            with contextlib.suppress(IndexNotFound):  # dropped by whoever was waited for
                held.append(await self.lock_shared(index_id))
        return held

    async def lock_alone(self, index_id: UUID) -> KnowledgeIndex:
        """For changing the home: waits for the writers, and they wait until the transaction ends."""
        await self._session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _lock_key(index_id)})
        return await self.get(index_id)

    async def of_base(self, knowledge_base_id: UUID) -> list[UUID]:
        query = select(KnowledgeIndex.id).where(
            KnowledgeIndex.knowledge_base_id == knowledge_base_id,
            KnowledgeIndex.workspace_id == self._scope.workspace_id,
        )
        return list((await self._session.execute(query.order_by(KnowledgeIndex.id))).scalars())


async def create_index(
    session: AsyncSession, scope: Scope, knowledge_base_id: UUID, model_id: UUID, dimensions: int
) -> KnowledgeIndex:
    """A new, empty index in the shared home. The base's `active_index_id` is not touched."""
    return await IndexRepository(session, scope).create(knowledge_base_id, model_id, dimensions)


async def drop_index(session: AsyncSession, scope: Scope, index_id: UUID) -> None:
    """Remove an index with all it owns. A home of its own is unreachable at once and dropped by a job.

    Raises `IndexNotFound`.
    """
    index = await IndexRepository(session, scope).lock_alone(index_id)
    await session.execute(
        text("DELETE FROM index_entries WHERE home = 0 AND index_id = :index_id"), {"index_id": index_id}
    )
    if index.home != SHARED_HOME or index.next_home is not None:
        await enqueue(session, "sweep-index-homes", lock=HOMES_LOCK, unique=True)
    await session.delete(index)
    await session.flush()


async def drop_indexes_of_base(session: AsyncSession, scope: Scope, knowledge_base_id: UUID) -> None:
    """Remove all indexes of a base; to be called before the base's own row is deleted."""
    for index_id in await IndexRepository(session, scope).of_base(knowledge_base_id):
        await drop_index(session, scope, index_id)


async def indexes_of_base(session: AsyncSession, scope: Scope, knowledge_base_id: UUID) -> list[UUID]:
    """Every index of a base, the active one and those beside it."""
    return await IndexRepository(session, scope).of_base(knowledge_base_id)


async def hold_off_writers(session: AsyncSession, scope: Scope, index_id: UUID) -> None:
    """Wait for the writers at work on an index and hold off others until the transaction ends.

    Raises `IndexNotFound`.
    """
    await IndexRepository(session, scope).lock_alone(index_id)
