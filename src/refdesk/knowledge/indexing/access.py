"""Entries under the access lists of their documents: what a change of who may see something does here."""

from collections.abc import Sequence
from typing import cast
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge.indexing.repository import IndexRepository
from refdesk.knowledge.indexing.statistics import Change, StatisticsRepository, note
from refdesk.knowledge.indexing.terms import salt_of

# A home that is being built takes this over when it is switched to: it compares the lists of both rows.
_FOLLOW = text("""
WITH moved AS MATERIALIZED (
    SELECT e.id, e.acl_id AS before, d.acl_id AS after, e.terms, e.length
    FROM index_entries e JOIN documents d ON d.id = e.document_id
    WHERE e.home = :home AND e.index_id = :index_id AND e.document_id = ANY(CAST(:ids AS uuid[]))
        AND d.workspace_id = :workspace_id AND e.acl_id <> d.acl_id
    ORDER BY e.id FOR UPDATE OF e
), done AS (
    UPDATE index_entries e SET acl_id = m.after FROM moved m WHERE e.home = :home AND e.id = m.id
)
SELECT before, after, terms, length FROM moved
""")


async def follow_access(
    session: AsyncSession, scope: Scope, knowledge_base_id: UUID, document_ids: Sequence[UUID]
) -> int:
    """Put the entries of these documents under the lists their documents have, in every index of the base.

    The caller holds the documents' rows locked, so that none gets another list meanwhile. Returns how many
    entries changed.
    """
    changed = 0
    for index in await IndexRepository(session, scope).lock_shared_of_base(knowledge_base_id):
        parameters = {
            "home": index.home,
            "index_id": index.id,
            "ids": list(document_ids),
            "workspace_id": scope.workspace_id,
        }
        change, salt = Change(), salt_of(index.id)
        for row in await session.execute(_FOLLOW, parameters):
            before, after, salted, length = cast(tuple[int, int, list[int], int], tuple(row))
            terms = [term ^ salt for term in salted]
            change.remove(terms, length, before)
            change.add(terms, length, after)
            changed += 1
        await note(session, StatisticsRepository(session, scope), scope, index.id, change)
    return changed
