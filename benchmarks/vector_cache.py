"""Vectors kept between runs of a benchmark: embedding a corpus anew takes minutes, measuring it seconds."""

import sqlite3
from collections.abc import Callable, Coroutine, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from refdesk.accounts import Scope
from refdesk.gateway import Embedder, Gateway

type Vectors = NDArray[np.float32]


class VectorCache:
    """Vectors by kind (query or passage) and text, in one SQLite file."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, timeout=60)
        self._connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB)")

    def _get(self, key: bytes) -> Vectors | None:
        row = self._connection.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        return np.frombuffer(row[0], dtype=np.float32) if row else None

    async def embed(
        self, kind: str, texts: Sequence[str], make: Callable[[Sequence[str]], Coroutine[Any, Any, Vectors]]
    ) -> Vectors:
        """The texts' vectors; those that are missing are made and kept."""
        keys = [blake2b(f"{kind}\x00{text}".encode(), digest_size=16).digest() for text in texts]
        found = {key: vector for key in keys if (vector := self._get(key)) is not None}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            made = await make(list(missing.values()))
            found |= dict(zip(missing, made, strict=True))
            with self._connection:
                self._connection.executemany(
                    "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
                    [(key, found[key].astype(np.float32).tobytes()) for key in missing],
                )
        return np.stack([found[key] for key in keys])


class CachedEmbedder:
    """An embedder whose vectors are remembered."""

    def __init__(self, embedder: Embedder, cache: VectorCache) -> None:
        self._embedder = embedder
        self._cache = cache
        self.model_id = embedder.model_id
        self.dimensions = embedder.dimensions
        self.calibration = embedder.calibration
        self.gates = embedder.gates
        self.max_batch = embedder.max_batch

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self._cache.embed("query", texts, self._embedder.embed_queries)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self._cache.embed("passage", texts, self._embedder.embed_passages)


class CachingGateway(Gateway):
    """A gateway whose embedders remember their vectors in `cache`."""

    cache: VectorCache | None = None

    async def embedder(self, scope: Scope, model_id: UUID, *_: object, **__: object) -> Embedder:
        embedder = await super().embedder(scope, model_id)
        return embedder if self.cache is None else CachedEmbedder(embedder, self.cache)
