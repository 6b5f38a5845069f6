"""Groups: named sets of a workspace's members, for granting to several at once."""

from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts.audit import audit
from refdesk.accounts.errors import NameTaken
from refdesk.accounts.repository import GroupRepository
from refdesk.accounts.scope import Scope
from refdesk.accounts.tables import Group, GroupMember
from refdesk.accounts.workspaces import get_member
from refdesk.kit.errors import NotFound


def groups_of_caller(scope: Scope) -> Select[UUID]:
    """The ids of the groups the caller is in now, to be asked within another query.

    Not `scope.group_ids`: a stream or an answer that has been running for a while must not see more than its
    caller may by now.
    """
    return select(GroupMember.group_id).where(
        GroupMember.workspace_id == scope.workspace_id, GroupMember.user_id == scope.user_id
    )


async def get_group(session: AsyncSession, scope: Scope, group_id: UUID) -> Group:
    group = await GroupRepository(session, scope).get(group_id)
    if group is None:
        raise NotFound("There is no such group.")
    return group


async def create_group(session: AsyncSession, scope: Scope, name: str) -> Group:
    """Raises `NameTaken`."""
    groups = GroupRepository(session, scope)
    if await groups.by_name(name) is not None:
        raise NameTaken(name=name)
    group = await groups.add(name)
    await session.refresh(group)
    audit(session, scope, "group.create", ("group", group.id), name=name)
    return group


async def rename_group(session: AsyncSession, scope: Scope, group_id: UUID, name: str) -> Group:
    """Raises `NameTaken`."""
    group = await get_group(session, scope, group_id)
    other = await GroupRepository(session, scope).by_name(name)
    if other is not None and other.id != group.id:
        raise NameTaken(name=name)
    audit(session, scope, "group.rename", ("group", group.id), before=group.name, after=name)
    group.name = name
    await session.flush()
    return group


async def delete_group(session: AsyncSession, scope: Scope, group_id: UUID) -> None:
    group = await get_group(session, scope, group_id)
    await GroupRepository(session, scope).remove(group)
    audit(session, scope, "group.delete", ("group", group_id), name=group.name)


async def add_to_group(session: AsyncSession, scope: Scope, group_id: UUID, user_id: UUID) -> Group:
    """Put a member of the workspace into the group; nothing happens if they are in it."""
    group = await get_group(session, scope, group_id)
    await get_member(session, scope, user_id)
    if await GroupRepository(session, scope).add_member(group, user_id):
        audit(session, scope, "group.add", ("group", group_id), user_id=str(user_id))
    return group


async def remove_from_group(session: AsyncSession, scope: Scope, group_id: UUID, user_id: UUID) -> None:
    """Raises `NotFound` if the user is not in the group."""
    group = await get_group(session, scope, group_id)
    if not await GroupRepository(session, scope).remove_member(group, user_id):
        raise NotFound("This user is not in the group.")
    audit(session, scope, "group.remove", ("group", group_id), user_id=str(user_id))
