"""A look into a search while its transaction is open: for explaining it, not for changing it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.gateway import Embedder, Scale
from refdesk.retrieval.candidates import Candidates
from refdesk.retrieval.fusion import Scores
from refdesk.retrieval.query import WeightedQuery
from refdesk.retrieval.repository import SearchedIndex
from refdesk.retrieval.statements import Filters


@dataclass(frozen=True, slots=True)
class Inside:
    """What the search knows when it has ranked its candidates.

    `vectors` are by model and `scales` by index (none where the mode uses no meaning), `words` by index (none
    where it uses no words). `limit` is how many entries each leg proposes. `order` are the fused scores of
    the candidates, `ranked` the positions of each paragraph's best, best first.
    """

    session: AsyncSession
    indexes: Sequence[SearchedIndex]
    vectors: Mapping[UUID, tuple[Embedder, NDArray[np.float32]]]
    words: Mapping[UUID, WeightedQuery]
    scales: Mapping[UUID, Scale]
    filters: Filters
    limit: int
    candidates: Candidates
    order: Scores
    ranked: Sequence[int]


class Probe(Protocol):
    """Called once a search, before anything is left out."""

    async def __call__(self, inside: Inside) -> None: ...
