"""What must hold when two do it at once: attempts are all counted, the last administrator and owner stay."""

import asyncio
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import func, select

from refdesk.accounts import Role, Scope, issue_setup_token
from refdesk.accounts.callers import Caller
from refdesk.accounts.errors import LastAdministrator, LastOwner, SetupDone, SignInThrottled
from refdesk.accounts.repository import MembershipRepository
from refdesk.accounts.schemas import UserPatch
from refdesk.accounts.setup import complete_setup
from refdesk.accounts.tables import LoginThrottle, User, Workspace
from refdesk.accounts.throttle import (
    FREE_PER_ACCOUNT,
    FREE_PER_ADDRESS,
    WINDOW,
    account_subject,
    address_subject,
    charge,
    forgive,
)
from refdesk.accounts.users import change_user
from refdesk.accounts.workspaces import change_role, create_workspace, on_workspace_created, remove_member
from refdesk.kit.clock import now
from refdesk.kit.database import Database


async def make_user(database: Database, email: str, *, administrator: bool = False) -> User:
    async with database.transaction() as session:
        user = User(email=email, name=email, password_hash="x", is_administrator=administrator)
        session.add(user)
        await session.flush()
        return user


async def failures(database: Database, subject: str) -> int | None:
    async with database.transaction() as session:
        return await session.scalar(select(LoginThrottle.failures).where(LoginThrottle.subject == subject))


async def attempt(database: Database, account: str, address: str, after: timedelta = timedelta()) -> bool:
    """Whether the attempt was let through."""
    try:
        async with database.transaction() as session:
            await charge(session, account, address, now() + after)
    except SignInThrottled:
        return False
    return True


async def test_attempts_sent_at_once_are_all_counted(database: Database) -> None:
    account, address = account_subject("a@x"), address_subject("192.0.2.1")
    passed = await asyncio.gather(*(attempt(database, account, address) for _ in range(20)))
    assert sum(passed) == FREE_PER_ACCOUNT
    assert await failures(database, account) == FREE_PER_ACCOUNT


async def test_a_blocked_account_opens_after_the_wait_and_blocks_longer_then(database: Database) -> None:
    account, address = account_subject("b@x"), address_subject("192.0.2.2")
    for _ in range(FREE_PER_ACCOUNT):
        assert await attempt(database, account, address)
    assert not await attempt(database, account, address)
    assert await attempt(database, account, address, timedelta(seconds=16))
    assert not await attempt(database, account, address, timedelta(seconds=16 + 20))
    assert await attempt(database, account, address, WINDOW * 2)
    assert await failures(database, account) == 1


async def test_an_address_that_tries_many_accounts_is_blocked_too(database: Database) -> None:
    address = address_subject("192.0.2.3")
    tried = [
        await attempt(database, account_subject(f"c{n}@x"), address) for n in range(FREE_PER_ADDRESS + 1)
    ]
    assert tried == [True] * FREE_PER_ADDRESS + [False]


async def test_a_success_clears_the_account_and_is_not_held_against_the_address(
    database: Database,
) -> None:
    account, address = account_subject("d@x"), address_subject("192.0.2.4")
    for _ in range(3):
        await attempt(database, account, address)
    async with database.transaction() as session:
        await forgive(session, account, address)
    assert await failures(database, account) is None
    assert await failures(database, address) == 2


async def test_of_two_first_set_ups_at_once_one_wins(database: Database) -> None:
    async with database.transaction() as session:
        token = await issue_setup_token(session)
    assert token is not None

    async def set_up(name: str) -> bool:
        try:
            async with database.transaction() as session:
                await complete_setup(
                    session, token=token, email=f"{name}@x", name=name, password_hash="x", locale=None
                )
        except SetupDone:
            return False
        return True

    assert sorted(await asyncio.gather(set_up("one"), set_up("two"))) == [False, True]
    async with database.transaction() as session:
        assert await session.scalar(select(func.count()).select_from(Workspace)) == 1
        assert await issue_setup_token(session) is None


async def test_two_administrators_cannot_demote_each_other_at_once(database: Database) -> None:
    async with database.transaction() as session:
        for user in await session.scalars(select(User).where(User.is_administrator)):
            user.is_administrator = False
    first = await make_user(database, "first@x", administrator=True)
    second = await make_user(database, "second@x", administrator=True)

    async def demote(by: User, whom: User) -> bool:
        try:
            async with database.transaction() as session:
                await change_user(
                    session, Caller("session", user=by), whom.id, UserPatch(is_administrator=False)
                )
        except LastAdministrator:
            return False
        return True

    done = await asyncio.gather(demote(first, second), demote(second, first))
    assert sorted(done) == [False, True]


@pytest.fixture
async def owned(database: Database) -> tuple[Scope, UUID, UUID]:
    """A workspace with two owners."""
    name = f"{now().timestamp()}"
    one, two = await make_user(database, f"one{name}@x"), await make_user(database, f"two{name}@x")
    async with database.transaction() as session:
        workspace = await create_workspace(session, Caller("session", user=one), "W")
        scope = Scope.operator(workspace.id)
        await MembershipRepository(session, scope).add(two.id, Role.OWNER)
    return scope, one.id, two.id


async def test_two_owners_cannot_leave_at_once(database: Database, owned: tuple[Scope, UUID, UUID]) -> None:
    scope, one, two = owned

    async def leave(user_id: UUID) -> bool:
        try:
            async with database.transaction() as session:
                await remove_member(session, scope, user_id)
        except LastOwner:
            return False
        return True

    assert sorted(await asyncio.gather(leave(one), leave(two))) == [False, True]


async def test_a_disabled_owner_does_not_count_as_the_other_owner(
    database: Database, owned: tuple[Scope, UUID, UUID]
) -> None:
    scope, one, two = owned
    async with database.transaction() as session:
        user = await session.get_one(User, two)
        user.is_active = False
    with pytest.raises(LastOwner):
        async with database.transaction() as session:
            await change_role(session, scope, one, Role.EDITOR)


async def test_rooms_are_told_of_a_new_workspace_in_its_transaction(database: Database) -> None:
    told: list[UUID] = []

    async def callback(_session: object, scope: Scope) -> None:
        told.append(scope.workspace_id)

    on_workspace_created.append(callback)
    try:
        async with database.transaction() as session:
            workspace = await create_workspace(session, Caller("operator"), "Told")
    finally:
        on_workspace_created.remove(callback)
    assert told == [workspace.id]


async def test_counts_that_are_long_over_do_not_stay(database: Database) -> None:
    old, address = account_subject("old@x"), address_subject("192.0.2.9")
    assert await attempt(database, old, address, timedelta(days=-3))
    assert await failures(database, old) == 1
    assert await attempt(database, account_subject("new@x"), address_subject("192.0.2.10"))
    assert await failures(database, old) is None
