"""One question to several bases, each with words of its own: how each index's base has it read.

Bases whose terms the question does not name read it alike, and are searched together.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from refdesk.knowledge.indexing import Statistics
from refdesk.knowledge.terms import NO_TERM_BASE, TermBase
from refdesk.retrieval.query import TermedQuery, WeightedQuery
from refdesk.retrieval.repository import SearchedIndex


@dataclass(frozen=True, slots=True)
class Wording:
    """The question as read for each index; `plain` without any terms."""

    plain: TermedQuery
    of_index: Mapping[UUID, TermedQuery]

    @classmethod
    def read(cls, query: str, bases: Iterable[tuple[UUID, TermBase]]) -> "Wording":
        """`bases` are index ids with the terms of their bases."""
        plain = TermedQuery.read(query)
        known: list[TermedQuery] = [plain]
        of_index: dict[UUID, TermedQuery] = {}
        for index_id, terms in bases:
            if terms is NO_TERM_BASE:
                of_index[index_id] = plain
                continue
            termed = TermedQuery.read(query, terms=terms)
            same = next((other for other in known if other == termed), None)
            if same is None:
                known.append(termed)
            of_index[index_id] = same or termed
        return cls(plain, of_index)

    @property
    def terms(self) -> list[int]:
        """The terms of all readings."""
        readings = (self.plain, *self._readings())
        return list(dict.fromkeys(term for reading in readings for term in reading.terms))

    def weigh(self, statistics: Statistics) -> dict[UUID, WeightedQuery]:
        """By index id; one object for all that read the question alike."""
        weighed = {id(reading): WeightedQuery.weigh(reading, statistics) for reading in self._readings()}
        return {index_id: weighed[id(reading)] for index_id, reading in self.of_index.items()}

    def _readings(self) -> list[TermedQuery]:
        return list({id(reading): reading for reading in self.of_index.values()}.values())


def alike(
    indexes: Sequence[SearchedIndex], words: Mapping[UUID, WeightedQuery]
) -> list[tuple[WeightedQuery | None, list[SearchedIndex]]]:
    """Indexes by how they read the question; all together where no words are asked for."""
    if not words:
        return [(None, list(indexes))]
    groups: dict[int, tuple[WeightedQuery | None, list[SearchedIndex]]] = {}
    for index in indexes:
        reading = words[index.target.index_id]
        groups.setdefault(id(reading), (reading, []))[1].append(index)
    return list(groups.values())
