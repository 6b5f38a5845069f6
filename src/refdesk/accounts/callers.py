"""Who sent a request: a signed-in person, an API key or the local operator.

Owns reading credentials and choosing the workspace. Opens one short transaction of its own, so that an
operation that waits for a model holds no database connection meanwhile.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts.directory import ApiKeyDirectory, SessionStore, UserStore, WorkspaceStore
from refdesk.accounts.errors import InvalidApiKey, NoWorkspace
from refdesk.accounts.scope import ALL_PERMISSIONS, Permission, Role, Scope
from refdesk.accounts.tables import ApiKey, LoginSession, User
from refdesk.accounts.tokens import token_hash
from refdesk.kit.clock import now
from refdesk.kit.errors import NotFound, Unauthenticated

# How stale `last_seen_at` and `last_used_at` may be: one write a minute, not one a request.
SEEN_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Caller:
    """A recognised caller, before a workspace is chosen. `session_token` is the cookie's secret."""

    via: Literal["session", "api_key", "operator"]
    user: User | None = None
    login: LoginSession | None = None
    session_token: str | None = None
    key: ApiKey | None = None
    memberships: Mapping[UUID, Role] = field(default_factory=dict[UUID, Role])

    @property
    def is_administrator(self) -> bool:
        """True for the operator and for an administrator in person; never for a key."""
        if self.via == "operator":
            return True
        return self.via == "session" and self.user is not None and self.user.is_administrator

    @property
    def actor(self) -> str:
        if self.key is not None:
            return f"key {self.key.name}"
        return self.user.email if self.user is not None else "operator"

    @property
    def permissions(self) -> frozenset[Permission]:
        if self.key is None:
            return ALL_PERMISSIONS
        return frozenset(p for p in ALL_PERMISSIONS if p in self.key.scopes)

    @property
    def expires_at(self) -> datetime | None:
        if self.login is not None:
            return self.login.expires_at
        return self.key.expires_at if self.key is not None else None

    def role_in(self, workspace_id: UUID) -> Role | None:
        """The caller's role in a workspace that exists; None where the caller may not know of it."""
        if self.key is not None and self.key.workspace_id != workspace_id:
            return None
        if self.is_administrator:
            return Role.OWNER
        return self.memberships.get(workspace_id)

    def scope_in(self, workspace_id: UUID, group_ids: frozenset[UUID] = frozenset()) -> Scope:
        """The scope of this caller in a workspace; a workspace not open to the caller is not found."""
        role = self.role_in(workspace_id)
        if role is None:
            raise NotFound("There is no such workspace.")
        resource = None
        if self.key is not None and self.key.resource_kind is not None and self.key.resource_id is not None:
            resource = (self.key.resource_kind, self.key.resource_id)
        return Scope(
            workspace_id=workspace_id,
            user_id=self.user.id if self.user is not None else None,
            role=role,
            via=self.via,
            is_administrator=self.is_administrator,
            group_ids=group_ids,
            permissions=self.permissions,
            resource=resource,
            actor=self.actor,
            api_key_id=self.key.id if self.key is not None else None,
        )


async def caller_of_session(session: AsyncSession, token: str) -> Caller:
    """The person whose session cookie holds `token`."""
    found = await SessionStore(session).find(token_hash(token), now())
    if found is None:
        raise Unauthenticated
    login, user = found
    if login.last_seen_at < now() - SEEN_EVERY:
        await SessionStore(session).touch(login.id, now(), SEEN_EVERY)
    memberships = await UserStore(session).memberships(user.id)
    return Caller("session", user=user, login=login, session_token=token, memberships=memberships)


async def caller_of_key(session: AsyncSession, secret: str) -> Caller:
    """The API key with this secret, with its creator's present role; dead with a disabled creator."""
    found = await ApiKeyDirectory(session).find(token_hash(secret), now())
    if found is None:
        raise InvalidApiKey
    key, creator = found
    role: Role | None = Role.OWNER
    if creator is not None:
        memberships = await UserStore(session).memberships(creator.id)
        role = Role.OWNER if creator.is_administrator else memberships.get(key.workspace_id)
    if role is None:
        raise InvalidApiKey
    if key.last_used_at is None or key.last_used_at < now() - SEEN_EVERY:
        await ApiKeyDirectory(session).touch(key.id, now(), SEEN_EVERY)
    return Caller("api_key", user=creator, key=key, memberships={key.workspace_id: role})


async def choose_workspace(session: AsyncSession, caller: Caller, wanted: str | None) -> Scope:
    """The caller's scope in the workspace named by id, or in the first one open to the caller.

    Raises `NotFound` for a workspace that does not exist or is not open to the caller, `NoWorkspace` if
    none is named and there is none.
    """
    if wanted is not None:
        try:
            workspace_id = UUID(wanted)
        except ValueError:
            raise NotFound("There is no such workspace.") from None
        if caller.role_in(workspace_id) is None or await WorkspaceStore(session).get(workspace_id) is None:
            raise NotFound("There is no such workspace.")
    else:
        workspace_id = await default_workspace_id(session, caller)
        if workspace_id is None:
            raise NoWorkspace
    groups: frozenset[UUID] = frozenset()
    if caller.user is not None:
        groups = await UserStore(session).group_ids(caller.user.id, workspace_id)
    return caller.scope_in(workspace_id, groups)


async def default_workspace_id(session: AsyncSession, caller: Caller) -> UUID | None:
    """The key's workspace, the person's oldest membership, or for administrators the oldest workspace."""
    if caller.memberships:
        return next(iter(caller.memberships))
    if caller.is_administrator:
        return await WorkspaceStore(session).first_id()
    return None
