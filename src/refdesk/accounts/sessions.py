"""Browser sign-ins: a random secret in the cookie, its hash in the table, a new one at every sign-in."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts.audit import audit_installation
from refdesk.accounts.callers import Caller
from refdesk.accounts.directory import SessionStore, UserStore
from refdesk.accounts.errors import SignInFailed
from refdesk.accounts.passwords import check_suitable, get_passwords
from refdesk.accounts.tables import LoginSession, User
from refdesk.accounts.tokens import new_token, token_hash
from refdesk.kit.clock import now


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A new sign-in. `token` is the cookie's secret and is nowhere else."""

    caller: Caller
    token: str
    expires_at: datetime


async def find_for_sign_in(session: AsyncSession, email: str) -> User | None:
    """The active user with this address."""
    user = await UserStore(session).by_email(email)
    return user if user is not None and user.is_active else None


async def check_password(user: User | None, password: str) -> str | None:
    """Verify a password and return a fresh hash if today's parameters differ from the stored one's.

    Raises `SignInFailed`. Takes as long for an unknown user as for a known one. Does no database work: call
    it outside a transaction.
    """
    passwords = get_passwords()
    stored = user.password_hash if user is not None else None
    if not await passwords.verify(stored, password) or stored is None:
        raise SignInFailed
    return await passwords.hash(password) if passwords.needs_rehash(stored) else None


async def open_session(
    session: AsyncSession,
    user: User,
    *,
    days: int,
    user_agent: str | None,
    replaces: str | None = None,
) -> OpenedSession:
    """Start a sign-in for `user`, ending the one whose secret the browser had before (`replaces`)."""
    store = SessionStore(session)
    at = now()
    if replaces:
        await store.end(token_hash(replaces))
    await store.end_expired(at)
    token = new_token()
    login = LoginSession(
        user_id=user.id,
        token_hash=token_hash(token),
        user_agent=user_agent[:400] if user_agent else None,
        last_seen_at=at,
        expires_at=at + timedelta(days=days),
    )
    session.add(login)
    user.last_login_at = at
    await session.flush()
    memberships = await UserStore(session).memberships(user.id)
    caller = Caller("session", user=user, login=login, session_token=token, memberships=memberships)
    audit_installation(session, caller, "session.open", ("user", user.id))
    return OpenedSession(caller, token, login.expires_at)


async def close_session(session: AsyncSession, caller: Caller) -> None:
    """Sign out."""
    if caller.session_token is not None:
        await SessionStore(session).end(token_hash(caller.session_token))
        audit_installation(session, caller, "session.close")


async def set_password(session: AsyncSession, user: User, password_hash: str) -> None:
    """Store a new password's hash; all sign-ins of the user end."""
    user.password_hash = password_hash
    await SessionStore(session).end_all(user.id)
    await session.flush()


async def hash_suitable(password: str, email: str) -> str:
    """The hash of a password that may be used; raises `PasswordUnsuitable`. No database work."""
    check_suitable(password, email)
    return await get_passwords().hash(password)
