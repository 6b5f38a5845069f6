"""Entries under the access lists of their documents: what a change of who may see something does here."""

from collections.abc import Sequence
from typing import cast
from uuid import UUID

from sqlalchemy import CursorResult, text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge.indexing.repository import IndexRepository

# A home that is being built takes this over when it is switched to: it compares the lists of both rows.
_FOLLOW = text("""
UPDATE index_entries e SET acl_id = d.acl_id FROM documents d
WHERE e.home = :home AND e.index_id = :index_id AND e.document_id = ANY(CAST(:ids AS uuid[]))
    AND d.id = e.document_id AND d.workspace_id = :workspace_id AND e.acl_id <> d.acl_id
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
        result = cast("CursorResult[tuple[()]]", await session.execute(_FOLLOW, parameters))
        changed += result.rowcount
    return changed
