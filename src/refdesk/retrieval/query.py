"""A query made ready for the lexical leg: its terms, how rare each is, and which are worth looking up."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from uuid import UUID

from refdesk.knowledge.indexing import (
    Script,
    Statistics,
    identifiers,
    idf,
    query_scripts,
    salt_of,
    sparsevec_text,
    term_of,
    tokenize,
)
from refdesk.retrieval.function_words import BACKGROUND_ENTRIES, background_frequency

CANDIDATE_BUDGET = 2_000
"""Entries the rare terms of a query may bring in together, if these carry enough of it: at 100,000 entries
0.4 % of the ten best are lost, and 0.2 % with 5,000, which takes up to twice as long."""

CANDIDATE_LIMIT = 10_000
"""Entries that may be brought in where the rare terms carry little of the query."""

_ENOUGH = 0.5

MAX_TERMS = 256
"""Distinct terms of a query that count; a question has 5 to 30."""


_LEAST_MASS = 5.0
"""About the rarity of one word that a small base holds once; four function words have 2.8."""

# A code in more entries than this is a subject (COVID-19), not a place.
_FEW, _FEW_SHARE = 3, 0.01


@dataclass(frozen=True, slots=True)
class TermedQuery:
    """The distinct terms of a query with the tokens they stand for, and the scripts it is in.

    `identifiers` are the terms of codes, which are kept whole.
    """

    tokens: dict[int, str]
    scripts: frozenset[Script]
    identifiers: frozenset[int]

    @classmethod
    def read(cls, query: str, *, terms: Sequence[str] = ()) -> "TermedQuery":
        tokens = {term_of(token): token for token in dict.fromkeys(tokenize(query, terms=terms))}
        codes = frozenset(term_of(token) for token in identifiers(query))
        return cls(dict(list(tokens.items())[:MAX_TERMS]), query_scripts(query), codes)


@dataclass(frozen=True, slots=True)
class WeightedQuery:
    """A query with the rarity of each of its terms in the bases searched, which are summed first."""

    rarity: dict[int, float]
    rare_terms: tuple[int, ...]
    reached: int
    statistics: Statistics
    codes: frozenset[int]

    @classmethod
    def weigh(cls, query: TermedQuery, statistics: Statistics) -> "WeightedQuery":
        total = statistics.entries + BACKGROUND_ENTRIES
        frequency = {term: statistics.frequency(term) for term in query.tokens}
        rarity = {
            term: idf(total, frequency[term] + background_frequency(token))
            for term, token in query.tokens.items()
        }
        known = sorted((t for t in rarity if frequency[t] > 0), key=lambda t: frequency[t])
        enough = _ENOUGH * sum(rarity[term] for term in known)
        rare: list[int] = []
        reached, mass = 0, 0.0
        for term in known:
            budget = CANDIDATE_BUDGET if mass >= enough else CANDIDATE_LIMIT
            if rare and reached + frequency[term] > budget:
                break
            rare.append(term)
            reached += frequency[term]
            mass += rarity[term]
        most = max(_FEW, statistics.entries * _FEW_SHARE)
        codes = frozenset(term for term in query.identifiers if 0 < frequency.get(term, 0) <= most)
        return cls(rarity, tuple(rare), reached, statistics, codes)

    def keys(self, index_ids: Sequence[UUID]) -> list[int]:
        """The rare terms as the `terms` column of these indexes holds them."""
        keys: list[int] = []
        for index_id in index_ids:
            known = self.statistics.frequencies.get(index_id, {})
            salt = salt_of(index_id)
            keys.extend(term ^ salt for term in self.rare_terms if known.get(term, 0) > 0)
        return keys

    def vector(self) -> str:
        """The rarity of every term the bases know, as a `sparsevec` parameter."""
        known = {t: weight for t, weight in self.rarity.items() if self.statistics.frequency(t) > 0}
        return sparsevec_text(known)

    def share(self, held: Set[int]) -> float:
        """Share of the query's rarity that an entry with these terms holds, 0–1.

        Of a query that has little to go by (请问怎么办) even the whole is only a small share.
        """
        mass = max(sum(self.rarity.values()), _LEAST_MASS)
        return sum(weight for term, weight in self.rarity.items() if term in held) / mass

    def holds_identifier(self, held: Set[int]) -> bool:
        """Whether the entry holds a code of the query that is rare in these bases."""
        return not self.codes.isdisjoint(held)


def unsalted(index_id: UUID, salted_terms: Sequence[int]) -> frozenset[int]:
    """An entry's terms, from its `terms` column."""
    salt = salt_of(index_id)
    return frozenset(term ^ salt for term in salted_terms)
