"""Vectors of texts that were embedded before.

Passages are kept in the database, since the same text comes again days later in another process (a document
indexed anew, a base built beside the active one). Queries are kept in this process only: a question asked
again is asked soon, and looking it up elsewhere would cost what it saves. The embedded model has this cache
too: of 32 passages of 120 words a look-up takes 4 ms and keeping them 7 ms, where embedding them takes 2.8 s.
"""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
import structlog

from refdesk.gateway.calibration import Calibration
from refdesk.gateway.calls import Embedder, Vectors
from refdesk.gateway.gates import Gates
from refdesk.gateway.statements import Statements

log = structlog.get_logger(__name__)

QUERIES_KEPT = 2_000
_DAY_S = 86_400

_GET = """
SELECT digest, vector, used_on FROM cached_embeddings WHERE model_id = %s AND digest = ANY (%s)
"""
_TOUCH = """
UPDATE cached_embeddings c SET used_on = %s FROM (
    SELECT digest FROM cached_embeddings WHERE model_id = %s AND digest = ANY (%s)
    ORDER BY digest FOR UPDATE SKIP LOCKED
) o WHERE c.model_id = %s AND c.digest = o.digest RETURNING 1
"""
_PUT = """
INSERT INTO cached_embeddings (model_id, digest, workspace_id, vector, used_on)
SELECT m.id, n.digest, m.workspace_id, n.vector, %s
FROM models m, unnest(%s::bytea[], %s::bytea[]) AS n(digest, vector) WHERE m.id = %s
ORDER BY n.digest ON CONFLICT DO NOTHING RETURNING 1
"""
_COUNT = """
INSERT INTO embedding_cache_figures (model_id, workspace_id, hits, misses)
SELECT m.id, m.workspace_id, %s, %s FROM models m WHERE m.id = %s
ON CONFLICT (model_id) DO UPDATE SET hits = embedding_cache_figures.hits + excluded.hits,
    misses = embedding_cache_figures.misses + excluded.misses RETURNING 1
"""


class EmbeddingCache:
    """Vectors by what the model is and the text. One of it a process."""

    def __init__(self, statements: Statements, *, max_bytes: int) -> None:
        self._statements = statements
        self._queries: OrderedDict[bytes, Vectors] = OrderedDict()
        self.is_on = max_bytes > 0

    def wrap(self, embedder: Embedder, fingerprint: str) -> Embedder:
        """The embedder with this cache before it. `fingerprint` is all that makes its vectors what they are
        beside the text: address, name, prefixes, dimensions."""
        return CachingEmbedder(self, embedder, fingerprint) if self.is_on else embedder

    def query(self, digest: bytes) -> Vectors | None:
        found = self._queries.get(digest)
        if found is not None:
            self._queries.move_to_end(digest)
        return found

    def keep_query(self, digest: bytes, vector: Vectors) -> None:
        self._queries[digest] = vector
        if len(self._queries) > QUERIES_KEPT:
            self._queries.popitem(last=False)

    async def passages(self, model_id: UUID, digests: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors that are known. A cache that cannot be asked knows none."""
        today = _today()
        rows = await self._fetch(_GET, (model_id, list(set(digests))))
        old = [digest for digest, _, used_on in rows if used_on != today]
        if old:
            await self._fetch(_TOUCH, (today, model_id, old, model_id))
        return {digest: np.frombuffer(vector, dtype=np.float32) for digest, vector, _ in rows}

    async def keep_passages(
        self, model_id: UUID, vectors: dict[bytes, Vectors], *, hits: int, misses: int
    ) -> None:
        if vectors:
            packed = [np.ascontiguousarray(vector, dtype=np.float32).tobytes() for vector in vectors.values()]
            await self._fetch(_PUT, (_today(), list(vectors), packed, model_id))
        await self._fetch(_COUNT, (hits, misses, model_id))

    async def _fetch(self, statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        try:
            return await self._statements.fetch(statement, parameters)
        except psycopg.Error as error:
            log.warning("embedding-cache.unavailable", error=type(error).__name__)
            return []


class CachingEmbedder:
    """An embedder that asks its model only for texts it has not embedded before, and for each once."""

    def __init__(self, cache: EmbeddingCache, embedder: Embedder, fingerprint: str) -> None:
        self._cache = cache
        self._embedder = embedder
        self._prefix = hashlib.sha256(fingerprint.encode()).digest()

    @property
    def model_id(self) -> UUID:
        return self._embedder.model_id

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def calibration(self) -> Calibration:
        return self._embedder.calibration

    @property
    def gates(self) -> Gates:
        return self._embedder.gates

    @property
    def max_batch(self) -> int:
        return self._embedder.max_batch

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        digests = [self._digest(text) for text in texts]
        known = {digest: found for digest in digests if (found := self._cache.query(digest)) is not None}
        missing = {d: text for d, text in zip(digests, texts, strict=True) if d not in known}
        if missing:
            made = await self._embedder.embed_queries(list(missing.values()))
            for digest, vector in zip(missing, made, strict=True):
                known[digest] = vector
                self._cache.keep_query(digest, vector)
        return self._stacked(digests, known)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        digests = [self._digest(text) for text in texts]
        known = await self._cache.passages(self.model_id, digests)
        missing = {d: text for d, text in zip(digests, texts, strict=True) if d not in known}
        made: dict[bytes, Vectors] = {}
        if missing:
            vectors = await self._embedder.embed_passages(list(missing.values()))
            made = dict(zip(missing, vectors, strict=True))
        if digests:
            hits = len(digests) - len(missing)
            await self._cache.keep_passages(self.model_id, made, hits=hits, misses=len(missing))
        return self._stacked(digests, known | made)

    def _digest(self, text: str) -> bytes:
        return hashlib.sha256(self._prefix + text.encode(errors="surrogatepass")).digest()

    def _stacked(self, digests: Sequence[bytes], known: dict[bytes, Vectors]) -> Vectors:
        if not digests:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return np.stack([known[digest] for digest in digests])


def _today() -> int:
    return int(time.time() // _DAY_S)
