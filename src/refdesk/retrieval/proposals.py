"""From the rows that the legs proposed to what can be ranked: by embedder, as arrays, on their scales.

Values and pure functions. Must not read anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from refdesk.gateway import Embedder, Scale
from refdesk.retrieval.candidates import Candidates, Row
from refdesk.retrieval.errors import EmbeddingChanged
from refdesk.retrieval.modes import Mode
from refdesk.retrieval.query import TermedQuery
from refdesk.retrieval.repository import SearchedIndex

DROPPED_SHOWN = 20
"""How many of the hits that are left out are told of."""

_LEADERS = 5


@dataclass(frozen=True, slots=True)
class EmbeddedQuery:
    """The query as one embedder sees it."""

    embedder: Embedder
    vector: NDArray[np.float32]


def by_model(indexes: Sequence[SearchedIndex], *, together: bool) -> dict[UUID, list[SearchedIndex]]:
    """Indexes by embedding model; all as one group where no vectors are compared."""
    groups: dict[UUID, list[SearchedIndex]] = {}
    for index in indexes:
        key = indexes[0].model_id if together else index.model_id
        groups.setdefault(key, []).append(index)
    return groups


def fitting_vector(
    embedded: EmbeddedQuery | None, indexes: Sequence[SearchedIndex]
) -> NDArray[np.float32] | None:
    if embedded is None:
        return None
    wrong = [index for index in indexes if index.target.dimensions != embedded.vector.size]
    if wrong:
        raise EmbeddingChanged(
            knowledge_base_id=str(wrong[0].knowledge_base_id),
            expected=wrong[0].target.dimensions,
            received=int(embedded.vector.size),
        )
    return embedded.vector


def candidates_of(
    found: Sequence[tuple[Row, UUID]], embedded: dict[UUID, EmbeddedQuery], query: TermedQuery, mode: Mode
) -> Candidates:
    rows = [row for row, _ in found]
    cosine = np.array([row.cosine if row.cosine is not None else 0.0 for row in rows], dtype=np.float64)
    similarity = np.zeros(len(rows))
    if mode.uses_dense:
        models = np.array([model_id.int for _, model_id in found], dtype=object)
        for model_id, model in embedded.items():
            mine = models == model_id.int
            similarity[mine] = model.embedder.calibration.calibrate(cosine[mine])
    several = len({model_id for _, model_id in found}) > 1
    comparable = [not query.scripts or row.script in query.scripts or row.script == 0 for row in rows]
    return Candidates(
        rows=rows,
        dense=similarity if several else cosine,
        similarity=similarity,
        lexical=np.array([max(row.bm25, 0.0) for row in rows], dtype=np.float64),
        comparable=np.array(comparable, dtype=np.bool_),
        exact=np.array([row.is_exact for row in rows], dtype=np.bool_),
    )


def scales_of(
    indexes: Sequence[SearchedIndex], embedded: dict[UUID, EmbeddedQuery], mode: Mode
) -> dict[UUID, Scale]:
    """The scale of each index whose embedder takes part in the search."""
    if not mode.uses_dense:
        return {}
    return {
        index.target.index_id: embedded[index.model_id].embedder.gates.scale(with_words=mode.uses_lexical)
        for index in indexes
    }


def worth_looking_at(candidates: Candidates, ranked: Sequence[int], top_n: int) -> list[int]:
    """The first of the fused order, and each leg's own leaders: one of them has the best similarity."""
    leaders = [
        *sorted(ranked, key=lambda i: -candidates.similarity[i])[:_LEADERS],
        *sorted(ranked, key=lambda i: -candidates.lexical[i])[:_LEADERS],
    ]
    return list(dict.fromkeys([*ranked[: top_n + DROPPED_SHOWN], *leaders]))
