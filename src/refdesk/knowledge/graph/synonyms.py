"""Words of one meaning, as the term bases have them, seen as one entity."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge.graph.keys import entity_id, entity_key
from refdesk.knowledge.terms import TermBase, term_base

_KEPT = 64
_cache: OrderedDict[tuple[UUID, int], "Synonyms"] = OrderedDict()


@dataclass(frozen=True, slots=True)
class Synonyms:
    """`root` gives the one id that stands for all of a group, `group` all of its ids."""

    roots: dict[UUID, UUID]
    groups: dict[UUID, tuple[UUID, ...]]

    def root(self, entity: UUID) -> UUID:
        return self.roots.get(entity, entity)

    def all_of(self, entities: Iterable[UUID]) -> set[UUID]:
        """The entities with all that mean the same."""
        found: set[UUID] = set()
        for entity in entities:
            found.update(self.groups.get(self.root(entity), (entity,)))
        return found


def synonyms_of(groups: Iterable[Collection[str]]) -> Synonyms:
    """From groups of keys; groups that share a key are one."""
    roots: dict[UUID, UUID] = {}
    members: dict[UUID, set[UUID]] = {}
    for keys in groups:
        ids = {entity_id(key) for word in keys if (key := entity_key(word))}
        merged = set(ids)
        for one in ids:
            if one in roots:
                merged |= members.pop(roots[one], set())
        if len(merged) > 1:
            root = min(merged)
            members[root] = merged
            roots.update(dict.fromkeys(merged, root))
    return Synonyms(roots, {root: tuple(sorted(ids)) for root, ids in members.items()})


async def synonyms(session: AsyncSession, scope: Scope, base_ids: Sequence[UUID]) -> Synonyms:
    """Of the term bases of these bases together."""
    bases = [(base_id, await term_base(session, scope, base_id)) for base_id in base_ids]
    told = [(base_id, terms) for base_id, terms in bases if terms.groups]
    if len(told) == 1:
        return _kept(*told[0])
    return synonyms_of(group for _, terms in told for group in terms.groups)


def _kept(base_id: UUID, terms: TermBase) -> Synonyms:
    place = (base_id, terms.version)
    found = _cache.get(place)
    if found is None:
        found = _cache[place] = synonyms_of(terms.groups)
        while len(_cache) > _KEPT:
            _cache.popitem(last=False)
    return found
