"""Lexical statistics of indexes: how many entries, how long, and how many of them hold a term.

How many hold a term is kept apart by the entries' access lists, so that a search can count what its caller
may see: how rare a word is would else tell which words stand in hidden documents.

Writers append deltas, so that no batch waits for another at a popular term's row; a job folds them. Readers
add what is not folded yet. Exact at every moment, because a delta is computed from the rows that its own
transaction really deleted and inserted.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import func, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.jobs import enqueue
from refdesk.knowledge.indexing.tables import KnowledgeIndex, LexicalDelta

FOLD_FROM = 16
"""Unfolded deltas from which a writer asks for a fold: reading 16 of them costs a search about 2 ms."""


@dataclass(slots=True)
class _Tally:
    """What a transaction did to the entries under one access list."""

    entries: int = 0
    length: int = 0
    terms: Counter[int] = field(default_factory=Counter[int])


@dataclass(slots=True)
class Change:
    """What a transaction did to the lexical statistics of one index, by access list."""

    lists: dict[int, _Tally] = field(default_factory=dict[int, _Tally])

    def add(self, terms: Iterable[int], length: int, acl_id: int) -> None:
        tally = self.lists.setdefault(acl_id, _Tally())
        tally.entries += 1
        tally.length += length
        tally.terms.update(list(terms))  # a list: of a mapping, `update` would add the values

    def remove(self, terms: Iterable[int], length: int, acl_id: int) -> None:
        tally = self.lists.setdefault(acl_id, _Tally())
        tally.entries -= 1
        tally.length -= length
        tally.terms.subtract(list(terms))


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of several indexes together: `frequencies[index_id][term]` counts entries."""

    entries: int
    frequencies: dict[UUID, dict[int, int]]

    def frequency(self, term: int) -> int:
        """In how many entries of all the indexes `term` occurs."""
        return sum(of_index.get(term, 0) for of_index in self.frequencies.values())


_READ = text("""
SELECT i.id, 0 AS term,
    i.entry_count + coalesce((SELECT sum(d.entries) FROM lexical_deltas d WHERE d.index_id = i.id), 0) AS n
FROM indexes i WHERE i.id = ANY(CAST(:ids AS uuid[])) AND i.workspace_id = :workspace_id
UNION ALL
SELECT f.index_id, f.term, sum(f.frequency) FROM term_frequencies f
WHERE f.index_id = ANY(CAST(:ids AS uuid[])) AND f.term = ANY(CAST(:terms AS integer[]))
    AND (CAST(:lists AS bigint[]) IS NULL OR f.acl_id = ANY(CAST(:lists AS bigint[])))
    AND f.workspace_id = :workspace_id
GROUP BY f.index_id, f.term
UNION ALL
SELECT d.index_id, u.term, u.n FROM lexical_deltas d, unnest(d.terms, d.counts) AS u(term, n)
WHERE d.index_id = ANY(CAST(:ids AS uuid[])) AND u.term = ANY(CAST(:terms AS integer[]))
    AND (CAST(:lists AS bigint[]) IS NULL OR d.acl_id = ANY(CAST(:lists AS bigint[])))
    AND d.workspace_id = :workspace_id
""")

_FOLD = text("""
WITH gone AS (
    DELETE FROM lexical_deltas WHERE index_id = :index_id AND workspace_id = :workspace_id
    RETURNING acl_id, entries, length, terms, counts
), sums AS (
    SELECT u.term, gone.acl_id, sum(u.n)::integer AS n
    FROM gone, unnest(gone.terms, gone.counts) AS u(term, n)
    GROUP BY u.term, gone.acl_id HAVING sum(u.n) <> 0
), folded AS (
    INSERT INTO term_frequencies AS f (index_id, term, acl_id, workspace_id, frequency)
    SELECT :index_id, term, acl_id, :workspace_id, n FROM sums ORDER BY term, acl_id
    ON CONFLICT (index_id, term, acl_id) DO UPDATE SET frequency = f.frequency + excluded.frequency
)
UPDATE indexes SET
    entry_count = entry_count + (SELECT coalesce(sum(entries), 0) FROM gone),
    total_length = total_length + (SELECT coalesce(sum(length), 0) FROM gone)
WHERE id = :index_id AND workspace_id = :workspace_id
""")
_PRUNE = text("DELETE FROM term_frequencies WHERE index_id = :index_id AND frequency = 0")


