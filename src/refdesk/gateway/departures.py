"""What goes with a thing of a higher room that is removed.

Limits and caches name applications, which this room does not know: whoever removes one says so here.
"""

from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway.caching.tables import ResponseCachePolicy
from refdesk.gateway.limits.service import LimitService
from refdesk.gateway.limits.tables import ModelLimit


async def forget_application(session: AsyncSession, scope: Scope, application_id: UUID) -> None:
    """Remove an application's own limits, its response cache and what that kept. Limits for all applications
    stay, as does the record of its calls: what was used stays known."""
    own = await session.scalars(
        select(ModelLimit.id).where(
            ModelLimit.workspace_id == scope.workspace_id, ModelLimit.application_id == application_id
        )
    )
    limits = LimitService(session, scope)
    for limit_id in own.all():
        await limits.delete(limit_id)
    await session.execute(
        delete(ResponseCachePolicy).where(
            ResponseCachePolicy.workspace_id == scope.workspace_id,
            ResponseCachePolicy.application_id == application_id,
        )
    )
