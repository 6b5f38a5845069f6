"""Documents that a search of their base misses, in whole or in part, as the caller may see them."""

from collections.abc import Sequence
from functools import lru_cache
from uuid import UUID

from sqlalchemy import ScalarSelect, and_, bindparam, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge.access import may_see
from refdesk.knowledge.repository import ON_THE_WAY, RESOURCE
from refdesk.knowledge.tables import Document, KnowledgeBase


# To put the condition together takes longer than to ask it, and every search asks it.
@lru_cache(maxsize=512)
def unready_documents(scope: Scope) -> ScalarSelect[int]:
    """How many documents of the base of the row are on their way to `ready`, or have an edit that is not
    indexed yet; of those that the caller may see."""
    query = (
        select(func.count())
        .select_from(Document)
        .where(
            Document.knowledge_base_id == KnowledgeBase.id,
            Document.workspace_id == scope.workspace_id,
            Document.deleted_at.is_(None),
            Document.is_draft.is_(False),
            may_see(scope),
            # Written out, so that every plan may use the index of these few documents.
            or_(
                Document.state.in_(bindparam("on_the_way", ON_THE_WAY, expanding=True, literal_execute=True)),
                and_(Document.is_reindexing, Document.state == "ready"),
            ),
        )
    )
    if scope.resource is not None and scope.resource[0] == RESOURCE:
        query = query.where(KnowledgeBase.id == scope.resource[1])
    return query.correlate(KnowledgeBase).scalar_subquery()


async def unready(session: AsyncSession, scope: Scope, base_ids: Sequence[UUID]) -> int:
    """How many documents of these bases searches miss, in whole or in part."""
    counted = await session.scalar(
        select(func.sum(unready_documents(scope))).where(
            KnowledgeBase.id.in_(base_ids),
            KnowledgeBase.workspace_id == scope.workspace_id,
            KnowledgeBase.deleted_at.is_(None),
        )
    )
    return int(counted or 0)
