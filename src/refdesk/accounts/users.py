"""Changes to people: names, disabling, who is administrator. The last active administrator stays one."""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts.audit import audit_installation
from refdesk.accounts.callers import Caller
from refdesk.accounts.directory import SessionStore, TokenStore, UserStore
from refdesk.accounts.errors import KeysMayNot, LastAdministrator, UserNotFound
from refdesk.accounts.invitations import PURPOSES
from refdesk.accounts.schemas import UserPatch
from refdesk.accounts.tables import User
from refdesk.kit.errors import Forbidden


async def change_user(session: AsyncSession, caller: Caller, user_id: UUID, patch: UserPatch) -> User:
    """Apply the changes that were named. Others than one's own name and locale need an administrator."""
    if caller.via == "api_key":
        raise KeysMayNot
    is_self = caller.user is not None and caller.user.id == user_id
    own_only = patch.is_active is None and patch.is_administrator is None
    if not caller.is_administrator and not (is_self and own_only):
        raise Forbidden(needed_role="administrator")
    user = await UserStore(session).get(user_id)
    if user is None:
        raise UserNotFound
    if patch.is_active is False or patch.is_administrator is False:
        await _refuse_last_administrator(session, user)
    changes = patch.model_dump(exclude_unset=True, exclude_none=True)
    for field, value in changes.items():
        setattr(user, field, value)
    if patch.is_active is False:
        await SessionStore(session).end_all(user.id)
        await TokenStore(session).void(user_id=user.id, purposes=PURPOSES)
    await session.flush()
    await session.refresh(user)
    audit_installation(session, caller, "user.change", ("user", user.id), **changes)
    return user


async def _refuse_last_administrator(session: AsyncSession, user: User) -> None:
    if not user.is_administrator or not user.is_active:
        return
    users = UserStore(session)
    await users.lock_administrators()
    if not await users.other_administrator_exists(user.id):
        raise LastAdministrator
