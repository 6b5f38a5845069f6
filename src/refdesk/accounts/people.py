"""Members and groups by their ids, for rooms that grant something to them."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts.scope import Scope
from refdesk.accounts.tables import Group, Membership, User


@dataclass(frozen=True, slots=True)
class Person:
    """A member of the workspace."""

    id: UUID
    name: str
    email: str


@dataclass(frozen=True, slots=True)
class NamedGroup:
    """A group of the workspace."""

    id: UUID
    name: str


async def people_and_groups(
    session: AsyncSession, scope: Scope, user_ids: Collection[UUID], group_ids: Collection[UUID]
) -> tuple[list[Person], list[NamedGroup]]:
    """Those of these users who are members, and those of these groups that are there, by name."""
    users = await session.execute(
        select(User.id, User.name, User.email)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.workspace_id == scope.workspace_id, User.id.in_(user_ids))
        .order_by(User.name, User.email)
    )
    groups = await session.execute(
        select(Group.id, Group.name)
        .where(Group.workspace_id == scope.workspace_id, Group.id.in_(group_ids))
        .order_by(Group.name)
    )
    return [Person(*row) for row in users], [NamedGroup(*row) for row in groups]
