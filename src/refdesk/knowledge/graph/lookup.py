"""Finding the entities that a question or a name means: by the names themselves, without a model.

An entity's id follows from its key, so every run of words in a question is looked up as what it would be
called; the longest that are there count. Nothing of the graph has to be kept in memory.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.kit.like import containing
from refdesk.knowledge.graph.keys import entity_id, entity_key
from refdesk.knowledge.graph.sight import OF_GRAPHS, VISIBLE, Sight
from refdesk.knowledge.graph.synonyms import Synonyms
from refdesk.knowledge.indexing import key_of

MAX_QUESTION_CHARS = 500
MAX_HAN_RUN = 24
MAX_WORD_RUN = 7
MAX_SEEDS = 8

_PRESENT = text(f"""
SELECT f.id FROM unnest(CAST(:entities AS uuid[])) AS f(id) WHERE EXISTS (
    SELECT 1 FROM graph_mentions r {VISIBLE} WHERE r.entity_id = f.id AND {OF_GRAPHS})
""")
_LIKE = text(f"""
SELECT r.entity_id FROM graph_mentions r {VISIBLE}
WHERE {OF_GRAPHS} AND r.key LIKE :pattern AND r.kind <> 'value'
GROUP BY r.entity_id ORDER BY min(length(r.key)), count(*) DESC, r.entity_id LIMIT :limit
""")
# Words of letters and codes, or one character of another script.
_UNIT = re.compile(
    r"[^\W\u2e80-\u9fff\uac00-\ud7af_]+(?:[._/+#'-]+[^\W\u2e80-\u9fff\uac00-\ud7af_]+)*|[\u2e80-\u9fff\uac00-\ud7af]"
)


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of words in a question, and the entity it would be."""

    start: int
    end: int
    entity: UUID


async def in_question(session: AsyncSession, sight: Sight, same: Synonyms, question: str) -> list[UUID]:
    """The entities that a question names, in order of appearance, at most `MAX_SEEDS`."""
    runs = list(_runs(key_of(question[:MAX_QUESTION_CHARS])))
    present = await _present(session, sight, same, {run.entity for run in runs})
    found: list[UUID] = []
    taken: list[_Run] = []
    for run in sorted(runs, key=lambda run: (run.start - run.end, run.start)):
        if run.entity in present and not any(run.start < t.end and t.start < run.end for t in taken):
            taken.append(run)
    for run in sorted(taken, key=lambda run: run.start):
        root = same.root(run.entity)
        if root not in found:
            found.append(root)
    return found[:MAX_SEEDS]


async def named(session: AsyncSession, sight: Sight, same: Synonyms, names: Sequence[str]) -> list[UUID]:
    """The entities of these names; of a name that is none, the one with the shortest name that holds it."""
    found: list[UUID] = []
    for name in names[:MAX_SEEDS]:
        key = entity_key(name)
        if not key:
            continue
        one = entity_id(key)
        if not await _present(session, sight, same, {one}):
            rows = await session.execute(_LIKE, {**sight.parameters, "pattern": containing(key), "limit": 1})
            one = rows.scalar_one_or_none()
        if one is not None and same.root(one) not in found:
            found.append(same.root(one))
    return found


async def _present(session: AsyncSession, sight: Sight, same: Synonyms, entities: set[UUID]) -> set[UUID]:
    """Those of the entities that are there by a name that the caller may read, or mean the same as one."""
    if not sight.graph_ids:
        return set()
    members = sorted(same.all_of(entities))
    rows = await session.execute(_PRESENT, {**sight.parameters, "entities": members})
    there = {same.root(row) for row in rows.scalars()}
    return {entity for entity in entities if same.root(entity) in there}


def _runs(plain: str) -> Iterator[_Run]:
    """Every run of words that may be a name. A question of 100 Chinese characters has some 2,000."""
    units = [(match.start(), match.end()) for match in _UNIT.finditer(plain)]
    seen: dict[str, UUID] = {}
    for first in range(len(units)):
        words = chars = 0
        for start, end in units[first:]:
            if end - start == 1 and plain[start] >= "\u2e80":
                chars += 1
            else:
                words += 1
            if words > MAX_WORD_RUN or chars > MAX_HAN_RUN:
                break
            if chars == 1 and words == 0:
                continue
            key = entity_key(plain[units[first][0] : end])
            if not key:
                continue
            if key not in seen:
                seen[key] = entity_id(key)
            yield _Run(units[first][0], end, seen[key])
