"""Embeddings: batches out, normalised vectors in."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

import numpy as np

from refdesk.gateway.calibration import Calibration
from refdesk.gateway.calls import Vectors
from refdesk.gateway.errors import ModelBadResponse, ModelRateLimited, ModelTimeout, ModelUnavailable
from refdesk.gateway.gates import DEFAULT_GATES, Gates
from refdesk.gateway.wires.connection import Connection

PATH = "/embeddings"
ATTEMPTS = 3
MAX_WAIT_S = 20.0


@dataclass(frozen=True, slots=True)
class OpenAIEmbedder:
    """An embedding model behind an OpenAI-compatible server.

    `request_dimensions` asks the vendor for shorter vectors; prefixes are put before each text where a
    model was trained with them. Rate limits and outages are waited out twice before they are raised.
    """

    model_id: UUID
    model_name: str
    connection: Connection
    dimensions: int
    calibration: Calibration
    gates: Gates = DEFAULT_GATES
    max_batch: int = 32
    query_prefix: str = ""
    passage_prefix: str = ""
    request_dimensions: bool = False

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self._embed([self.query_prefix + text for text in texts])

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self._embed([self.passage_prefix + text for text in texts])

    async def _embed(self, texts: list[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        batches = [texts[start : start + self.max_batch] for start in range(0, len(texts), self.max_batch)]
        return np.concatenate([await self._batch(batch) for batch in batches])

    async def _batch(self, texts: list[str]) -> Vectors:
        # Several vendors refuse an empty string with a whole batch.
        body: dict[str, Any] = {"model": self.model_name, "input": [text or " " for text in texts]}
        if self.request_dimensions:
            body["dimensions"] = self.dimensions
        for attempt in range(1, ATTEMPTS + 1):
            try:
                answer = await self.connection.json("POST", PATH, body)
                break
            except (ModelRateLimited, ModelUnavailable, ModelTimeout) as error:
                if attempt == ATTEMPTS:
                    raise
                asked = error.details.get("retry_after_s")
                wait = 2.0 ** (attempt - 1) if asked is None else float(asked)
                await asyncio.sleep(min(wait, MAX_WAIT_S))
        else:
            raise AssertionError("unreachable")
        return self.vectors_of(answer, len(texts))

    def vectors_of(self, answer: Any, count: int) -> Vectors:
        """`[count, dimensions]` in the order asked: sorted by `index`, which some servers shuffle."""
        if isinstance(answer, dict) and answer.get("error"):  # pyright: ignore[reportUnknownMemberType]
            raise self.connection.in_band(answer["error"])
        try:
            rows = cast("list[dict[str, Any]]", answer["data"])
            rows = sorted(rows, key=lambda row: int(row.get("index", 0)))
            vectors = np.array([row["embedding"] for row in rows], np.float32)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ModelBadResponse("The server's answer holds no embeddings.") from error
        if vectors.shape != (count, self.dimensions) and self.dimensions:
            raise ModelBadResponse(
                f"Expected {count} vectors of {self.dimensions} numbers, got {list(vectors.shape)}."
            )
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if vectors.ndim != 2 or not np.isfinite(vectors).all() or not (norms > 0).all():
            raise ModelBadResponse("The server sent vectors that are empty or not numbers.")
        return vectors / norms
