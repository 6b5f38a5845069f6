"""The term base of a knowledge base as indexing and questions use it: read once a version, kept in memory."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge.indexing import Vocabulary

# Bases whose terms are kept; the largest term base takes some 3 MB.
_KEPT = 64

# One statement: version and words must be of one moment.
_READ = text("""
SELECT s.version, s.held, (SELECT jsonb_agg(t.keys ORDER BY t.id) FROM terms t
    WHERE t.knowledge_base_id = s.knowledge_base_id AND t.workspace_id = s.workspace_id)
FROM term_states s WHERE s.knowledge_base_id = :base_id AND s.workspace_id = :workspace_id
""")
_VERSION = text(
    "SELECT version FROM term_states WHERE knowledge_base_id = :base_id AND workspace_id = :workspace_id"
)


@dataclass(frozen=True, slots=True)
class TermBase:
    """`words` are kept whole in what is indexed now. `asked` are those that a question is read with: all that
    every paragraph is indexed with already. `groups` are keys of the same meaning, of these alone."""

    version: int
    words: Vocabulary
    asked: Vocabulary
    groups: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, version: int, held: Sequence[str], terms: Sequence[Sequence[str]]) -> "TermBase":
        ready = frozenset(held)
        groups = (frozenset(keys) & ready for keys in terms)
        return cls(
            version=version,
            words=Vocabulary({key for keys in terms for key in keys}),
            asked=Vocabulary(ready),
            groups=tuple(group for group in groups if len(group) > 1),
        )


NO_TERM_BASE = TermBase(0, Vocabulary(), Vocabulary(), ())

_cache: OrderedDict[UUID, TermBase] = OrderedDict()


async def term_base(
    session: AsyncSession, scope: Scope, base_id: UUID, version: int | None = None
) -> TermBase:
    """The terms of a base as the transaction sees them; `version` spares asking for it."""
    parameters = {"base_id": base_id, "workspace_id": scope.workspace_id}
    if version is None:
        version = (await session.execute(_VERSION, parameters)).scalar_one_or_none()
    if not version:
        return NO_TERM_BASE
    found = _cache.get(base_id)
    if found is None or found.version != version:
        row = (await session.execute(_READ, parameters)).one_or_none()
        if row is None:
            return NO_TERM_BASE
        found = TermBase.of(row[0], row[1], row[2] or ())
        _cache[base_id] = found
        while len(_cache) > _KEPT:
            _cache.popitem(last=False)
    _cache.move_to_end(base_id)
    return found
