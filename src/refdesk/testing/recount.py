"""The lexical statistics of an index counted from its entries alone, to compare with what is kept."""

from collections import Counter
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.knowledge.indexing import salt_of


@dataclass(frozen=True, slots=True)
class Recount:
    """Entries, tokens, and in how many entries under an access list a term occurs, by (list, term)."""

    entries: int
    length: int
    frequencies: dict[tuple[int, int], int]


async def recount(session: AsyncSession, index_id: UUID) -> Recount:
    """From the rows of `index_entries`, wherever they live."""
    rows = await session.execute(
        text("SELECT length, terms, acl_id FROM index_entries WHERE index_id = :id"), {"id": index_id}
    )
    salt = salt_of(index_id)
    entries = length = 0
    frequencies: Counter[tuple[int, int]] = Counter()
    for entry_length, terms, acl_id in rows:
        entries += 1
        length += entry_length
        frequencies.update((acl_id, term ^ salt) for term in terms)
    return Recount(entries, length, dict(frequencies))


async def kept(session: AsyncSession, index_id: UUID) -> Recount:
    """From the folded totals and the deltas that are not folded yet."""
    totals = (
        await session.execute(
            text(
                "SELECT i.entry_count + coalesce(sum(d.entries), 0),"
                " i.total_length + coalesce(sum(d.length), 0)"
                " FROM indexes i LEFT JOIN lexical_deltas d ON d.index_id = i.id"
                " WHERE i.id = :id GROUP BY i.id"
            ),
            {"id": index_id},
        )
    ).one()
    rows = await session.execute(
        text(
            "SELECT acl_id, term, sum(n) FROM (SELECT acl_id, term, frequency AS n FROM term_frequencies"
            " WHERE index_id = :id UNION ALL"
            " SELECT d.acl_id, u.t, u.n FROM lexical_deltas d, unnest(d.terms, d.counts) AS u(t, n)"
            " WHERE d.index_id = :id) x GROUP BY acl_id, term HAVING sum(n) <> 0"
        ),
        {"id": index_id},
    )
    return Recount(int(totals[0]), int(totals[1]), {(acl, term): int(n) for acl, term, n in rows})
