"""A stand-in for an embedding model: deterministic, instant, and near for texts that share words.

Feature hashing of the lexical tokens (Weinberger et al. 2009). It makes plumbing testable; it says nothing
about quality.
"""

from collections.abc import Sequence
from hashlib import blake2b
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from refdesk.accounts import Scope
from refdesk.gateway import DEFAULT_GATES, Calibration, Reranker, UnknownModel
from refdesk.knowledge.indexing import tokenize

# The cosine of a hashed bag of words: unrelated texts lie near 0, the same words in other order at 1.
_CALIBRATION = Calibration(((0.0, 0.0), (0.3, 0.45), (1.0, 1.0)))


class HashingEmbedder:
    """An `Embedder` of any size. Counts its calls; `fail_with` is raised by the next call, once."""

    def __init__(self, model_id: UUID, dimensions: int = 64, *, max_batch: int = 32) -> None:
        self.model_id = model_id
        self.dimensions = dimensions
        self.max_batch = max_batch
        self.calibration = _CALIBRATION
        self.gates = DEFAULT_GATES
        self.calls: list[list[str]] = []
        self.fail_with: Exception | None = None

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed(texts)

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls.append(list(texts))
        if self.fail_with is not None:
            error, self.fail_with = self.fail_with, None
            raise error
        return (
            np.stack([self._vector(text) for text in texts])
            if texts
            else np.zeros((0, self.dimensions), np.float32)
        )

    def _vector(self, text: str) -> NDArray[np.float32]:
        vector = np.zeros(self.dimensions, dtype=np.float32)
        # A text without words still needs a direction.
        for token in tokenize(text) or ["\x00"]:
            digest = blake2b(token.encode(), digest_size=8).digest()
            vector[int.from_bytes(digest[:4]) % self.dimensions] += 1.0 if digest[4] & 1 else -1.0
        norm = float(np.linalg.norm(vector))
        if norm == 0.0:
            vector[0], norm = 1.0, 1.0
        return vector / np.float32(norm)


class FixedEmbedders:
    """Stands in for the gateway in searches: the models given, by their ids."""

    def __init__(self, *embedders: HashingEmbedder, rerankers: Sequence[Reranker] = ()) -> None:
        self._by_id = {embedder.model_id: embedder for embedder in embedders}
        self._rerankers = {reranker.model_id: reranker for reranker in rerankers}

    async def reranker(self, scope: Scope, model_id: UUID, purpose: object = None) -> Reranker:
        if model_id not in self._rerankers:
            raise UnknownModel(model_id=str(model_id))
        return self._rerankers[model_id]

    async def embedder(self, scope: Scope, model_id: UUID, purpose: object = None) -> HashingEmbedder:
        return self._by_id[model_id]
