"""A query made ready for the lexical leg: its terms, how rare each is, and which are worth looking up.

A word that has synonyms in the term base is a group: the word with its parts on the one side, on the other
each synonym, which counts as much as all of them. Of a group the best side counts, and that once.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from uuid import UUID

from refdesk.knowledge.indexing import (
    NO_TERMS,
    Script,
    Statistics,
    exact_codes,
    identifiers,
    idf,
    query_scripts,
    salt_of,
    sparsevec_text,
    term_of,
    tokenize,
    whole_token,
)
from refdesk.knowledge.terms import NO_TERM_BASE, TermBase
from refdesk.retrieval.function_words import BACKGROUND_ENTRIES, background_frequency

CANDIDATE_BUDGET = 2_000
"""Entries the rare terms of a query may bring in together, if these carry enough of it: at 100,000 entries
0.4 % of the ten best are lost, and 0.2 % with 5,000, which takes up to twice as long."""

CANDIDATE_LIMIT = 4_000
"""Entries that may be brought in where the rare terms carry little of the query. 10,000 find no more in both
legs together (nDCG@10 of twelve sets 0.6935 against 0.6936; by words alone 0.6352 against 0.6347), and the
slowest twentieth of searches among 100,000 entries takes up to twice as long."""

_ENOUGH = 0.5

MAX_TERMS = 256
"""Distinct terms of a query that count; a question has 5 to 30."""


_LEAST_MASS = 5.0
"""About the rarity of one word that a small base holds once; four function words have 2.8."""

MAX_SYNONYMS_ASKED = 8

# A code in more entries than this is a subject (COVID-19), not a place.
_FEW, _FEW_SHARE = 3, 0.01


_DETAIL_SHARE = 0.1
"""A code that is less than this of what a question says is one detail of many: of a claim of 30 words about
four substances, the paragraph that holds one of them need not be the nearest."""

# Terms that are looked up together, in how many entries they are, and what they are worth.
type _Unit = tuple[tuple[int, ...], int, float]


@dataclass(frozen=True, slots=True)
class AskedGroup:
    """Words of a question that have the same synonyms. `sides` are the words as asked, each as its term and
    the tokens of the whole and of its parts that stand nowhere else in the question. `others` are the terms
    of the synonyms."""

    sides: tuple[tuple[int, dict[int, str]], ...]
    others: tuple[int, ...]

    @property
    def wholes(self) -> tuple[int, ...]:
        return (*(whole for whole, _ in self.sides), *self.others)


@dataclass(frozen=True, slots=True)
class TermedQuery:
    """The distinct terms of a query with the tokens they stand for, and the scripts it is in.

    `identifiers` are the terms of codes, which are kept whole, `exact_codes` those of codes that name one
    thing. What is in `groups` is not in `tokens`.
    """

    tokens: dict[int, str]
    scripts: frozenset[Script]
    identifiers: frozenset[int]
    groups: tuple[AskedGroup, ...] = ()
    exact_codes: frozenset[int] = frozenset()

    @classmethod
    def read(cls, query: str, *, terms: TermBase = NO_TERM_BASE) -> "TermedQuery":
        counted = Counter(tokenize(query, terms=terms.asked or NO_TERMS))
        groups = list(_grouped(query, terms, counted)) if terms.groups else []
        tokens = {term_of(token): token for token, times in counted.items() if times > 0}
        codes = frozenset(term_of(token) for token in identifiers(query))
        exact = frozenset(term_of(token) for token in exact_codes(query))
        kept = dict(list(tokens.items())[:MAX_TERMS])
        return cls(kept, query_scripts(query), codes, tuple(groups), exact)

    @property
    def terms(self) -> list[int]:
        """All terms that the statistics are needed of."""
        grouped = (term for group in self.groups for _, side in group.sides for term in side)
        others = (term for group in self.groups for term in group.others)
        return list(dict.fromkeys((*self.tokens, *grouped, *others)))


def _grouped(query: str, terms: TermBase, counted: Counter[str]) -> Iterator[AskedGroup]:
    """The groups that are asked for; takes what belongs to their words out of the counted tokens."""
    asked: dict[int, dict[str, int]] = {}
    for key in terms.asked.occurrences(query):
        for number, group in enumerate(terms.groups):
            if key in group:
                asked.setdefault(number, {}).setdefault(key, 0)
                asked[number][key] += 1
    for number, words in asked.items():
        sides: list[tuple[int, dict[int, str]]] = []
        for key, times in words.items():
            own = dict.fromkeys((whole_token(key), *tokenize(key)))
            counted.subtract(dict.fromkeys(own, times))
            kept = {
                term_of(token): token for token in own if counted[token] <= 0 or token == whole_token(key)
            }
            sides.append((term_of(whole_token(key)), kept))
        others = (term_of(whole_token(key)) for key in sorted(terms.groups[number]) if key not in words)
        yield AskedGroup(tuple(sides), tuple(dict.fromkeys(others)))


@dataclass(frozen=True, slots=True)
class WeightedGroup:
    """`sides` are alternatives, each with the rarity of its terms; a term of `others` is worth `mass`, which
    is that of the heaviest side. `wholes` are the terms that stand for the meaning."""

    sides: tuple[dict[int, float], ...]
    others: tuple[int, ...]
    mass: float
    wholes: frozenset[int]

    def held(self, terms: Set[int]) -> float:
        """What an entry with these terms holds of the mass."""
        if not terms.isdisjoint(self.others):
            return self.mass
        return max(sum(rarity for term, rarity in side.items() if term in terms) for side in self.sides)


@dataclass(frozen=True, slots=True)
class WeightedQuery:
    """A query with the rarity of each of its terms in the bases searched, which are summed first."""

    rarity: dict[int, float]
    rare_terms: tuple[int, ...]
    reached: int
    statistics: Statistics
    codes: frozenset[int]
    groups: tuple[WeightedGroup, ...] = ()
    exact_codes: frozenset[int] = frozenset()

    @classmethod
    def weigh(cls, query: TermedQuery, statistics: Statistics) -> "WeightedQuery":
        """`statistics` count what the caller may see."""
        frequency = {term: statistics.frequency(term) for term in query.terms}
        total = statistics.entries + BACKGROUND_ENTRIES

        def rarity_of(term: int, token: str, held: float) -> float:
            return idf(total, held + background_frequency(token))

        rarity = {term: rarity_of(term, token, frequency[term]) for term, token in query.tokens.items()}
        groups: list[WeightedGroup] = []
        units: list[_Unit] = [((term,), frequency[term], rarity[term]) for term in rarity]
        for group in query.groups:
            together = min(sum(frequency[term] for term in group.wholes), statistics.entries)
            sides = [
                {
                    term: rarity_of(term, token, together if term == whole else frequency[term])
                    for term, token in side.items()
                }
                for whole, side in group.sides
            ]
            mass = max(sum(side.values()) for side in sides)
            # Of two words asked for the lesser is worth no less than one that is not asked for. The most
            # frequent: each costs an inner product a candidate.
            lesser = [
                whole
                for (whole, _), side in zip(group.sides, sides, strict=True)
                if sum(side.values()) < mass
            ]
            known = (term for term in (*lesser, *group.others) if frequency[term] > 0)
            others = sorted(known, key=lambda term: -frequency[term])[:MAX_SYNONYMS_ASKED]
            groups.append(WeightedGroup(tuple(sides), tuple(others), mass, frozenset(group.wholes)))
            wholes = dict.fromkeys((*(whole for whole, _ in group.sides), *others))
            units.append((tuple(t for t in wholes if frequency[t] > 0), together, mass))
            units += [
                ((term,), frequency[term], weight)
                for side in sides
                for term, weight in side.items()
                if term not in wholes
            ]
        rare, reached = _rare(units)
        most = max(_FEW, statistics.entries * _FEW_SHARE)
        codes = {term for term in query.identifiers if 0 < frequency.get(term, 0) <= most}
        exact = {term for term in query.exact_codes if 0 < frequency.get(term, 0) <= most}
        said = sum(rarity.values()) + sum(group.mass for group in groups)
        if sum(idf(total, frequency[term]) for term in exact) < _DETAIL_SHARE * said:
            exact = set[int]()
        for group in groups:
            if not codes.isdisjoint(group.wholes):
                codes |= group.wholes
        return cls(
            rarity, tuple(rare), reached, statistics, frozenset(codes), tuple(groups), frozenset(exact)
        )

    def keys(self, index_ids: Sequence[UUID], *, of_all: bool = False) -> list[int]:
        """The rare terms, or `of_all`, as the `terms` column of these indexes holds them."""
        terms: Sequence[int] = self.rare_terms
        if of_all:
            grouped = (term for group in self.groups for side in group.sides for term in side)
            others = (term for group in self.groups for term in group.others)
            terms = list(dict.fromkeys((*self.rarity, *grouped, *others)))
        keys: list[int] = []
        for index_id in index_ids:
            known = self.statistics.frequencies.get(index_id, {})
            salt = salt_of(index_id)
            keys.extend(term ^ salt for term in terms if known.get(term, 0) > 0)
        return keys

    def score(self, column: str) -> tuple[str, dict[str, str]]:
        """SQL of the score of an entry by its `bm25` column, and the parameters of it."""
        parameters = {"words": self._vector(self.rarity)}
        parts = [_product(column, "words")]
        for g, group in enumerate(self.groups):
            sides = [*group.sides, *({term: group.mass} for term in group.others)]
            names = {f"words_{g}_{n}": self._vector(side) for n, side in enumerate(sides)}
            parameters |= names
            products = [_product(column, name) for name in names]
            parts.append(products[0] if len(products) == 1 else f"GREATEST({', '.join(products)})")
        return f"({' + '.join(parts)})" if len(parts) > 1 else parts[0], parameters

    def exactness(self, column: str) -> tuple[str, dict[str, str]]:
        """SQL of whether an entry holds a code of the query that names one thing and is rare in these bases.

        By its `bm25` column; with the parameters of it.
        """
        if not self.exact_codes:
            return "false", {}
        return f"{_product(column, 'codes')} > 0", {
            "codes": self._vector(dict.fromkeys(sorted(self.exact_codes), 1.0))
        }

    def _vector(self, rarity: Mapping[int, float]) -> str:
        """The rarity of the terms that the bases know, as a `sparsevec` parameter."""
        return sparsevec_text({t: weight for t, weight in rarity.items() if self.statistics.frequency(t) > 0})

    def share(self, held: Set[int]) -> float:
        """Share of the query's rarity that an entry with these terms holds, 0–1.

        Of a query that has little to go by (请问怎么办) even the whole is only a small share.
        """
        mass = sum(self.rarity.values()) + sum(group.mass for group in self.groups)
        found = sum(weight for term, weight in self.rarity.items() if term in held)
        found += sum(group.held(held) for group in self.groups)
        return found / max(mass, _LEAST_MASS)

    def holds_identifier(self, held: Set[int]) -> bool:
        """Whether the entry holds a code of the query that is rare in these bases."""
        return not self.codes.isdisjoint(held)


def _rare(units: Sequence[_Unit]) -> tuple[list[int], int]:
    """The terms worth looking up, and how many entries they bring in."""
    known = sorted((unit for unit in units if unit[1] > 0), key=lambda unit: unit[1])
    enough = _ENOUGH * sum(weight for _, _, weight in known)
    rare: list[int] = []
    reached, mass = 0, 0.0
    for terms, frequency, weight in known:
        budget = CANDIDATE_BUDGET if mass >= enough else CANDIDATE_LIMIT
        if rare and reached + frequency > budget:
            break
        rare += [term for term in terms if term not in rare]
        reached += frequency
        mass += weight
    return rare, reached


def _product(column: str, name: str) -> str:
    return f"-({column} <#> CAST(:{name} AS sparsevec))"


def unsalted(index_id: UUID, salted_terms: Sequence[int]) -> frozenset[int]:
    """An entry's terms, from its `terms` column."""
    salt = salt_of(index_id)
    return frozenset(term ^ salt for term in salted_terms)
