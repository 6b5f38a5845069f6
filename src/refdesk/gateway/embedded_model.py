"""The embedded embedding model under the id it has in one workspace, and its calls in the record.

Limits and breakers are for what costs money or fails elsewhere; this model is a part of the process. Its
calls are recorded like any other's, so that figures tell what searching and indexing take.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

import structlog

from refdesk.accounts import Scope
from refdesk.gateway.calibration import Calibration
from refdesk.gateway.calls import OnEmbedded, Vectors
from refdesk.gateway.embedded import CALIBRATION, DIMENSIONS, AsyncEmbeddedEmbedder
from refdesk.gateway.gates import DEFAULT_GATES, Gates
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.tokens import estimated_usage
from refdesk.gateway.usage import CallRecord, UsageLog
from refdesk.kit.errors import AppError

log = structlog.get_logger(__name__)

EMBEDDED_BATCH = 32


@dataclass(frozen=True, slots=True)
class EmbeddedModel:
    """The model of one workspace; the engine is the process's."""

    model_id: UUID
    engine: AsyncEmbeddedEmbedder
    dimensions: int = DIMENSIONS
    calibration: Calibration = CALIBRATION
    gates: Gates = DEFAULT_GATES
    max_batch: int = EMBEDDED_BATCH

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self.engine.embed_queries(texts)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self.engine.embed_passages(texts)


@dataclass(frozen=True, slots=True)
class RecordedEmbedder:
    """The embedded model for one purpose; every call goes into the record."""

    model: EmbeddedModel
    usage: UsageLog
    scope: Scope
    purpose: Purpose
    on_usage: OnEmbedded | None = None

    @property
    def model_id(self) -> UUID:
        return self.model.model_id

    @property
    def dimensions(self) -> int:
        return self.model.dimensions

    @property
    def calibration(self) -> Calibration:
        return self.model.calibration

    @property
    def gates(self) -> Gates:
        return self.model.gates

    @property
    def max_batch(self) -> int:
        return self.model.max_batch

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self._recorded(self.model.embed_queries, texts)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self._recorded(self.model.embed_passages, texts)

    async def _recorded(
        self, embed: Callable[[Sequence[str]], Awaitable[Vectors]], texts: Sequence[str]
    ) -> Vectors:
        started, code, usage = time.perf_counter(), "cancelled", None
        try:
            vectors = await embed(texts)
            code, usage = "ok", estimated_usage(texts)
            if self.on_usage is not None:
                self.on_usage(usage, len(texts))
            return vectors
        except AppError as error:
            code = error.code
            raise
        finally:
            latency_ms = int((time.perf_counter() - started) * 1000)
            self.usage.record(
                CallRecord(self.scope, self.purpose, self.model_id, "EMBEDDING", code, latency_ms, usage)
            )
            log.info(
                "model.call",
                model_id=str(self.model_id),
                path=self.purpose.path,
                code=code,
                ms=latency_ms,
            )
