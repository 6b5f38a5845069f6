"""Embeddings over HTTP, whatever the format: batches out, normalised vectors in, in the order asked."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol
from uuid import UUID

import numpy as np

from refdesk.gateway.calibration import Calibration
from refdesk.gateway.calls import Vectors
from refdesk.gateway.errors import ModelBadResponse, ModelRateLimited, ModelTimeout, ModelUnavailable
from refdesk.gateway.gates import DEFAULT_GATES, Gates
from refdesk.gateway.wires.at_once import at_once
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.refusals import body_error
from refdesk.gateway.wires.spending import OnUsage, tokens_read

ATTEMPTS = 3
MAX_WAIT_S = 20.0
AT_ONCE = 8

type Side = Literal["query", "passage"]


class EmbeddingFormat(Protocol):
    """How one kind of server is asked for vectors."""

    @property
    def most_texts(self) -> int:
        """The most texts that one request may hold."""
        ...

    def path(self, model_name: str) -> str: ...

    def body(
        self, model_name: str, texts: Sequence[str], side: Side, dimensions: int | None
    ) -> dict[str, Any]: ...

    def rows(self, answer: Any, count: int) -> list[Any]:
        """The vectors in the order asked. May raise AttributeError, KeyError, TypeError or ValueError."""
        ...


@dataclass(frozen=True, slots=True)
class RemoteEmbedder:
    """An embedding model behind a server.

    `request_dimensions` asks the vendor for shorter vectors; prefixes are put before each text where a
    model was trained with them. Rate limits and outages are waited out until the last of `attempts`; where a
    policy decides what happens then, one is enough. `on_usage` hears of the tokens of each request.
    """

    model_id: UUID
    model_name: str
    connection: Connection
    format: EmbeddingFormat
    dimensions: int
    calibration: Calibration
    gates: Gates = DEFAULT_GATES
    max_batch: int = 32
    query_prefix: str = ""
    passage_prefix: str = ""
    request_dimensions: bool = False
    request_id: str | None = None
    attempts: int = ATTEMPTS
    on_usage: OnUsage | None = field(default=None, repr=False, compare=False)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self._embed([self.query_prefix + text for text in texts], "query")

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self._embed([self.passage_prefix + text for text in texts], "passage")

    async def _embed(self, texts: list[str], side: Side) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        size = min(self.max_batch, self.format.most_texts)
        batches = [texts[start : start + size] for start in range(0, len(texts), size)]
        # A vendor that takes one text at a time would else be waited for once a text.
        limit = AT_ONCE if size == 1 else 1
        return np.concatenate(await at_once(lambda batch: self._batch(batch, side), batches, limit))

    async def _batch(self, texts: list[str], side: Side) -> Vectors:
        path = self.format.path(self.model_name)
        # Several vendors refuse an empty string with a whole batch.
        body = self.format.body(
            self.model_name,
            [text or " " for text in texts],
            side,
            self.dimensions if self.request_dimensions else None,
        )
        for attempt in range(1, self.attempts + 1):
            try:
                answer = await self.connection.json("POST", path, body, request_id=self.request_id)
                break
            except (ModelRateLimited, ModelUnavailable, ModelTimeout) as error:
                if attempt == self.attempts:
                    raise
                asked = error.details.get("retry_after_s")
                wait = 2.0 ** (attempt - 1) if asked is None else float(asked)
                await asyncio.sleep(min(wait, MAX_WAIT_S))
        else:
            raise AssertionError("unreachable")
        vectors = self._vectors(answer, len(texts))
        if self.on_usage is not None and (read := tokens_read(answer)) is not None:
            self.on_usage(read)
        return vectors

    def _vectors(self, answer: Any, count: int) -> Vectors:
        if isinstance(answer, dict) and (words := body_error(answer)) is not None:  # pyright: ignore[reportUnknownArgumentType]
            raise self.connection.in_band(words)
        try:
            vectors = np.array(self.format.rows(answer, count), np.float32)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ModelBadResponse("The server's answer holds no embeddings.") from error
        if vectors.ndim != 2 or len(vectors) != count or self.dimensions not in (0, vectors.shape[1]):
            raise ModelBadResponse(
                f"Expected {count} vectors of {self.dimensions or 'any number of'} numbers, "
                f"got {list(vectors.shape)}."
            )
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(vectors).all() or not (norms > 0).all():
            raise ModelBadResponse("The server sent vectors that are empty or not numbers.")
        return vectors / norms


def by_index(rows: Sequence[Any], count: int) -> list[Any]:
    """Rows in the order of their `index`, which some servers shuffle and a few leave out.

    Raises ValueError for an index twice or out of range: vectors of other texts would be worse than none.
    """
    if all("index" not in row for row in rows):
        return list(rows)
    ordered = sorted(rows, key=lambda row: int(row["index"]))
    if [int(row["index"]) for row in ordered] != list(range(count)):
        raise ValueError("indexes are not those of the texts")
    return ordered
