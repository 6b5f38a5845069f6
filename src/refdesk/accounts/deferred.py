"""Who asked for work that is done later, and what they may do by then.

What is stored names the caller and nothing they may do: that is read anew when the work begins, so nobody's
work goes on with rights they have lost since.
"""

from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts.callers import Caller, choose_workspace
from refdesk.accounts.directory import UserStore
from refdesk.accounts.scope import Role, Scope
from refdesk.accounts.tables import ApiKey
from refdesk.kit.clock import now
from refdesk.kit.errors import Forbidden


def asker_of(scope: Scope) -> dict[str, Any]:
    """The caller as JSON, to be kept with the work."""
    return {
        "via": scope.via,
        "user_id": str(scope.user_id) if scope.user_id else None,
        "api_key_id": str(scope.api_key_id) if scope.api_key_id else None,
    }


async def scope_of_asker(session: AsyncSession, workspace_id: UUID, asker: dict[str, Any]) -> Scope:
    """The caller's present scope. Raises `Forbidden` for one who is not let in any more, and `NotFound`
    where the workspace is closed to them."""
    if asker["via"] == "operator":
        return Scope.operator(workspace_id)
    if asker["via"] == "system":
        return Scope.system(workspace_id)
    user = await UserStore(session).get(UUID(asker["user_id"])) if asker["user_id"] else None
    if (user is None and asker["user_id"]) or (user is not None and not user.is_active):
        raise Forbidden("Whoever asked for this has no account any more.")
    memberships = await UserStore(session).memberships(user.id) if user is not None else {}
    if asker["via"] == "session":
        caller = Caller("session", user=user, memberships=memberships)
        return await choose_workspace(session, caller, str(workspace_id))
    key = await session.get(ApiKey, UUID(asker["api_key_id"]))
    if key is None or key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= now()):
        raise Forbidden("The API key that asked for this is gone.")
    is_owner = user is None or user.is_administrator
    role = Role.OWNER if is_owner else memberships.get(key.workspace_id)
    caller = Caller("api_key", user=user, key=key, memberships={key.workspace_id: role} if role else {})
    return await choose_workspace(session, caller, str(workspace_id))
