"""All SQL of managing caches; asking them is `responses` and `embeddings`."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import delete, func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway.caching.errors import UnknownCache
from refdesk.gateway.caching.schemas import EmbeddingCacheView, ResponseCacheParts, ResponseCacheView
from refdesk.gateway.caching.tables import (
    CachedEmbedding,
    CachedResponse,
    EmbeddingCacheFigures,
    ResponseCachePolicy,
)


class CacheRepository:
    """The caches of one workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def response_caches(self, application_id: UUID | None = None) -> Sequence[ResponseCacheView]:
        policy, kept = ResponseCachePolicy, CachedResponse
        statement = (
            select(policy, func.count(kept.key), func.coalesce(func.sum(kept.size), 0))
            .outerjoin(kept, kept.application_id == policy.application_id)
            .where(policy.workspace_id == self._scope.workspace_id)
            .group_by(policy.application_id)
            .order_by(policy.application_id)
        )
        if application_id is not None:
            statement = statement.where(policy.application_id == application_id)
        return [
            ResponseCacheView(
                application_id=row.application_id,
                ttl_s=row.ttl_s,
                max_bytes=row.max_bytes,
                with_tools=row.with_tools,
                hits=row.hits,
                misses=row.misses,
                answers=answers,
                bytes=size,
                updated_at=row.updated_at,
            )
            for row, answers, size in (await self._session.execute(statement)).all()
        ]

    async def response_cache(self, application_id: UUID) -> ResponseCacheView:
        """Raises `UnknownCache`."""
        found = await self.response_caches(application_id)
        if not found:
            raise UnknownCache(application_id=str(application_id))
        return found[0]

    async def put(self, application_id: UUID, parts: ResponseCacheParts) -> None:
        values = parts.model_dump()
        statement = insert(ResponseCachePolicy).values(
            application_id=application_id, workspace_id=self._scope.workspace_id, hits=0, misses=0, **values
        )
        await self._session.execute(
            statement.on_conflict_do_update(
                index_elements=[ResponseCachePolicy.application_id],
                set_=values | {"updated_at": func.now()},
                where=ResponseCachePolicy.workspace_id == self._scope.workspace_id,
            )
        )

    async def remove(self, application_id: UUID) -> None:
        await self._session.execute(
            delete(ResponseCachePolicy).where(
                ResponseCachePolicy.application_id == application_id,
                ResponseCachePolicy.workspace_id == self._scope.workspace_id,
            )
        )

    async def forget_answers(self, application_id: UUID) -> None:
        await self._session.execute(
            delete(CachedResponse).where(
                CachedResponse.application_id == application_id,
                CachedResponse.workspace_id == self._scope.workspace_id,
            )
        )

    async def embedding_caches(self) -> Sequence[EmbeddingCacheView]:
        kept, figures = CachedEmbedding, EmbeddingCacheFigures
        sizes = (
            select(
                kept.model_id,
                func.count().label("passages"),
                func.sum(func.length(kept.vector)).label("size"),
            )
            .where(kept.workspace_id == self._scope.workspace_id)
            .group_by(kept.model_id)
            .subquery()
        )
        rows = await self._session.execute(
            select(
                figures.model_id,
                figures.hits,
                figures.misses,
                func.coalesce(sizes.c.passages, 0),
                func.coalesce(sizes.c.size, 0),
            )
            .outerjoin(sizes, sizes.c.model_id == figures.model_id)
            .where(figures.workspace_id == self._scope.workspace_id)
            .order_by(figures.model_id)
        )
        return [
            EmbeddingCacheView(model_id=model, hits=hits, misses=misses, passages=passages, bytes=size)
            for model, hits, misses, passages, size in rows
        ]

    async def forget_embeddings(self, model_id: UUID) -> None:
        await self._session.execute(
            delete(CachedEmbedding).where(
                CachedEmbedding.model_id == model_id,
                CachedEmbedding.workspace_id == self._scope.workspace_id,
            )
        )


async def drop_expired_answers(session: AsyncSession) -> int:
    """Of all workspaces."""
    result = await session.execute(
        delete(CachedResponse).where(CachedResponse.expires_at < func.now()).returning(CachedResponse.key)
    )
    return len(result.all())


async def bound_embeddings(session: AsyncSession, max_bytes: int) -> int:
    """Remove the vectors that were not asked for longest, of all workspaces, down to `max_bytes`; how many.

    Whole days of last use go first; within the last of them any.
    """
    days = await session.execute(
        text(
            "SELECT used_on, count(*), sum(length(vector)) FROM cached_embeddings"
            " GROUP BY used_on ORDER BY used_on DESC"
        )
    )
    removed, total = 0, 0
    for used_on, count, size in days.all():
        total += int(size)
        if total <= max_bytes:
            continue
        share = min(1.0, (total - max_bytes) / int(size))
        total = min(total, max_bytes)
        result = await session.execute(
            text(
                "DELETE FROM cached_embeddings WHERE ctid = ANY (ARRAY("
                " SELECT ctid FROM cached_embeddings WHERE used_on = :used_on LIMIT :number)) RETURNING 1"
            ),
            {"used_on": used_on, "number": -int(-count * share // 1)},
        )
        removed += len(result.all())
    return removed
