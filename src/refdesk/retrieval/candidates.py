"""The union of the legs' proposals, as arrays that modes can rank."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from refdesk.retrieval.fusion import Scores


@dataclass(frozen=True, slots=True)
class Row:
    """An entry that a leg proposed. `cosine` is None where no vector was asked for.

    `is_exact`: it holds a code that the question names and few entries hold.
    """

    home: int
    entry_id: UUID
    index_id: UUID
    paragraph_id: UUID
    kind: int
    script: int
    start: int
    end: int
    cosine: float | None
    bm25: float
    is_exact: bool = False


@dataclass(frozen=True)
class Candidates:
    """Entries with both legs' scores.

    `dense` is what dense scores are compared by: the cosine, or the calibrated similarity where several
    embedders meet. `similarity` is calibrated. All arrays have one value a row.
    """

    rows: Sequence[Row]
    dense: Scores
    similarity: Scores
    lexical: Scores
    comparable: NDArray[np.bool_]
    exact: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.rows)

    def best_of_paragraphs(self, scores: Scores) -> list[int]:
        """Positions of each paragraph's best row by `scores`, best first.

        Equal scores are ordered by cosine, then words, then id, so that the same question gives the same
        order twice, and in another index of the same base.
        """
        order = np.lexsort((self._by_id, -self.lexical, -self.dense, -scores))
        _, firsts = np.unique(self._paragraphs[order], return_index=True)
        return order[np.sort(firsts)].tolist()

    @cached_property
    def _by_id(self) -> NDArray[np.int64]:
        """Where each row stands in the order of paragraphs' and entries' ids."""
        ids = [(row.paragraph_id.bytes, row.entry_id.bytes) for row in self.rows]
        places = np.empty(len(ids), dtype=np.int64)
        places[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
        return places

    @cached_property
    def _paragraphs(self) -> NDArray[np.int64]:
        """A number for each row's paragraph."""
        numbers: dict[UUID, int] = {}
        of_rows = [numbers.setdefault(row.paragraph_id, len(numbers)) for row in self.rows]
        return np.array(of_rows, dtype=np.int64)
