"""Caches at the border."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

MAX_BYTES = 10 * 1024**3


class ResponseCacheParts(BaseModel):
    """How an application keeps answers: for how long, how many bytes of them, and whether also answers to
    requests that offer tools."""

    model_config = ConfigDict(extra="forbid")

    ttl_s: int = Field(default=3_600, ge=1, le=90 * 24 * 3600)
    max_bytes: int = Field(default=64 * 1024**2, ge=10_000, le=MAX_BYTES)
    with_tools: bool = False


class ResponseCacheView(BaseModel):
    """`hits` and `misses` count since the cache was set up; `bytes` is what is kept now."""

    application_id: UUID
    ttl_s: int
    max_bytes: int
    with_tools: bool
    hits: int
    misses: int
    answers: int
    bytes: int
    updated_at: datetime


class EmbeddingCacheView(BaseModel):
    """What is kept for one embedding model. A hit is a passage that the vendor was not asked for."""

    model_id: UUID
    hits: int
    misses: int
    passages: int
    bytes: int
