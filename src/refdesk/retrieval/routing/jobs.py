"""Keeping the routing profiles near to what the indexes hold."""

from datetime import timedelta
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.jobs import JobContext, enqueue, task
from refdesk.kit.clock import now
from refdesk.retrieval.routing.choice import RouteSettings
from refdesk.retrieval.routing.profiles import STALE, refresh_profile

CHANGED_SHARE = 0.02
"""Share of an index's entries that may come or go before its profile is made anew within two minutes."""

SETTLED_AFTER = timedelta(minutes=10)
"""Smaller changes wait so long after the last look."""

_AT_ONCE = 200


@task("schedule-route-profiles", cron="*/2 * * * *")
async def schedule_route_profiles(context: JobContext) -> None:
    """Have the profiles made that are missing or no longer true, where there are enough bases to choose."""
    parameters = {
        "few": RouteSettings().few,
        "share": CHANGED_SHARE,
        "before": now() - SETTLED_AFTER,
        "most": _AT_ONCE,
    }
    async with context.database.transaction() as session:
        for workspace_id, index_id in (await session.execute(STALE, parameters)).all():
            await enqueue(
                session,
                "refresh-route-profile",
                lock=f"route:{index_id}",
                unique=True,
                workspace_id=str(workspace_id),
                index_id=str(index_id),
            )


@task("refresh-route-profile")
async def refresh_route_profile(context: JobContext, workspace_id: str, index_id: str) -> None:
    """Make one index's profile anew."""
    await refresh_profile(context.database, Scope.system(UUID(workspace_id)), UUID(index_id))
