"""The index follows: entries get the lists that their documents have.

`documents.acl_id` changes in the transaction of the change, and every search looks at it before it shows
anything. Entries say only where to look. Few of them change in the same transaction; many in the background,
and until then searches may miss what somebody newly may see, but show nothing that is hidden.
"""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.jobs import Urgency, enqueue
from refdesk.kit.database import Database
from refdesk.knowledge.access.repository import FolderRepository, Relisted
from refdesk.knowledge.indexing import follow_access

FOLLOW_ACCESS = "follow-access"

# Paragraphs whose entries are rewritten while somebody waits. In a home of their own each is put into the
# graph again, which is nearly all of the time: 2,000 took 10 s on two cores with six times their work.
AT_ONCE = 2_000
_DOCUMENTS_AT_ONCE = 50


async def follow(
    session: AsyncSession, scope: Scope, knowledge_base_id: UUID, relisted: Sequence[Relisted]
) -> bool:
    """Have the entries of these documents follow. True if a job does it, False if it is done."""
    if not relisted:
        return False
    if sum(one.paragraphs for one in relisted) <= AT_ONCE:
        ids = [one.document_id for one in relisted]
        await follow_access(session, scope, knowledge_base_id, ids)
        return False
    await enqueue(
        session,
        FOLLOW_ACCESS,
        lock=f"access:{knowledge_base_id}",
        unique=True,
        urgency=Urgency.AWAITED,
        line=knowledge_base_id,
        workspace_id=str(scope.workspace_id),
        knowledge_base_id=str(knowledge_base_id),
    )
    return True


async def follow_base(database: Database, scope: Scope, knowledge_base_id: UUID) -> int:
    """Look through all documents of a base, some at a time. Returns how many entries changed.

    Killed at any point it starts over: what is done is not written twice.
    """
    after, changed = UUID(int=0), 0
    while True:
        async with database.transaction() as session:
            repository = FolderRepository(session, scope)
            ids = await repository.lock_some_documents(knowledge_base_id, after, _DOCUMENTS_AT_ONCE)
            if not ids:
                return changed
            changed += await follow_access(session, scope, knowledge_base_id, ids)
        after = ids[-1]
