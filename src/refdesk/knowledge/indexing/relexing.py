"""Writing the words of paragraphs anew and leaving their vectors: what a change of the term base asks for.

Pieces are cut by the content alone, so an entry is known again by its kind and span, and one of a question by
its terms. A row gets another id as every rewritten entry does, so that a move to another home that has copied
it already sees the difference.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

import numpy as np
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.ids import new_id
from refdesk.knowledge.indexing import bm25, wire
from refdesk.knowledge.indexing.entries import Entry, EntryKind, PreparedEntries
from refdesk.knowledge.indexing.repository import IndexRepository
from refdesk.knowledge.indexing.statistics import Change, StatisticsRepository, note
from refdesk.knowledge.indexing.terms import salt_of, term_of
from refdesk.knowledge.indexing.tokens import tokenize, whole_token

_PRESENT = text("""
SELECT p.id FROM paragraphs p JOIN unnest(CAST(:ids AS uuid[]), CAST(:revisions AS integer[]))
    AS g(id, revision) ON p.id = g.id AND p.revision = g.revision
WHERE p.workspace_id = :workspace_id ORDER BY p.id FOR KEY SHARE OF p
""")
# The lock of one paragraph, as a writer takes it.
_INDEXED = text("""
SELECT i.paragraph_id FROM indexed_paragraphs i JOIN paragraphs p ON p.id = i.paragraph_id
WHERE i.index_id = :index_id AND i.paragraph_id = ANY(CAST(:ids AS uuid[]))
    AND i.workspace_id = :workspace_id AND i.revision = p.revision
ORDER BY i.paragraph_id FOR UPDATE OF i
""")
_ENTRIES = text("""
SELECT id, paragraph_id, kind, start_, end_, terms, length FROM index_entries
WHERE home = :home AND index_id = :index_id AND paragraph_id = ANY(CAST(:ids AS uuid[]))
""")
_UPDATE = text("""
UPDATE index_entries e SET id = v.new_id, terms = CAST(v.terms AS integer[]),
    bm25 = CAST(v.bm25 AS sparsevec), length = v.length, title_terms = v.title_terms,
    weighted_with = CAST(:average AS real)
FROM unnest(CAST(:ids AS uuid[]), CAST(:new_ids AS uuid[]), CAST(:terms AS text[]), CAST(:vectors AS text[]),
    CAST(:lengths AS integer[]), CAST(:title_terms AS smallint[]))
    AS v(id, new_id, terms, bm25, length, title_terms)
