"""The union of the legs' proposals, as arrays that modes can rank."""

from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
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
        order = sorted(
            range(len(self.rows)),
            key=lambda i: (
                -scores[i],
                -self.dense[i],
                -self.lexical[i],
                self.rows[i].paragraph_id.bytes,
                self.rows[i].entry_id.bytes,
            ),
        )
        seen: set[UUID] = set()
        best: list[int] = []
        for i in order:
            if self.rows[i].paragraph_id not in seen:
                seen.add(self.rows[i].paragraph_id)
                best.append(i)
        return best
