"""A query made ready for the lexical leg: its terms, how rare each is, and which are worth looking up."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from refdesk.knowledge.indexing import (
    Script,
    Statistics,
    idf,
    query_scripts,
    salt_of,
    sparsevec_text,
    term_of,
    tokenize,
)
from refdesk.retrieval.function_words import BACKGROUND_ENTRIES, background_frequency

CANDIDATE_BUDGET = 5_000
"""Entries the rare terms of a query may bring in together; more terms change the top 10 by under 1 %."""

MAX_TERMS = 256
"""Distinct terms of a query that count; a question has 5 to 30."""


@dataclass(frozen=True, slots=True)
class TermedQuery:
    """The distinct terms of a query with the tokens they stand for, and the scripts it is in."""

    tokens: dict[int, str]
    scripts: frozenset[Script]

    @classmethod
    def read(cls, query: str, *, terms: Sequence[str] = ()) -> "TermedQuery":
        tokens = {term_of(token): token for token in dict.fromkeys(tokenize(query, terms=terms))}
        return cls(dict(list(tokens.items())[:MAX_TERMS]), query_scripts(query))


@dataclass(frozen=True, slots=True)
class WeightedQuery:
    """A query with the rarity of each of its terms in the bases searched, which are summed first."""

    rarity: dict[int, float]
    rare_terms: tuple[int, ...]
    reached: int
    statistics: Statistics

    @classmethod
    def weigh(cls, query: TermedQuery, statistics: Statistics) -> "WeightedQuery":
        total = statistics.entries + BACKGROUND_ENTRIES
        frequency = {term: statistics.frequency(term) for term in query.tokens}
        rarity = {
            term: idf(total, frequency[term] + background_frequency(token))
            for term, token in query.tokens.items()
        }
        rare: list[int] = []
        reached = 0
        for term in sorted((t for t in rarity if frequency[t] > 0), key=lambda t: frequency[t]):
            if rare and reached + frequency[term] > CANDIDATE_BUDGET:
                break
            rare.append(term)
            reached += frequency[term]
        return cls(rarity, tuple(rare), reached, statistics)

    @property
    def mass(self) -> float:
        """Rarity of all terms together, those that no entry holds included."""
        return sum(self.rarity.values())

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

    def share(self, index_id: UUID, salted_terms: Sequence[int]) -> float:
        """Share of the query's rarity that an entry with these terms holds, 0–1."""
        if self.mass <= 0:
            return 0.0
        salt = salt_of(index_id)
        held = {term ^ salt for term in salted_terms}
        return sum(weight for term, weight in self.rarity.items() if term in held) / self.mass