WHERE e.home = :home AND e.id = v.id RETURNING e.id, e.acl_id
""")


@dataclass(frozen=True, slots=True)
class Relexed:
    """Entries whose words were written anew, and paragraphs whose entries could not be told apart: these must
    be indexed with the embedder."""

    entries: int
    unmatched: frozenset[UUID]


@dataclass(frozen=True, slots=True)
class _Stored:
    id: UUID
    paragraph_id: UUID
    kind: int
    span: tuple[int, int]
    terms: frozenset[int]
    length: int


async def relex(
    session: AsyncSession, scope: Scope, index_id: UUID, prepared: PreparedEntries, keys: Collection[str]
) -> Relexed:
    """Give the entries of these paragraphs the terms they are prepared with, within the caller's transaction.

    `keys` are those of all words that stored entries may have been made with. Paragraphs that the index does
    not hold in their present revision are left alone: they are pending. Raises `IndexNotFound`.
    """
    index = await IndexRepository(session, scope).lock_shared(index_id)
    given = {paragraph.id: paragraph for paragraph in prepared.paragraphs}
    parameters = {
        "ids": list(given),
        "revisions": [paragraph.revision for paragraph in given.values()],
        "workspace_id": scope.workspace_id,
    }
    present = list((await session.execute(_PRESENT, parameters)).scalars())
    where = {"index_id": index_id, "ids": present, "workspace_id": scope.workspace_id}
    indexed = list((await session.execute(_INDEXED, where)).scalars())
    salt = salt_of(index_id)
    stored: dict[UUID, list[_Stored]] = {paragraph_id: [] for paragraph_id in indexed}
    for row in await session.execute(_ENTRIES, {"home": index.home, "index_id": index_id, "ids": indexed}):
        entry_id, paragraph_id, kind, start, end, salted, length = row
        terms = frozenset(term ^ salt for term in cast("list[int]", salted))
        stored[paragraph_id].append(_Stored(entry_id, paragraph_id, kind, (start, end), terms, length))
    fresh: dict[UUID, list[Entry]] = {paragraph_id: [] for paragraph_id in indexed}
    for entry in prepared.entries:
        if entry.paragraph.id in fresh:
            fresh[entry.paragraph.id].append(entry)
    extra = frozenset(term_of(whole_token(key)) for key in keys)
    pairs: list[tuple[_Stored, Entry]] = []
    unmatched: set[UUID] = set()
    for paragraph_id in indexed:
        matched = _matched(stored[paragraph_id], fresh[paragraph_id], extra)
        if matched is None:
            unmatched.add(paragraph_id)
        else:
            pairs += [(old, new) for old, new in matched if _differs(old, new)]
    if pairs:
        lists = await _write(session, index_id, index.home, index.average_length, pairs)
        change = Change()
        for (old, new), acl_id in zip(pairs, lists, strict=True):
            change.remove(old.terms, old.length, acl_id)
            change.add(new.counts, new.length, acl_id)
        await note(session, StatisticsRepository(session, scope), scope, index_id, change)
    return Relexed(len(pairs), frozenset(unmatched))


def match_questions(
    entries: Sequence[frozenset[int]], questions: Sequence[str], extra: Collection[int]
) -> list[int] | None:
    """For each question the number of its entry, told by the entries' terms; None where it cannot be told.

    An entry holds the terms of its question and besides only some of `extra`.
    """
    if len(entries) != len(questions):
        return None
    if len(entries) == 1:
        return [0]
    found: list[int] = []
    for question in questions:
        own = frozenset(term_of(token) for token in tokenize(question))
        fitting = [n for n, terms in enumerate(entries) if terms >= own and (terms - own).issubset(extra)]
        if len(fitting) != 1:
            return None
        found += fitting
    return found if len(set(found)) == len(found) else None


def _matched(
    stored: Sequence[_Stored], fresh: Sequence[Entry], extra: frozenset[int]
) -> list[tuple[_Stored, Entry]] | None:
    if len(stored) != len(fresh):
        return None
    by_span = {(old.kind, *old.span): old for old in stored if old.kind != EntryKind.QUESTION}
    pairs: list[tuple[_Stored, Entry]] = []
    for new in fresh:
        if new.kind == EntryKind.QUESTION:
            continue
        old = by_span.pop((int(new.kind), new.start, new.end), None)
        if old is None:
            return None
        pairs.append((old, new))
    asked = [old for old in stored if old.kind == EntryKind.QUESTION]
    questions = [new for new in fresh if new.kind == EntryKind.QUESTION]
    numbers = match_questions([old.terms for old in asked], [new.text for new in questions], extra)
    if by_span or (numbers is None and questions):
        return None
    pairs += [(asked[n], new) for n, new in zip(numbers or (), questions, strict=True)]
    return pairs


def _differs(old: _Stored, new: Entry) -> bool:
    return old.terms != new.counts.keys() or old.length != new.length


async def _write(
    session: AsyncSession,
    index_id: UUID,
    home: int,
    average: float,
    pairs: Iterable[tuple[_Stored, Entry]],
) -> list[int]:
    """Write the new entries in place of the old ones. Returns the access list of each."""
    salt = salt_of(index_id)
    kept_average = float(np.float32(average))
    parameters: dict[str, object] = {"home": home, "average": average}
    columns: dict[str, list[Any]] = {
        name: [] for name in ("ids", "new_ids", "terms", "vectors", "lengths", "title_terms")
    }
    for old, new in pairs:
        terms = np.fromiter(new.counts.keys(), dtype=np.int64, count=len(new.counts))
        counts = np.fromiter(new.counts.values(), dtype=np.float64, count=len(new.counts))
        in_title = np.fromiter((term in new.title_terms for term in new.counts), np.bool_, len(terms))
        lexical = np.concatenate((terms[in_title], terms[~in_title])) ^ salt
        weights = bm25.weights(counts, in_title, new.length, kept_average)
        columns["ids"].append(old.id)
        columns["new_ids"].append(new_id())
        columns["terms"].append("{" + ",".join(map(str, lexical.tolist())) + "}")
        columns["vectors"].append(wire.sparsevec_text(dict(zip(new.counts, weights.tolist(), strict=True))))
        columns["lengths"].append(new.length)
        columns["title_terms"].append(len(new.title_terms))
    written = await session.execute(_UPDATE, parameters | columns)
    lists = {entry_id: int(acl_id) for entry_id, acl_id in written}
    return [lists[entry_id] for entry_id in columns["new_ids"]]