class StatisticsRepository:
    """The lexical statistics within a workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def append(self, index_id: UUID, change: Change) -> None:
        """Note a change of this transaction; nothing for one that changes nothing."""
        for acl_id, tally in sorted(change.lists.items()):
            terms = sorted((term, count) for term, count in tally.terms.items() if count)
            if not (terms or tally.entries or tally.length):
                continue
            self._session.add(
                LexicalDelta(
                    index_id=index_id,
                    workspace_id=self._scope.workspace_id,
                    acl_id=acl_id,
                    entries=tally.entries,
                    length=tally.length,
                    terms=[term for term, _ in terms],
                    counts=[count for _, count in terms],
                )
            )
        await self._session.flush()

    async def unfolded(self, index_id: UUID) -> int:
        """How many deltas wait."""
        query = select(func.count()).where(
            LexicalDelta.index_id == index_id, LexicalDelta.workspace_id == self._scope.workspace_id
        )
        return (await self._session.execute(query)).scalar_one()

    async def read(
        self,
        index_ids: Sequence[UUID],
        terms: Sequence[int],
        *,
        lists: Collection[int] | None = None,
        share: float = 1.0,
    ) -> Statistics:
        """The present statistics, with what is not folded yet.

        `lists`: how often a term occurs is counted over the entries under these access lists, None: all.
        `share` is how many of the entries these are, 0–1.
        """
        parameters = {
            "ids": list(index_ids),
            "terms": list(terms),
            "lists": None if lists is None else sorted(lists),
            "workspace_id": self._scope.workspace_id,
        }
        rows = await self._session.execute(_READ, parameters)
        entries = 0
        frequencies: dict[UUID, dict[int, int]] = {}
        for index_id, term, n in rows:
            if term == 0:
                entries += int(n)
                continue
            of_index = frequencies.setdefault(index_id, {})
            of_index[term] = of_index.get(term, 0) + int(n)
        read = Statistics(entries, frequencies)
        if lists is None:
            return read
        most = max((read.frequency(term) for term in terms), default=0)
        return Statistics(max(round(entries * share), most), frequencies)

    async def fold(self, index_id: UUID) -> None:
        """Add the waiting deltas to the totals. Safe against writers and other folds at the same time."""
        parameters = {"index_id": index_id, "workspace_id": self._scope.workspace_id}
        await self._session.execute(_FOLD, parameters)
        await self._session.execute(_PRUNE, {"index_id": index_id})

    async def start_average(self, index_id: UUID, average_length: float) -> float:
        """The average length that weights are computed with; the first batch sets it.

        Concurrent first batches agree, because the second waits for the first one's row.
        """
        await self._session.execute(
            update(KnowledgeIndex)
            .where(
                KnowledgeIndex.id == index_id,
                KnowledgeIndex.workspace_id == self._scope.workspace_id,
                KnowledgeIndex.average_length == 0.0,
            )
            .values(average_length=max(average_length, 1.0))
        )
        query = select(KnowledgeIndex.average_length).where(
            KnowledgeIndex.id == index_id, KnowledgeIndex.workspace_id == self._scope.workspace_id
        )
        return (await self._session.execute(query)).scalar_one()


async def note(
    session: AsyncSession, statistics: StatisticsRepository, scope: Scope, index_id: UUID, change: Change
) -> None:
    """Append a change, and have the deltas folded where enough of them wait."""
    await statistics.append(index_id, change)
    await fold_if_due(session, scope, index_id)


async def fold_if_due(session: AsyncSession, scope: Scope, index_id: UUID) -> None:
    """Have the deltas of an index folded where enough of them wait."""
    if await StatisticsRepository(session, scope).unfolded(index_id) >= FOLD_FROM:
        await enqueue(
            session,
            "fold-lexical-deltas",
            lock=f"lexical:{index_id}",
            unique=True,
            workspace_id=str(scope.workspace_id),
            index_id=str(index_id),
        )
