"""Asking a rerank server, and finding out which dialect it speaks."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast
from uuid import UUID

from refdesk.gateway.errors import ModelBadResponse, ModelError, ModelNotThere, ModelRefused, ModelTimeout
from refdesk.gateway.wires import Connection
from refdesk.gateway.wires.at_once import at_once
from refdesk.gateway.wires.refusals import body_error
from refdesk.gateway.wires.reranking.shapes import SHAPES, Shape, body_of, path_of, scores_of
from refdesk.gateway.wires.spending import OnUsage, tokens_read

AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class RemoteReranker:
    """A reranker behind HTTP. Nothing is repeated: whoever asks has a deadline and an order of his own."""

    model_id: UUID
    model_name: str
    connection: Connection
    shape: Shape
    max_batch: int = 32
    extra_body: dict[str, Any] = field(default_factory=dict[str, Any])
    least_score: float | None = None
    request_id: str | None = None
    on_usage: OnUsage | None = field(default=None, repr=False, compare=False)

    async def rerank(self, query: str, texts: Sequence[str], *, timeout_s: float) -> list[float]:
        """One score a text, in the order given; greater is nearer. `timeout_s` bounds the whole call.

        Scores are the server's own: most give 0–1, some a logit. Raises `ModelError`s, and `AddressRefused`
        as it is.
        """
        try:
            async with asyncio.timeout(timeout_s):
                return await self._all(query, texts, timeout_s)
        except TimeoutError as error:
            raise ModelTimeout(timeout_s=timeout_s) from error

    async def _all(self, query: str, texts: Sequence[str], timeout_s: float) -> list[float]:
        batches = [texts[i : i + self.max_batch] for i in range(0, len(texts), self.max_batch)]
        scores = await at_once(lambda batch: self._batch(query, batch, timeout_s), batches, AT_ONCE)
        return [score for batch in scores for score in batch]

    async def _batch(self, query: str, texts: Sequence[str], timeout_s: float) -> list[float]:
        # Several servers refuse an empty string with the whole batch.
        body = body_of(self.shape, self.model_name, query, [text or " " for text in texts])
        path = path_of(self.shape, self.connection.base_url)
        answer = await self.connection.json(
            "POST", path, body | self.extra_body, timeout_s=timeout_s, request_id=self.request_id
        )
        if isinstance(answer, dict) and (words := body_error(cast("dict[str, Any]", answer))) is not None:
            raise self.connection.in_band(words)
        scores = scores_of(answer, len(texts))
        if self.on_usage is not None and (read := tokens_read(answer)) is not None:
            self.on_usage(read)
        return scores


async def detect_shape(reranker: RemoteReranker, *, timeout_s: float) -> Shape:
    """The first dialect that the server understands. Raises the error that says most where there is none."""
    failure: ModelError | None = None
    for shape in SHAPES:
        try:
            await replace(reranker, shape=shape).rerank("refdesk", ["refdesk", "参考台"], timeout_s=timeout_s)
        except (ModelNotThere, ModelRefused, ModelBadResponse) as error:
            if failure is None or isinstance(failure, ModelNotThere):
                failure = error
        else:
            return shape
    raise failure or ModelNotThere()
