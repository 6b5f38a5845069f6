"""The rules that hold for every source, kept in one place: limits, deadlines, errors.

Adapters are plain; this is what callers get. A call that passes its deadline is left: a blocking client's
thread ends when its own time limit, set a little longer, strikes.
"""

import asyncio
import math
from collections.abc import Awaitable, Mapping
from dataclasses import replace

from refdesk.kit.errors import AppError
from refdesk.retrieval.external.errors import (
    SourceBadAnswer,
    SourceFilterInvalid,
    SourceReadOnly,
    SourceTimeout,
)
from refdesk.retrieval.external.protocol import (
    KEY,
    MAX_QUERY_CHARS,
    MAX_TOP_K,
    Capabilities,
    KnowledgeSource,
    SourceDocument,
    SourceHit,
    Value,
)

AT_ONCE = 8
"""Calls to one source that run together; others wait their turn within their own deadline."""


class GuardedSource:
    """A `KnowledgeSource` that keeps every adapter within the contract."""

    def __init__(self, source: KnowledgeSource, *, timeout_s: float) -> None:
        self._source = source
        self._timeout_s = timeout_s
        self._turns = asyncio.Semaphore(AT_ONCE)

    @property
    def capabilities(self) -> Capabilities:
        return self._source.capabilities

    async def ingest(self, document: SourceDocument) -> str:
        if not self.capabilities.can_ingest:
            raise SourceReadOnly
        clean = replace(
            document,
            title=_clean(document.title),
            text=_clean(document.text),
            metadata=_checked(document.metadata),
        )
        return await self._in_time(self._source.ingest(clean))

    async def search(
        self, query: str, top_k: int = 3, *, filters: Mapping[str, Value] | None = None
    ) -> list[SourceHit]:
        """At most `top_k` (1–100) hits; none for a query without text or with a number below 1."""
        if filters and not self.capabilities.can_filter:
            raise SourceFilterInvalid
        checked = _checked(filters or {})
        cleaned = _clean(query).strip()[:MAX_QUERY_CHARS]
        if not cleaned or top_k < 1:
            return []
        wanted = min(top_k, MAX_TOP_K)
        hits = await self._in_time(self._source.search(cleaned, wanted, filters=checked or None))
        if any(not math.isfinite(hit.score) for hit in hits):
            raise SourceBadAnswer(reason="a score is not a number")
        hits = [replace(hit, score=min(max(hit.score, 0.0), 1.0)) for hit in hits]
        return sorted(hits, key=lambda hit: -hit.score)[:wanted]

    async def update_metadata(self, doc_id: str, metadata: Mapping[str, Value]) -> None:
        if not self.capabilities.can_update_metadata:
            raise SourceReadOnly
        await self._in_time(self._source.update_metadata(doc_id, _checked(metadata)))

    async def close(self) -> None:
        await self._source.close()

    async def _in_time[T](self, call: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout(self._timeout_s), self._turns:
                return await call
        except TimeoutError as error:
            raise SourceTimeout(timeout_s=self._timeout_s) from error
        except AppError:
            raise
        except Exception as error:
            # Its message may quote a connection string, password and all: only its kind is told.
            raise SourceBadAnswer(reason=type(error).__name__) from error


def _clean(text: str) -> str:
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")


def _checked(values: Mapping[str, Value]) -> dict[str, Value]:
    checked: dict[str, Value] = {}
    for key, value in values.items():
        if not KEY.fullmatch(key) or (isinstance(value, float) and not math.isfinite(value)):
            raise SourceFilterInvalid(key=key[:100])
        checked[key] = _clean(value) if isinstance(value, str) else value
    return checked
