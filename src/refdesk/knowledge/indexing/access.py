"""Entries under the access lists of their documents: what a change of who may see something does here."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge.indexing.repository import IndexRepository
from refdesk.knowledge.indexing.statistics import fold_if_due
from refdesk.knowledge.indexing.terms import salt_of

# A home that is being built takes this over when it is switched to: it compares the lists of both rows.
# The words of the entries go over from the count of one list to that of the other.
_FOLLOW = text("""
WITH moved AS MATERIALIZED (
    SELECT e.id, e.acl_id AS before, d.acl_id AS after, e.terms, e.length
    FROM index_entries e JOIN documents d ON d.id = e.document_id
    WHERE e.home = :home AND e.index_id = :index_id AND e.document_id = ANY(CAST(:ids AS uuid[]))
        AND d.workspace_id = :workspace_id AND e.acl_id <> d.acl_id
    ORDER BY e.id FOR UPDATE OF e
), done AS (
    UPDATE index_entries e SET acl_id = m.after FROM moved m WHERE e.home = :home AND e.id = m.id
), words AS (
    SELECT before, after, t # CAST(:salt AS integer) AS term, count(*)::integer AS n
    FROM moved, unnest(terms) AS t GROUP BY 1, 2, 3
), counted AS (
    SELECT before, after, array_agg(term) AS terms, array_agg(n) AS gained, array_agg(-n) AS lost
    FROM words GROUP BY 1, 2
), totals AS (
    SELECT before, after, count(*)::integer AS entries, sum(length) AS length FROM moved GROUP BY 1, 2
)
INSERT INTO lexical_deltas (index_id, workspace_id, acl_id, entries, length, terms, counts)
SELECT :index_id, :workspace_id, s.acl_id, s.sign * t.entries, s.sign * t.length,
    coalesce(c.terms, '{}'), coalesce(s.counts, '{}')
FROM totals t LEFT JOIN counted c USING (before, after)
CROSS JOIN LATERAL (VALUES (t.before, -1, c.lost), (t.after, 1, c.gained)) AS s(acl_id, sign, counts)
RETURNING entries
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
            "salt": salt_of(index.id),
        }
        moved = (await session.execute(_FOLLOW, parameters)).scalars().all()
        changed += sum(entries for entries in moved if entries > 0)
        await fold_if_due(session, scope, index.id)
    return changed
