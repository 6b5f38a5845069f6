"""One-time links: an invitation for someone new, a reset for someone who forgot. Shown once, stored hashed.

Whoever holds a link becomes that user. So a workspace owner gets one only for a user who is new, or who is
pending and belongs nowhere else; for anybody else only an administrator does.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts.audit import audit, audit_installation
from refdesk.accounts.callers import Caller
from refdesk.accounts.directory import SessionStore, ThrottleStore, TokenStore, UserStore
from refdesk.accounts.errors import LinkNotFound, UserDisabled, UserNotFound
from refdesk.accounts.repository import MembershipRepository
from refdesk.accounts.scope import Role, Scope
from refdesk.accounts.sessions import set_password
from refdesk.accounts.tables import OneTimeToken, User
from refdesk.accounts.throttle import account_subject
from refdesk.accounts.tokens import new_token, token_hash
from refdesk.kit.clock import now
from refdesk.kit.errors import Forbidden

INVITATION_LIFETIME = timedelta(days=7)
RESET_LIFETIME = timedelta(days=1)
PURPOSES = ("invitation", "reset")


@dataclass(frozen=True, slots=True)
class Link:
    """A link as a path of this server; `path` is None where the user can sign in already."""

    user: User
    path: str | None
    expires_at: datetime | None


async def invite(
    session: AsyncSession,
    scope: Scope,
    *,
    email: str,
    name: str | None,
    role: Role,
    is_administrator: bool = False,
) -> Link:
    """Invite somebody to the workspace; whoever has an account becomes a member at once, without a link."""
    if is_administrator and not scope.is_administrator:
        raise Forbidden(needed_role="administrator")
    users = UserStore(session)
    user = await users.by_email(email)
    is_new = user is None
    if user is None:
        user = User(email=email, name=name or email.split("@")[0], is_administrator=is_administrator)
        session.add(user)
        await session.flush()
        await session.refresh(user)
        audit_installation(
            session, scope, "user.create", ("user", user.id), email=email, is_administrator=is_administrator
        )
    elif is_administrator and not user.is_administrator:
        user.is_administrator = True
        audit_installation(session, scope, "user.promote", ("user", user.id))
    memberships = await users.memberships(user.id)
    belongs_elsewhere = user.is_administrator or bool(memberships.keys() - {scope.workspace_id})
    if scope.workspace_id not in memberships:
        await MembershipRepository(session, scope).add(user.id, role)
    audit(session, scope, "member.invite", ("user", user.id), role=role.label)
    await session.flush()
    pending = user.password_hash is None and user.is_active
    if is_new or (pending and (scope.is_administrator or not belongs_elsewhere)):
        return await _issue(session, scope, user, "invitation", INVITATION_LIFETIME)
    return Link(user, None, None)


async def reset(session: AsyncSession, scope: Scope, user_id: UUID) -> Link:
    """A link with which the user sets a new password. All their sign-ins end now; the old password works
    until the link is used, so that a lost link locks nobody out."""
    user = await UserStore(session).get(user_id)
    if user is None:
        raise UserNotFound
    if not user.is_active:
        raise UserDisabled
    await SessionStore(session).end_all(user.id)
    audit_installation(session, scope, "user.reset", ("user", user.id))
    pending = user.password_hash is None
    purpose, lifetime = ("invitation", INVITATION_LIFETIME) if pending else ("reset", RESET_LIFETIME)
    return await _issue(session, scope, user, purpose, lifetime)


async def find_link(session: AsyncSession, token: str) -> tuple[OneTimeToken, User]:
    """The link's token and its user; raises `LinkNotFound` if it is unknown, used, expired or disabled."""
    found = await TokenStore(session).find(token_hash(token), PURPOSES, now())
    user = await UserStore(session).get(found.user_id) if found is not None and found.user_id else None
    if found is None or user is None or not user.is_active:
        raise LinkNotFound
    return found, user


async def redeem(
    session: AsyncSession, token: str, *, password_hash: str, name: str | None, locale: str | None
) -> User:
    """Set the password with a link, which works once; the user's other links and sign-ins end."""
    found, user = await find_link(session, token)
    await set_password(session, user, password_hash)
    user.name = name or user.name
    user.locale = locale or user.locale
    found.used_at = now()
    await session.flush()
    await TokenStore(session).void(user_id=user.id, purposes=PURPOSES)
    # Whoever forgot the password has tried before; the new one must work at once.
    await ThrottleStore(session).forget(account_subject(user.email))
    await session.refresh(user)
    audit_installation(session, Caller("session", user=user), f"{found.purpose}.redeem", ("user", user.id))
    return user


async def _issue(session: AsyncSession, scope: Scope, user: User, purpose: str, lifetime: timedelta) -> Link:
    await TokenStore(session).void(user_id=user.id, purposes=PURPOSES)
    token = new_token()
    expires_at = now() + lifetime
    session.add(
        OneTimeToken(
            purpose=purpose,
            token_hash=token_hash(token),
            user_id=user.id,
            created_by=scope.user_id,
            expires_at=expires_at,
        )
    )
    await session.flush()
    return Link(user, f"/invite/{token}", expires_at)
