"""SQL on what belongs to a workspace: members, groups, API keys, audit. Every query is within the scope."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts.scope import Role, Scope
from refdesk.accounts.tables import ApiKey, AuditEvent, Group, GroupMember, Membership, User


class MembershipRepository:
    """Who belongs to the workspace, and as what."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.workspace_id = scope.workspace_id

    async def get(self, user_id: UUID) -> tuple[Membership, User] | None:
        row = (
            await self.session.execute(
                select(Membership, User)
                .join(User, User.id == Membership.user_id)
                .where(Membership.workspace_id == self.workspace_id, Membership.user_id == user_id)
            )
        ).first()
        return None if row is None else (row[0], row[1])

    async def page(self, after: UUID | None, limit: int) -> tuple[Sequence[tuple[Membership, User]], int]:
        statement = (
            select(Membership, User)
            .join(User, User.id == Membership.user_id)
            .where(Membership.workspace_id == self.workspace_id)
            .order_by(Membership.user_id)
            .limit(limit)
        )
        if after is not None:
            statement = statement.where(Membership.user_id > after)
        total = await self.session.scalar(
            select(func.count()).select_from(Membership).where(Membership.workspace_id == self.workspace_id)
        )
        rows = await self.session.execute(statement)
        return [(row[0], row[1]) for row in rows], total or 0

    async def add(self, user_id: UUID, role: Role) -> Membership:
        membership = Membership(workspace_id=self.workspace_id, user_id=user_id, role=role.label)
        self.session.add(membership)
        await self.session.flush()
        return membership

    async def remove(self, user_id: UUID) -> None:
        """End the membership, also in the workspace's groups."""
        await self.session.execute(
            delete(GroupMember).where(
                GroupMember.workspace_id == self.workspace_id, GroupMember.user_id == user_id
            )
        )
        await self.session.execute(
            delete(Membership).where(
                Membership.workspace_id == self.workspace_id, Membership.user_id == user_id
            )
        )

    async def lock_other_owner(self, user_id: UUID) -> bool:
        """Whether another active owner exists; the owners' rows stay locked until the transaction ends."""
        owners = await self.session.execute(
            select(Membership.user_id, User.is_active)
            .join(User, User.id == Membership.user_id)
            .where(Membership.workspace_id == self.workspace_id, Membership.role == Role.OWNER.label)
            .order_by(Membership.user_id)
            .with_for_update(of=Membership)
        )
        return any(owner != user_id and active for owner, active in owners)


class GroupRepository:
    """Groups and who is in them."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.workspace_id = scope.workspace_id

    async def get(self, group_id: UUID) -> Group | None:
        return await self.session.scalar(
            select(Group).where(Group.workspace_id == self.workspace_id, Group.id == group_id)
        )

    async def by_name(self, name: str) -> Group | None:
        return await self.session.scalar(
            select(Group).where(Group.workspace_id == self.workspace_id, Group.name == name)
        )

    async def page(self, after: UUID | None, limit: int) -> tuple[Sequence[Group], int]:
        statement = (
            select(Group).where(Group.workspace_id == self.workspace_id).order_by(Group.id).limit(limit)
        )
        if after is not None:
            statement = statement.where(Group.id > after)
        total = await self.session.scalar(
            select(func.count()).select_from(Group).where(Group.workspace_id == self.workspace_id)
        )
        return (await self.session.scalars(statement)).all(), total or 0

    async def member_ids(self, group_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
        """User ids by group id."""
        rows = await self.session.execute(
            select(GroupMember.group_id, GroupMember.user_id)
            .where(GroupMember.workspace_id == self.workspace_id, GroupMember.group_id.in_(group_ids))
            .order_by(GroupMember.user_id)
        )
        found: dict[UUID, list[UUID]] = {group_id: [] for group_id in group_ids}
        for group_id, user_id in rows:
            found[group_id].append(user_id)
        return found

    async def add(self, name: str) -> Group:
        group = Group(workspace_id=self.workspace_id, name=name)
        self.session.add(group)
        await self.session.flush()
        return group

    async def remove(self, group: Group) -> None:
        await self.session.execute(
            delete(Group).where(Group.workspace_id == self.workspace_id, Group.id == group.id)
        )

    async def add_member(self, group: Group, user_id: UUID) -> bool:
        """Whether the user was not in the group before."""
        result = await self.session.execute(
            insert(GroupMember)
            .values(group_id=group.id, user_id=user_id, workspace_id=self.workspace_id)
            .on_conflict_do_nothing()
            .returning(GroupMember.user_id)
        )
        return result.first() is not None

    async def remove_member(self, group: Group, user_id: UUID) -> bool:
        """Whether the user was in the group."""
        result = await self.session.execute(
            delete(GroupMember)
            .where(
                GroupMember.workspace_id == self.workspace_id,
                GroupMember.group_id == group.id,
                GroupMember.user_id == user_id,
            )
            .returning(GroupMember.user_id)
        )
        return result.first() is not None


class ApiKeyRepository:
    """The workspace's keys; a person sees their own, owners all."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.workspace_id = scope.workspace_id
        self._creator = None if scope.role >= Role.OWNER else scope.user_id

    async def get(self, key_id: UUID) -> ApiKey | None:
        statement = select(ApiKey).where(ApiKey.workspace_id == self.workspace_id, ApiKey.id == key_id)
        if self._creator is not None:
            statement = statement.where(ApiKey.created_by == self._creator)
        return await self.session.scalar(statement)

    async def page(self, after: UUID | None, limit: int) -> tuple[Sequence[ApiKey], int]:
        conditions = [ApiKey.workspace_id == self.workspace_id]
        if self._creator is not None:
            conditions.append(ApiKey.created_by == self._creator)
        statement = select(ApiKey).where(*conditions).order_by(ApiKey.id.desc()).limit(limit)
        if after is not None:
            statement = statement.where(ApiKey.id < after)
        total = await self.session.scalar(select(func.count()).select_from(ApiKey).where(*conditions))
        return (await self.session.scalars(statement)).all(), total or 0

    async def add(self, key: ApiKey) -> ApiKey:
        key.workspace_id = self.workspace_id
        self.session.add(key)
        await self.session.flush()
        return key


class AuditRepository:
    """The workspace's audit events, newest first; with `installation`, those of no workspace."""

    def __init__(self, session: AsyncSession, scope: Scope, *, installation: bool = False) -> None:
        self.session = session
        self.workspace_id = None if installation else scope.workspace_id

    async def page(self, before: UUID | None, limit: int) -> tuple[Sequence[AuditEvent], int]:
        within = AuditEvent.workspace_id.is_not_distinct_from(self.workspace_id)
        statement = select(AuditEvent).where(within).order_by(AuditEvent.id.desc()).limit(limit)
        if before is not None:
            statement = statement.where(AuditEvent.id < before)
        total = await self.session.scalar(select(func.count()).select_from(AuditEvent).where(within))
        return (await self.session.scalars(statement)).all(), total or 0
