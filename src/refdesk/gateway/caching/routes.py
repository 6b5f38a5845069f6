"""Caches over HTTP."""

from uuid import UUID

from fastapi import APIRouter, status
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Owner, Scope, audit, key_resources
from refdesk.gateway.caching.repository import CacheRepository
from refdesk.gateway.caching.schemas import EmbeddingCacheView, ResponseCacheParts, ResponseCacheView
from refdesk.gateway.repository import ModelRepository
from refdesk.kit.web import Page, Tx

router = APIRouter(prefix="/api/v1", tags=["caches"])


@router.get("/response-caches", operation_id="listResponseCaches", summary="Applications that keep answers")
async def list_response_caches(session: Tx, scope: Owner) -> Page[ResponseCacheView]:
    caches = await CacheRepository(session, scope).response_caches()
    return Page(items=caches, total=len(caches))


@router.put(
    "/response-caches/{application_id}",
    operation_id="putResponseCache",
    summary="Let an application keep answers",
)
async def put_response_cache(
    application_id: UUID, parts: ResponseCacheParts, session: Tx, scope: Owner
) -> ResponseCacheView:
    await key_resources["application"](session, scope, application_id)
    caches = CacheRepository(session, scope)
    before = await caches.response_caches(application_id)
    await caches.put(application_id, parts)
    _note(
        session,
        scope,
        "put",
        application_id,
        before=_told(before[0]) if before else None,
        after=parts.model_dump(),
    )
    return await caches.response_cache(application_id)


@router.delete(
    "/response-caches/{application_id}",
    operation_id="deleteResponseCache",
    summary="Let an application keep no answers, and forget those it has",
    status_code=status.HTTP_204_NO_CONTENT,
)
async def delete_response_cache(application_id: UUID, session: Tx, scope: Owner) -> None:
    caches = CacheRepository(session, scope)
    before = await caches.response_cache(application_id)
    await caches.remove(application_id)
    _note(session, scope, "delete", application_id, before=_told(before))


@router.delete(
    "/response-caches/{application_id}/answers",
    operation_id="forgetCachedAnswers",
    summary="Forget the answers an application keeps",
    status_code=status.HTTP_204_NO_CONTENT,
)
async def forget_cached_answers(application_id: UUID, session: Tx, scope: Owner) -> None:
    caches = CacheRepository(session, scope)
    before = await caches.response_cache(application_id)
    await caches.forget_answers(application_id)
    _note(session, scope, "empty", application_id, answers=before.answers)


@router.get("/embedding-caches", operation_id="listEmbeddingCaches", summary="Vectors kept by model")
async def list_embedding_caches(session: Tx, scope: Owner) -> Page[EmbeddingCacheView]:
    caches = await CacheRepository(session, scope).embedding_caches()
    return Page(items=caches, total=len(caches))


@router.delete(
    "/embedding-caches/{model_id}",
    operation_id="forgetCachedEmbeddings",
    summary="Forget the vectors kept for a model",
    status_code=status.HTTP_204_NO_CONTENT,
)
async def forget_cached_embeddings(model_id: UUID, session: Tx, scope: Owner) -> None:
    await ModelRepository(session, scope).get(model_id)
    await CacheRepository(session, scope).forget_embeddings(model_id)
    audit(session, scope, "embedding-cache.empty", ("model", model_id))


def _told(view: ResponseCacheView) -> dict[str, int | bool]:
    return {"ttl_s": view.ttl_s, "max_bytes": view.max_bytes, "with_tools": view.with_tools}


def _note(session: AsyncSession, scope: Scope, verb: str, application_id: UUID, **details: object) -> None:
    audit(session, scope, f"response-cache.{verb}", ("application", application_id), **details)
