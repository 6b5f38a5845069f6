"""Workspaces and their members. Administrators act as owners everywhere; the last owner cannot go."""

from collections.abc import Awaitable, Callable
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts.audit import audit
from refdesk.accounts.callers import Caller
from refdesk.accounts.directory import UserStore, WorkspaceStore
from refdesk.accounts.errors import AlreadyMember, LastOwner, UserNotFound
from refdesk.accounts.repository import MembershipRepository
from refdesk.accounts.scope import Role, Scope
from refdesk.accounts.tables import Membership, User, Workspace
from refdesk.kit.errors import NotFound

WorkspaceCallback = Callable[[AsyncSession, Scope], Awaitable[None]]

# Rooms append what a new workspace needs (its embedding model, …); run in the creating transaction.
on_workspace_created: list[WorkspaceCallback] = []

MemberCallback = Callable[[AsyncSession, Scope, UUID], Awaitable[None]]

# Rooms append what is to be taken from a user who leaves a workspace; run in the transaction that ends it.
on_member_removed: list[MemberCallback] = []


def default_workspace_name(language: str | None) -> str:
    """The first workspace's name, for a locale or an `Accept-Language` header."""
    return "默认" if (language or "").lower().startswith("zh") else "Default"


async def create_workspace(session: AsyncSession, caller: Caller, name: str) -> Workspace:
    """Make a workspace; a person becomes its owner, the operator stays outside."""
    workspace = Workspace(name=name)
    session.add(workspace)
    await session.flush()
    await session.refresh(workspace)
    scope = Scope(
        workspace_id=workspace.id,
        user_id=caller.user.id if caller.user is not None else None,
        role=Role.OWNER,
        via=caller.via,
        is_administrator=caller.is_administrator,
        actor=caller.actor,
    )
    if caller.user is not None:
        await MembershipRepository(session, scope).add(caller.user.id, Role.OWNER)
    for callback in on_workspace_created:
        await callback(session, scope)
    audit(session, scope, "workspace.create", ("workspace", workspace.id), name=name)
    return workspace


async def ensure_default_workspace(
    session: AsyncSession, caller: Caller, language: str | None
) -> Workspace | None:
    """Make the first workspace if there is none; None if there is one already."""
    store = WorkspaceStore(session)
    if await store.any_exists():
        return None
    # Two first commands at once: the second waits here and then finds the first one's workspace.
    await UserStore(session).lock_administrators()
    if await store.any_exists():
        return None
    return await create_workspace(session, caller, default_workspace_name(language))


async def visible_workspaces(session: AsyncSession, caller: Caller) -> list[tuple[Workspace, Role]]:
    """The workspaces open to the caller and the caller's role in each, the caller's first one first."""
    store = WorkspaceStore(session)
    found = await (store.all() if caller.is_administrator else store.named(list(caller.memberships)))
    order = {workspace_id: place for place, workspace_id in enumerate(caller.memberships)}
    roles = [(workspace, caller.role_in(workspace.id)) for workspace in found]
    visible = [(workspace, role) for workspace, role in roles if role is not None]
    return sorted(visible, key=lambda pair: order.get(pair[0].id, len(order)))


async def get_workspace(session: AsyncSession, caller: Caller, workspace_id: UUID) -> tuple[Workspace, Role]:
    """Raises `NotFound` for a workspace that is not open to the caller."""
    role = caller.role_in(workspace_id)
    workspace = await WorkspaceStore(session).get(workspace_id) if role is not None else None
    if role is None or workspace is None:
        raise NotFound("There is no such workspace.")
    return workspace, role


async def rename_workspace(session: AsyncSession, scope: Scope, name: str) -> Workspace:
    workspace = await WorkspaceStore(session).get(scope.workspace_id)
    if workspace is None:
        raise NotFound("There is no such workspace.")
    audit(session, scope, "workspace.rename", ("workspace", workspace.id), before=workspace.name, after=name)
    workspace.name = name
    await session.flush()
    return workspace


async def add_member(session: AsyncSession, scope: Scope, email: str, role: Role) -> tuple[Membership, User]:
    """Add a user who has an account. Raises `UserNotFound`, `AlreadyMember`."""
    user = await UserStore(session).by_email(email)
    if user is None:
        raise UserNotFound
    members = MembershipRepository(session, scope)
    if await members.get(user.id) is not None:
        raise AlreadyMember
    await members.add(user.id, role)
    audit(session, scope, "member.add", ("user", user.id), role=role.label)
    return await get_member(session, scope, user.id)


async def get_member(session: AsyncSession, scope: Scope, user_id: UUID) -> tuple[Membership, User]:
    found = await MembershipRepository(session, scope).get(user_id)
    if found is None:
        raise NotFound("This user is not a member of the workspace.")
    await session.refresh(found[0])
    return found


async def change_role(
    session: AsyncSession, scope: Scope, user_id: UUID, role: Role
) -> tuple[Membership, User]:
    """Raises `LastOwner` if the workspace would be left without one."""
    membership, user = await get_member(session, scope, user_id)
    if membership.role == Role.OWNER.label and role < Role.OWNER:
        await _refuse_last_owner(session, scope, user_id)
    audit(session, scope, "member.role", ("user", user_id), before=membership.role, after=role.label)
    membership.role = role.label
    await session.flush()
    return membership, user


async def remove_member(session: AsyncSession, scope: Scope, user_id: UUID) -> None:
    """End a membership; the person's keys for this workspace stop working with it."""
    membership, _user = await get_member(session, scope, user_id)
    if membership.role == Role.OWNER.label:
        await _refuse_last_owner(session, scope, user_id)
    await MembershipRepository(session, scope).remove(user_id)
    for take_away in on_member_removed:
        await take_away(session, scope, user_id)
    audit(session, scope, "member.remove", ("user", user_id), role=membership.role)


async def _refuse_last_owner(session: AsyncSession, scope: Scope, user_id: UUID) -> None:
    if not await MembershipRepository(session, scope).lock_other_owner(user_id):
        raise LastOwner
