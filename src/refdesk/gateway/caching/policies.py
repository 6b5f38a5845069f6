"""Which applications keep answers, in memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.gateway.caching.tables import ResponseCachePolicy


@dataclass(frozen=True, slots=True)
class CachePolicy:
    """`ttl_s` is how long an answer is given again, `max_bytes` how much of them is kept."""

    workspace_id: UUID
    ttl_s: int
    max_bytes: int
    with_tools: bool


type CachePolicies = Mapping[UUID, CachePolicy]


async def load_policies(session: AsyncSession) -> CachePolicies:
    """All policies by application."""
    rows = await session.scalars(select(ResponseCachePolicy))
    return {
        row.application_id: CachePolicy(row.workspace_id, row.ttl_s, row.max_bytes, row.with_tools)
        for row in rows
    }
