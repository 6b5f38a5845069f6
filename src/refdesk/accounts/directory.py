"""SQL on what belongs to the whole installation: users, sign-ins, one-time tokens, throttles, workspaces.

These tables have no workspace, so their stores take no scope; whoever calls them must have checked that
the caller is the person concerned, an administrator, or the system itself. What belongs to a workspace is
in `repository`.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import Select, case, delete, exists, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts.scope import Role
from refdesk.accounts.tables import (
    ApiKey,
    GroupMember,
    LoginSession,
    LoginThrottle,
    Membership,
    OneTimeToken,
    User,
    Workspace,
)

# Serialises what counts administrators or owners: first set-up, disabling, demoting.
ADMINISTRATORS_LOCK = 4_927_311_611


class UserStore:
    """People and their memberships."""

    def __init__(self, session: AsyncSession) -> None:
        self.session = session

    async def get(self, user_id: UUID) -> User | None:
        return await self.session.get(User, user_id)

    async def by_email(self, email: str) -> User | None:
        return await self.session.scalar(select(User).where(func.lower(User.email) == email.lower()))

    async def page(self, after: UUID | None, limit: int) -> tuple[Sequence[User], int]:
        statement = select(User).order_by(User.id).limit(limit)
        if after is not None:
            statement = statement.where(User.id > after)
        total = await self.session.scalar(select(func.count()).select_from(User))
        return (await self.session.scalars(statement)).all(), total or 0

    async def memberships(self, user_id: UUID) -> dict[UUID, Role]:
        """Workspace ids and roles, the oldest membership first."""
        rows = await self.session.execute(
            select(Membership.workspace_id, Membership.role)
            .where(Membership.user_id == user_id)
            .order_by(Membership.created_at, Membership.workspace_id)
        )
        return {workspace_id: Role.parse(role) for workspace_id, role in rows}

    async def group_ids(self, user_id: UUID, workspace_id: UUID) -> frozenset[UUID]:
        rows = await self.session.scalars(
            select(GroupMember.group_id).where(
                GroupMember.user_id == user_id, GroupMember.workspace_id == workspace_id
            )
        )
        return frozenset(rows)

    async def has_administrator(self) -> bool:
        """Whether an administrator exists who can sign in."""
        return bool(await self.session.scalar(select(_able_administrators().exists())))

    async def lock_administrators(self) -> None:
        """Until the transaction ends, nobody else counts or changes administrators."""
        await self.session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADMINISTRATORS_LOCK})

    async def other_administrator_exists(self, user_id: UUID) -> bool:
        return bool(
            await self.session.scalar(select(_able_administrators().where(User.id != user_id).exists()))
        )


def _able_administrators() -> Select[UUID]:
    return select(User.id).where(User.is_administrator, User.is_active, User.password_hash.is_not(None))


class SessionStore:
    """Browser sign-ins."""

    def __init__(self, session: AsyncSession) -> None:
        self.session = session

    async def find(self, token_hash: bytes, at: datetime) -> tuple[LoginSession, User] | None:
        row = (
            await self.session.execute(
                select(LoginSession, User)
                .join(User, User.id == LoginSession.user_id)
                .where(LoginSession.token_hash == token_hash, LoginSession.expires_at > at, User.is_active)
            )
        ).first()
        return None if row is None else (row[0], row[1])

    async def touch(self, session_id: UUID, at: datetime, every: timedelta) -> None:
        await self.session.execute(
            update(LoginSession)
            .where(LoginSession.id == session_id, LoginSession.last_seen_at < at - every)
            .values(last_seen_at=at)
            .execution_options(synchronize_session=False)
        )

    async def end(self, token_hash: bytes) -> None:
        await self.session.execute(delete(LoginSession).where(LoginSession.token_hash == token_hash))

    async def end_all(self, user_id: UUID) -> None:
        await self.session.execute(delete(LoginSession).where(LoginSession.user_id == user_id))

    async def end_expired(self, at: datetime) -> None:
        await self.session.execute(delete(LoginSession).where(LoginSession.expires_at <= at))


class TokenStore:
    """One-time tokens."""

    def __init__(self, session: AsyncSession) -> None:
        self.session = session

    async def find(self, token_hash: bytes, purposes: Sequence[str], at: datetime) -> OneTimeToken | None:
        """The token, locked until the transaction ends, so that it works once."""
        return await self.session.scalar(
            select(OneTimeToken)
            .where(
                OneTimeToken.token_hash == token_hash,
                OneTimeToken.purpose.in_(purposes),
                OneTimeToken.used_at.is_(None),
                OneTimeToken.expires_at > at,
            )
            .with_for_update()
        )

    async def void(self, *, user_id: UUID | None, purposes: Sequence[str]) -> None:
        """Forget the unused tokens of a user (of nobody, for first set-up)."""
        owner = OneTimeToken.user_id.is_(None) if user_id is None else OneTimeToken.user_id == user_id
        await self.session.execute(
            delete(OneTimeToken).where(
                owner, OneTimeToken.purpose.in_(purposes), OneTimeToken.used_at.is_(None)
            )
        )


FORGOTTEN_AFTER = timedelta(days=1)
"""After so long a count of failed sign-ins that blocks nobody is of no use."""


class ThrottleStore:
    """Counts of failed attempts."""

    def __init__(self, session: AsyncSession) -> None:
        self.session = session

    async def charge(self, subject: str, at: datetime, window: timedelta) -> tuple[int, datetime | None]:
        """Count one attempt: how many there were in the present window, and until when it is blocked.

        The row stays locked until the transaction ends: attempts sent at once come one after the other.
        """
        # What is long over goes here, since whoever tries passwords leaves a row for each address tried.
        await self.session.execute(
            delete(LoginThrottle).where(
                LoginThrottle.subject.in_(
                    select(LoginThrottle.subject)
                    .where(
                        LoginThrottle.window_started_at < at - max(window, FORGOTTEN_AFTER),
                        or_(LoginThrottle.blocked_until.is_(None), LoginThrottle.blocked_until < at),
                        LoginThrottle.subject != subject,
                    )
                    .limit(50)
                    .with_for_update(skip_locked=True)
                )
            )
        )
        fresh = LoginThrottle.window_started_at < at - window
        statement = (
            insert(LoginThrottle)
            .values(subject=subject, failures=1, window_started_at=at)
            .on_conflict_do_update(
                index_elements=[LoginThrottle.subject],
                set_={
                    "failures": case((fresh, 1), else_=LoginThrottle.failures + 1),
                    "window_started_at": case((fresh, at), else_=LoginThrottle.window_started_at),
                },
            )
            .returning(LoginThrottle.failures, LoginThrottle.blocked_until)
        )
        attempts, blocked_until = (await self.session.execute(statement)).one()
        return attempts, blocked_until

    async def block(self, subject: str, until: datetime) -> None:
        await self.session.execute(
            update(LoginThrottle).where(LoginThrottle.subject == subject).values(blocked_until=until)
        )

    async def forget(self, subject: str) -> None:
        await self.session.execute(delete(LoginThrottle).where(LoginThrottle.subject == subject))

    async def refund(self, subject: str) -> None:
        await self.session.execute(
            update(LoginThrottle)
            .where(LoginThrottle.subject == subject, LoginThrottle.failures > 0)
            .values(failures=LoginThrottle.failures - 1)
        )


class ApiKeyDirectory:
    """Finding a key by its secret, which is what tells its workspace."""

    def __init__(self, session: AsyncSession) -> None:
        self.session = session

    async def find(self, key_hash: bytes, at: datetime) -> tuple[ApiKey, User | None] | None:
        row = (
            await self.session.execute(
                select(ApiKey, User)
                .outerjoin(User, User.id == ApiKey.created_by)
                .where(
                    ApiKey.key_hash == key_hash,
                    ApiKey.revoked_at.is_(None),
                    or_(ApiKey.expires_at.is_(None), ApiKey.expires_at > at),
                    or_(ApiKey.created_by.is_(None), User.is_active),
                )
            )
        ).first()
        return None if row is None else (row[0], row[1])

    async def touch(self, key_id: UUID, at: datetime, every: timedelta) -> None:
        await self.session.execute(
            update(ApiKey)
            .where(
                ApiKey.id == key_id,
                or_(ApiKey.last_used_at.is_(None), ApiKey.last_used_at < at - every),
            )
            .values(last_used_at=at)
            .execution_options(synchronize_session=False)
        )


class WorkspaceStore:
    """The tenants themselves."""

    def __init__(self, session: AsyncSession) -> None:
        self.session = session

    async def get(self, workspace_id: UUID) -> Workspace | None:
        return await self.session.get(Workspace, workspace_id)

    async def first_id(self) -> UUID | None:
        return await self.session.scalar(
            select(Workspace.id).order_by(Workspace.created_at, Workspace.id).limit(1)
        )

    async def all(self) -> Sequence[Workspace]:
        return (
            await self.session.scalars(select(Workspace).order_by(Workspace.created_at, Workspace.id))
        ).all()

    async def named(self, ids: Sequence[UUID]) -> Sequence[Workspace]:
        return (
            await self.session.scalars(
                select(Workspace).where(Workspace.id.in_(ids)).order_by(Workspace.created_at, Workspace.id)
            )
        ).all()

    async def any_exists(self) -> bool:
        return bool(await self.session.scalar(select(exists(select(Workspace.id)))))
